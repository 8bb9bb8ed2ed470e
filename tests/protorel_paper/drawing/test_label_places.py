"""Labels of stars: names do not lie on one another."""

from itertools import combinations

import numpy as np

from protorel_paper.drawing.label_places import place_labels


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
