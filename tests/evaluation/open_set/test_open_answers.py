"""Answers to episodes with queries that belong to no candidate."""

import numpy as np
import torch

from protorel.evaluation.few_shot.episodes import draw_exam
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.evaluation.open_set.rejection import draw_open, open_answers


def test_an_outsider_is_never_answered_rightly_even_where_the_candidate_at_its_place_wins():
    vectors = torch.randn(40, 4, generator=torch.Generator().manual_seed(0))
    settings = EpisodeSettings(way=2, shot=1, episodes=40)
    exam = draw_exam([f"r{i % 4}" for i in range(40)], settings)
    answers = open_answers(vectors, draw_open(exam, settings, share=0.5), settings)
    at_its_place = answers.scores.argmax(-1) == np.arange(2)
    assert (at_its_place & ~answers.known).any()
    assert np.array_equal(answers.right, at_its_place & answers.known)
