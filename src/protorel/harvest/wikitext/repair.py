"""Wikitext made safe to parse: openings that are never closed are removed, and so is what is nested too deeply.

A parser must follow each opening to the end of the page to learn that it never closes: a page of a thousand openings
would cost minutes. Here every mark is visited once. A well-formed page is not changed.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field

MAX_DEPTH = 12
"""The deepest nesting of templates, links, tables and tags that is parsed; a table counts as three in the parser."""

_MARK = re.compile(
    r"(?P<comment><!--)"
    r"|(?P<raw><(?P<raw_name>nowiki|pre|math|chem|ce|source|syntaxhighlight|score|timeline|gallery|hiero|graph)\b[^<>]*>)"
    r"|<(?P<ends>/?)(?P<tag>[a-z][a-z0-9]*)\b[^<>]*?(?P<single>/?)>"
    r"|(?P<less><)"
    r"|^[ \t:;*#]*(?P<table>\{\|)"
    r"|^[ \t]*(?P<table_end>\|\})(?!\})"
    r"|(?P<template>\{\{)|(?P<template_end>\}\})"
    r"|(?P<link>\[\[)|(?P<link_end>\]\])"
    r"|(?P<outer>\[(?=https?:|ftp:|//|mailto:))|(?P<outer_end>\])",
    flags=re.IGNORECASE | re.MULTILINE,
)
_BRACES = re.compile(r"\{{3,}|\}{3,}")
_MOST_PASSES = 4
_NO_OPENINGS = str.maketrans("{[<", "   ")
_CLOSES = {"table_end": "table", "template_end": "template", "link_end": "link", "outer_end": "outer"}
_NEVER_CLOSED_TAGS = frozenset({"br", "hr", "wbr", "img"})


@dataclass(slots=True)
class Repaired:
    """Wikitext in which every opening is closed, and how many repairs that took."""

    text: str
    unclosed: int = 0
    too_deep: int = 0


@dataclass(slots=True)
class _Openings:
    """What is open at a position of the text, innermost last, and which pieces are to be removed."""

    open: list[tuple[str, int, int]] = field(default_factory=list)
    count: Counter[str] = field(default_factory=Counter)
    removed: list[tuple[int, int, str]] = field(default_factory=list)
    unclosed: int = 0
    too_deep: int = 0

    def begin(self, kind: str, start: int, stop: int) -> None:
        self.open.append((kind, start, stop))
        self.count[kind] += 1

    def end(self, kind: str, stop: int) -> None:
        if not self.count[kind]:
            return
        while self.open[-1][0] != kind:
            self.give_up()
        _, start, _ = self.open.pop()
        self.count[kind] -= 1
        if len(self.open) == MAX_DEPTH:
            self.removed.append((start, stop, ""))
            self.too_deep += 1

    def give_up(self) -> None:
        """Treat the innermost opening as one that is never closed."""
        kind, start, stop = self.open.pop()
        self.count[kind] -= 1
        self.removed.append((start, stop, ""))
        self.unclosed += 1


def repaired(text: str) -> Repaired:
    """Return the wikitext with every opening closed and nothing nested deeper than `MAX_DEPTH`."""
    result = Repaired(_BRACES.sub(_in_pairs, text))
    for _ in range(_MOST_PASSES):
        openings = _openings(result.text)
        if not openings.removed:
            return result
        # The rest may open something new: a table that is now at the beginning of a line.
        result.text = _without(result.text, openings.removed)
        result.unclosed += openings.unclosed
        result.too_deep += openings.too_deep
    result.text = result.text.translate(_NO_OPENINGS)
    return result


def _openings(text: str) -> _Openings:
    openings = _Openings()
    never_closed: set[str] = set()
    place = 0
    while mark := _MARK.search(text, place):
        place = mark.end()
        if mark["comment"] or mark["raw"]:
            place = _after_raw(text, mark, never_closed, openings)
        else:
            _visit(mark, openings)
    while openings.open:
        openings.give_up()
    return openings


def _in_pairs(braces: re.Match[str]) -> str:
    """Separate three or more braces into pairs: articles do not use their other meanings."""
    pairs = len(braces[0]) // 2
    return "{{ " * pairs if braces[0][0] == "{" else " }}" * pairs


def _visit(mark: re.Match[str], openings: _Openings) -> None:
    kind = mark.lastgroup or ""
    if mark["less"]:
        openings.removed.append((mark.start(), mark.end(), "&lt;"))
    elif mark["tag"]:
        name = mark["tag"].lower()
        if mark["ends"]:
            openings.end(name, mark.end())
        elif not mark["single"] and name not in _NEVER_CLOSED_TAGS:
            openings.begin(name, mark.start(), mark.end())
    elif kind in _CLOSES:
        # `[http://… text]]` closes an outer link, whatever the second bracket was meant for.
        closed = "outer" if kind == "link_end" and not openings.count["link"] else _CLOSES[kind]
        openings.end(closed, mark.end())
    else:
        openings.begin(kind, mark.start(kind), mark.end())


def _after_raw(text: str, mark: re.Match[str], never_closed: set[str], openings: _Openings) -> int:
    """Return the end of a comment or a tag without wikitext; the end of its opening if it never closes."""
    if mark["raw"] and mark["raw"].endswith("/>"):
        return mark.end()
    end = "-->" if mark["comment"] else f"</{mark['raw_name'].lower()}"
    stop = -1 if end in never_closed else _find(text, end, mark.end())
    if stop < 0:
        never_closed.add(end)
        openings.removed.append((mark.start(), mark.end(), ""))
        openings.unclosed += 1
        return mark.end()
    return text.find(">", stop) + 1 or len(text)


def _find(text: str, end: str, start: int) -> int:
    match = re.compile(re.escape(end), re.IGNORECASE).search(text, start)
    return match.start() if match else -1


def _without(text: str, removed: list[tuple[int, int, str]]) -> str:
    if not removed:
        return text
    pieces: list[str] = []
    place = 0
    for start, stop, instead in sorted(removed):
        if start >= place:
            pieces.extend((text[place:start], instead))
            place = stop
    pieces.append(text[place:])
    return "".join(pieces)
