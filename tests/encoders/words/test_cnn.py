from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from protorel.batches import StatementBatch
from protorel.encoders.words.cnn import pieces, piecewise_maximum
from protorel.statements import BadInput


def test_a_vector_equals_plain_loops(small, rows_of):
    encoder, rows = small("cnn"), rows_of("cnn")
    found = encoder(rows.batch(range(6)))
    weight, bias = encoder.convolution.weight, encoder.convolution.bias
    for i in range(6):
        row = rows.row(i)
        words = []
        for place, word in enumerate(row.ids.tolist()):
            to_head, to_tail = (max(-40, min(40, place - start)) + 40 for start in (row.head[0], row.tail[0]))
            words.append(
                torch.cat([encoder.word.weight[word], encoder.to_head.weight[to_head], encoder.to_tail.weight[to_tail]])
            )
        nothing = torch.zeros(10)
        padded = [nothing, *words, nothing]
        features = [
            torch.relu(sum(weight[:, :, k] @ padded[place + k] for k in range(3)) + bias) for place in range(len(words))
        ]
        torch.testing.assert_close(found[i], torch.stack(features).amax(0), atol=1e-5, rtol=1e-4)


def test_an_even_window_has_no_middle_and_is_refused(small):
    with pytest.raises(BadInput, match="window=4"):
        small("cnn", window=4)


def batch_of(length: int, head: tuple[int, int], tail: tuple[int, int], padding: int = 0) -> StatementBatch:
    present = torch.arange(length + padding) < length
    tokens = torch.where(present, 3, 0)[None]
    return StatementBatch(tokens, present[None], present[None], torch.tensor([head]), torch.tensor([tail]))


@st.composite
def entities(draw):
    """A length, and two entities within it, however they lie to each other."""
    length = draw(st.integers(1, 12))
    places = []
    for _ in range(2):
        start = draw(st.integers(0, length - 1))
        places.append((start, draw(st.integers(start + 1, length))))
    return length, *places


def plain_pieces(features, length, head, tail):
    """Cut behind the entity that ends first and behind the other, and take each feature's maximum."""
    first, second = sorted((head[1], tail[1]))
    vector = []
    for start, stop in ((0, first), (first, second), (second, length)):
        vector += [max((column[i].item() for i in range(start, stop)), default=0.0) for column in features.T]
    return torch.tanh(torch.tensor(vector))


@given(entities(), st.integers(0, 4), st.integers(0, 1000))
def test_pooling_equals_plain_loops_wherever_the_entities_and_the_padding_lie(drawn, padding, seed):
    length, head, tail = drawn
    # Below zero, so that a 0 or a maximum over padding is seen at once.
    features = torch.randn(length + padding, 4, generator=torch.Generator().manual_seed(seed)) - 3
    features[length:] = 50.0
    found = piecewise_maximum(features[None], batch_of(length, head, tail, padding))
    torch.testing.assert_close(found[0], plain_pieces(features, length, head, tail))


@pytest.mark.parametrize(
    ("head", "tail", "wanted"),
    [
        ((1, 3), (4, 5), [0, 0, 0, 1, 1, 2, 2]),
        ((4, 5), (1, 3), [0, 0, 0, 1, 1, 2, 2]),
        ((0, 1), (6, 7), [0, 1, 1, 1, 1, 1, 1]),
        ((2, 3), (3, 4), [0, 0, 0, 1, 2, 2, 2]),
        ((1, 5), (2, 3), [0, 0, 0, 1, 1, 2, 2]),
        ((1, 5), (3, 5), [0, 0, 0, 0, 0, 2, 2]),
        ((5, 7), (6, 7), [0, 0, 0, 0, 0, 0, 0]),
    ],
    ids=["apart", "tail first", "at both ends", "adjacent", "nested", "ending together", "ending together at the end"],
)
def test_a_sentence_is_cut_behind_each_entity(head, tail, wanted):
    assert pieces(batch_of(7, head, tail))[0].tolist() == wanted


def test_an_empty_piece_is_zero_and_passes_no_gradient_that_is_not_finite():
    features = torch.randn(1, 4, 3, requires_grad=True)
    vector = piecewise_maximum(features, batch_of(4, (0, 1), (2, 4)))
    assert torch.equal(vector[0, 6:], torch.zeros(3))
    vector.sum().backward()
    assert features.grad.isfinite().all()
    assert features.grad.any()


def test_a_vector_equals_a_convolution_in_plain_loops_pooled_in_pieces(small, rows_of):
    encoder, rows = small("pcnn"), rows_of("pcnn")
    found = encoder(rows.batch(range(6)))
    assert found.shape == (6, 24)
    weight, bias = encoder.convolution.weight, encoder.convolution.bias
    for i in range(6):
        row = rows.row(i)
        inputs = torch.zeros(len(row.ids) + 2, 10)
        for place, word in enumerate(row.ids.tolist()):
            distances = [place - start + 40 for start in (row.head[0], row.tail[0])]
            inputs[place + 1] = torch.cat(
                [encoder.word.weight[word], encoder.to_head.weight[distances[0]], encoder.to_tail.weight[distances[1]]]
            )
        features = torch.stack(
            [sum(weight[:, :, k] @ inputs[place + k] for k in range(3)) + bias for place in range(len(row.ids))]
        )
        expected = plain_pieces(features, len(row.ids), row.head, row.tail)
        torch.testing.assert_close(found[i], expected, atol=1e-5, rtol=1e-4)
