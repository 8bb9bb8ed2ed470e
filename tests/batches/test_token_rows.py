"""Statements and texts as rows of tokens."""

from __future__ import annotations

import numpy as np
import pytest

from protorel.batches import text_rows, tokenise_all
from protorel.statements import BadInput, Span, Statement


@pytest.fixture
def token_rows(tiny_tokenizer, some_statements):
    return tokenise_all(some_statements, tiny_tokenizer, max_length=64)


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
    with pytest.raises(BadInput, match="text ' ': expected at least one token"):
        text_rows([" "], tiny_tokenizer, max_length=32)


def test_a_row_handed_out_may_be_written_to_without_harm(token_rows):
    row = token_rows.row(0)
    before = row.ids.copy()
    row.ids[:] = 0
    assert np.array_equal(token_rows.row(0).ids, before)


def test_no_statements_make_no_rows(tiny_tokenizer):
    rows = tokenise_all([], tiny_tokenizer, max_length=64)
    assert len(rows) == 0
    assert rows.lengths.tolist() == []


def test_a_statement_that_does_not_fit_is_named(tiny_tokenizer, some_statements):
    long = Statement("ada " * 40 + "lunsk", Span(0, 159), Span(160, 165), id="the long one")
    with pytest.raises(BadInput, match="the long one"):
        tokenise_all([*some_statements, long], tiny_tokenizer, max_length=32)
