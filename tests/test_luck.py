"""The same commit passes or fails every time: examples are fixed, and randomness starts alike in every test."""

import importlib.util
import random
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

TESTS = Path(__file__).parent


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn_examples():
    drawn = []

    @given(st.tuples(st.integers(), st.text(), st.floats()))
    def draw(values):
        drawn.append(repr((values, torch.rand(1).item())))

    draw()
    return drawn


@pytest.mark.skipif(not settings.default.derandomize, reason="a profile that draws new examples is chosen")
def test_examples_do_not_depend_on_what_was_imported_before(tmp_path, monkeypatch):
    before = drawn_examples()
    path = tmp_path / "module_of_ours.py"
    path.write_text(f"NUMBERS = {[1000 + 17 * n for n in range(500)]}\nWORDS = {[f'word {n}' for n in range(500)]}\n")
    monkeypatch.setitem(sys.modules, "module_of_ours", load(path))
    assert drawn_examples() == before


def test_no_example_is_kept_from_an_earlier_run():
    assert settings.default.database is None


@pytest.mark.parametrize("time", [1, 2])
def test_every_test_starts_from_the_same_random_state(time):
    first = random.random(), np.random.random(), torch.rand(1).item()  # noqa: NPY002
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    torch.manual_seed(0)
    assert first == (random.random(), np.random.random(), torch.rand(1).item())  # noqa: NPY002


@pytest.fixture
def fuzz():
    return load(TESTS / "fuzz.py")


@pytest.fixture
def property_tests(tmp_path):
    """A folder with one property that holds, one that does not, and a test that is no property."""
    profile = "from hypothesis import settings\nsettings.register_profile('fuzz', database=None, print_blob=True)\n"
    (tmp_path / "conftest.py").write_text(profile)
    (tmp_path / "test_numbers.py").write_text(
        "from hypothesis import given, strategies as st\n"
        "@given(st.integers())\ndef test_true(n):\n    assert n == n\n"
        "@given(st.integers())\ndef test_small(n):\n    assert n < 1000\n"
        "def test_plain():\n    raise AssertionError('not a property')\n"
    )
    return tmp_path


def test_a_round_says_how_to_repeat_what_it_found(fuzz, property_tests, capfd):
    assert fuzz.main(["--seed", "7", str(property_tests)]) == 1
    said = capfd.readouterr().out
    assert "round 1: seed 7 " in said
    assert "n=1000" in said
    assert "@reproduce_failure" in said
    assert "1 tests failed" in said
    assert "test_small: make fuzz SEED=7 TESTS=" in said
    assert "not a property" not in said


def test_the_same_seed_draws_the_same_examples(fuzz, property_tests):
    results = [fuzz.run_round(seed, [str(property_tests)], until=None, leave_out=()) for seed in (7, 7)]
    assert results[0] == results[1]
    assert results[0]["examples"] > 100


def test_rounds_have_new_seeds_until_the_time_is_up_and_leave_out_what_failed(fuzz, monkeypatch, capsys):
    now, seeds = [0.0], []

    def run_round(seed, tests, *, until, leave_out):
        assert until == 120
        assert list(leave_out) == (["test_a.py::test_b"] if seeds else [])
        seeds.append(seed)
        now[0] += 50
        return {"failed": ["test_a.py::test_b"] if len(seeds) == 1 else [], "examples": 10}

    monkeypatch.setattr(fuzz.time, "time", lambda: now[0])
    monkeypatch.setattr(fuzz, "run_round", run_round)
    assert fuzz.main(["--minutes", "2"]) == 1
    said = capsys.readouterr().out
    assert len(set(seeds)) == len(seeds) == 3
    assert all(f"make fuzz SEED={seed})" in said for seed in seeds)
    assert "3 rounds, 30 examples, 2.5 minutes, 1 tests failed" in said
    assert f"test_a.py::test_b: make fuzz SEED={seeds[0]} TESTS=test_a.py" in said


def test_tests_that_would_start_after_the_time_are_skipped(fuzz, property_tests):
    assert fuzz.run_round(7, [str(property_tests)], until=1, leave_out=()) == {"failed": [], "examples": 0}
