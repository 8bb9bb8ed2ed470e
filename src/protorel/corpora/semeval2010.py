"""SemEval 2010 task 8 (Hendrickx et al., 2010), and KBP37, which has the same format.

The head is always e1 and the tail e2. The relation is the label as printed, with its direction, because the official
scorer counts the direction: `Message-Topic(e1,e2)` and `Message-Topic(e2,e1)` are two labels. Statements of a test file
without labels have no relation; the first row determines whether a file has labels.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from protorel.corpora.marked_text import read_blocks, unmark
from protorel.corpora.rows import Reject, Row
from protorel.statements import Statement, StatementError


def read_semeval2010(path: Path) -> Iterator[Row]:
    """Yield a statement or a reject for each numbered sentence of a SemEval 2010 task 8 file."""
    has_labels: bool | None = None
    for block in read_blocks(path):
        try:
            number, sentence, label = block.parts()
            has_labels = label is not None if has_labels is None else has_labels
            if has_labels and label is None:
                raise StatementError("relation", "is missing, but earlier rows have one. Is the file cut short?")
            text, head, tail = unmark(sentence)
            yield Statement(text, head, tail, label, number, source="semeval2010")
        except StatementError as problem:
            yield Reject(path.name, block.line, problem.field, problem.reason, block.content)
