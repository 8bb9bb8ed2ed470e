"""The penalty of classes that are close to many statements of other relations."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from protorel.evaluation.few_shot.episodes import draw_exam, episode_scores
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.fewshot import HubnessCorrection
from protorel.fewshot.vector_methods import prototype
from protorel.geometry import cosine


def _random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@given(seed=st.integers(0, 50), others=st.integers(1, 40), share=st.sampled_from([0.0, 0.05, 0.3, 1.0]))
def test_the_handicap_equals_a_plain_loop(seed, others, share):
    support, crowd = _random(3, 4, 2, 6, seed=seed), _random(others, 6, seed=seed + 1)
    found = HubnessCorrection(crowd, weight=0.7, share=share).penalty(support)
    assert found.shape == (3, 1, 4)
    for episode in range(3):
        for way in range(4):
            examples = [example / example.norm() for example in support[episode, way]]
            centre = sum(examples) / len(examples)
            cosines = sorted((float(o @ centre / (o.norm() * centre.norm())) for o in crowd), reverse=True)
            near = cosines[: max(1, round(share * others))]
            assert found[episode, 0, way].item() == pytest.approx(0.7 * sum(near) / len(near), abs=1e-5)


def test_lengths_of_the_crowd_and_its_order_say_nothing():
    support, crowd = _random(2, 5, 1, 8), _random(60, 8, seed=1)
    usual = HubnessCorrection(crowd, share=0.1).penalty(support)
    torch.testing.assert_close(
        HubnessCorrection(crowd.flip(0) * torch.arange(1, 61)[:, None], share=0.1).penalty(support), usual
    )


def test_a_way_in_the_crowd_no_longer_takes_the_queries_of_one_that_stands_alone():
    hub, alone = torch.tensor([1.0, 0.0]), torch.tensor([math.cos(1.2), math.sin(1.2)])
    support = torch.stack([hub, alone])[None, :, None]
    # a query of the second way, a little nearer to the first
    query = torch.tensor([[[math.cos(0.55), math.sin(0.55)]]])
    plain = prototype(support, query)
    crowd = HubnessCorrection(torch.tensor([[1.0, 0.1], [1.0, -0.1], [1.0, 0.2]]), share=1.0)
    assert plain.argmax(-1).item() == 0
    assert (plain - crowd.penalty(support)).argmax(-1).item() == 1


def test_a_crowd_too_large_to_be_compared_at_once_says_the_same(monkeypatch):
    support, crowd = _random(4, 5, 1, 8), HubnessCorrection(_random(60, 8, seed=1), share=0.1)
    whole = crowd.penalty(support)
    monkeypatch.setattr("protorel.fewshot.hubness._COSINES_AT_ONCE", 130)
    torch.testing.assert_close(crowd.penalty(support), whole)


def test_a_crowd_of_nobody_is_refused():
    with pytest.raises(ValueError, match="expected at least one statement, got none"):
        HubnessCorrection(torch.empty(0, 4))


def test_accuracy_with_a_crowd_equals_a_plain_loop_over_the_same_episodes():
    vectors, relations = _random(48, 5), [f"r{i // 8}" for i in range(48)]
    settings = EpisodeSettings(way=3, shot=2, episodes=40, seed=5)
    exam = draw_exam(relations, settings)
    crowd = HubnessCorrection(_random(30, 5, seed=9), weight=0.5, share=0.1)
    found = episode_scores(vectors, exam.episodes, settings, hubness=crowd)
    for episode in range(40):
        for way in range(3):
            examples = torch.nn.functional.normalize(vectors[exam.episodes.support[episode, way]], dim=-1).mean(0)
            near = cosine(examples[None], crowd.vectors)[0].sort(descending=True).values[:3].mean()
            own = cosine(vectors[exam.episodes.query[episode]], examples[None])[:, 0]
            torch.testing.assert_close(found[episode, :, way], own - 0.5 * near)
