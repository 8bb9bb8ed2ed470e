"""FuzzyRED: sentences of the distant corpus, labelled by people (the paper's section 4.2), in SemEval's format.

A file holds the sentences of the relation that it is named after: `P103.semeval` those of P103. The label `True` says
that the sentence expresses the relation, `Other` that it does not. The label becomes `expresses`; the relation is the
distant label in both cases. The numbers in the files are all 1, so ids are `RELATION-COUNT`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protorel.corpora.marked_text import read_blocks, unmark
from protorel.corpora.rows import Reject, Row
from protorel.statements import Statement, StatementError

_EXPRESSES = {"True": True, "Other": False}


def read_fuzzyred(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each sentence of one relation's FuzzyRED file."""
    relation = path.stem
    for count, block in enumerate(read_blocks(path), start=1):
        try:
            _, sentence, label = block.parts()
            if label not in _EXPRESSES:
                given = "none" if label is None else repr(label)
                raise StatementError("expresses", f"expected the label True or Other, got {given}")
            text, head, tail = unmark(sentence)
            id, expresses = f"{relation}-{count}", _EXPRESSES[label]
            yield Statement(text, head, tail, relation, id, source="fuzzyred", expresses=expresses)
        except StatementError as problem:
            yield Reject(path.name, block.line, problem.field, problem.reason, block.content)
