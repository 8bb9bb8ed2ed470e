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

_STOPS = ("stop", "end", "end_char")
_STARTS = ("start", "begin", "start_char")
_TYPES = ("type", "label", "label_", "entity_group")
_IDS = ("id", "kb_id", "ent_id", "kb_id_")
_TEXTS = ("text", "word", "name")
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
    if isinstance(given, Mapping):
        found = {name: _first(given, names) for name, names in _NAMES.items()}
    elif isinstance(given, Sequence) and not isinstance(given, str | bytes) and 2 <= len(given) <= 3:
        found = {"start": given[0], "stop": given[1], "type": given[2] if len(given) == 3 else None}
        found |= {"id": None, "text": None}
    else:
        found = {name: getattr(given, name, None) for name in _NAMES}
        if hasattr(given, "start_char"):  # a spaCy Span, whose start and end count tokens
            found |= {"start": given.start_char, "stop": given.end_char, "type": given.label_, "id": given.kb_id_}
    for name in ("start", "stop"):
        value = found[name]
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise BadInput(f"{where}.{name}: expected a whole number, got {shown(value)}")
        found[name] = int(value)
    return found


_NAMES = {"start": _STARTS, "stop": _STOPS, "type": _TYPES, "id": _IDS, "text": _TEXTS}


def _first(given: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((given[name] for name in names if given.get(name) is not None), None)


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
