"""Few-shot accuracy on stored vectors."""

import math

import pytest
import torch

from protorel.batches import draw_episodes
from protorel.evaluation import few_shot_accuracy
from protorel.evaluation.few_shot.episodes import draw_exam, episode_scores
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.fewshot import METHODS, vector_method
from protorel.fewshot.linear_probe import linear_probe
from protorel.statements import BadInput


def _clusters(relations=6, each=8, width=5, spread=1.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    centres = torch.randn(relations, 1, width, generator=generator)
    vectors = centres + spread * torch.randn(relations, each, width, generator=generator)
    return vectors.flatten(0, 1), [f"r{i}" for i in range(relations) for _ in range(each)]


def test_tight_clusters_are_separated_without_error():
    vectors, relations = _clusters(spread=1e-3)
    found = few_shot_accuracy(vectors, relations, way=5, shot=1, episodes=50)
    assert found.accuracy.value == 1.0
    assert set(found.per_relation.values()) == {1.0}


def test_vectors_without_meaning_give_chance():
    vectors = torch.randn(400, 8, generator=torch.Generator().manual_seed(1))
    relations = [f"r{i % 10}" for i in range(400)]
    found = few_shot_accuracy(vectors, relations, way=5, shot=1, episodes=4000)
    assert found.accuracy.value == pytest.approx(0.2, abs=0.01)


@pytest.mark.parametrize("method", ["prototype", "mean", "nearest"])
def test_accuracy_equals_a_plain_loop_over_the_same_episodes(method):
    vectors, relations = _clusters()
    found = few_shot_accuracy(vectors, relations, way=3, shot=2, episodes=60, seed=5, method=method)
    rows = [torch.arange(i * 8, i * 8 + 8).numpy() for i in range(6)]
    drawn = draw_episodes(rows, way=3, shot=2, count=60, seed=5)
    right, asked = 0, {}
    for episode in range(60):
        for place in range(3):
            scores = []
            for way in range(3):
                support = vectors[drawn.support[episode, way]][None]
                query = vectors[drawn.query[episode, place]][None]
                scores.append(vector_method(method)(support, query).item())
            hit = scores.index(max(scores)) == place
            right += hit
            asked.setdefault(f"r{drawn.relations[episode, place]}", []).append(hit)
    assert found.accuracy.value == pytest.approx(right / 180)
    assert found.per_relation == pytest.approx({name: sum(hits) / len(hits) for name, hits in asked.items()})
    mean = sum(found.per_relation.values()) / 6
    spread = math.sqrt(sum((value - mean) ** 2 for value in found.per_relation.values()) / 5)
    assert found.over_relations.value == pytest.approx(mean)
    assert found.over_relations.margin == pytest.approx(2.570582 * spread / math.sqrt(6), rel=1e-5)


def test_the_same_seed_replays_the_same_episodes_and_another_does_not():
    vectors, relations = _clusters(spread=2.0)
    first = few_shot_accuracy(vectors, relations, way=5, shot=1, episodes=300, seed=3)
    assert first == few_shot_accuracy(vectors, relations, way=5, shot=1, episodes=300, seed=3)
    assert first != few_shot_accuracy(vectors, relations, way=5, shot=1, episodes=300, seed=4)


def test_methods_that_cannot_read_stored_vectors_are_evaluated_on_fewer_episodes():
    assert {name for name, method in METHODS.items() if method.default_episodes == 100} == {"setfit", "pair"}
    assert {method.default_episodes for method in METHODS.values()} == {100, 10_000}


def test_the_order_of_the_relations_names_does_not_matter():
    vectors, relations = _clusters(spread=2.0)
    renamed = [{"r0": "zebra"}.get(name, name) for name in relations]
    moved = few_shot_accuracy(vectors, renamed, way=6, shot=1, episodes=2000)
    assert moved.accuracy.value == pytest.approx(
        few_shot_accuracy(vectors, relations, way=6, shot=1, episodes=2000).accuracy.value, abs=0.03
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"way": 7, "shot": 1}, "at least 7 relations for 7-way episodes, got 6"),
        ({"way": 5, "shot": 8}, "at least 9 statements for 8 shots and a query, got 8"),
        ({"way": 0, "shot": 1}, "way: expected 1 or more, got 0"),
        ({"way": 5, "shot": 0}, "shot: expected 1 or more, or 0 with descriptions of relations, got 0"),
        ({"way": 5, "shot": 1, "method": "magic"}, "method: expected one of prototype, .*, got 'magic'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(arguments, message):
    vectors, relations = _clusters()
    with pytest.raises(BadInput, match=message):
        few_shot_accuracy(vectors, relations, **arguments)


@pytest.mark.parametrize("similarity", ["dot", "euclidean"])
def test_another_similarity_answers_the_same_episodes_by_its_own_measure(similarity):
    vectors, relations = _clusters()
    found = few_shot_accuracy(vectors, relations, way=3, shot=2, episodes=30, seed=5, similarity=similarity)
    drawn = draw_episodes([torch.arange(i * 8, i * 8 + 8).numpy() for i in range(6)], way=3, shot=2, count=30, seed=5)
    right = 0
    for support, queries in zip(drawn.support, drawn.query, strict=True):
        centres = [vectors[rows].mean(0) for rows in support]
        for place, row in enumerate(queries):
            by_dot = [float(vectors[row] @ centre) for centre in centres]
            by_distance = [-float((vectors[row] - centre).norm()) for centre in centres]
            scores = by_dot if similarity == "dot" else by_distance
            right += scores.index(max(scores)) == place
    assert found.accuracy.value == pytest.approx(right / 90)
    assert found.similarity == similarity


def test_texts_alone_answer_without_any_example():
    vectors, relations = _clusters(spread=0.3)
    centres = torch.stack([vectors[i * 8 : i * 8 + 8].mean(0) for i in range(6)])
    by_text = few_shot_accuracy(vectors, relations, way=5, shot=0, episodes=50, texts=centres)
    swapped = few_shot_accuracy(vectors, relations, way=5, shot=0, episodes=50, texts=centres.roll(1, 0))
    assert by_text.accuracy.value > 0.9
    assert swapped.accuracy.value < 0.2


def test_a_text_without_weight_changes_nothing_and_a_true_one_helps():
    vectors, relations = _clusters(spread=1.0)
    centres = torch.stack([vectors[i * 8 : i * 8 + 8].mean(0) for i in range(6)])
    plain = few_shot_accuracy(vectors, relations, way=5, shot=1, episodes=100)
    same = few_shot_accuracy(vectors, relations, way=5, shot=1, episodes=100, texts=centres, text_weight=0.0)
    helped = few_shot_accuracy(vectors, relations, way=5, shot=1, episodes=100, texts=centres)
    assert same == plain
    assert helped.accuracy.value > plain.accuracy.value + 0.05


@pytest.mark.parametrize("shot", [0, 1, 3])
def test_a_logistic_regression_takes_a_text_for_two_more_examples(shot):
    vectors, relations = _clusters(spread=1.0)
    texts = vectors[::8] + 0.3
    settings = EpisodeSettings(4, shot, 5, method=METHODS["linear_probe"], described=True)
    drawn = draw_exam(relations, settings).episodes
    scores = episode_scores(vectors, drawn, settings, texts=texts).softmax(-1)
    for i in range(5):
        own = texts[torch.from_numpy(drawn.relations[i])][:, None]
        examples = torch.cat([vectors[torch.from_numpy(drawn.support[i])], own, own][: 3 if shot else 2], dim=1)
        expected = linear_probe(examples, vectors[torch.from_numpy(drawn.query[i])]).softmax(-1)
        torch.testing.assert_close(scores[i], expected, atol=1e-4, rtol=0)


def test_a_text_without_weight_changes_nothing_in_a_logistic_regression():
    vectors, relations = _clusters(spread=1.0)
    asked = {"way": 5, "shot": 2, "episodes": 50, "method": "linear_probe"}
    plain = few_shot_accuracy(vectors, relations, **asked)
    assert few_shot_accuracy(vectors, relations, **asked, texts=torch.ones(6, 5), text_weight=0.0) == plain


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shot": -1}, "shot: expected 1 or more, or 0 with descriptions of relations, got -1"),
        ({"shot": 1, "similarity": "taxi"}, "similarity: expected one of cosine, dot, euclidean, got 'taxi'"),
        ({"shot": 1, "texts": torch.ones(5, 5)}, "expected one per relation, 6 in all, got 5"),
        ({"shot": 1, "text_weight": 1.0}, "text weight: expected none without descriptions, got 1.0"),
        (
            {"shot": 1, "texts": torch.ones(6, 5), "text_weight": -1.0},
            "text weight: expected a number of 0 or more, got -1.0",
        ),
        (
            {"shot": 1, "texts": torch.ones(6, 5), "text_weight": math.nan},
            "text weight: expected a number of 0 or more, got nan",
        ),
        (
            {"shot": 1, "texts": torch.ones(6, 5), "method": "mean"},
            "method: expected prototype or linear_probe with descriptions, got 'mean'",
        ),
    ],
)
def test_settings_that_do_not_fit_together_are_refused(arguments, message):
    vectors, relations = _clusters()
    with pytest.raises(BadInput, match=message):
        few_shot_accuracy(vectors, relations, way=5, episodes=5, **arguments)
