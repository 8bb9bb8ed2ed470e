"""The format of SemEval 2010 task 8 and others: a numbered sentence with tags, a label, a comment, a blank line.

    8001    "The most common <e1>audits</e1> were about <e2>waste</e2> and recycling."
    Message-Topic(e1,e2)
    Comment: Assuming an audit = an audit document.

A sentence line starts with a number and a tab. Test files have no labels; any comment may be missing.
Sentences are in single or double quotes; nothing in them is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from protorel.corpora.rows import Line, numbered_lines
from protorel.statements import Span, StatementError

_SENTENCE = re.compile(r"([0-9]{1,18})\t(.*)", re.DOTALL)
_TAG = re.compile(r"<(/?)(e[12])>")
_MOST_LINES = 4
_LONGEST_LABEL = 200


@dataclass(frozen=True, slots=True)
class Block:
    """One row of such a file: a sentence line and the lines that follow it."""

    lines: tuple[Line, ...]

    @property
    def line(self) -> int:
        """The number of the row's first line."""
        return self.lines[0].number

    @property
    def content(self) -> str:
        """The row as it is in the file."""
        return "\n".join(line.text for line in self.lines)

    def parts(self) -> tuple[str, str, str | None]:
        """Return number, sentence and label, or raise `StatementError`."""
        for line in self.lines:
            if line.problem:
                raise StatementError("line", f"line {line.number} {line.problem}")
        first, *rest = (line.text for line in self.lines)
        sentence = _SENTENCE.fullmatch(first)
        if sentence is None:
            raise StatementError("line", "expected a sentence line that starts with a number and a tab")
        labels = [text.strip() for text in rest if not _is_comment(text)]
        if len(labels) > 1 or (labels and _is_comment(rest[0])):
            raise StatementError("line", "expected only a label and a comment after the sentence, got more lines")
        if labels and (_TAG.search(labels[0]) or "\t" in labels[0] or len(labels[0]) > _LONGEST_LABEL):
            raise StatementError("relation", "is not a label. Is a number missing before a sentence?")
        if rest and not labels:
            raise StatementError("relation", "expected a label after the sentence, got a comment")
        return sentence[1], _unquoted(sentence[2]), labels[0] if labels else None


def read_blocks(path: Path) -> Iterator[Block]:
    """Yield the rows of a file; a row ends at a blank line or at the next numbered sentence."""
    held: list[Line] = []
    for line in numbered_lines(path):
        if held and (line is None or _SENTENCE.fullmatch(line.text)):
            yield Block(tuple(held))
            held = []
        # A row with more lines is rejected, so the rest need not be kept.
        if line is not None and len(held) < _MOST_LINES:
            held.append(line)
    if held:
        yield Block(tuple(held))


def unmark(sentence: str) -> tuple[str, Span, Span]:
    """Remove the tags of a sentence; return its text and the spans of e1 and e2, or raise `StatementError`.

    Spaces next to a tag are not part of the entity; of two spaces with a tag between them, one is removed.

    >>> unmark("by <e1> Udo Jürgens </e1> in <e2>German</e2>.")
    ('by Udo Jürgens in German.', Span(start=3, stop=14), Span(start=18, stop=24))
    """
    tags = list(_TAG.finditer(sentence))
    _check_tags([tag[0] for tag in tags])
    raw = _TAG.sub("", sentence)
    places, removed = {}, 0
    for tag in tags:
        places[tag[0]] = tag.start() - removed
        removed += len(tag[0])
    doubled = {at for at in places.values() if raw[at - 1 : at].isspace() and raw[at : at + 1].isspace()}
    doubled |= set(range(len(raw) - len(raw.lstrip())))
    text = "".join(character for at, character in enumerate(raw) if at not in doubled).rstrip()
    spans = []
    for field, entity in (("head", "e1"), ("tail", "e2")):
        inside = Span(places[f"<{entity}>"], places[f"</{entity}>"])
        name = inside.of(raw)
        if not name.strip():
            raise StatementError(field, f"expected a name between <{entity}> and </{entity}>, got nothing")
        start = inside.start + len(name) - len(name.lstrip())
        stop = inside.stop - (len(name) - len(name.rstrip()))
        spans.append(Span(*(at - sum(gone < at for gone in doubled) for at in (start, stop))))
    return text, spans[0], spans[1]


def _check_tags(tags: list[str]) -> None:
    for tag, field in (("<e1>", "head"), ("</e1>", "head"), ("<e2>", "tail"), ("</e2>", "tail")):
        if tags.count(tag) != 1:
            raise StatementError(field, f"expected {tag} once, got it {tags.count(tag)} times")
    for name, field in (("e1", "head"), ("e2", "tail")):
        if tags.index(f"</{name}>") < tags.index(f"<{name}>"):
            raise StatementError(field, f"expected <{name}> before </{name}>, got the reverse")
    if tags[0][-3:] == tags[2][-3:]:
        raise StatementError("tail", f"the tags cross each other: {' '.join(tags)}")


def _unquoted(sentence: str) -> str:
    stripped = sentence.strip()
    if len(stripped) > 1 and stripped[0] == stripped[-1] and stripped[0] in "\"'":
        return stripped[1:-1].strip()
    return stripped


def _is_comment(text: str) -> bool:
    return text.lstrip().lower().startswith("comment:")
