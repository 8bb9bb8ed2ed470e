from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tokenizers.processors import TemplateProcessing

from protorel.batches import StatementTokenizer, mark_statement
from protorel.encoders import word_tokenizer
from protorel.statements import Span, Statement, StatementError

PIECES = [
    "ada", "Kroll", "lunsk", "was", "born", "xqz", "unbelievably", ".", ",", "[SEP]", "[CLS]", "[PAD]", "[MASK]",
    "[UNK]", "[unused1]", "[unused2]", "[unused3]", "[unused4]", "[unused5]", "é", "e\u0301", "中文", "\u200b", "\x00",
    "\t", "ﬁ", "😀", "İ", "##a",
]  # fmt: skip
WORDS = word_tokenizer(["ada", "lunsk", "was", "born", "[", "]", "unused1"])


@st.composite
def statements(draw) -> Statement:
    pieces = draw(st.lists(st.sampled_from(PIECES), min_size=2, max_size=25))
    glue = draw(st.lists(st.sampled_from([" ", " ", " ", ""]), min_size=len(pieces), max_size=len(pieces)))
    text = "".join(piece + space for piece, space in zip(pieces, glue, strict=True))
    spans = []
    for _ in range(2):
        start = draw(st.integers(0, len(text) - 1))
        spans.append(Span(start, draw(st.integers(start + 1, min(len(text), start + 12)))))
    try:
        return Statement(text, *spans)
    except StatementError:
        assume(False)
        raise


def tokens_touching(span: Span, offsets) -> list[int]:
    return [i for i, (start, stop) in enumerate(offsets) if start < span.stop and span.start < stop]


def marked(tokenizer, statement: Statement, max_length: int = 64):
    [encoding] = tokenizer.split([statement.text])
    return mark_statement(statement, encoding, tokenizer.layout, max_length)


@given(statement=statements(), max_length=st.integers(7, 40))
@settings(max_examples=250)
def test_truncation_never_drops_an_entity_marker(tiny_tokenizer, statement, max_length):
    layout = tiny_tokenizer.layout
    [encoding] = tiny_tokenizer.split([statement.text])
    entities = [tokens_touching(span, encoding.offsets) for span in (statement.head, statement.tail)]
    needed = len({*entities[0], *entities[1]}) + layout.frame
    try:
        row = mark_statement(statement, encoding, layout, max_length)
    except StatementError:
        assert not all(entities) or needed > max_length
        return
    assert all(entities)
    assert needed <= max_length
    ids = row.ids.tolist()
    # As much text as fits, and nothing else.
    assert len(ids) == min(max_length, len(encoding.ids) + layout.frame)
    assert [i for i in ids if i not in layout.structural] == [
        i for i in ids[1:-1] if i not in (*layout.head_markers, *layout.tail_markers)
    ]
    assert (ids[0], ids[-1]) == (layout.prefix[0], layout.suffix[0])
    for place, markers, tokens in zip(
        (row.head, row.tail), (layout.head_markers, layout.tail_markers), entities, strict=True
    ):
        assert [i for i, token in enumerate(ids) if token in markers] == [place[0], place[1] - 1]
        assert (ids[place[0]], ids[place[1] - 1]) == markers
        inside = [token for token in ids[place[0] : place[1]] if token not in layout.structural]
        assert inside == [encoding.ids[i] for i in tokens]


@given(statement=statements(), max_length=st.integers(1, 30))
@settings(max_examples=100)
def test_without_markers_the_places_are_the_entities_own_tokens(statement, max_length):
    [encoding] = WORDS.split([statement.text])
    entities = [tokens_touching(span, encoding.offsets) for span in (statement.head, statement.tail)]
    try:
        row = mark_statement(statement, encoding, WORDS.layout, max_length)
    except StatementError:
        assert not all(entities) or len({*entities[0], *entities[1]}) > max_length
        return
    assert len(row.ids) == min(max_length, len(encoding.ids))
    for (start, stop), tokens in zip((row.head, row.tail), entities, strict=True):
        assert row.ids[start:stop].tolist() == [encoding.ids[i] for i in tokens]


def test_tokens_between_the_markers_read_as_the_entity(tiny_tokenizer, some_statements):
    for statement in some_statements:
        row = marked(tiny_tokenizer, statement)
        for (start, stop), name in ((row.head, statement.head_text), (row.tail, statement.tail_text)):
            words = tiny_tokenizer.tokenizer.decode(row.ids[start:stop], skip_special_tokens=True)
            assert words == name.lower()


CASES = {
    "the head first": (Span(0, 3), Span(9, 12), "[CLS] <h> ada </h> born <t> ada </t> kroll [SEP]"),
    "the tail first": (Span(9, 12), Span(0, 3), "[CLS] <t> ada </t> born <h> ada </h> kroll [SEP]"),
    "adjacent": (Span(0, 3), Span(4, 8), "[CLS] <h> ada </h> <t> born </t> ada kroll [SEP]"),
    "tail inside head": (Span(0, 12), Span(4, 8), "[CLS] <h> ada <t> born </t> ada </h> kroll [SEP]"),
    "head inside tail": (Span(4, 8), Span(0, 12), "[CLS] <t> ada <h> born </h> ada </t> kroll [SEP]"),
    "one start": (Span(0, 3), Span(0, 8), "[CLS] <t> <h> ada </h> born </t> ada kroll [SEP]"),
    "one end": (Span(0, 8), Span(4, 8), "[CLS] <h> ada <t> born </t> </h> ada kroll [SEP]"),
    "crossing": (Span(0, 8), Span(4, 12), "[CLS] <h> ada <t> born </h> ada </t> kroll [SEP]"),
    "both in one token": (Span(0, 2), Span(1, 3), "[CLS] <h> <t> ada </t> </h> born ada kroll [SEP]"),
    "a space too much": (Span(0, 4), Span(8, 12), "[CLS] <h> ada </h> born <t> ada </t> kroll [SEP]"),
}


@pytest.fixture(scope="module")
def plain_words() -> StatementTokenizer:
    """Whole words with ends and markers, so that an expected row can be read."""
    tokenizer = word_tokenizer(["ada", "born", "kroll"]).tokenizer
    tokenizer.add_special_tokens({"cls_token": "[CLS]", "sep_token": "[SEP]"})
    ends = [(name, tokenizer.convert_tokens_to_ids(name)) for name in ("[CLS]", "[SEP]")]
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    return StatementTokenizer(tokenizer, markers=True)


@pytest.mark.parametrize(("head", "tail", "expected"), CASES.values(), ids=CASES.keys())
def test_markers_stand_around_entities_however_they_lie(plain_words, head, tail, expected):
    short = {"[unused1]": "<h>", "[unused2]": "</h>", "[unused3]": "<t>", "[unused4]": "</t>"}
    row = marked(plain_words, Statement("ada born ada kroll", head, tail))
    words = plain_words.tokenizer.convert_ids_to_tokens(row.ids.tolist())
    assert " ".join(short.get(word, word) for word in words) == expected


def test_text_far_from_both_entities_is_cropped_first():
    text = " ".join(["far"] * 20 + ["ada", "was", "born", "in", "lunsk"] + ["far"] * 20)
    tokenizer = word_tokenizer(["far", "ada", "was", "born", "in", "lunsk"])
    head, tail = (Span(text.index(w), text.index(w) + len(w)) for w in ("ada", "lunsk"))
    row = marked(tokenizer, Statement(text, head, tail), 9)
    words = tokenizer.tokenizer.convert_ids_to_tokens(row.ids.tolist())
    assert words == ["far", "far", "ada", "was", "born", "in", "lunsk", "far", "far"]


def test_where_the_gap_is_too_wide_text_between_the_entities_is_cropped():
    text = " ".join(["before", "ada", *["far"] * 30, "lunsk", "after"])
    tokenizer = word_tokenizer(["far", "ada", "before", "after", "lunsk"])
    head, tail = (Span(text.index(w), text.index(w) + len(w)) for w in ("ada", "lunsk"))
    row = marked(tokenizer, Statement(text, head, tail), 6)
    words = tokenizer.tokenizer.convert_ids_to_tokens(row.ids.tolist())
    assert words == ["before", "ada", "far", "far", "lunsk", "after"]
    assert (row.head, row.tail) == ((1, 2), (4, 5))


def test_a_statement_whose_entities_do_not_fit_says_how_many_tokens_they_need(tiny_tokenizer):
    text = "ada " * 10 + "was born in " + "lunsk"
    statement = Statement(text, Span(0, 39), Span(len(text) - 5, len(text)))
    [encoding] = tiny_tokenizer.split([text])
    needed = len([1 for start, stop in encoding.offsets if stop <= 39 or start >= len(text) - 5]) + 6
    with pytest.raises(StatementError, match=f"need {needed} tokens .* max_length is {needed - 1}") as problem:
        marked(tiny_tokenizer, statement, needed - 1)
    assert problem.value.field == "text"
    assert len(marked(tiny_tokenizer, statement, needed).ids) == needed


@pytest.mark.parametrize("field", ["head", "tail"])
def test_an_entity_of_which_the_tokenizer_leaves_nothing_is_refused(tiny_tokenizer, field):
    spans = {"head": Span(0, 3), "tail": Span(8, 13), field: Span(4, 5)}
    statement = Statement("ada \x01 \u200b lunsk", **spans)
    with pytest.raises(StatementError, match="expected at least one token") as problem:
        marked(tiny_tokenizer, statement)
    assert problem.value.field == field


def test_a_row_is_made_of_32_bit_ids(tiny_tokenizer, some_statements):
    assert marked(tiny_tokenizer, some_statements[0]).ids.dtype == np.int32
