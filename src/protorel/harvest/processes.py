"""Shards done by several processes of this machine; one that dies costs a second try of the shards in work, no more."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context

from protorel.harvest.shard_work import ShardTask, do_shard
from protorel.harvest.shards import Shard

Work = Callable[[ShardTask], int]
_AHEAD = 2
"""Shards in hand for each worker: one in work, one waiting."""


def do_in_processes(tasks: Iterable[ShardTask], *, workers: int, work: Work = do_shard) -> Iterator[Shard]:
    """Do the tasks, as many at a time as there are workers; yield each shard when it has been tried.

    Documents are drawn from `tasks` no faster than they are worked on, so that memory stays flat however long the text
    is. When a process dies, nobody knows whose shard killed it: all in hand are tried once more, each in a process of
    its own. A shard that kills again is yielded all the same, and its folder is not there.
    """
    if workers <= 1:
        for task in tasks:
            work(task)
            yield task.shard
        return
    remaining = iter(tasks)
    suspects: list[ShardTask] = []
    broken = True
    while broken:
        in_hand: dict[int, ShardTask] = {}
        try:
            with _pool(workers) as pool:
                yield from _flow(pool, remaining, in_hand, workers * _AHEAD, work)
            broken = False
        except BrokenProcessPool:
            suspects += in_hand.values()
    for task in suspects:
        if not task.shard.is_done:
            _try_alone(task, work)
        yield task.shard


def _flow(
    pool: ProcessPoolExecutor, tasks: Iterator[ShardTask], in_hand: dict[int, ShardTask], limit: int, work: Work
) -> Iterator[Shard]:
    """Keep so many tasks in the pool; `in_hand` always holds those that are not known to be done."""
    running: dict[Future[int], ShardTask] = {}
    for task in tasks:
        in_hand[task.number] = task
        running[pool.submit(work, task)] = task
        if len(running) >= limit:
            yield from _finished(running, in_hand)
    while running:
        yield from _finished(running, in_hand)


def _finished(running: dict[Future[int], ShardTask], in_hand: dict[int, ShardTask]) -> Iterator[Shard]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        future.result()
        task = running.pop(future)
        del in_hand[task.number]
        yield task.shard


def _try_alone(task: ShardTask, work: Work) -> None:
    try:
        with _pool(1) as pool:
            pool.submit(work, task).result()
    except BrokenProcessPool:
        # The shard's folder is not there, which is what its reader looks at.
        return


def _pool(workers: int) -> ProcessPoolExecutor:
    # Fresh processes: one forked from a process that runs other libraries' threads may hang.
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_leave_stopping_to_the_parent)


def _leave_stopping_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
