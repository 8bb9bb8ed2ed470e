from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.io.json_text import DEEPEST, parse_json
from protorel.io.yaml_text import parse_yaml
from protorel.recipes import load_finetune_recipe, load_recipe
from protorel.statements import BadInput

numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
plain = st.none() | st.booleans() | numbers | st.text(st.characters(exclude_categories=["Cs"]))
values = st.recursive(plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=5), inner), max_leaves=20)
PIECES = st.sampled_from([
    "&a ", "*a", "[", "]", "{", "}", ": ", ", ", "\n", "  ", "- ", "? ", "!!int ", "!!timestamp ", "!!bool ",
    "!!binary ", "!!set ", "<<", "a", "steps", "objective", "9" * 30, "1:1:1.5", ".inf", ".nan", "~",
    "2001-99-99", "0x", "'",
])  # fmt: skip


@given(values)
def test_json_is_read_as_python_reads_it(value):
    text = json.dumps(value)
    assert parse_json(text) == json.loads(text) == value
    assert parse_json(json.dumps(value, ensure_ascii=False)) == value


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("NaN", "has NaN, which is not valid JSON"),
        ("[-Infinity]", "has -Infinity, which is not valid JSON"),
        ("1e400", "holds a number that is too large ('1e400')"),
        ("9" * 21, "holds a whole number of 21 digits, expected at most 20"),
        ("9" * 5000, "holds a whole number of 5000 digits, expected at most 20"),
        ('{"a": 1, "b": 2, "a": 3}', "names 'a' twice in one object"),
        ('"\\ud800"', "has a lone surrogate (U+D800), which cannot be written"),
        ('{"\\uDFFF": 1}', "has a lone surrogate (U+DFFF), which cannot be written"),
        ("[" * 10**6, "is nested too deeply"),
        ('{"a": ' * 10**5, "is nested too deeply"),
        ("[" * (DEEPEST + 2) + "]" * (DEEPEST + 2), "is nested too deeply"),
        ("{", "is not valid JSON ("),
        ("", "is not valid JSON ("),
    ],
)
def test_json_beyond_all_use_is_refused_with_the_reason(text, told):
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (told is compared below)
        parse_json(text)
    assert str(refused.value).startswith(told)
    assert len(str(refused.value)) < 150


def test_both_halves_of_a_character_are_whole():
    assert parse_json('"\\ud83d\\ude00"') == "😀"
    assert parse_json(json.dumps("\\ud800")) == "\\ud800", "a backslash in a text is no half"


def test_what_is_nested_as_deep_as_allowed_is_read():
    assert parse_json("[" * DEEPEST + "]" * DEEPEST) is not None
    assert parse_yaml("[" * DEEPEST + "]" * DEEPEST) is not None


@given(st.lists(PIECES | st.text(max_size=3), max_size=25).map("".join))
def test_any_text_for_yaml_is_read_or_refused_in_one_line(text):
    for as_text in (False, True):
        try:
            parse_yaml(text, as_text=as_text)
        except ValueError as problem:
            assert "\n" not in str(problem)  # noqa: PT017 (most texts are no YAML, some are)


@given(st.lists(PIECES | st.text(max_size=3), max_size=12).map("".join))
def test_any_override_is_taken_or_refused_in_one_line(text):
    for load, name, key in ((load_recipe, "smoke", "steps"), (load_finetune_recipe, "fewrel", "method")):
        for override in (f"{key}={text}", f"{text}=3", f"objective={text}", text):
            try:
                load(name, [override])
            except BadInput as problem:
                assert "\n" not in str(problem)  # noqa: PT017 (some are taken)
