"""No regular expression of the package goes back over what it has read: hostile text costs time by its length alone.

Every pattern in the sources is found by reading them, so that a new one is tested from its first day. Each is run over
long texts made of its own parts. One that needs n² steps would take hours here, and the test would not end.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import permutations
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]  # the standard library's own reader of patterns
from typing import Any

import pytest

SOURCE = Path(__file__).parents[1] / "src"
LENGTH = 200_000
MADE_FROM_OUR_OWN_TEXT = {
    "protorel/harvest/engines/alignment.py": "reads align.sql, which the package ships",
    "protorel/corpora/small_world/text.py": "reads templates that the package ships",
}
BUILT_WHERE_USED = {
    "protorel/harvest/wikitext/plain_text.py": [("split", re.compile("([\x02\x03])"))],
    "protorel/harvest/wikitext/repair.py": [("search", re.compile(re.escape("-->"), re.IGNORECASE))],
}
"""Patterns that are put together in a function."""
GIVEN_SHORT_TEXT = {"_WORD_BEFORE": 40, "_WORD_AFTER": 60, "_DOTTED": 40}
"""Patterns of `harvest/mentions/sentences.py` and the most characters that they are given, by the call's arguments."""
AT_ONE_PLACE = {"match", "fullmatch"}

Use = tuple[str, re.Pattern[str], int]
"""How a pattern is used, and the length of the longest text that it is given."""


def uses_in(path: Path) -> Iterator[Use]:
    """Yield the patterns of a module: those it holds by name, and those given to `re` where they are used."""
    source = path.read_text()
    calls = [
        call
        for call in ast.walk(ast.parse(source))
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
        if isinstance(call.func.value, ast.Name) and call.func.value.id == "re" and call.func.attr != "escape"
    ]
    if not calls:
        return
    name = path.relative_to(SOURCE).as_posix()
    built = BUILT_WHERE_USED.get(name, [])
    yield from ((use, pattern, LENGTH) for use, pattern in built)
    held = list(held_in(vars(import_module(name.removesuffix(".py").replace("/", ".")))))
    for variable, pattern in held:
        uses = set(re.findall(rf"\b{variable}\.(\w+)\(", source)) or {"search"}
        yield from ((use, pattern, GIVEN_SHORT_TEXT.get(variable, LENGTH)) for use in uses)
    inline = [call for call in calls if call.func.attr != "compile"]
    literal = [call for call in inline if isinstance(call.args[0], ast.Constant)]
    yield from ((call.func.attr, re.compile(call.args[0].value), LENGTH) for call in literal)
    assert len(calls) == len(held) + len(literal) + len(built), f"{name}: a pattern is neither held by name nor listed"


def held_in(values: Mapping[str, Any]) -> Iterator[tuple[str, re.Pattern[str]]]:
    for name, value in values.items():
        if isinstance(value, re.Pattern):
            yield name, value
        elif isinstance(value, tuple):
            yield from held_in({f"{name}{place}": part for place, part in enumerate(value)})


def letters_of(parsed: Any) -> Iterator[str]:
    """Yield one character for each part of a pattern that a text could be made of."""
    for kind, value in parsed:
        match str(kind):
            case "LITERAL":
                yield chr(value)
            case "NOT_LITERAL":
                yield "a" if value != ord("a") else "b"
            case "IN":
                chosen = re.compile(str_of_class(value))
                yield from [char for char in " \t.a(Q1_-<'é\n" if chosen.match(char)][:3]
            case "ANY":
                yield "a"
            case _:
                for part in value if isinstance(value, tuple | list) else [value]:
                    if isinstance(part, _parser.SubPattern):
                        yield from letters_of(part)
                    elif isinstance(part, list):
                        for branch in part:
                            yield from letters_of(branch)


def str_of_class(members: Any) -> str:
    names = {"CATEGORY_SPACE": r"\s", "CATEGORY_NOT_SPACE": r"\S", "CATEGORY_WORD": r"\w", "CATEGORY_NOT_WORD": r"\W"}
    names |= {"CATEGORY_DIGIT": r"\d", "CATEGORY_NOT_DIGIT": r"\D"}
    pieces = []
    for kind, value in members:
        match str(kind):
            case "NEGATE":
                pieces.append("^")
            case "LITERAL":
                pieces.append(re.escape(chr(value)))
            case "RANGE":
                pieces.append(f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}")
            case "CATEGORY":
                pieces.append(names[str(value)])
    return f"[{''.join(pieces)}]"


def hostile_units(pattern: re.Pattern[str]) -> Iterator[str]:
    """Yield short texts of the pattern's own characters to be repeated: each character alone, and pairs of them."""
    letters = list(dict.fromkeys([*letters_of(_parser.parse(pattern.pattern, pattern.flags)), " ", ".", "("]))[:12]
    yield from letters
    yield from (one + other for one, other in permutations(letters[:5], 2))


MODULES = [path for path in sorted(SOURCE.rglob("*.py")) if re.search(r"^import re$", path.read_text(), re.MULTILINE)]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_a_long_hostile_text_is_searched_in_time_by_its_length(path):
    found = list(uses_in(path))
    assert found
    if path.relative_to(SOURCE).as_posix() in MADE_FROM_OUR_OWN_TEXT:
        return
    for use, pattern, length in found:
        for unit in hostile_units(pattern):
            run = unit[-1] * length if use in AT_ONE_PLACE else unit * (length // len(unit))
            # Once with an end that most patterns do not expect, once with what the pattern may need before the run.
            for text in (run + "\x00 (", unit[0] + run):
                if use in AT_ONE_PLACE:
                    getattr(pattern, use)(text)
                else:
                    sum(1 for _ in pattern.finditer(text))
