"""Rooms import their names when they are first used, and what is listed without torch agrees with what torch runs."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module
from typing import get_args

import pytest

import protorel
import protorel_paper
from protorel.encoders import READOUTS, WORD_KINDS
from protorel.fewshot import METHODS, SIMILARITIES, EpisodeMethod
from protorel.recipes import names

ROOMS = sorted(
    found.name
    for package in (protorel, protorel_paper)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if found.ispkg and hasattr(import_module(found.name), "__getattr__")
)


def test_the_rooms_that_commands_check_by_are_lazy():
    assert {f"protorel.{room}" for room in ("statements", "corpora", "recipes", "encoders", "fewshot", "model")} <= set(
        ROOMS
    )


@pytest.mark.parametrize("name", ["protorel", "protorel_paper", *ROOMS])
def test_a_lazy_room_gives_each_of_its_names_and_no_other(name):
    room = import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(room.__path__)}
    # A module of the same name would be given in its place.
    assert not modules & set(room.__all__)
    for public in room.__all__:
        assert getattr(room, public) is not None
    with pytest.raises(AttributeError, match=f"module '{name}' has no attribute 'nosuch'"):
        room.nosuch  # noqa: B018


def test_the_names_of_methods_are_those_of_the_methods():
    assert get_args(names.CombineName) == ("prototype", "mean", "nearest")
    assert get_args(names.VectorMethodName) == ("prototype", "mean", "nearest", "linear_probe", "tuned_head")
    assert get_args(names.SimilarityName) == tuple(SIMILARITIES)
    for name, method in METHODS.items():
        assert method.name == name
        code = method.load()
        assert method.trainable == (isinstance(code, type) and issubclass(code, EpisodeMethod))
        if method.trainable:
            assert method.settings_class().model_fields["name"].default == name


def test_the_names_of_readouts_and_encoders_of_words_are_theirs():
    assert set(get_args(names.ReadoutName)) == set(READOUTS)
    assert tuple(WORD_KINDS) == names.WORD_ENCODERS


def test_methods_that_read_pairs_or_tune_the_encoder_are_known_to_be_slow():
    slow = {name for name, method in METHODS.items() if method.needs in ("pairs", "encoder")}
    assert {name for name, method in METHODS.items() if method.why_slow} == slow


def test_windows_is_told_that_it_is_not_supported():
    code = "import sys; sys.platform = 'win32'; import protorel"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].startswith("ImportError: protorel runs on Linux and macOS")
