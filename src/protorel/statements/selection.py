"""Splits by relation: named lists of relations, and the part of a data set that they select."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from protorel.io import BadInput, is_folder, is_there, read_text
from protorel.statements.types import Statement

StatementSource = Callable[[], Iterable[Statement]]
"""Returns the statements of a data set from the beginning each time it is called."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A part of a data set, with a fingerprint of just that part."""

    source: StatementSource
    fingerprint: str
    counts: dict[str, int]
    """The number of labelled statements of each relation."""


def relation_list(name: str) -> tuple[str, ...]:
    """Return a list of relations: one of the package's lists by name, such as `fewrel_dev`, or a file's lines."""
    shipped = files("protorel.statements") / "splits" / f"{name}.txt"
    path = Path(name)
    if is_there(path) and not is_folder(path):
        text = read_text(path)
    elif "/" not in name and shipped.is_file():
        text = shipped.read_text(encoding="utf-8")
    else:
        known = sorted(entry.name.removesuffix(".txt") for entry in (files("protorel.statements") / "splits").iterdir())
        raise BadInput(f"{name}: expected a file or one of the lists of the package ({', '.join(known)}), got neither")
    lines = (line.split("#")[0].strip() for line in text.splitlines())
    if not (relations := tuple(dict.fromkeys(line for line in lines if line))):
        raise BadInput(f"{name}: expected one relation per line, got none")
    return relations


def select(
    source: StatementSource,
    *,
    only: Iterable[str] | None = None,
    without: Iterable[str] = (),
    min_statements: int = 1,
) -> Selection:
    """Return the statements of some relations.

    Args:
        source: The data set.
        only: The relations to keep; unlabelled statements are dropped. None keeps all, and unlabelled statements.
        without: Relations to drop.
        min_statements: Relations with fewer statements are dropped.
    """
    kept = None if only is None else frozenset(only)
    dropped = frozenset(without)

    def chosen(statement: Statement) -> bool:
        if statement.relation is None:
            return kept is None
        return statement.relation not in dropped and (kept is None or statement.relation in kept)

    counts = Counter(s.relation for s in source() if s.relation is not None and chosen(s))
    small = {relation for relation, count in counts.items() if count < min_statements}

    def selected() -> Iterator[Statement]:
        return (s for s in source() if chosen(s) and s.relation not in small)

    from protorel.statements.storage import fingerprint  # pyarrow is loaded when it is needed

    remaining = {relation: count for relation, count in sorted(counts.items()) if relation not in small}
    return Selection(selected, fingerprint(selected()), remaining)
