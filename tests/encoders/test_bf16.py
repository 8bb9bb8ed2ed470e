"""What the probe's child says, does or fails to say, and what becomes of it."""

from __future__ import annotations

import json
import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.encoders import bf16
from protorel.encoders.bf16 import LIMIT, Bf16, bf16_here, processor_key, run_probe


@pytest.fixture(autouse=True)
def fresh(tmp_path, monkeypatch):
    """An own cache, no limit of the user's, and nothing remembered."""
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(LIMIT, "")
    monkeypatch.delenv(LIMIT)
    bf16._probed.cache_clear()
    yield
    bf16._probed.cache_clear()


@pytest.fixture
def child(tmp_path, monkeypatch):
    """Puts a program into the place of the probe, and counts how often it was started."""

    def become(code: str):
        program, count = tmp_path / "probe.py", tmp_path / "count"
        program.write_text(f"import json, os, signal, sys, time\nopen({str(count)!r}, 'a').write('x')\n{code}\n")
        monkeypatch.setattr(bf16, "_PROBE", program)
        return lambda: len(count.read_text()) if count.exists() else 0

    return become


def printing(*attempts: dict) -> str:
    return "\n".join(f"print({json.dumps(json.dumps(one))})" for one in attempts)


def test_a_child_that_measures_is_believed(child):
    child(printing({"limit": "", "ratio": 1.74}))
    assert run_probe() == Bf16(1.74)
    assert run_probe().pays
    assert run_probe().usable
    assert str(run_probe()) == "bf16: 1.7 times as fast as fp32 on this processor"


@pytest.mark.parametrize("ratio", [0.4, 1.0, 1.19])
def test_bf16_that_works_and_does_not_pay_may_still_be_asked_for(child, ratio):
    child(printing({"limit": "", "ratio": ratio}))
    assert run_probe().usable
    assert not run_probe().pays


def test_a_child_that_dies_by_a_signal_says_which(child):
    child("os.kill(os.getpid(), signal.SIGILL)")
    assert str(run_probe()) == "bf16 is not usable here: illegal instruction"
    child("os.kill(os.getpid(), signal.SIGSEGV)")
    assert str(run_probe()) == "bf16 is not usable here: the probe was killed by SIGSEGV"


def test_an_attempt_that_died_by_a_signal_is_named(child):
    child(printing({"limit": "", "signal": int(signal.SIGILL)}, {"limit": "AVX512_CORE_BF16", "problem": "no kernel"}))
    assert run_probe() == Bf16(problem="illegal instruction")


def test_a_child_that_hangs_is_stopped(child, monkeypatch):
    monkeypatch.setattr(bf16, "_SECONDS", 0.2)
    child("time.sleep(60)")
    assert not run_probe().usable
    assert "did not end within" in str(run_probe())


@pytest.mark.parametrize(
    "code",
    [
        "",
        "print('hello')",
        "print('[]'); print('3'); print('null')",
        "print('{\"ratio\": true}')",
        'print(\'{"ratio": "1.7"}\')',
        "print('{\"ratio\": NaN}')",
        "print('{\"ratio\": -2.0}')",
        "print('{\"ratio\": 1e999}')",
        "sys.stdout.buffer.write(b'\\xff\\xfe{')",
        "sys.exit(3)",
    ],
)
def test_a_child_that_prints_garbage_means_that_bf16_is_not_used(child, code):
    child(code)
    assert run_probe() == Bf16(problem="the probe printed no figures")


def test_a_python_that_cannot_be_started_is_no_crash(monkeypatch):
    monkeypatch.setattr(bf16.sys, "executable", "/nonexistent/python")
    assert "could not be started" in run_probe().problem


def test_what_is_printed_around_the_figures_is_passed_over(child):
    child("print('some library says hello')\n" + printing({"limit": "", "ratio": 1.5}))
    assert run_probe() == Bf16(1.5)


def test_a_limit_is_tried_unless_the_user_has_set_one(child, monkeypatch):
    child("print(json.dumps({'limit': ' '.join(sys.argv[1:]), 'ratio': 2.0}))")
    assert run_probe().limit == "AVX512_CORE_BF16"
    monkeypatch.setenv(LIMIT, "AVX2")
    assert run_probe().limit == ""


def test_a_narrower_set_is_used_where_it_pays_and_refused_where_it_does_not(child):
    slow = Bf16(0.6, limit="AVX512_CORE_BF16")
    assert not slow.usable
    assert str(slow) == (
        "bf16 is not usable here: illegal instruction, and slower than fp32 with ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16"
    )
    fast = Bf16(1.3, limit="AVX512_CORE_BF16")
    assert fast.usable
    assert fast.pays
    assert str(fast).endswith("on this processor, with ONEDNN_MAX_CPU_ISA=AVX512_CORE_BF16")


@pytest.mark.parametrize("in_time", [True, False])
def test_a_limit_that_bf16_needs_is_set_for_this_process_if_it_is_in_time(child, monkeypatch, in_time):
    child(printing({"limit": "", "signal": 4}, {"limit": "AVX512_CORE_BF16", "ratio": 1.3}))
    monkeypatch.setattr(bf16, "_limit_holds", lambda: in_time)
    found = bf16_here()
    if in_time:
        assert found.pays
        assert os.environ[LIMIT] == "AVX512_CORE_BF16"
        assert bf16_here() == found  # under its own limit there is nothing to probe again
    else:
        assert not found.usable
        assert "start a new process" in str(found)
        assert LIMIT not in os.environ


def test_a_trial_in_a_forked_process_tells_whether_a_product_works_here(bf16_works):
    assert bf16._limit_holds()


def test_the_verdict_is_kept_and_the_child_started_once(child):
    started = child(printing({"limit": "", "ratio": 1.5}))
    assert bf16_here() == bf16_here() == Bf16(1.5)
    bf16._probed.cache_clear()  # as in another process
    assert bf16_here() == Bf16(1.5)
    assert started() == 1


def test_a_trap_is_kept_and_a_hang_is_not(child):
    started = child("os.kill(os.getpid(), signal.SIGILL)")
    for _ in range(2):
        bf16._probed.cache_clear()
        assert bf16_here().problem == "illegal instruction"
    assert started() == 1
    bf16._probed.cache_clear()


def test_a_verdict_that_says_nothing_certain_is_asked_for_again(child):
    started = child("print('garbage')")
    for _ in range(2):
        bf16._probed.cache_clear()
        bf16_here()
    assert started() == 2


@pytest.mark.parametrize(
    "text",
    ["", "{", "null", "[]", '{"ratio": 1.5}', '{"ratio": "fast", "limit": "", "problem": ""}',
     '{"ratio": 1.5, "limit": "RM -RF", "problem": ""}', '{"ratio": null, "limit": "", "problem": ""}',
     '{"ratio": NaN, "limit": "", "problem": ""}', '{"ratio": null, "limit": "", "problem": 3}'],
)  # fmt: skip
def test_a_damaged_cache_is_probed_again_and_mended(child, tmp_path, text):
    started = child(printing({"limit": "", "ratio": 1.5}))
    place = tmp_path / "cache" / "bf16" / f"{processor_key('')}.json"
    place.parent.mkdir(parents=True)
    place.write_text(text)
    assert bf16_here() == Bf16(1.5)
    assert started() == 1
    assert json.loads(place.read_text())["ratio"] == 1.5


def test_a_cache_of_bytes_that_are_no_text_is_probed_again(child, tmp_path):
    child(printing({"limit": "", "ratio": 1.5}))
    place = tmp_path / "cache" / "bf16" / f"{processor_key('')}.json"
    place.parent.mkdir(parents=True)
    place.write_bytes(b"\xff\xfe\x00")
    assert bf16_here() == Bf16(1.5)


def test_a_cache_that_cannot_be_written_costs_a_probe_and_nothing_else(child, tmp_path, monkeypatch):
    started = child(printing({"limit": "", "ratio": 1.5}))
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "file" / "cache"))
    for _ in range(2):
        bf16._probed.cache_clear()
        assert bf16_here() == Bf16(1.5)
    assert started() == 2


@given(ratio=st.floats(0.01, 100), limit=st.sampled_from(["", "AVX512_CORE_BF16"]))
def test_whatever_was_measured_is_usable_or_says_why_not(ratio, limit):
    found = Bf16(ratio, limit)
    assert found.usable or "not usable" in str(found)
    assert found.usable or not found.pays
    assert found.pays == (ratio >= 1.2)


def test_another_torch_or_limit_has_a_verdict_of_its_own(monkeypatch):
    here = processor_key("")
    assert processor_key("AVX2") != here
    monkeypatch.setattr(bf16, "version", lambda _: "9.9")
    assert processor_key("") != here


def test_the_real_child_gives_a_verdict_on_this_processor():
    found = run_probe()
    assert found.usable or found.problem or found.limit
