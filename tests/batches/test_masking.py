from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.batches import TokenRow, blank_entities, collate, mark_statement, mask_tokens, tokenise_all
from protorel.encoders import word_tokenizer
from protorel.statements import BadInput, Span, Statement


@pytest.fixture
def layout(tiny_tokenizer):
    return tiny_tokenizer.layout


@pytest.fixture
def batch(tiny_tokenizer, some_statements):
    """Many rows: unlike lengths, names blanked in some of them, one word unknown."""
    odd = Statement("Ada Kroll 中 saw Lunsk", Span(0, 9), Span(16, 21))
    rows = tokenise_all([*some_statements, odd], tiny_tokenizer, max_length=64)
    rng = np.random.default_rng(0)
    made = [blank_entities(rows.row(i % 7), tiny_tokenizer.layout, rate=0.5, rng=rng) for i in range(350)]
    return collate(made, tiny_tokenizer.layout)


def masked(batch, layout, *, rate=0.15, seed=0):
    return mask_tokens(batch, layout, rate=rate, generator=torch.Generator().manual_seed(seed))


def test_masking_makes_new_tensors_and_leaves_the_batch_untouched(batch, layout):
    before = {f.name: getattr(batch, f.name).clone() for f in dataclasses.fields(batch)}
    found = masked(batch, layout, rate=0.9)
    for name, value in before.items():
        assert torch.equal(getattr(batch, name), value)
    assert found.batch.tokens.data_ptr() != batch.tokens.data_ptr()
    assert torch.equal(found.original, batch.tokens)


def test_padding_markers_ends_blanks_and_unknown_words_are_never_hidden(batch, layout):
    found = masked(batch, layout, rate=0.99)
    never = torch.tensor([*layout.structural, layout.blank, layout.unknown])
    assert (batch.tokens == layout.unknown).any()
    assert (batch.tokens == layout.blank).any()
    assert not (found.hidden & torch.isin(batch.tokens, never)).any()
    assert torch.equal(found.batch.tokens[~found.hidden], batch.tokens[~found.hidden])


def test_a_random_word_never_forges_padding_a_marker_an_end_or_a_blank(batch, layout):
    found = masked(batch, layout, rate=0.99)
    ours = torch.tensor([*layout.structural, layout.blank])
    assert torch.equal(torch.isin(found.batch.tokens, ours), torch.isin(batch.tokens, ours))


def test_the_same_generator_hides_the_same_tokens(batch, layout):
    first, second, other = masked(batch, layout), masked(batch, layout), masked(batch, layout, seed=1)
    assert torch.equal(first.batch.tokens, second.batch.tokens)
    assert torch.equal(first.hidden, second.hidden)
    assert not torch.equal(first.hidden, other.hidden)


def test_masking_leaves_the_global_random_state_alone(batch, layout):
    before = torch.random.get_rng_state()
    masked(batch, layout)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize("rate", [0.15, 0.5])
def test_the_share_of_hidden_tokens_is_the_rate_and_of_them_8_in_10_are_masks(batch, layout, rate):
    found = masked(batch, layout, rate=rate)
    maskable = batch.content & (batch.tokens != layout.blank) & (batch.tokens != layout.unknown)
    count = int(maskable.sum())
    assert count > 2000
    assert found.hidden.sum().item() / count == pytest.approx(rate, abs=4 * (rate * (1 - rate) / count) ** 0.5)
    now, was = found.batch.tokens[found.hidden], found.original[found.hidden]
    as_mask = (now == layout.mask).float().mean().item()
    as_before = (now == was).float().mean().item()
    assert as_mask == pytest.approx(0.8, abs=0.06)
    assert as_before == pytest.approx(0.1, abs=0.05)
    assert 1 - as_mask - as_before == pytest.approx(0.1, abs=0.05)


def test_at_rate_0_nothing_is_hidden(batch, layout):
    found = masked(batch, layout, rate=0.0)
    assert not found.hidden.any()
    assert torch.equal(found.batch.tokens, batch.tokens)


def test_a_tokenizer_without_a_mask_token_is_refused(some_statements):
    tokenizer = word_tokenizer(["ada", "born"])
    rows = tokenise_all(some_statements, tokenizer, max_length=64)
    with pytest.raises(BadInput, match="a tokenizer with a mask token"):
        masked(rows.batch([0, 1]), tokenizer.layout)


WORDS = word_tokenizer([f"w{i}" for i in range(12)])
BLANK = WORDS.layout.blank


@pytest.fixture
def rows(tiny_tokenizer, some_statements) -> list[TokenRow]:
    encodings = tiny_tokenizer.split([s.text for s in some_statements])
    return [mark_statement(s, e, tiny_tokenizer.layout, 64) for s, e in zip(some_statements, encodings, strict=True)]


def test_at_rate_0_every_row_stays_as_it_was(rows, tiny_tokenizer):
    rng = np.random.default_rng(0)
    for row in rows:
        assert blank_entities(row, tiny_tokenizer.layout, rate=0.0, rng=rng) is row


def test_at_rate_1_all_names_are_hidden_and_all_markers_stay(rows, tiny_tokenizer, some_statements):
    layout, rng = tiny_tokenizer.layout, np.random.default_rng(0)
    for row, statement in zip(rows, some_statements, strict=True):
        before = row.ids.copy()
        blanked = blank_entities(row, layout, rate=1.0, rng=rng)
        assert (row.ids == before).all()
        assert [i for i in blanked.ids if i in layout.structural] == [i for i in row.ids if i in layout.structural]
        outside = np.ones(len(row.ids), dtype=bool)
        for start, stop in (row.head, row.tail):
            outside[start:stop] = False
        kept = [i for i in blanked.ids if i not in (*layout.structural, layout.blank)]
        assert kept == [i for i in row.ids[outside] if i not in layout.structural]
        for place, markers in ((blanked.head, layout.head_markers), (blanked.tail, layout.tail_markers)):
            assert blanked.ids[place[0]] == markers[0]
            assert blanked.ids[place[1] - 1] == markers[1]
        if not statement.head.overlaps(statement.tail):
            for place in (blanked.head, blanked.tail):
                assert blanked.ids[place[0] + 1 : place[1] - 1].tolist() == [layout.blank]


def test_a_nested_name_is_blanked_on_both_sides_of_the_inner_one(rows, tiny_tokenizer, some_statements):
    [nested] = [row for row, s in zip(rows, some_statements, strict=True) if s.head.overlaps(s.tail)]
    layout = tiny_tokenizer.layout
    (h, h_end), (t, t_end), b = layout.head_markers, layout.tail_markers, layout.blank
    blanked = blank_entities(nested, layout, rate=1.0, rng=np.random.default_rng(0))
    inside = blanked.ids[blanked.head[0] : blanked.head[1]].tolist()
    assert inside == [h, b, t, b, t_end, b, h_end]
    assert blanked.ids[blanked.tail[0] : blanked.tail[1]].tolist() == [t, b, t_end]


def test_each_entity_is_hidden_as_often_as_the_rate_says(rows, tiny_tokenizer):
    rng = np.random.default_rng(1)
    row, blank = rows[0], tiny_tokenizer.layout.blank
    hidden = np.zeros(2)
    for _ in range(2000):
        blanked = blank_entities(row, tiny_tokenizer.layout, rate=0.3, rng=rng)
        hidden += [blank in blanked.ids[start:stop] for start, stop in (blanked.head, blanked.tail)]
    assert hidden / 2000 == pytest.approx([0.3, 0.3], abs=0.05)


def test_the_same_generator_hides_the_same_names(rows, tiny_tokenizer):
    def once() -> list[list[int]]:
        rng = np.random.default_rng(7)
        return [blank_entities(row, tiny_tokenizer.layout, rate=0.5, rng=rng).ids.tolist() for row in rows]

    assert once() == once()


@given(
    words=st.integers(2, 12),
    ends=st.lists(st.integers(0, 11), min_size=4, max_size=4),
    rate=st.sampled_from([0.0, 0.5, 1.0]),
    seed=st.integers(0, 5),
)
@settings(max_examples=200)
def test_without_markers_places_follow_their_names_and_are_never_empty(words, ends, rate, seed):
    head, tail = sorted(e % words for e in ends[:2]), sorted(e % words for e in ends[2:])
    text = " ".join(f"w{i}" for i in range(words))
    offsets = [(span.start, span.stop) for span in _spans(text)]
    spans = [Span(offsets[first][0], offsets[last][1]) for first, last in (head, tail)]
    if spans[0] == spans[1]:
        return
    row = mark_statement(Statement(text, *spans), WORDS.split([text])[0], WORDS.layout, 64)
    blanked = blank_entities(row, WORDS.layout, rate=rate, rng=np.random.default_rng(seed))
    hidden = np.random.default_rng(seed).random(2) < rate
    for (start, stop), was_hidden in zip((blanked.head, blanked.tail), hidden, strict=True):
        assert 0 <= start < stop <= len(blanked.ids)
        if was_hidden:
            assert set(blanked.ids[start:stop].tolist()) == {BLANK}
    gone = {i for hide, (a, b) in zip(hidden, (row.head, row.tail), strict=True) if hide for i in range(a, b)}
    kept = [token for i, token in enumerate(row.ids.tolist()) if i not in gone]
    assert [token for token in blanked.ids.tolist() if token != BLANK] == kept


def _spans(text: str) -> list[Span]:
    spans, start = [], 0
    for word in text.split():
        spans.append(Span(start, start + len(word)))
        start += len(word) + 1
    return spans
