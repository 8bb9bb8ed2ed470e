"""The target of a wiki link: a page of the encyclopedia, something that is not text, or another site."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

_NO_TEXT = frozenset({"file", "image", "media", "category"})
_OTHER_SITES_WORDS = (
    "user wikipedia wp project mediawiki template help portal book draft special talk module timedtext topic t wikt "
    "wiktionary s wikisource b wikibooks q wikiquote n wikinews v wikiversity voy wikivoyage c commons d wikidata m "
    "meta mw species w iarchive doi"
)
_OTHER_SITES = frozenset(_OTHER_SITES_WORDS.split())
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[a-z]+)*\Z|simple\Z")
_NO_TEXT_NUMBERS = (-2, 6, 14)


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a link: `page` is a title of the main namespace, or None."""

    page: str | None
    shown: str
    """What a reader sees if the link has no words of its own."""
    is_dropped: bool = False


class LinkTargets:
    """Reads the targets of links, given the names of the wiki's namespaces."""

    def __init__(self, namespaces: Mapping[str, int] | None = None) -> None:
        named = {name.casefold(): number for name, number in (namespaces or {}).items() if number != 0}
        self._no_text = _NO_TEXT | {name for name, number in named.items() if number in _NO_TEXT_NUMBERS}
        self._other_sites = _OTHER_SITES | {f"{name} talk" for name in _OTHER_SITES} | set(named)

    def read(self, given: str, *, has_text: bool) -> Target:
        """Return the target of a link whose first part is `given`."""
        body = given.strip().removeprefix(":")
        shown = " ".join(html.unescape(body).replace("_", " ").split())
        # Case matters for a language: `fr:` is French, `CSI: Lunsk` is a film.
        prefix = body.partition(":")[0].strip().replace("_", " ") if ":" in body else ""
        is_language = _LANGUAGE.match(prefix) is not None
        is_shown = has_text or given.lstrip().startswith(":")
        if prefix.casefold() in self._no_text:
            return Target(None, shown, is_dropped=not given.lstrip().startswith(":"))
        if is_language or prefix.casefold() in self._other_sites:
            return Target(None, shown, is_dropped=is_language and not is_shown)
        return Target(clean_title(body) or None, shown)


def clean_title(given: str) -> str:
    """Return a page's title as in the dump: no anchor, no underscores, the first letter upper case."""
    title = html.unescape(given).partition("#")[0]
    if "%" in title:
        title = unquote(title, errors="replace")
    title = " ".join(title.replace("_", " ").split())
    return title[:1].upper() + title[1:]
