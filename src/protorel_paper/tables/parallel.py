"""A table made by several processes of this machine: each takes the next row that is not claimed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context, parent_process

import torch

from protorel.statements import BadInput, Interrupted, WorkFailed
from protorel_paper.engine import Audience, Progress
from protorel_paper.tables.cells import cells_of
from protorel_paper.tables.order import TableOrder
from protorel_paper.tables.reproduce import make_table
from protorel_paper.tables.summary.table_summary import TableSummary
from protorel_paper.tables.timing import timed


def make_in_parallel(order: TableOrder, *, processes: int, audience: Audience) -> tuple[TableSummary, Progress]:
    """Make a table with this process and workers that share the cores evenly.

    Workers print nothing. What a worker cannot make, or leaves unfinished when it dies, this process makes at the end.
    """
    with timed(order.name, order.out, processes=processes):
        return make_table(order, audience) if processes == 1 else _in_parallel(order, processes, audience)


def _in_parallel(order: TableOrder, processes: int, audience: Audience) -> tuple[TableSummary, Progress]:
    cells = cells_of(order.name)
    before, threads, own_threads = cells.count(order.out), max(1, _cores() // processes), torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with _workers(processes - 1, order, threads):
            _, first = make_table(order, audience)
            if first.elsewhere:
                with audience.watching(f"{order.name}: waiting for {', '.join(first.elsewhere)}"):
                    pass
        summary, last = make_table(order, audience)
    except KeyboardInterrupt:  # while waiting; during work the message names the cell
        raise Interrupted(
            f"stopped in {order.name}; what is finished is kept, run the same command to continue"
        ) from None
    finally:
        torch.set_num_threads(own_threads)
    return summary, replace(last, made=cells.count(order.out) - before)


@contextmanager
def _workers(count: int, order: TableOrder, threads: int) -> Iterator[None]:
    """Start `count` processes on the order; wait for them at the end, or stop them if the block fails."""
    # Fresh processes: one that is forked while other libraries' threads run may hang.
    context = get_context("spawn")
    workers = [context.Process(target=_work, args=(order, threads), daemon=True) for _ in range(count)]
    with _interrupts_blocked():
        for worker in workers:
            worker.start()
    try:
        yield
        for worker in workers:
            worker.join()
    except BaseException:
        for worker in workers:
            if worker.pid is not None and worker.is_alive():
                os.kill(worker.pid, signal.SIGINT)  # it saves what it has, as this process does
        for worker in workers:
            worker.join()
        raise


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C in processes that are started here until they can handle it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(order: TableOrder, threads: int) -> None:
    torch.set_num_threads(threads)
    threading.Thread(target=_stop_with_parent, daemon=True).start()
    # A command in the background may ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        make_table(order)
    except (BadInput, WorkFailed, Interrupted, KeyboardInterrupt):
        sys.exit(1)


def _stop_with_parent() -> None:
    """Stop as by Ctrl-C when the parent process is gone, however it ended."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGINT)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
