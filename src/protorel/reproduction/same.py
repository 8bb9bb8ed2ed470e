"""Were two things made alike? Figures of different settings never stand in one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from protorel.statements import BadInput
from protorel.training.recipes import dotted


def check_same(then: Mapping[str, Any], now: Mapping[str, Any], *, what: str) -> None:
    """Refuse, in one line that names the first difference, what was made with other settings."""
    old, new = dict(dotted(then)), dict(dotted(now))
    for key in sorted(old.keys() | new.keys()):
        if _plain(old.get(key)) != _plain(new.get(key)):
            raise BadInput(
                f"{what} was made with {key}={old.get(key)!r}, now it is {new.get(key)!r}; "
                "use the same settings, or another --out"
            )


def _plain(value: Any) -> Any:
    """Return a value as JSON gives it back."""
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value
