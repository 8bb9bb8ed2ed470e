"""JSONL: one object per text, with its triples, the uncertain ones and the counts."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from protorel.extraction.triples import Extraction

# Written as \uXXXX, which means the same: a terminal obeys some of them, and some readers end a line at others.
_ESCAPED = re.compile("[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")


def render(extractions: Iterable[Extraction], _: Counter[str]) -> Iterator[str]:
    """Yield one line per text."""
    for one in extractions:
        yield _line(one.as_json()) + "\n"


def _line(value: object) -> str:
    """Return JSON on one line; what a terminal might obey is escaped as JSON escapes it."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
