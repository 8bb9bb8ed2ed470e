"""FuzzyRED: sentences of the distant corpus that people judged (the paper's section 4.2), in SemEval's form.

One file holds one relation, named by the file: `P103.semeval` holds P103 (the name without its last suffix, whatever it
is). The label `True` says that the sentence expresses that relation, `Other` that it does not: these are `expresses`,
and the relation is the distant label in both cases. The numbers in the files are all 1, so ids are `RELATION-COUNT`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protorel.corpora.marked_text import read_blocks, unmark
from protorel.corpora.rows import Reject, Row
from protorel.statements import Statement, StatementError

_JUDGEMENTS = {"True": True, "Other": False}


def read_fuzzyred(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each sentence of one relation's FuzzyRED file."""
    relation = path.stem
    for count, block in enumerate(read_blocks(path), start=1):
        try:
            _, sentence, label = block.parts()
            if label not in _JUDGEMENTS:
                given = "none" if label is None else repr(label)
                raise StatementError("expresses", f"expected the label True or Other, got {given}")
            text, head, tail = unmark(sentence)
            id, judged = f"{relation}-{count}", _JUDGEMENTS[label]
            yield Statement(text, head, tail, relation, id, source="fuzzyred", expresses=judged)
        except StatementError as problem:
            yield Reject(path.name, block.line, problem.field, problem.reason, block.content)
