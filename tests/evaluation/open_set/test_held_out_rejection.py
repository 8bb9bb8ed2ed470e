"""Which relations a threshold comes from."""

from __future__ import annotations

import pytest

from protorel.evaluation.few_shot.episodes import draw_exam
from protorel.evaluation.few_shot.settings import EpisodeSettings
from protorel.evaluation.open_set.held_out_rejection import draw_held_out
from protorel.statements import DataSet, Span, Statement, load_equivalents

NAMES = ["founded", "leads", "employs", "admires", "mentors", "rivals"]


@pytest.fixture(scope="module")
def data() -> DataSet:
    texts = [(name, f"Ada{i} {name} Bela{i} here") for name in NAMES for i in range(4)]
    statements = [
        Statement(text, Span(0, 4), Span(text.index("Bela"), text.index("Bela") + 5), name) for name, text in texts
    ]
    return DataSet.of("others", statements)


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        ((), ["admires", "employs", "founded", "leads", "mentors", "rivals"]),
        (("founded", "leads"), ["admires", "employs", "mentors", "rivals"]),
        (("founded", "leads", "employs", "admires"), ["admires", "employs", "founded", "leads", "mentors", "rivals"]),
    ],
    ids=["none known", "enough others", "too few others"],
)
def test_relations_that_the_run_was_trained_on_are_passed_over_where_the_others_are_enough(data, seen, expected):
    settings = EpisodeSettings(way=2, shot=1, episodes=5)
    tested = draw_exam(["x", "x", "y", "y", "z", "z"], settings)
    drawn = draw_held_out(data, tested, settings, share=0.3, seen=seen, equivalents=load_equivalents())
    assert list(drawn.exam.names) == expected
    assert drawn.seen == set(seen)
    assert drawn.unusable == 0
