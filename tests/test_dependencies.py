"""The versions we declare are versions we test: pyproject.toml and the three constraints files tell one story."""

from __future__ import annotations

import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = [*PROJECT["dependencies"], *chain.from_iterable(PROJECT["optional-dependencies"].values())]
DECLARED = [requirement for requirement in map(Requirement, LINES) if requirement.name != PROJECT["name"]]
NAMES = [requirement.name for requirement in DECLARED]


def _pins(file_name):
    """The exact version of every name in a constraints file; a line that is no exact pin is refused."""
    lines = (ROOT / file_name).read_text(encoding="utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if line and not line.startswith("#")]
    pins = {canonicalize_name(one.name): Version(str(one.specifier).removeprefix("==")) for one in requirements}
    assert len(pins) == len(requirements), f"{file_name} names a package twice"
    return pins


def _floor(requirement):
    """The one lower bound (or the exact version) that a requirement names."""
    (floor,) = [Version(one.version) for one in requirement.specifier if one.operator in (">=", "==")]
    return floor


@pytest.mark.parametrize("requirement", DECLARED, ids=NAMES)
def test_a_floor_is_what_the_oldest_run_installs(requirement):
    assert _pins("constraints-oldest.txt")[canonicalize_name(requirement.name)] == _floor(requirement)


@pytest.mark.parametrize("requirement", DECLARED, ids=NAMES)
def test_what_we_test_with_is_pinned_and_lies_in_the_declared_range(requirement):
    assert _pins("constraints.txt")[canonicalize_name(requirement.name)] in requirement.specifier


def test_the_newest_run_holds_back_torch_alone_and_to_what_we_test_with():
    assert _pins("constraints-newest.txt") == {"torch": _pins("constraints.txt")["torch"]}


def test_the_makefile_has_a_run_for_the_oldest_and_one_for_the_newest():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for run in ("oldest", "newest"):
        assert re.search(rf"^test-{run}:.*## ", makefile, flags=re.MULTILINE)
        assert f"VENV=.venv-{run} CONSTRAINTS=constraints-{run}.txt" in makefile


def test_all_brings_every_extra():
    extras = PROJECT["optional-dependencies"]
    (everything,) = map(Requirement, extras["all"])
    # `report` is the old name of `paper`; the site of the docs and a release need tools that the library never needs.
    assert everything.extras == extras.keys() - {"all", "dev", "docs", "release"}
