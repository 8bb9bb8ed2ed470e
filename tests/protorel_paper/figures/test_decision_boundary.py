"""The picture of figure 6, and the table beside it."""

import json
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from protorel_paper.figures.decision_boundary import draw_decision_boundaries, write_decision_boundaries
from protorel_paper.figures.figure6 import figure6_json, figure6_markdown
from protorel_paper.figures.iris import study_iris


@pytest.fixture(scope="module")
def study():
    return study_iris(seed=0, draws=5)


@pytest.fixture(scope="module")
def drawn(study):
    figure = draw_decision_boundaries(study)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return figure, canvas.get_renderer()


def test_each_panel_shows_every_flower_and_marks_the_wrong_labels(study, drawn):
    figure, _ = drawn
    for number, panel in enumerate(figure.axes):
        # Right and wrong labels of both kinds, then two prototypes in the lower row.
        counts = [len(points.get_offsets()) for points in panel.collections]
        assert sum(counts[:4]) == 100
        assert counts[1] + counts[3] == (20 if number % 2 else 0)
        assert counts[4:] == ([1, 1] if number >= 2 else [])


def test_boundaries_are_drawn_where_they_are(study, drawn):
    figure, _ = drawn
    for panel, name in zip(figure.axes[1::2], ("instance", "prototype"), strict=True):
        # Four further draws lie behind the boundary by true labels, and the one shown comes last.
        assert len(panel.lines) == 6
        wanted = [*study.shown.boundaries[name][1:], study.clean[name], study.shown.boundaries[name][0]]
        for line, boundary in zip(panel.lines, wanted, strict=True):
            for point in (line.get_xy1(), line.get_xy2()):
                assert point @ boundary.weights + boundary.bias == pytest.approx(0, abs=1e-9)
            assert line.get_xy1() != pytest.approx(line.get_xy2())


def test_prototypes_stand_at_the_means_of_the_labels_as_they_are_given(study, drawn):
    figure, _ = drawn
    for panel, labels in zip(figure.axes[2:], (study.flowers.labels, study.shown.labels[0]), strict=True):
        for star, kind in zip(panel.collections[4:], (False, True), strict=True):
            assert np.asarray(star.get_offsets()[0]) == pytest.approx(study.flowers.points[labels == kind].mean(axis=0))


def test_no_text_lies_on_another_or_leaves_the_picture(drawn):
    figure, renderer = drawn
    texts = [text for panel in figure.axes for text in (*panel.texts, panel.xaxis.label)]
    for panel in figure.axes[2:]:
        low, high = panel.get_xlim()
        texts += [tick for tick in panel.get_xticklabels() if low <= tick.get_position()[0] <= high]
    texts += figure.legends[0].get_texts()
    boxes = [(text.get_text(), text.get_window_extent(renderer)) for text in texts if text.get_text()]
    width, height = figure.canvas.get_width_height()
    assert len(boxes) > 12
    assert all(0 <= box.x0 < box.x1 <= width and 0 <= box.y0 < box.y1 <= height for _, box in boxes)
    assert [(one, other) for (one, box), (other, its) in combinations(boxes, 2) if box.overlaps(its)] == []


def test_the_picture_is_written_both_ways_and_the_same_twice(study, tmp_path):
    for folder in ("one", "two"):
        write_decision_boundaries(study, tmp_path / folder)
    assert (tmp_path / "one" / "figure6.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "one" / "figure6.svg").read_text()
    assert ET.fromstring(svg).tag.endswith("svg")
    assert "labelled versicolor" in svg
    assert svg == (tmp_path / "two" / "figure6.svg").read_text()


def test_json_and_table_hold_the_same_numbers(study):
    told = json.loads(json.dumps(figure6_json(study), allow_nan=False))
    table = figure6_markdown(study)
    assert [(one["wrong_labels"], one["rate"]) for one in told["noisy"]] == [
        (kind, rate) for kind in ("both classes", "one class") for rate in (0.1, 0.2, 0.3, 0.4)
    ]
    for one in told["noisy"]:
        cells = [
            f"{one[name]['rotation']['value']:.1f} ± {one[name]['rotation']['margin']:.1f}"
            for name in ("instance", "prototype")
        ]
        assert f"| {100 * one['rate']:.0f} % of {one['wrong_labels']} | {' | '.join(cells)} |" in table
    assert told["clean"]["prototype"]["accuracy"] > 0.9
