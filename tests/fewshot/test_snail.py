"""SNAIL: the row that it reads, its answer block by block, and that no query sees another."""

import math

import pytest
import torch

from protorel.fewshot import make_method
from protorel.fewshot.snail import CausalAttention, Row, SNAILSettings, TemporalConvolution
from protorel.statements import BadInput

WAY, SHOT, WIDTH, MOST = 3, 2, 5, 4


def made(**more):
    sizes = {"attention": ((6, 3), (4, 2)), "filters": 3, "vector_width": None, "most_ways": MOST, "most_shots": 2}
    return make_method(SNAILSettings(**sizes | more), width=WIDTH, seed=3).double()


def drawn(episodes=2, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(episodes, WAY, SHOT, WIDTH, generator=generator, dtype=torch.float64),
        torch.randn(episodes, WAY, WIDTH, generator=generator, dtype=torch.float64),
    )


def test_examples_stand_way_by_way_with_their_labels_and_the_query_comes_last_without_one():
    method, (support, query) = made(), drawn(1)
    scores = method(support, query).scores
    examples = support[0].flatten(0, 1)
    mean = examples.mean(0)
    spread = math.sqrt((examples - mean).square().mean().item())
    for place in range(WAY):
        row = []
        for way in range(WAY):
            for shot in range(SHOT):
                label = [float(way == slot) for slot in range(MOST)]
                row.append(((support[0, way, shot] - mean) / spread).tolist() + label)
        row.append(((query[0, place] - mean) / spread).tolist() + [0.0] * MOST)
        known = torch.tensor([row], dtype=torch.float64)
        for block in method.blocks:
            known = block(known, Row.of(WAY * SHOT, 1))
        expected = [sum(w * k for w, k in zip(weights, known[0, -1].tolist(), strict=True))
                    for weights in method.answer.weight.tolist()]  # fmt: skip
        assert scores[0, place].tolist() == pytest.approx(expected[:WAY])


def test_attention_and_convolutions_take_turns():
    blocks = made(attention=((6, 3), (4, 2), (7, 5))).blocks
    turns = [CausalAttention, TemporalConvolution, CausalAttention, TemporalConvolution, CausalAttention]
    assert [type(block) for block in blocks] == turns
    assert [block.key.out_features for block in blocks[::2]] == [6, 4, 7]
    assert [block.value.out_features for block in blocks[::2]] == [3, 2, 5]
    assert [len(block.layers) for block in blocks[1::2]] == [4, 4]  # 1 + 2 + 4 + 8 places back, of 8 examples
    assert [len(block.layers) for block in made(most_shots=4).blocks[1::2]] == [5]


def test_a_vector_is_brought_to_a_narrower_one_first_where_that_is_wanted():
    narrow, (support, query) = made(vector_width=2), drawn()
    assert narrow.blocks[0].query.in_features == 2 + MOST
    assert narrow(support, query).scores.shape == (2, WAY, WAY)


def test_a_query_that_changes_changes_no_other_answer():
    method, (support, query) = made(), drawn()
    changed = query.clone()
    changed[:, 1] += 10
    before, after = method(support, query).scores, method(support, changed).scores
    assert torch.equal(before[:, [0, 2]], after[:, [0, 2]])
    assert not torch.equal(before[:, 1], after[:, 1])


def test_every_example_and_its_label_count():
    method, (support, query) = made(), drawn(1)
    scores = method(support, query).scores
    for way in range(WAY):
        for shot in range(SHOT):
            changed = support.clone()
            changed[0, way, shot] += 1
            assert (method(changed, query).scores - scores).abs().max() > 1e-6
    assert (method(support.flip(1), query).scores.flip(2) - scores).abs().max() > 1e-6


def test_where_vectors_lie_and_how_far_apart_they_are_does_not_count():
    method, (support, query) = made(), drawn()
    far, small = 100.0, 1e-3
    torch.testing.assert_close(method(far + small * support, far + small * query).scores, method(support, query).scores)
    same = torch.ones_like(support)
    assert method(same, torch.ones_like(query)).scores.isfinite().all()


def test_more_ways_or_examples_than_it_was_made_for_are_refused():
    method = made()
    for way, shot in ((MOST, 2), (2, 4), (3, 2)):
        method.check(way, shot)
    with pytest.raises(
        BadInput, match=r"expected at most 4 classes per episode, got 5; train it with method\.most_ways=5"
    ):
        method.check(MOST + 1, 1)
    with pytest.raises(
        BadInput, match=r"expected at most 8 examples per episode, got 3 x 3; train it with method\.most_shots=3"
    ):
        method.check(3, 3)
    made(most_shots=3).check(3, 3)


def test_few_episodes_are_judged_at_once_where_rows_are_long():
    method = made()
    assert method.episodes_at_once(10, 5) < method.episodes_at_once(5, 1)
    assert method.episodes_at_once(1000, 1000) == 1


def test_sizes_that_make_no_network_are_refused():
    for wrong in ({"attention": ()}, {"attention": ((0, 3),)}, {"filters": 0}, {"most_shots": 0}, {"most_ways": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            SNAILSettings(**wrong)
