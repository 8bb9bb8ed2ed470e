from __future__ import annotations

from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.fewshot.episode_method import TokenStates
from protorel.fewshot.mlman import MLMAN, MLMANSettings, compared, fit_to_query, inconsistency, soft_match

HIDDEN, WIDTH = 5, 3


def made(seed: int = 0, **sizes) -> MLMAN:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return MLMAN(MLMANSettings(width=WIDTH, **sizes), HIDDEN).double().eval()


def sentences(*shape: int, words: int, seed: int) -> TokenStates:
    """States of sentences of 1 to `words` words; one of them is as long as that."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, words + 1, shape, generator=generator)
    lengths.flatten()[0] = words
    present = torch.arange(words) < lengths[..., None]
    states = torch.randn(*shape, words, HIDDEN, generator=generator, dtype=torch.float64) * present[..., None]
    nowhere = torch.zeros(*shape, 2, dtype=torch.long)
    return TokenStates(states, present, nowhere, nowhere)


def episode(way: int = 3, shot: int = 2, episodes: int = 1, seed: int = 0) -> tuple[TokenStates, TokenStates]:
    support = sentences(episodes, way, shot, words=6, seed=seed)
    return support, sentences(episodes, way, words=4, seed=seed + 1)


def words_of(states: TokenStates, *place: int) -> list[torch.Tensor]:
    return list(states.states[place][states.present[place]])


def found_in(word: torch.Tensor, others: list[torch.Tensor]) -> torch.Tensor:
    weights = [(word @ other).exp() for other in others]
    return sum(weight * other for weight, other in zip(weights, others, strict=True)) / sum(weights)


def lstm_loop(layer: torch.nn.LSTM, words: list[torch.Tensor]) -> list[torch.Tensor]:
    state = memory = torch.zeros(WIDTH, dtype=torch.float64)
    states = []
    for word in words:
        gates = layer.weight_ih_l0 @ word + layer.bias_ih_l0 + layer.weight_hh_l0 @ state + layer.bias_hh_l0
        enter, forget, candidate, leave = gates.chunk(4)
        memory = forget.sigmoid() * memory + enter.sigmoid() * candidate.tanh()
        state = leave.sigmoid() * memory.tanh()
        states.append(state)
    return states


def one_vector(method: MLMAN, words: list[torch.Tensor], found: list[torch.Tensor]) -> torch.Tensor:
    """ReLU(W₁ [c; c̃; |c − c̃|; c ⊙ c̃] + b), read in both directions, then maximum and mean over the words."""
    weight, bias = method.local.project.weight, method.local.project.bias
    projected = []
    for own, other in zip(words, found, strict=True):
        projected.append(torch.relu(weight @ torch.cat([own, other, abs(own - other), own * other]) + bias))
    ahead = lstm_loop(method.local.forwards, projected)
    back = lstm_loop(method.local.backwards, projected[::-1])[::-1]
    states = torch.stack([torch.cat(both) for both in zip(ahead, back, strict=True)])
    return torch.cat([states.amax(0), states.sum(0) / len(states)])


def how_well(method: MLMAN, instance: torch.Tensor, query: torch.Tensor) -> torch.Tensor:
    inner, _, outer = method.fit
    return outer.weight[0] @ torch.relu(inner.weight @ torch.cat([instance, query]) + inner.bias)


def by_loops(method: MLMAN, support: TokenStates, query: TokenStates) -> tuple[torch.Tensor, torch.Tensor]:
    episodes, ways, shots = support.states.shape[:3]
    queries = query.states.shape[1]
    scores = torch.zeros(episodes, queries, ways, dtype=torch.float64)
    apart = []
    for e, q, way in product(range(episodes), range(queries), range(ways)):
        asked = words_of(query, e, q)
        examples = [words_of(support, e, way, shot) for shot in range(shots)]
        whole = [word for example in examples for word in example]
        query_vector = one_vector(method, asked, [found_in(word, whole) for word in asked])
        vectors = [one_vector(method, words, [found_in(word, asked) for word in words]) for words in examples]
        fits = [how_well(method, vector, query_vector).exp() for vector in vectors]
        prototype = sum(fit * vector for fit, vector in zip(fits, vectors, strict=True)) / sum(fits)
        scores[e, q, way] = how_well(method, prototype, query_vector)
        apart += [((vector - prototype) ** 2).sum() for vector in vectors]
    return scores, sum(apart) / len(apart)


@pytest.mark.parametrize(("way", "shot", "episodes"), [(3, 1, 1), (2, 3, 2)])
def test_scores_and_inconsistency_equal_plain_loops(way, shot, episodes):
    method, (support, query) = made(inconsistency=0.5), episode(way, shot, episodes)
    found = method(support, query)
    scores, apart = by_loops(method, support, query)
    torch.testing.assert_close(found.scores, scores)
    torch.testing.assert_close(found.costs["inconsistency"], 0.5 * apart)


def test_every_word_finds_the_mean_of_the_other_text_weighted_by_the_softmax_of_products():
    support, query = episode(way=2, shot=2)
    by_query, by_support = soft_match(
        query.states, query.present, support.states.flatten(2, 3), support.present.flatten(2, 3)
    )
    for q, way in product(range(2), range(2)):
        asked = words_of(query, 0, q)
        whole = [word for shot in range(2) for word in words_of(support, 0, way, shot)]
        expected = torch.stack([found_in(word, whole) for word in asked])
        torch.testing.assert_close(by_query[0, q, way][query.present[0, q]], expected)
        expected = torch.stack([found_in(word, asked) for word in whole])
        torch.testing.assert_close(by_support[0, q, way][support.present[0, way].flatten()], expected)


def test_a_comparison_has_three_parts_besides_the_word_itself():
    own, found = torch.tensor([[[1.0, -2.0]]]), torch.tensor([[[3.0, 4.0]]])
    assert compared(own, found).tolist() == [[[3, 4, 2, 6, 3, -8]]]


def test_one_network_compares_sentences_with_the_query():
    method = made()
    instances, query = torch.randn(2, 3, 4 * WIDTH).double(), torch.randn(2, 4 * WIDTH).double()
    found = fit_to_query(method.fit, instances, query)
    for pair, instance in product(range(2), range(3)):
        torch.testing.assert_close(found[pair, instance], how_well(method, instances[pair, instance], query[pair]))


def test_one_example_is_its_own_prototype_so_nothing_is_inconsistent():
    support, query = episode(shot=1)
    assert made()(support, query).costs["inconsistency"].item() == pytest.approx(0)


def test_inconsistency_is_the_mean_squared_distance_to_the_prototype():
    examples, prototype = torch.tensor([[[0.0, 0.0], [3.0, 4.0]]]), torch.tensor([[0.0, 1.0]])
    assert inconsistency(examples, prototype).item() == pytest.approx((1 + 18) / 2)


def test_without_its_weight_there_is_no_second_cost():
    assert made(inconsistency=0)(*episode()).costs == {}


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), more=st.integers(1, 3))
def test_padding_changes_nothing(seed, more):
    method, (support, query) = made(), episode(seed=seed)
    expected = method(support, query)
    found = method(_padded(support, more), _padded(query, more + 1))
    torch.testing.assert_close(found.scores, expected.scores)
    torch.testing.assert_close(found.costs["inconsistency"], expected.costs["inconsistency"])


@settings(max_examples=15)
@given(seed=st.integers(0, 1000))
def test_the_order_of_ways_and_examples_and_the_other_episodes_do_not_count(seed):
    method, (support, query) = made(), episode(way=3, shot=2, episodes=2, seed=seed)
    expected = method(support, query).scores
    ways, shots = torch.tensor([2, 0, 1]), torch.tensor([1, 0])
    turned = _map(support, lambda tensor: tensor[:, ways][:, :, shots])
    torch.testing.assert_close(method(turned, query).scores, expected[:, :, ways])
    alone = method(_map(support, lambda tensor: tensor[1:]), _map(query, lambda tensor: tensor[1:]))
    torch.testing.assert_close(alone.scores, expected[1:])


def test_every_weight_learns():
    method, (support, query) = made().train(), episode()
    scored = method(support, query)
    loss = torch.nn.functional.cross_entropy(scored.scores[0], torch.arange(3)) + scored.costs["inconsistency"]
    loss.backward()
    assert {name for name, weight in method.named_parameters() if weight.grad is None or not weight.grad.any()} == set()


def test_bf16_rounds_while_it_learns_and_at_no_other_time(bf16_works):
    support, query = (_single(states) for states in episode())
    method = made(dropout=0).float()
    exact = method(support, query).scores
    method.learn_in_bf16()
    assert torch.equal(method(support, query).scores, exact)
    rounded = method.train()(support, query).scores
    assert rounded.dtype == torch.float32
    assert not torch.equal(rounded, exact)
    torch.testing.assert_close(rounded, exact, atol=0.02, rtol=0.02)


def test_the_gradient_by_bf16_points_where_the_exact_one_does(bf16_works):
    support, query = (_single(states) for states in episode())
    method = made(dropout=0).float().train()

    def gradient() -> torch.Tensor:
        method.zero_grad()
        torch.nn.functional.cross_entropy(method(support, query).scores[0], torch.arange(3)).backward()
        return torch.cat([weight.grad.flatten() for weight in method.parameters()])

    exact = gradient()
    method.learn_in_bf16()
    assert torch.cosine_similarity(gradient(), exact, dim=0) > 0.995


def test_queries_may_be_more_or_fewer_than_ways():
    method, (support, _) = made(), episode(way=3, shot=1)
    query = sentences(1, 5, words=4, seed=7)
    torch.testing.assert_close(method(support, query).scores, by_loops(method, support, query)[0])


def test_dropout_works_in_training_alone():
    method, (support, query) = made(dropout=0.5), episode()
    assert torch.equal(method(support, query).scores, method(support, query).scores)
    method.train()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        assert not torch.allclose(method(support, query).scores, method(support, query).scores)


def test_the_wider_the_episodes_the_fewer_are_judged_at_once():
    method = made()
    counts = [method.episodes_at_once(way, shot) for way, shot in ((5, 1), (5, 5), (10, 1), (10, 5), (64, 20))]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 10
    assert counts[-1] == 1


def _map(states: TokenStates, change) -> TokenStates:
    return TokenStates(change(states.states), change(states.present), change(states.head), change(states.tail))


def _single(states: TokenStates) -> TokenStates:
    return _map(states, lambda tensor: tensor.float() if tensor.is_floating_point() else tensor)


def _padded(states: TokenStates, more: int) -> TokenStates:
    grown = torch.nn.functional.pad(states.states, (0, 0, 0, more), value=0.0)
    present = torch.nn.functional.pad(states.present, (0, more), value=False)
    return TokenStates(grown, present, states.head, states.tail)
