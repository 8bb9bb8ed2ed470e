"""Each vector method against its rule, written as plain loops."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from protorel.fewshot import VECTOR_METHODS, mean, nearest, prototype


def _cosine(left, right):
    dot = sum(a * b for a, b in zip(left, right, strict=True))
    return dot / math.sqrt(sum(a * a for a in left)) / math.sqrt(sum(b * b for b in right))


def _unit(vector):
    length = math.sqrt(sum(a * a for a in vector))
    return [a / length for a in vector]


def _vectors(way, shot, queries, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(way, shot, 6, generator=generator, dtype=torch.float64),
        torch.randn(queries, 6, generator=generator, dtype=torch.float64),
    )


def _loop(method, examples, query):
    cosines = [_cosine(example, query) for example in examples]
    if method is nearest:
        return max(cosines)
    if method is mean:
        return sum(cosines) / len(cosines)
    units = [_unit(example) for example in examples]
    return _cosine([sum(column) for column in zip(*units, strict=True)], query)


@pytest.mark.parametrize("method", VECTOR_METHODS.values(), ids=VECTOR_METHODS.keys())
@pytest.mark.parametrize("shot", [1, 3])
def test_a_method_scores_as_its_rule_says(method, shot):
    support, query = _vectors(4, shot, 5)
    scores = method(support, query)
    for q, way in [(q, w) for q in range(5) for w in range(4)]:
        assert scores[q, way].item() == pytest.approx(_loop(method, support[way].tolist(), query[q].tolist()))


@pytest.mark.parametrize("method", VECTOR_METHODS.values(), ids=VECTOR_METHODS.keys())
def test_many_episodes_at_once_score_like_each_alone(method):
    support, query = zip(*[_vectors(3, 2, 3, seed) for seed in range(4)], strict=True)
    together = method(torch.stack(support), torch.stack(query))
    for i in range(4):
        torch.testing.assert_close(together[i], method(support[i], query[i]))


@given(seed=st.integers(0, 1000))
def test_with_one_example_all_methods_agree(seed):
    support, query = _vectors(5, 1, 4, seed)
    torch.testing.assert_close(nearest(support, query), mean(support, query))
    torch.testing.assert_close(nearest(support, query), prototype(support, query))


@pytest.mark.parametrize("method", VECTOR_METHODS.values(), ids=VECTOR_METHODS.keys())
def test_the_length_of_a_vector_does_not_count(method):
    support, query = _vectors(3, 2, 4)
    torch.testing.assert_close(method(support * 7.0, query * 0.1), method(support, query))
