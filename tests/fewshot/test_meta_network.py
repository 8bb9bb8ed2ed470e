"""The meta network against its equations, with gradients written out by hand."""

import math

import pytest
import torch

from protorel.fewshot import make_method
from protorel.fewshot.meta_network import MetaNetworkSettings
from protorel.statements import BadInput

WAY, SHOT, WIDTH, MOST, HIDDEN = 3, 2, 5, 4, 6


def made(**more):
    settings = MetaNetworkSettings(
        **{"vector_width": None, "hidden": HIDDEN, "gradient_hidden": 3, "most_ways": MOST} | more
    )
    return make_method(settings, width=WIDTH, seed=3).double()


def drawn(episodes=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(episodes, WAY, SHOT, WIDTH, generator=generator, dtype=torch.float64),
        torch.randn(episodes, WAY, WIDTH, generator=generator, dtype=torch.float64),
    )


def gradients(learner, vectors, ways):
    """The cross-entropy's gradient by both layers, by the chain rule, averaged over some examples."""
    inner, outer = learner.inner.detach(), learner.outer.detach()[:WAY]
    by_inner, by_outer = torch.zeros_like(inner), torch.zeros_like(outer)
    for vector, way in zip(vectors, ways, strict=True):
        before = inner @ vector
        seen = before.clamp(min=0)
        wrong = torch.softmax(outer @ seen, 0)
        wrong[way] -= 1
        by_outer += torch.outer(wrong, seen) / len(vectors)
        by_inner += torch.outer(outer.T @ wrong * (before > 0), vector) / len(vectors)
    return by_inner, by_outer


def fast(network, gradient):
    """Every number of a gradient through the small network, one by one."""
    into, bias = network.into.weight[:, 0].tolist(), network.into.bias.tolist()
    out, last = network.out.weight[0].tolist(), network.out.bias.item()
    made = torch.empty_like(gradient)
    for place in [(i, j) for i in range(gradient.shape[0]) for j in range(gradient.shape[1])]:
        seen = math.asinh(1000 * gradient[place].item())
        made[place] = sum(o * math.tanh(i * seen + b) for i, b, o in zip(into, bias, out, strict=True)) + last
    return made


def both(slow, quick, vector):
    return (slow @ vector).clamp(min=0) + (quick @ vector).clamp(min=0)


@torch.no_grad()
def expected(method, support, query):
    """The scores of one episode, step by step as the paper has them, its vectors measured in spreads."""
    mean = sum(vector for way in support for vector in way) / (WAY * SHOT)
    spread = math.sqrt(sum(((vector - mean) ** 2).sum().item() for way in support for vector in way) / support.numel())
    support, query = (support - mean) / spread, (query - mean) / spread
    examples = [(support[way, shot], way) for way in range(WAY) for shot in range(SHOT)]
    vectors, ways = [vector for vector, _ in examples], [way for _, way in examples]
    key_weights = fast(method.fast_keys, gradients(method.keys, vectors, ways)[0])
    keys = [both(method.keys.inner, key_weights, vector) for vector in vectors]
    memory = [
        [fast(method.fast_answers, gradient) for gradient in gradients(method.answers, [vector], [way])]
        for vector, way in examples
    ]
    scores = []
    for asked in query:
        key = both(method.keys.inner, key_weights, asked)
        # A key may be 0 in all its places, and is then like none.
        alike = [(key @ other / max(1e-12, key.norm().item() * other.norm().item())).item() for other in keys]
        total = sum(math.exp(method.sharpness.item() * one) for one in alike)
        weights = [math.exp(method.sharpness.item() * one) / total for one in alike]
        inner = sum(weight * made[0] for weight, made in zip(weights, memory, strict=True))
        outer = sum(weight * made[1] for weight, made in zip(weights, memory, strict=True))
        seen = both(method.answers.inner, inner, asked)
        scores.append(method.answers.outer[:WAY] @ seen + outer @ seen)
    return torch.stack(scores)


def test_a_query_is_answered_by_the_fast_weights_of_examples_like_it():
    method, (support, query) = made(), drawn()
    with torch.no_grad():
        for network in (method.fast_keys, method.fast_answers):
            for weight in network.parameters():  # as after some steps: no longer odd, nor alike
                weight += 0.3 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(1)).double()
    scores = method(support, query).scores
    for episode in range(2):
        torch.testing.assert_close(scores[episode], expected(method, support[episode], query[episode]))


def test_before_anything_is_learned_a_fast_weight_goes_against_its_gradient_and_is_no_larger_than_a_slow_one():
    gradient = torch.linspace(-1, 1, 21).double()
    for network in (made().fast_keys, made().fast_answers):
        made_of = network({"inner": gradient})["inner"]
        assert torch.equal(made_of.sign(), -gradient.sign())
        assert made_of.abs().max() < 0.1


def test_vectors_that_all_lie_on_one_side_still_teach_every_weight():
    method, (support, query) = made(), drawn()
    scores = method(50 + 0.1 * support, 50 + 0.1 * query).scores
    torch.nn.functional.cross_entropy(scores.flatten(0, 1), torch.arange(WAY).repeat(2)).backward()
    still = {name for name, weight in method.named_parameters() if not weight.grad.any()}
    assert still == {"keys.outer"} & still
    for learner in (method.keys, method.answers):
        assert learner.inner.grad.any(dim=1).all()


def test_many_episodes_at_once_score_like_each_alone_without_gradients_too():
    method, (support, query) = made(), drawn(3)
    with torch.no_grad():
        together = method(support, query).scores
    for episode in range(3):
        torch.testing.assert_close(together[episode], method(support[episode, None], query[episode, None]).scores[0])


def test_the_order_of_a_ways_examples_does_not_count():
    method, (support, query) = made(), drawn()
    torch.testing.assert_close(method(support.flip(2), query).scores, method(support, query).scores)


def test_more_ways_than_it_was_made_for_are_refused():
    made().check(MOST, 100)
    with pytest.raises(BadInput, match="expected at most 4 classes per episode, got 5"):
        made().check(MOST + 1, 1)


def test_few_episodes_are_judged_at_once_where_they_are_large():
    method = made()
    assert method.episodes_at_once(10, 5) < method.episodes_at_once(5, 1)
    assert method.episodes_at_once(10_000, 1000) == 1
