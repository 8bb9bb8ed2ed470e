"""Each vector method, with each similarity, against its rule written as plain loops."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from protorel.fewshot import SIMILARITIES, vector_method
from protorel.fewshot.vector_methods import mean, nearest, prototype
from protorel.statements import BadInput

RULES = {"prototype": prototype, "mean": mean, "nearest": nearest}
CHOICES = [(name, similarity) for name in RULES for similarity in SIMILARITIES]


def _dot(left, right):
    return sum(a * b for a, b in zip(left, right, strict=True))


def _cosine(left, right):
    return _dot(left, right) / math.sqrt(_dot(left, left)) / math.sqrt(_dot(right, right))


def _euclidean(left, right):
    return -sum((a - b) ** 2 for a, b in zip(left, right, strict=True))


LOOPS = {"cosine": _cosine, "dot": _dot, "euclidean": _euclidean}


def _unit(vector):
    length = math.sqrt(sum(a * a for a in vector))
    return [a / length for a in vector]


def _vectors(way, shot, queries, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(way, shot, 6, generator=generator, dtype=torch.float64),
        torch.randn(queries, 6, generator=generator, dtype=torch.float64),
    )


def _loop(name, similarity, examples, query):
    compare = LOOPS[similarity]
    found = [compare(example, query) for example in examples]
    if name == "nearest":
        return max(found)
    if name == "mean":
        return sum(found) / len(found)
    taken = [_unit(example) for example in examples] if similarity == "cosine" else examples
    return compare([sum(column) / len(taken) for column in zip(*taken, strict=True)], query)


@pytest.mark.parametrize(("name", "similarity"), CHOICES)
@pytest.mark.parametrize("shot", [1, 3])
def test_a_method_scores_as_its_rule_says(name, similarity, shot):
    support, query = _vectors(4, shot, 5)
    scores = vector_method(name, similarity)(support, query)
    for q, way in [(q, w) for q in range(5) for w in range(4)]:
        expected = _loop(name, similarity, support[way].tolist(), query[q].tolist())
        assert scores[q, way].item() == pytest.approx(expected)


@pytest.mark.parametrize(("name", "similarity"), CHOICES)
def test_many_episodes_at_once_score_like_each_alone(name, similarity):
    method = vector_method(name, similarity)
    support, query = zip(*[_vectors(3, 2, 3, seed) for seed in range(4)], strict=True)
    together = method(torch.stack(support).reshape(2, 2, 3, 2, 6), torch.stack(query).reshape(2, 2, 3, 6))
    for i in range(4):
        torch.testing.assert_close(together[i // 2, i % 2], method(support[i], query[i]))


@pytest.mark.parametrize(("name", "similarity"), CHOICES)
def test_gradients_pass_through_a_method_as_small_steps_say(name, similarity):
    support, query = (vectors.requires_grad_() for vectors in _vectors(2, 2, 2))
    assert torch.autograd.gradcheck(vector_method(name, similarity), (support[None], query[None]))


@given(seed=st.integers(0, 1000))
def test_with_one_example_all_methods_agree(seed):
    support, query = _vectors(5, 1, 4, seed)
    torch.testing.assert_close(nearest(support, query), mean(support, query))
    torch.testing.assert_close(nearest(support, query), prototype(support, query))


@pytest.mark.parametrize("method", RULES.values(), ids=RULES.keys())
def test_the_length_of_a_vector_does_not_count_by_cosine(method):
    support, query = _vectors(3, 2, 4)
    support, lengths = support, torch.tensor([0.5, 7.0], dtype=torch.float64)[:, None]
    torch.testing.assert_close(method(support * lengths, query * 0.1), method(support, query))


@given(seed=st.integers(0, 1000))
def test_of_unit_vectors_dot_and_cosine_are_one_and_distance_orders_alike(seed):
    support, query = (torch.nn.functional.normalize(vectors, dim=-1) for vectors in _vectors(4, 2, 3, seed))
    by = {name: vector_method("nearest", name)(support, query) for name in SIMILARITIES}
    torch.testing.assert_close(by["dot"], by["cosine"])
    torch.testing.assert_close(by["euclidean"], 2 * by["cosine"] - 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("magic",), "method: expected one of prototype, .*, got 'magic'"),
        (("mean", "taxi"), "similarity: expected one of cosine, dot, euclidean, got 'taxi'"),
        (("gnn",), "expected one that works on stored vectors .*, got 'gnn'"),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(arguments, message):
    with pytest.raises(BadInput, match=message):
        vector_method(*arguments)
