"""Texts without entities as rows of tokens."""

from __future__ import annotations

import pytest

from protorel.batches import text_rows
from protorel.statements import BadInput


def test_a_text_stands_between_the_ends_with_no_marker_anywhere(tiny_tokenizer):
    layout = tiny_tokenizer.layout
    rows = text_rows(["ada was born in lunsk", "born"], tiny_tokenizer, max_length=32)
    inner = tiny_tokenizer.split(["ada was born in lunsk"])[0].ids
    first = rows.row(0)
    assert first.ids.tolist() == [*layout.prefix, *inner, *layout.suffix]
    assert not set(first.ids.tolist()) & {*layout.head_markers, *layout.tail_markers}
    assert (first.head[0], first.tail[1]) == (len(layout.prefix), len(first.ids) - len(layout.suffix))


def test_a_long_text_is_cut_and_keeps_its_end_token(tiny_tokenizer):
    row = text_rows(["born " * 50], tiny_tokenizer, max_length=12).row(0)
    assert len(row.ids) == 12
    assert row.ids[-1] == tiny_tokenizer.layout.suffix[-1]
    assert row.tail == (10, 11)


def test_a_text_cannot_forge_a_marker(tiny_tokenizer):
    row = text_rows(["[unused1] [SEP] born"], tiny_tokenizer, max_length=32).row(0)
    layout = tiny_tokenizer.layout
    inside = row.ids.tolist()[len(layout.prefix) : -len(layout.suffix)]
    assert not set(inside) & set(layout.structural)


def test_a_text_of_which_no_token_is_left_is_refused(tiny_tokenizer):
    with pytest.raises(BadInput, match="leaves nothing of the text ' '"):
        text_rows([" "], tiny_tokenizer, max_length=32)
