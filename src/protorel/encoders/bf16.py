"""Whether bf16 works on this processor, and how fast: measured in a child process (`bf16_probe.py`) and cached.

Some processors announce instructions that kill the process that uses them, and some are slower in bf16 than in fp32.
"""

from __future__ import annotations

import hashlib
import logging
import os
import platform
import signal
import subprocess
import sys
import warnings
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from protorel.encoders.products import OVERRIDE
from protorel.io import cache_root, parse_json, write_json
from protorel.statements import BadInput, WorkFailed

PAYS_FROM = 1.2
"""The speed-up over fp32 from which `auto` chooses bf16."""
LIMIT = "ONEDNN_MAX_CPU_ISA"
"""The environment variable that limits the instructions oneDNN uses."""
NARROWER = ("AVX512_CORE_BF16",)
"""Limits to try when the widest instructions trap: bf16 without AMX."""
_LAYOUT = "3"
"""The version of the probe: results of older versions are ignored."""
_SECONDS = 120.0
_PROBE = Path(__file__).with_name("bf16_probe.py")
_logger = logging.getLogger("protorel")


@dataclass(frozen=True, slots=True)
class Bf16:
    """The result of the probe: whether bf16 works on this processor, and whether it is worth using."""

    ratio: float | None = None
    """The speed-up over fp32 when training a layer; None if bf16 does not work."""
    limit: str = ""
    """The value of ONEDNN_MAX_CPU_ISA with which it works; empty: that of the environment."""
    problem: str = ""
    """Why it does not work."""

    @property
    def pays(self) -> bool:
        """Whether bf16 is fast enough to be chosen."""
        return self.ratio is not None and self.ratio >= PAYS_FROM

    @property
    def usable(self) -> bool:
        """Whether a recipe may ask for bf16: it works as is, or is fast enough with a limit."""
        return self.ratio is not None and (not self.limit or self.pays)

    def __str__(self) -> str:
        if self.ratio is None:
            return f"bf16 is not usable here: {self.problem}"
        if not self.usable:
            return f"bf16 is not usable here: illegal instruction, and slower than fp32 with {LIMIT}={self.limit}"
        limited = f", with {LIMIT}={self.limit}" if self.limit else ""
        return f"bf16: {self.ratio:.2g} times as fast as fp32 on this processor{limited}"


def bf16_here() -> Bf16:
    """Return the result of the probe for this processor and torch; run once, then read from the cache.

    If bf16 needs a limit on oneDNN's instructions, it is set in the environment of this process.
    """
    found = _probed(os.environ.get(LIMIT, ""))
    if found.pays and found.limit and os.environ.get(LIMIT) != found.limit:
        os.environ[LIMIT] = found.limit
        if not _limit_holds():
            del os.environ[LIMIT]
            return Bf16(
                problem=f"the instructions trap unless {LIMIT}={found.limit} is set before torch is first used; "
                "start a new process"
            )
    return found


def run_probe() -> Bf16:
    """Run the probe in a child process and return its result."""
    # If the user has set a limit, no other is tried.
    limits = [] if os.environ.get(LIMIT) else NARROWER
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-P", str(_PROBE), *limits]
    try:
        child = subprocess.run(command, capture_output=True, timeout=_SECONDS, env=environment, check=False)
    except subprocess.TimeoutExpired:
        return Bf16(problem=f"the probe did not end within {_SECONDS:.0f} s")
    except OSError as problem:
        return Bf16(problem=f"the probe could not be started ({problem})")
    attempts = _attempts(child.stdout.decode("utf-8", "replace"))
    for one in attempts:
        if isinstance(ratio := one.get("ratio"), float) and 0 < ratio < float("inf"):
            return Bf16(ratio, limit=str(one.get("limit", "")))
    if child.returncode < 0:
        return Bf16(problem=_signal(-child.returncode))
    return Bf16(problem=_first_problem(attempts))


def _attempts(text: str) -> list[Mapping[str, Any]]:
    """Return the attempts that a probe wrote; ignore anything else that it printed."""
    found: list[Mapping[str, Any]] = []
    for line in text.splitlines():
        try:
            one = parse_json(line)
        except ValueError:
            continue
        if isinstance(one, dict):
            found.append(one)
    return found


def _first_problem(attempts: list[Mapping[str, Any]]) -> str:
    for one in attempts:
        if isinstance(number := one.get("signal"), int):
            return _signal(number)
        if isinstance(problem := one.get("problem"), str):
            return problem
    return "the probe printed no figures"


def _signal(number: int) -> str:
    if number == signal.SIGILL:
        return "illegal instruction"
    try:
        return f"the probe was killed by {signal.Signals(number).name}"
    except ValueError:
        return f"the probe was killed by signal {number}"


@cache
def _probed(limit: str) -> Bf16:
    """Return the result for the user's limit from the cache, or run the probe and store it if it is certain."""
    place = cache_root() / "bf16" / f"{processor_key(limit)}.json"
    stored = _stored(place)
    if stored is not None:
        return stored
    found = run_probe()
    if found.ratio is not None or found.problem == _signal(signal.SIGILL):
        try:
            write_json(place, {**asdict(found), "processor": processor_name(), "torch": version("torch")})
        except (BadInput, WorkFailed) as problem:
            _logger.debug("the result of the bf16 probe is not cached (%s)", problem)
    return found


def _stored(place: Path) -> Bf16 | None:
    """Return a stored result; None if there is none or the file is damaged."""
    try:
        read = parse_json(place.read_text(encoding="utf-8"))
        ratio, limit, problem = read["ratio"], read["limit"], read["problem"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    known_limit = limit in ("", *NARROWER)
    if isinstance(ratio, float) and 0 < ratio < float("inf") and known_limit and problem == "":
        return Bf16(ratio, limit)
    if ratio is None and limit == "" and isinstance(problem, str) and problem:
        return Bf16(problem=problem)
    return None


def processor_key(limit: str) -> str:
    """Return a key for this processor, machine, version of torch and limit on instructions.

    The machine is part of it: an instruction may trap on one virtual machine and work on another.
    """
    products = os.environ.get(OVERRIDE, "")
    parts = (_LAYOUT, processor_name(), platform.node(), platform.release(), version("torch"), limit, products)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


@cache
def processor_name() -> str:
    """Return the processor's model and the instructions that it announces, as far as known."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n\n")[0].splitlines()
    except OSError:
        return f"{platform.machine()} {platform.processor()}"
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    fields = {key.strip(): value.strip() for key, value in pairs}
    return " ".join([platform.machine(), fields.get("model name", ""), fields.get("flags", fields.get("Features", ""))])


def _limit_holds() -> bool:
    """Return whether a limit that was just set has an effect: a forked copy of this process computes one product."""
    if not hasattr(os, "fork"):
        return False
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # fork among threads: the copy starts none and uses none
        child = os.fork()
    if child == 0:
        try:
            torch.set_num_threads(1)
            one = torch.ones(64, 64, dtype=torch.bfloat16)
            torch.mm(one, one)
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return not os.WIFSIGNALED(status)
