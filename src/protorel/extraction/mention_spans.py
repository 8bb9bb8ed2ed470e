"""Mentions from what people give: spans of characters in any common form, checked against the text.

Offsets that are not characters are the most frequent mistake. Where the mention's own text is given, the error names
the unit that the offsets seem to be in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from protorel.extraction.triples import Mention
from protorel.io import BadInput, kind, shown

_NAMES = {
    # `start` and `end` of a spaCy Span count tokens, and its `label` is a number, so the others come first.
    "start": ("start_char", "start_position", "start", "begin"),
    "stop": ("end_char", "end_position", "stop", "end"),
    "type": ("label_", "type", "label", "tag", "entity_group"),
    "id": ("kb_id_", "id", "kb_id"),
    "text": ("text",),
}
"""What spaCy, Flair, Stanza, GLiNER and transformers call the fields of an entity."""
_WORD = re.compile(r"\S+")
_PUNCTUATED = re.compile(r"\w+|[^\w\s]")


def as_mentions(given: object, text: str) -> list[Mention]:
    """Return mentions in order from Mentions, (start, stop), (start, stop, type), or mappings with start and stop.

    >>> as_mentions([(14, 16), {"start": 0, "end": 9, "label": "PERSON"}], "Ada Kroll met Bo.")[0]
    Mention(start=0, stop=9, text='Ada Kroll', type='PERSON', id=None)

    Raises:
        BadInput: a span is empty, lies outside the text, overlaps another one, or is not in characters.
    """
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise BadInput(f"entities: expected a list of spans, got {kind(given)}")
    mentions = [_mention(one, text, f"entities[{number}]") for number, one in enumerate(given)]
    order = sorted(range(len(mentions)), key=lambda number: mentions[number])
    for before, after in pairwise(order):
        if mentions[after].start < mentions[before].stop:
            both = (f"entities[{after}]: {_place(mentions[after])}", f"entities[{before}], {_place(mentions[before])}")
            raise BadInput(f"{both[0]} overlaps {both[1]}. Keep one of them")
    return [mentions[number] for number in order]


def refuse_tokens(mentions: Sequence[Mention], text: str) -> None:
    """Raise `BadInput` for spans that look like tokens: each of them cuts a word, and the text has as many tokens.

    It is a guess, for spans that a person gave without the text of each.
    """
    if len(mentions) < 2 or not all(_cuts_word(text, one.start) or _cuts_word(text, one.stop) for one in mentions):
        return
    if sum(1 for _ in _PUNCTUATED.finditer(text)) >= mentions[-1].stop:
        raise BadInput(
            f"entities: expected offsets in characters, got offsets that look like tokens: {_place(mentions[0])} and "
            "all others cut a word. Give the text of each entity if they are right"
        )


def _cuts_word(text: str, place: int) -> bool:
    around = text[max(place - 1, 0) : place + 1]
    return 0 < place < len(text) and around.isascii() and around.isalpha()


def _mention(given: object, text: str, where: str) -> Mention:
    fields = _fields(given, where)
    start, stop = fields["start"], fields["stop"]
    said = fields["text"]
    if said is not None and not isinstance(said, str):
        raise BadInput(f"{where}.text: expected text, got {shown(said)}")
    if 0 <= start < stop <= len(text) and said in (None, text[start:stop]):
        if not text[start:stop].strip():
            raise BadInput(f"{where}: [{start}, {stop}) covers white space only")
        return Mention.at(text, start, stop, type=_word(fields, "type", where), id=_word(fields, "id", where))
    if said is not None and (unit := _unit(text, start, stop, said)):
        raise BadInput(
            f"{where}: expected offsets in characters, got {unit}: text[{start}:{stop}] is not {shown(said)}"
        )
    if start >= stop:
        raise BadInput(f"{where}: [{start}, {stop}) is empty. Offsets are in characters, the stop excluded")
    if start < 0 or stop > len(text):
        raise BadInput(f"{where}: [{start}, {stop}) lies outside the text, which has {len(text)} characters")
    raise BadInput(
        f"{where}: expected text[{start}:{stop}] to be {shown(said)}, got {shown(text[start:stop])}. "
        "Offsets are in characters"
    )


def _fields(given: Any, where: str) -> dict[str, Any]:
    """Return start, stop, type, id and text of a span in any of the forms that are taken."""
    if isinstance(given, Sequence) and not isinstance(given, str | bytes) and 2 <= len(given) <= 3:
        found = {"start": given[0], "stop": given[1], "type": given[2] if len(given) == 3 else None}
        found |= {"id": None, "text": None}
    else:
        found = {name: _first(given, names) for name, names in _NAMES.items()}
    for name in ("start", "stop"):
        value = found[name]
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise BadInput(f"{where}.{name}: expected a whole number, got {shown(value)}")
        found[name] = int(value)
    return found


def _first(given: Any, names: Sequence[str]) -> Any:
    """Return the first value that is there, of a mapping or an object."""
    values = (given.get(name) if isinstance(given, Mapping) else getattr(given, name, None) for name in names)
    return next((value for value in values if value is not None), None)


def _word(fields: Mapping[str, Any], name: str, where: str) -> str | None:
    value = fields[name]
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{where}.{name}: expected text, got {shown(value)}")
    return value or None


def _unit(text: str, start: int, stop: int, said: str) -> str | None:
    """Return what the offsets count, if some other unit gives the text that the span is said to have."""
    for pattern in (_WORD, _PUNCTUATED):
        words = [(word.start(), word.end()) for word in pattern.finditer(text)]
        for last in (stop - 1, stop):  # the stop may be excluded or included
            if 0 <= start <= last < len(words) and text[words[start][0] : words[last][1]].strip(".,;:!?") == said:
                return "offsets in tokens"
    if text[start : stop + 1] == said:
        return "a stop that is included"
    for unit, encoding, width in (("bytes of UTF-8", "utf-8", 1), ("units of UTF-16", "utf-16-le", 2)):
        if text.encode(encoding, "surrogatepass")[start * width : stop * width] == said.encode(encoding, "replace"):
            return f"offsets in {unit}"
    return None


def _place(mention: Mention) -> str:
    return f"{shown(mention.text)} [{mention.start}, {mention.stop})"
