"""The few templates that stand for words inside a sentence; all others are dropped.

Template names are those of the English Wikipedia, many of which other languages have too.
"""

from __future__ import annotations

from typing import Any

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
    """Return what a template gives to its sentence: texts and pieces of parsed wikitext; nothing for most templates."""
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
