"""The map: every point has a place inside, names do not lie on one another, marks count as JavaScript does."""

import re
from itertools import combinations

import numpy as np
import pytest

from protorel.report import MapPoint
from protorel.report.embedding_map import MOST_POINTS, map_section
from protorel.report.map_labels import place_labels
from protorel.statements import Span, Statement


def _places(html):
    height = float(re.search(r'viewBox="0 0 960 (\d+)"', html)[1])
    places = [(float(x), float(y)) for x, y in re.findall(r'x="(-?[\d.]+)" y="(-?[\d.]+)"[^>]*><title>', html)]
    return places, height


@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e308])
def test_every_point_lies_inside_the_drawing(scale):
    rng = np.random.default_rng(0)
    points = [MapPoint(float(x) * scale, float(y) * scale, "a") for x, y in rng.uniform(-1, 1, (50, 2))]
    places, height = _places(map_section(points, "", {}))
    assert len(places) == 50
    assert all(0 <= x <= 960 and 0 <= y <= height for x, y in places)


def test_both_directions_have_one_scale():
    (a, b, c), _ = _places(map_section([MapPoint(0, 0, "a"), MapPoint(1, 0, "a"), MapPoint(0, 1, "a")], "", {}))
    assert b[0] - a[0] == pytest.approx(a[1] - c[1], abs=0.2)


def test_too_many_points_are_thinned_evenly_and_the_page_says_so():
    points = [MapPoint(float(i), float(i % 7), "a") for i in range(3 * MOST_POINTS)]
    html = map_section([*points, MapPoint(0, 0, "a", is_prototype=True)], "", {})
    assert len(_places(html)[0]) == MOST_POINTS + 1
    assert "2,001 of 6,001 points are shown" in html


def test_marks_count_in_the_units_of_javascript():
    statement = Statement("𝕊 Ada 𝕊 Lunsk", Span(2, 5), Span(8, 13))
    html = map_section([MapPoint(0, 0, "born_in", statement=statement)], "", {"born_in": "born in"})
    assert 'data-marks="3 6 head,10 15 tail"' in html
    assert "<title>born in: 𝕊 Ada 𝕊 Lunsk</title>" in html


def test_a_label_known_to_be_wrong_is_drawn_hollow():
    text = Statement("Ada Lunsk", Span(0, 3), Span(4, 9), expresses=False)
    html = map_section([MapPoint(0, 0, "a", statement=text), MapPoint(1, 1, "a")], "", {})
    assert html.count('class="wrong"') == 1
    assert "Hollow marks: the 1 statements" in html


def test_names_of_well_spread_stars_do_not_overlap():
    rng = np.random.default_rng(3)
    stars = [(float(x), float(y)) for x, y in rng.uniform([60, 30], [900, 600], (30, 2))]
    labels = place_labels(stars, ["a name"] * 30, width=960, height=640)
    assert len(labels) == 30
    for one, other in combinations(labels, 2):
        assert abs(one.x - other.x) > 40 or abs(one.y - other.y) > 12
    assert all(0 <= label.x <= 960 and 0 <= label.y <= 640 for label in labels)


def test_stars_all_in_one_place_have_names_too():
    assert len(place_labels([(5.0, 5.0)] * 60, ["somewhere"] * 60, width=960, height=640)) == 60
