"""Splitting text into sentences by rule: fast, deterministic, with spans that slice the text exactly.

A blank line ends a sentence. So does a line end, unless the line was wrapped: it is long and has no full stop at its
end. Inside a paragraph, a full stop before a space ends a sentence, unless a lower-case letter follows, or the stop
belongs to a title (`Dr.`), an initial (`J. Kroll`) or another abbreviation, or is inside brackets. An abbreviation that
may end a sentence (`Inc.`, `U.S.`) does so if the next word usually begins one. No span begins or ends with white
space, and outside all spans there is only white space. A sentence longer than the limit is cut at its last semicolon,
comma or space.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from protorel.harvest.types import Tally
from protorel.statements import Span

LONGEST = 1_000
"""The longest sentence, in characters, that is not cut."""
TOO_LONG = "sentence longer than allowed: cut"
"""The reason under which a tally counts the sentences that were cut."""

Splitter = Callable[[str], Sequence[Span]]
"""Returns the sentences of a text, in order and without overlap."""

_WRAPPED_FROM = 50
_LONGEST_BRACKET = 300
# A run of spaces or stops is tried once: from its beginning (the lookbehind), and not again with one character less
# (the possessive `+`). Otherwise a run of n characters without a match would cost n² steps.
_BREAK = re.compile(r"(?<![^\S\n])[^\S\n]*+\n\s*+")
_STOP = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?=\s)|[。！？｡]++[」』”’）]*+")
_BRACKET = re.compile(r"[()]")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘«]+\Z")
_WORD_AFTER = re.compile(r"\s*[\"'“‘«(\[]*([\w]+)")
_LAST_MARKS = (".", "!", "?", ":", "…", '."', ".”", ".)")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\Z")
_NUMBER = re.compile(r"\d|[IVXLC]+\Z")

_NEVER_ENDS_WORDS = (
    "Mr Mrs Ms Mx Dr Drs Prof St Sts Ste Messrs Mme Mlle Fr Gen Col Lt Capt Cpt Cmdr Cdr Sgt Maj Brig Adm Rev Hon "
    "Gov Sen Rep Pres Supt Insp Det Hr Frau Mt Ft Pt Univ Dept approx c ca cca cf viz vs v al e.g i.e eg ie b d fl "
    "r est Est nee née ibid resp incl trans transl lit Lit Gr Lat abbr pron var orig"
)
NEVER_ENDS = frozenset(_NEVER_ENDS_WORDS.split())
"""Abbreviations that never end a sentence. The lists are English; in other languages they do no harm."""

_BEFORE_NUMBERS_WORDS = (
    "No no Nos nos Nr nr Vol vol Vols vols Fig fig Figs figs pp p Ch ch Chap chap Sec sec Art art Cap cap Eq eq op "
    "Op Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec"
)
BEFORE_NUMBERS = frozenset(_BEFORE_NUMBERS_WORDS.split())
"""Abbreviations if a number follows, ordinary words otherwise."""

_MAY_END_WORDS = (
    "Inc Ltd Co Corp Bros Jr Sr Esq PhD Ph.D ed eds Ed Eds Rd Ave Blvd Sq km cm mm kg lb lbs ft oz mi hrs hr "
    "mins BC AD BCE CE Calif Conn Mass Penn Tenn Va Fla Ariz Ala Ark Colo Ill Ind Kan Ky La Md Mich Minn Miss Mo "
    "Mont Neb Nev Okla Ore Tex Wash Wis Wyo"
)
MAY_END = frozenset(_MAY_END_WORDS.split())
"""Abbreviations that may be the last word of a sentence."""

_STARTERS_WORDS = (
    "The A An This That These Those He She It They We I You His Her Its Their Our My There Here In On At By For "
    "From With Of To As After Before During Since Until When While Where Although Though Because If Unless However "
    "But And Or Yet So Then Thus Therefore Later Also Both Each Every Some Many Most Several All Other Another One "
    "Two Three No Not What Who Which Why How According Despite Under Over Between Among Through Within Without "
    "Following Instead Meanwhile Nevertheless Moreover Furthermore Additionally Today Currently Finally First "
    "Second Third Once"
)
STARTERS = frozenset(_STARTERS_WORDS.split())
"""Words that begin a sentence if they are capitalised after an abbreviation."""


def split_sentences(text: str, *, longest: int = LONGEST, tally: Tally | None = None) -> list[Span]:
    """Return the sentences of a text."""
    sentences: list[Span] = []
    for start, stop in _blocks(text):
        for sentence in _sentences(text, start, stop):
            pieces = list(_pieces(text, sentence, longest))
            if len(pieces) > 1 and tally is not None:
                tally.notice(TOO_LONG)
            sentences.extend(pieces)
    return sentences


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the paragraphs as [start, stop): the text between blank lines and line ends that were not wrapped."""
    start = line = 0
    for end in _BREAK.finditer(text):
        wrapped = (
            end[0].count("\n") == 1
            and end.start() - line >= _WRAPPED_FROM
            and not text.endswith(_LAST_MARKS, line, end.start())
        )
        line = end.end()
        if not wrapped:
            yield start, end.start()
            start = end.end()
    yield start, len(text)


def _sentences(text: str, start: int, stop: int) -> Iterator[Span]:
    bracketed = _bracketed(text, start, stop)
    place = 0
    for end in _STOP.finditer(text, start, stop):
        while place < len(bracketed) and bracketed[place][1] <= end.end():
            place += 1
        inside = place < len(bracketed) and bracketed[place][0] < end.end()
        if not inside and _ends(text, start, end):
            if sentence := _trimmed(text, start, end.end()):
                yield sentence
            start = end.end()
    if sentence := _trimmed(text, start, stop):
        yield sentence


def _ends(text: str, start: int, end: re.Match[str]) -> bool:
    """Return whether a stop ends the sentence that began at `start`."""
    after = _WORD_AFTER.match(text, end.end(), end.end() + 60)
    next_word = after[1] if after else ""
    if next_word[:1].islower():
        return False
    if not end[0].startswith(".") or end[0].startswith(".."):
        return True
    before = _WORD_BEFORE.search(text, max(start, end.start() - 40), end.start())
    word = before[0] if before else ""
    if word.isdigit() and text[start : end.start()].strip() == word:
        return False
    word = word.rstrip(".")
    if word in NEVER_ENDS or (word in BEFORE_NUMBERS and _NUMBER.match(next_word)):
        return False
    may_end = word in MAY_END or _DOTTED.match(word) or (len(word) == 1 and word.isupper())
    return not may_end or not next_word or next_word in STARTERS


def _bracketed(text: str, start: int, stop: int) -> list[tuple[int, int]]:
    """Return the outermost pairs of round brackets as [start, stop), in order, except very long ones."""
    depth_starts: list[int] = []
    pairs: list[tuple[int, int]] = []
    for mark in _BRACKET.finditer(text, start, stop):
        if mark[0] == "(":
            depth_starts.append(mark.start())
        elif depth_starts:
            opening = depth_starts.pop()
            if mark.end() - opening <= _LONGEST_BRACKET:
                while pairs and pairs[-1][0] > opening:
                    pairs.pop()
                pairs.append((opening, mark.end()))
    return pairs


def _pieces(text: str, sentence: Span, longest: int) -> Iterator[Span]:
    start, stop = sentence.start, sentence.stop
    while stop - start > longest:
        cut = _cut(text, start, start + longest)
        if piece := _trimmed(text, start, cut):
            yield piece
        start = cut
    if piece := _trimmed(text, start, stop):
        yield piece


def _cut(text: str, start: int, limit: int) -> int:
    for mark in ("; ", ", ", " "):
        # Not in the first half: a piece of a few words is worse than a cut at a weaker mark.
        place = text.rfind(mark, (start + limit) // 2, limit)
        if place >= 0:
            return place + len(mark)
    return limit


def _trimmed(text: str, start: int, stop: int) -> Span | None:
    piece = text[start:stop]
    begin = start + len(piece) - len(piece.lstrip())
    end = start + len(piece.rstrip())
    return Span(begin, end) if begin < end else None
