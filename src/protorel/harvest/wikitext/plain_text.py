"""Wikitext to plain text, with the exact position of every link that is kept.

Comments, references, tables, galleries, formulas, code, files, categories, links to other languages and templates are
dropped with their content, except the few templates that replace words in a sentence. Headings and sections without
prose (references, external links, …) are dropped. A paragraph or list item becomes one line, with a blank line between
two. A link to a page of the encyclopedia keeps its words, including the letters that follow it, and its target. Any
other link keeps its words only.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from protorel.harvest.libraries import library
from protorel.harvest.types import Link
from protorel.harvest.wikitext.link_targets import LinkTargets
from protorel.harvest.wikitext.repair import repaired

MAX_WIKITEXT = 2_100_000
"""The longest page, in characters, that is parsed; Wikipedia itself allows 2 MiB. A longer one is cut."""

_DROPPED_TAGS_WORDS = (
    "ref references gallery math chem ce timeline score syntaxhighlight source imagemap templatestyles style script "
    "table tr td th hiero graph mapframe maplink inputbox section charinsert includeonly"
)
_DROPPED_TAGS = frozenset(_DROPPED_TAGS_WORDS.split())
_LINE_TAGS = frozenset({"br", "hr", "p", "div", "li", "dt", "dd", "ul", "ol", "dl", "blockquote", "center", "poem"})
_NO_PROSE_WORDS = (
    "references|external links|see also|further reading|notes|bibliography|sources|citations|footnotes|"
    "notes and references|references and notes|works cited|discography|filmography|gallery|"
    "notes and citations"
)
_NO_PROSE = frozenset(_NO_PROSE_WORDS.split("|"))
# XML forbids these characters, so they can mark the ends of a link while the text around it is still changing.
_OPENS, _CLOSES = "\x02", "\x03"
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# The letters that follow a link belong to its words: `[[river]]s`. Capitals and scripts without small letters do not.
_TRAIL = re.compile(rf"{_CLOSES}([a-zß-öø-ÿа-яё]+)")
# None of these may remove a mark.
_LEFTOVER = re.compile(
    r"\[\[|\]\]|\{\{|\}\}|^\{\||^\|[}\-+]|'{2,}|__[A-Z]{3,}__|</?[a-zA-Z][^<>\n\x02\x03]{0,200}>", re.MULTILINE
)
# The order matters: each is linear because the ones before it leave no long runs.
_TIDYINGS = (
    (re.compile(r"[^\S\n]+"), " "),
    (re.compile(r" ?\n[ \n]*"), lambda match: "\n\n" if match[0].count("\n") > 1 else " "),
    (re.compile(r" {2,}"), " "),
    (re.compile(r"([;,])(?: ?[;,])+"), r"\1"),
    (re.compile(r"\([ ;,:–—-]*\)"), ""),
    (re.compile(r"\( ?[;,] ?"), "("),
    (re.compile(r" ?[;,] ?\)"), ")"),
    (re.compile(r" {2,}"), " "),
    (re.compile(r" ([,.;)])"), r"\1"),
    (re.compile(r"\( "), "("),
)


@dataclass(frozen=True, slots=True)
class PlainText:
    """A page's text, its links, and how often its markup had to be repaired."""

    text: str
    links: tuple[Link, ...]
    unclosed: int = 0
    too_deep: int = 0
    cut: int = 0
    """How many characters of the wikitext were cut because it is too long."""


def plain_text(wikitext: str, targets: LinkTargets | None = None) -> PlainText:
    """Return the prose of a page; time grows linearly with its length, however bad the markup."""
    given = _CONTROL.sub(" ", wikitext)
    shortened = _shortened(given)
    safe = repaired(shortened)
    code = library("mwparserfromhell").parse(safe.text, skip_style_tags=True)
    walk = _Walk(targets or LinkTargets())
    marked = "".join(walk.page(code))
    text, links = _placed(_tidied(marked), walk.found)
    return PlainText(text, links, safe.unclosed, safe.too_deep, len(given) - len(shortened))


class _Walk:
    """Walks a parsed page once and yields the pieces of its text, with links between two control characters."""

    def __init__(self, targets: LinkTargets) -> None:
        self.found: list[str] = []
        self._targets = targets

    def page(self, code: Any) -> Iterator[str]:
        without_prose: int | None = None
        for node in code.nodes:
            if type(node).__name__ == "Heading":
                if without_prose is None or node.level <= without_prose:
                    title = "".join(self._text(node.title)).strip().casefold()
                    without_prose = node.level if title in _NO_PROSE else None
                yield "\n\n"
            elif without_prose is None:
                yield from self._node(node)

    def _text(self, code: Any) -> Iterator[str]:
        for node in code.nodes if code is not None else ():
            yield from self._node(node)

    def _node(self, node: Any) -> Iterator[str]:
        match type(node).__name__:
            case "Text":
                yield node.value
            case "HTMLEntity":
                yield html.unescape(str(node))
            case "Wikilink":
                yield from self._link(node)
            case "ExternalLink":
                yield from self._text(node.title)
            case "Tag":
                yield from self._tag(node)
            case "Template":
                words = inline_words(node)
                for word in words:
                    yield from [word] if isinstance(word, str) else self._text(word)
            case "Heading":
                yield "\n\n"
            case _:
                pass

    def _tag(self, node: Any) -> Iterator[str]:
        name = str(node.tag).strip().lower()
        if name in _DROPPED_TAGS:
            return
        if name in _LINE_TAGS:
            yield "\n\n"
        yield from self._text(node.contents)
        if name in _LINE_TAGS and node.contents:
            yield "\n\n"

    def _link(self, node: Any) -> Iterator[str]:
        target = self._targets.read(str(node.title), has_text=node.text is not None)
        if target.is_dropped:
            return
        words = "".join(self._text(node.text)) if node.text is not None else ""
        words = words if words.strip() else target.shown
        # Links do not nest: a link in the caption of another is dropped.
        if target.page and _OPENS not in words and words.strip():
            self.found.append(target.page)
            yield f"{_OPENS}{words}{_CLOSES}"
        else:
            yield words


def _shortened(wikitext: str) -> str:
    if len(wikitext) <= MAX_WIKITEXT:
        return wikitext
    cut = wikitext.rfind("\n\n", 0, MAX_WIKITEXT)
    return wikitext[: cut if cut > 0 else MAX_WIKITEXT]


def _tidied(marked: str) -> str:
    text = _TRAIL.sub(rf"\1{_CLOSES}", marked.replace("\N{NO-BREAK SPACE}", " "))
    text = _LEFTOVER.sub("", text)
    for pattern, instead in _TIDYINGS:
        text = pattern.sub(instead, text)
    return text.strip()


def _placed(marked: str, targets: list[str]) -> tuple[str, tuple[Link, ...]]:
    """Remove the marks and return the text with the position of each link."""
    pieces: list[str] = []
    links: list[Link] = []
    place, number, start = 0, 0, 0
    for piece in re.split(f"([{_OPENS}{_CLOSES}])", marked):
        if piece == _OPENS:
            start = place
        elif piece == _CLOSES:
            links.append(Link(start, place, targets[number]))
            number += 1
        else:
            pieces.append(piece)
            place += len(piece)
    text = "".join(pieces)
    return text, tuple(link for given in links if (link := _trimmed(text, given)))


def _trimmed(text: str, link: Link) -> Link | None:
    words = text[link.start : link.stop]
    start = link.start + len(words) - len(words.lstrip())
    stop = link.start + len(words.rstrip())
    return Link(start, stop, link.target) if start < stop else None


# Template names are those of the English Wikipedia; many other languages have them too.
_SIGNS = {
    "ndash": "–", "spaced ndash": " – ", "snd": " – ", "spnd": " – ", "mdash": "—", "spaced mdash": " — ", "nbsp": " ",
    "space": " ", "spaces": " ", "'": "'", "'s": "'s", "\"'": "\"'", "'\"": "'\"", "!": "|", "=": "=", "·": " · ",
    "dot": " · ", "middot": " · ", "bullet": " • ", "en dash": "–", "em dash": "—", "shy": "", "lrm": "", "c.": "c.",
    "circa": "c. ", "ca": "c. ",
}  # fmt: skip
_FIRST_WORDS = (
    "nowrap|nobr|nobold|nobreak|small|smaller|big|larger|sc|smallcaps|abbr|tooltip|em|strong|mvar|"
    "sic|as written|illm|ill|interlanguage link|visible anchor|vanchor|avoid wrap|linktext|dfn"
)
_FIRST = frozenset(_FIRST_WORDS.split("|"))
_SECOND = frozenset({"lang", "transl", "transliteration", "script", "color", "font color", "colored text", "rtl-lang"})
_FIRST_TWO = frozenset({"convert", "cvt", "circa range"})


def inline_words(template: Any) -> list[Any]:
    """Return what a template contributes to its sentence: strings and parsed wikitext; nothing for most templates."""
    name = " ".join(str(template.name).replace("_", " ").split()).lower()
    if name in _SIGNS:
        rest = [_argument(template, "1")] if name in ("circa", "ca") else []
        return [_SIGNS[name], *(word for word in rest if word is not None)]
    if name in _FIRST_TWO:
        words = [_argument(template, "1"), " ", _argument(template, "2")]
        return words if words[0] is not None and words[2] is not None else []
    place = "1" if name in _FIRST else "2" if name in _SECOND else "1" if name.startswith("lang-") else None
    word = _argument(template, place) if place else None
    return [word] if word is not None else []


def _argument(template: Any, place: str) -> Any:
    return template.get(place).value if template.has(place) else None
