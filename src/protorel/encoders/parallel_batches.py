"""Encoding several batches at once, each on one core.

When all threads of torch share a product, it waits for the slowest of them, at every layer. Batches are independent, so
a thread that is delayed by other work on the machine delays no other.
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
    """Call `work` on every item, without gradients, in as many threads as torch may use, each on one core.

    Items are started in order: put the longest first. An error is raised here after the running items have ended; the
    rest is cancelled. A single item is processed by all threads of torch.

    Args:
        work: The function; called in other threads.
        items: Its arguments.
        done: Called in this thread with the number of finished items, in order, each time it grows.

    Returns:
        The results, in the order of the items.
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
        # torch's number of threads is per thread, but new threads start with the number that was set last.
        torch.set_num_threads(before)


def _finished(results: Iterable[Result], done: Callable[[int], None] | None) -> list[Result]:
    found: list[Result] = []
    for result in results:
        found.append(result)
        if done is not None:
            done(len(found))
    return found


def _without_gradients(work: Callable[[Item], Result], item: Item) -> Result:
    with torch.no_grad():  # the setting is per thread
        return work(item)
