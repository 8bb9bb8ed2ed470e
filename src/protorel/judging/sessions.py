"""A session: an audit, its verdicts and one judge, who works in one process at a time.

Several judges may work on one folder at once, each with a server of their own: SQLite keeps their verdicts apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from protorel.audit import Audit
from protorel.io import BadInput, as_path, check_folder_target, claimed, holder, shown
from protorel.judging.desk import Desk
from protorel.judging.orders import Item, Order, disagreements, find_plan, with_repeats
from protorel.judging.store import VerdictStore
from protorel.judging.verdicts import check_judge
from protorel.statements import Relation


@contextmanager
def open_desk(
    folder: Path | str,
    judge: str,
    *,
    order: Order = "sample",
    size: int | None = None,
    seed: int | None = None,
    relations: Mapping[str, Relation] | None = None,
) -> Iterator[Desk]:
    """Open the desk of a judge, and close it when the block ends.

    Args:
        folder: The folder of the audit.
        judge: The name of the judge.
        order: Which statements, in which order.
        size: How many statements. Default: as before, or 150.
        seed: The random seed of the sample. Default: as before, or 0.
        relations: Names and descriptions of relations, by id.

    Raises:
        BadInput: there is no audit or it is empty; the folder cannot be written; the verdicts are damaged or those of
            another audit; this judge is at work in another process.
        WorkFailed: another program holds the verdicts, or the disk is full.
    """
    judge = check_judge(judge)
    place = as_path(folder, "folder", expected="a folder")
    audit = Audit.read(place)
    if not len(audit):
        raise BadInput(f"{place}: expected labels to judge, got an audit without statements")
    check_folder_target(place)
    lock = place / f".judge-{hashlib.sha256(judge.encode()).hexdigest()[:12]}.lock"
    with claimed(lock) as free:
        if not free:
            raise BadInput(
                f"{place}: judge {shown(judge)} is at work here already ({holder(lock)}). Use another name, or stop it."
            )
        with VerdictStore(place, audit) as store:
            yield Desk(store, judge, _items(store, order, size, seed), relations)


def _items(store: VerdictStore, order: Order, size: int | None, seed: int | None) -> list[Item]:
    if order != "disagreements":
        return with_repeats(find_plan(store, order, size=size, seed=seed))
    return [(place, "settle") for place in disagreements(store.histories())]
