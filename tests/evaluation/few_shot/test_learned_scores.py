"""Episodes answered by a run's own method: what was stored is what the encoder gives, whatever the episodes at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from protorel.batches import draw_episodes, join_pairs, tokenise_all
from protorel.encoders import CNNEncoder, word_tokenizer
from protorel.evaluation.embedding_space import EmbeddingSpace
from protorel.evaluation.few_shot.encoder_scores import learned_scores, store_states
from protorel.evaluation.few_shot.episodes import Exam, exam_scores
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.fewshot import METHODS, EpisodeMethod, MethodSettings, Scored
from protorel.geometry import Prototypes
from protorel.model import RelationModel, evaluating
from protorel.statements import BadInput


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def model(some_statements) -> RelationModel:
    """A CNN with dropout, in training, on the words of a few statements."""
    words = sorted({word for statement in some_statements for word in statement.text.lower().split()})
    tokenizer = word_tokenizer(words)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=8, channels=5, dropout=0.5)
    return RelationModel(encoder.train(), tokenizer, Prototypes.none(encoder.width), 32)


class Sums(EpisodeMethod):
    """Scores a candidate by sums over everything that is given, so that nothing may be missing or doubled."""

    needs = "vectors"

    def __init__(self, at_once: int) -> None:
        super().__init__(MethodSettings(name="sums"), 5)
        self.at_once, self.calls = at_once, []

    def episodes_at_once(self, way: int, shot: int) -> int:
        assert (way, shot) == (3, 1)
        return self.at_once

    def forward(self, support, query) -> Scored:
        self.calls.append(len(query))
        return Scored(query.sum(-1)[..., None] * support.sum((-1, -2))[:, None])


class StateSums(Sums):
    needs = "states"

    def forward(self, support, query) -> Scored:
        for given in (support, query):
            assert given.states[~given.present].abs().sum() == 0
            last = given.present.sum(-1)
            assert (given.head[..., 1] <= last).all()
            assert (given.tail[..., 1] <= last).all()
        asked = query.states.sum((-1, -2)) + query.head[..., 0] + 3 * query.tail[..., 1]
        given = support.states.sum((-1, -2, -3)) + support.head[..., 0].sum(-1)
        self.calls.append(len(asked))
        return Scored(asked[..., None] * given[:, None])


class PairSums(Sums):
    needs = "pairs"

    def forward(self, pairs) -> Scored:
        self.calls.append(len(pairs))
        return Scored(pairs.sum((-1, -2)) + pairs[..., 0].sum(-1))


def one_by_one(model, method, statements, drawn):
    """Score each episode alone, of statements that are encoded alone."""
    rows = tokenise_all(statements, model.tokenizer, max_length=model.max_length)
    expected = torch.empty(len(drawn), 3, 3)
    with torch.no_grad(), evaluating(model.encoder):
        batches = [rows.batch([row]) for row in range(len(rows))]
        states = [model.encoder.states(batch) for batch in batches]
        for episode, place, way in np.ndindex(len(drawn), 3, 3):
            q, s = int(drawn.query[episode, place]), int(drawn.support[episode, way, 0])
            if method.needs == "vectors":
                one, two = (model.encoder.read(states[row], batches[row]).sum() for row in (q, s))
            else:
                one = states[q].sum() + batches[q].head[0, 0] + 3 * batches[q].tail[0, 1]
                two = states[s].sum() + batches[s].head[0, 0]
            expected[episode, place, way] = one * two
    return expected


@pytest.mark.parametrize("kind", [Sums, StateSums])
@pytest.mark.parametrize("at_once", [1, 3, 100])
def test_episodes_score_like_each_alone_whatever_number_is_scored_at_once(model, some_statements, kind, at_once):
    drawn = draw_episodes([np.array([0, 1]), np.array([2, 3]), np.array([4, 5])], way=3, shot=1, count=7, seed=0)
    method = kind(at_once)
    scores = learned_scores(model, method, some_statements, drawn, watch=lambda *_: pytest.fail("it is quick"))
    torch.testing.assert_close(scores, one_by_one(model, method, some_statements, drawn), rtol=1e-4, atol=1e-4)
    assert sum(method.calls) == 7
    assert max(method.calls) <= at_once
    assert model.encoder.training


@torch.no_grad()
@pytest.mark.parametrize("at_once", [3, 100])
def test_queries_and_examples_that_are_read_together_score_like_each_pair_alone(
    tiny_encoder, tiny_tokenizer, some_statements, at_once
):
    model = RelationModel(tiny_encoder.train(), tiny_tokenizer, Prototypes.none(tiny_encoder.width), 30)
    drawn = draw_episodes([np.array([0, 1]), np.array([2, 3]), np.array([4, 5])], way=3, shot=1, count=9, seed=0)
    method, told = PairSums(at_once), []
    judged = EmbeddingSpace(replace(model, method=method))
    exam = Exam(("a", "b", "c"), (), drawn, None)
    settings = EpisodeSettings(3, 1, 9, 0, METHODS["pair"], "learned")
    scores = exam_scores(judged, some_statements, exam, settings, watch=lambda done, of: told.append((done, of)))
    assert told == [(done, 9) for done in ((3, 6, 9) if at_once == 3 else (9,))]
    assert model.encoder.training
    assert (sum(method.calls), max(method.calls)) == (9, min(at_once, 9))
    rows = tokenise_all(some_statements, tiny_tokenizer, max_length=30)
    with evaluating(model.encoder):
        for episode, place, way in np.ndindex(9, 3, 3):
            query, example = drawn.query[episode, place, None], drawn.support[episode, way]
            state = model.encoder.read_pairs(join_pairs(rows, query, example))[0]
            torch.testing.assert_close(scores[episode, place, way], state.sum() + state[0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", [Sums, StateSums, PairSums])
def test_a_statement_whose_vectors_or_states_are_not_finite_is_named(
    model, tiny_encoder, tiny_tokenizer, some_statements, kind
):
    """The last statement alone holds the word whose weights are NaN."""
    if kind is PairSums:
        model = RelationModel(tiny_encoder, tiny_tokenizer, Prototypes.none(tiny_encoder.width), 30)
    rows = tokenise_all(some_statements, model.tokenizer, max_length=30)
    only = set(rows.row(5).ids.tolist()).difference(*(rows.row(number).ids.tolist() for number in range(5)))
    words = model.encoder.word if kind is not PairSums else model.encoder.token_embeddings
    with torch.no_grad():
        words.weight[max(only)] = torch.nan
    drawn = draw_episodes([np.array([0, 1]), np.array([2, 3]), np.array([4, 5])], way=3, shot=1, count=7, seed=0)
    named = "'.+'" if kind is PairSums else "'spouse/the Bela Tar'"  # a pair is named by its query
    with pytest.raises(BadInput, match=f"^statement {named}: expected a finite vector"):
        learned_scores(model, kind(3), some_statements, drawn)


def test_statements_that_no_episode_is_about_are_not_encoded(model, some_statements):
    stored = store_states(model, some_statements, [1, 3])
    rows = tokenise_all(some_statements, model.tokenizer, max_length=model.max_length)
    assert len(stored.states) == rows.lengths[[1, 3]].sum()
    taken = stored.take(torch.tensor([[3], [1]]))
    assert taken.states.shape[:2] == (2, 1)
    assert taken.present.sum(-1).flatten().tolist() == rows.lengths[[3, 1]].tolist()
