"""The geometry of prototypes: angles, spread and confusable pairs, by hand."""

import numpy as np
import pytest
import torch

from protorel.geometry import Prototypes
from protorel.report import run_geometry
from protorel.report.sections.geometry import geometry_section
from protorel.statements import RelationVocabulary

HALF = 0.5**0.5
PROTOTYPES = Prototypes.of(
    RelationVocabulary(["a", "b", "c"]), torch.tensor([[1.0, 0.0, 0.0], [HALF, HALF, 0.0], [0.0, 0.0, 1.0]])
)


def test_angles_are_those_between_all_pairs():
    found = run_geometry("run", PROTOTYPES)
    np.testing.assert_allclose(sorted(found.angles), [45, 90, 90], atol=1e-2)
    assert found.ideal_angle == pytest.approx(120)
    assert not found.spread
    assert [(pair.first, pair.second) for pair in found.confusable] == [("a", "b"), ("a", "c"), ("b", "c")]


def test_statements_give_spread_and_confusion():
    vectors = torch.tensor([[1.0, 0, 0], [0, 1.0, 0], [1.0, 0, 0], [0, 0, 2.0]])
    found = run_geometry("run", PROTOTYPES, vectors, ["a", "a", "b", None])
    assert found.spread["a"] == pytest.approx(45, abs=1e-2), "the median of 0 and 90 degrees"
    assert found.spread["b"] == pytest.approx(45, abs=1e-2)
    first = found.confusable[0]
    assert (first.first, first.second, first.confused, first.statements) == ("a", "b", 2, 3)


def test_the_section_has_the_smallest_angle_the_pairs_and_the_spread(read_page):
    vectors = torch.tensor([[1.0, 0, 0], [HALF, HALF, 0]])
    runs = [run_geometry("one", PROTOTYPES, vectors, ["a", "b"]), run_geometry("two", PROTOTYPES)]
    html = geometry_section(runs, {"a": "first <relation>"})
    read_page(html)
    assert html.count("<td>45.0°</td>") >= 2
    assert "first &lt;relation&gt;" in html
    assert "Most confusable pairs" in html
    assert "Spread of relations" in html


@pytest.mark.parametrize("count", [0, 1])
def test_a_run_with_hardly_a_prototype_has_a_section_that_says_so(read_page, count):
    prototypes = Prototypes.of(RelationVocabulary(["a"][:count]), torch.eye(3)[:count])
    html = geometry_section([run_geometry("bare", prototypes, torch.ones(2, 3), ["a", "z"])], {})
    read_page(html)
    assert ("has no prototypes" in html) == (count == 0)


def test_without_runs_there_is_no_section():
    assert geometry_section([], {}) == ""
