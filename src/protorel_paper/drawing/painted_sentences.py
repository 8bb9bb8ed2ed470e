"""Sentences next to a printed map: numbered, their entities marked as on the report page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from protorel.report import pieces, short
from protorel.statements import Statement
from protorel_paper.drawing.printed_figure import INK, NAME, bare, laid_out
from protorel_paper.drawing.printed_text import em_width, printed, printed_font
from protorel_paper.drawing.word_flow import PlacedWord, Word, flow, words_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HEAD, HEAD_LINE, TAIL, TAIL_LINE = "#cfe3fa", "#0b5cad", "#fde0bd", "#a85a00"
_SIZES = (8.0, 7.5, 7.0, 6.5, 6.0, 5.5, 5.0, 4.0)
_WHOLE, _AROUND = 170, 30
_RELATION = "relation"
_LINE, _SPACE, _INDENT, _BETWEEN = 1.62, 0.32, 1.9, 0.75
"""In units of the font size: line height, space, indent for the number, gap between sentences."""


@dataclass(frozen=True, slots=True)
class NumberedSentence:
    """A statement to show, with the name and colour of its relation."""

    statement: Statement
    relation: str
    colour: str


def paint_sentences(axes: Axes, sentences: Sequence[NumberedSentence]) -> None:
    """Fill the axes with sentences in the largest font that fits; long sentences are cropped."""
    width, height = laid_out(axes)
    bare(axes)
    axes.set(xlim=(0, width), ylim=(-height, 0))
    for size in _SIZES:
        laid = [_lay_out(one, size, width) for one in sentences]
        needed = sum(lines * _LINE * size for _, lines in laid) + (len(laid) - 1) * _BETWEEN * size
        if needed <= height:
            break
    spare = max(0.0, height - needed) / max(len(laid), 1)
    top = -min(spare, size) / 2
    for number, ((words, lines), sentence) in enumerate(zip(laid, sentences, strict=True), 1):
        _paint(axes, number, sentence, words, size, top)
        top -= (lines * _LINE + _BETWEEN) * size + min(spare, size)


def _lay_out(sentence: NumberedSentence, size: float, width: float) -> tuple[list[PlacedWord], int]:
    words = words_of(pieces(sentence.statement, whole=_WHOLE, around=_AROUND))
    words += [Word(part, _RELATION) for part in f"({short(sentence.relation, NAME)})".split()]

    def measure(word: Word) -> float:
        return size * em_width(printed(word.text), italic=word.role == _RELATION)

    return flow(words, width=width - (_INDENT + _SPACE) * size, space=_SPACE * size, measure=measure)


def _paint(
    axes: Axes, number: int, sentence: NumberedSentence, words: Sequence[PlacedWord], size: float, top: float
) -> None:
    first = top - 0.5 * _LINE * size
    axes.text(0, first, f"{number}", color=sentence.colour, fontsize=size + 1, fontweight="bold", va="center")
    for (line, role), held in groupby(words, key=lambda placed: (placed.line, placed.word.role)):
        run = list(held)
        left, right = _INDENT * size + run[0].left, _INDENT * size + run[-1].right
        middle = first - line * _LINE * size
        axes.text(
            left,
            middle,
            printed("".join(f" {one.word.text}" if one.word.spaced else one.word.text for one in run).strip()),
            fontproperties=printed_font(size, italic=role == _RELATION),
            color=sentence.colour if role == _RELATION else INK,
            va="center_baseline",
            zorder=3,
        )
        if role in ("head", "tail", "head tail"):
            _mark(axes, role, left, right, middle, size)


def _mark(axes: Axes, role: str, left: float, right: float, middle: float, size: float) -> None:
    """Mark an entity by its background and an underline, solid for the head and dashed for the tail."""
    from matplotlib.patches import Rectangle

    colour, line = (HEAD, HEAD_LINE) if "head" in role else (TAIL, TAIL_LINE)
    bottom, tall = middle - 0.68 * size, 1.32 * size
    axes.add_patch(Rectangle((left, bottom), right - left, tall, color=colour, linewidth=0, zorder=1))
    axes.plot(
        [left, right], [bottom] * 2, color=line, linewidth=1.1, linestyle="-" if "head" in role else (0, (2.5, 1))
    )
    if role == "head tail":
        axes.plot([left, right], [bottom + tall] * 2, color=TAIL_LINE, linewidth=1.1, linestyle=(0, (2.5, 1)))
