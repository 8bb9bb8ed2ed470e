"""How the threads of torch behave: set in the environment before torch is loaded, so nothing heavy is imported here."""

from __future__ import annotations

import os
import re
import sys

_USERS_OWN = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
"""What a user may have set already to say how threads wait."""


_SPINS = "1000"
"""How often a waiting thread of libgomp looks for work before it sleeps: about 10 microseconds.

Its default is 300 times as long. Threads that sleep at once train at 0.8 of the speed on a quiet machine: work comes
again that soon. Other OpenMP libraries know only whether to sleep.
"""


def sleep_while_waiting() -> None:
    """Let threads that wait for work sleep soon, where the user has not said otherwise and torch is not loaded yet.

    By default they spin: on a machine whose cores are busy, each waits for a neighbour that waits for the core.
    """
    if "torch" not in sys.modules and not any(name in os.environ for name in _USERS_OWN):
        os.environ.update(OMP_WAIT_POLICY="PASSIVE", GOMP_SPINCOUNT=_SPINS)


def thread_count_problem() -> str | None:
    """Say in one line what is wrong with OMP_NUM_THREADS, which OpenMP itself would pass over."""
    value = os.environ.get("OMP_NUM_THREADS")
    if value is None or re.fullmatch(r"\s*0*[1-9]\d{0,5}\s*(,\s*0*[1-9]\d{0,5}\s*)*", value):
        return None
    return f"OMP_NUM_THREADS: expected a number of threads such as 2, got {value!r}. Set it to 1 or more, or unset it"
