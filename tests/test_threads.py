"""What is set before torch is loaded, and what of the user's own settings is respected or refused."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.cli import run
from protorel.threads import thread_count_problem

SHOWN = "import os; print(*(os.environ.get(name) for name in ('OMP_WAIT_POLICY', 'GOMP_SPINCOUNT', 'KMP_BLOCKTIME')))"


def said(code: str, **environment: str) -> str:
    names = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
    clean = {name: value for name, value in os.environ.items() if name not in names}
    child = subprocess.run(
        [sys.executable, "-c", code], env={**clean, **environment}, capture_output=True, text=True, check=True
    )
    return child.stdout.strip()


def test_waiting_threads_sleep_soon_once_protorel_is_imported():
    assert said(f"import protorel; {SHOWN}") == "PASSIVE 1000 None"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("OMP_WAIT_POLICY", "ACTIVE", "ACTIVE None None"),
        ("GOMP_SPINCOUNT", "7", "None 7 None"),
        ("KMP_BLOCKTIME", "1", "None None 1"),
    ],
)
def test_what_the_user_has_set_stays_and_nothing_is_added(name, value, expected):
    assert said(f"import protorel; {SHOWN}", **{name: value}) == expected


def test_nothing_is_set_where_torch_is_loaded_already():
    assert said(f"import sys; sys.modules['torch'] = sys; import protorel; {SHOWN}") == "None None None"


@pytest.mark.parametrize("value", ["1", "2", " 4 ", "4,2", "08"])
def test_a_number_of_threads_is_taken(monkeypatch, value):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert thread_count_problem() is None


@pytest.mark.parametrize("value", ["0", "", "-1", "two", "1.5", "1,", "4,0", "1" * 9])
def test_a_bad_number_of_threads_is_one_line_and_exit_code_2(monkeypatch, capsys, value):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert run(["convert", "--help"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("protorel: OMP_NUM_THREADS: expected a number of threads such as 2, got ")
    assert error.count("\n") == 1


@given(st.integers(1, 999_999))
def test_every_number_of_threads_above_0_is_taken(number):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", str(number))
        assert thread_count_problem() is None
