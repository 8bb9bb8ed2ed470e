"""A table made by several processes of this machine: each takes the next row that nobody has claimed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context, parent_process
from pathlib import Path

import torch

from protorel.statements import BadInput, Interrupted, WorkFailed
from protorel_paper.engine.cells import count_cells
from protorel_paper.engine.runner import Audience, Progress
from protorel_paper.engine.timing import timed
from protorel_paper.tables.reproduce import reproduce_table
from protorel_paper.tables.summary import TableSummary


@dataclass(frozen=True, slots=True)
class TableOrder:
    """Which table, of what, where."""

    name: str
    out: Path
    budget: str = "cpu"
    data: Path | None = None
    rows: tuple[str, ...] | None = None
    seeds: tuple[int, ...] = (0,)

    def made(self, audience: Audience = Audience()) -> tuple[TableSummary, Progress]:  # noqa: B008 (it is frozen)
        """Make what is missing and not in work elsewhere."""
        return reproduce_table(
            self.name,
            self.out,
            budget=self.budget,
            data=self.data,
            rows=self.rows,
            seeds=self.seeds,
            audience=audience,
        )

    @property
    def cells(self) -> int:
        """How many cells of the table are finished."""
        return count_cells(self.out, self.name)


def made_together(order: TableOrder, *, processes: int, audience: Audience) -> tuple[TableSummary, Progress]:
    """Make a table by this process and helpers beside it, which share the cores evenly.

    Helpers say nothing: what one of them cannot make, or leaves when it dies, this process meets at the end.
    """
    with timed(order.name, order.out, processes=processes):
        return order.made(audience) if processes == 1 else _together(order, processes, audience)


def _together(order: TableOrder, processes: int, audience: Audience) -> tuple[TableSummary, Progress]:
    before, threads, own_threads = order.cells, max(1, _cores() // processes), torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with _helpers(processes - 1, order, threads):
            _, first = order.made(audience)
            if first.elsewhere:
                with audience.watching(f"{order.name}: waiting for {', '.join(first.elsewhere)}"):
                    pass
        summary, last = order.made(audience)
    except KeyboardInterrupt:  # while waiting; whoever is at work says it better
        raise Interrupted(f"stopped in {order.name}; what is finished is kept, the same command goes on") from None
    finally:
        torch.set_num_threads(own_threads)
    return summary, replace(last, made=order.cells - before)


@contextmanager
def _helpers(count: int, order: TableOrder, threads: int) -> Iterator[None]:
    """Have so many processes work on the order; wait for them at the end, or stop them where the block fails."""
    # Fresh processes: one forked from a process that runs other libraries' threads may hang.
    context = get_context("spawn")
    helpers = [context.Process(target=_help, args=(order, threads), daemon=True) for _ in range(count)]
    with _interrupts_held_back():
        for helper in helpers:
            helper.start()
    try:
        yield
        for helper in helpers:
            helper.join()
    except BaseException:
        for helper in helpers:
            if helper.pid is not None and helper.is_alive():
                os.kill(helper.pid, signal.SIGINT)  # it saves what it has, as this process does
        for helper in helpers:
            helper.join()
        raise


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Let processes that are started here know nothing of Ctrl-C until they can answer it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _help(order: TableOrder, threads: int) -> None:
    torch.set_num_threads(threads)
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    # A command in the background may have been told to ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        order.made()
    except (BadInput, WorkFailed, Interrupted, KeyboardInterrupt):
        sys.exit(1)


def _stop_with_parent() -> None:
    """Stop as by Ctrl-C when the process that was started by hand is gone, however it went."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGINT)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
