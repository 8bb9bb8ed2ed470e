"""Independent pieces of work, each on one core: what is encoded in many batches is encoded several batches at a time.

A product that all threads of torch share waits for the slowest of them, at every layer. Batches share nothing, so a
thread that is held up by other work on the machine holds up nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(
    work: Callable[[Item], Result], items: Sequence[Item], *, done: Callable[[int], None] | None = None
) -> list[Result]:
    """Do the work on every item, without gradients, in as many threads as torch may use, each on one core.

    Items are begun in order: put the longest first. An error in one of them is raised here once those under way have
    ended; the rest is left undone. A single item is worked on by all threads of torch.

    Args:
        work: What to do; called in other threads.
        items: What to do it on.
        done: Called in this thread with how many of the first items are finished, each time that another one is.

    Returns:
        What `work` returned, in the order of the items.
    """
    threads = min(torch.get_num_threads(), len(items))
    if threads < 2:
        return _finished(map(partial(_without_gradients, work), items), done)
    before = torch.get_num_threads()
    pool = ThreadPoolExecutor(threads, thread_name_prefix="protorel", initializer=torch.set_num_threads, initargs=(1,))
    try:
        waiting = [pool.submit(_without_gradients, work, item) for item in items]
        return _finished((one.result() for one in waiting), done)
    finally:
        pool.shutdown(cancel_futures=True)
        # A thread's number of threads is its own, but new ones start with the number that was set last.
        torch.set_num_threads(before)


def _finished(results: Iterable[Result], done: Callable[[int], None] | None) -> list[Result]:
    found: list[Result] = []
    for result in results:
        found.append(result)
        if done is not None:
            done(len(found))
    return found


def _without_gradients(work: Callable[[Item], Result], item: Item) -> Result:
    with torch.no_grad():  # each thread has its own
        return work(item)
