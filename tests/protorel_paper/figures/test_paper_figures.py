"""Figures 1, 2 and 5 on paper: everything is shown, nothing lies on another, hostile text is only text."""

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from protorel.statements import BadInput, Span, Statement
from protorel_paper.drawing.captioned_figure import Caption, plain
from protorel_paper.figures.figure1 import RELATIONS, draw_figure1, reproduce_figure1, six_statements
from protorel_paper.figures.figure2 import draw_figure2, reproduce_figure2
from protorel_paper.figures.figure5 import CLASSES, class_looks, draw_figure5
from protorel_paper.figures.star_map import Fidelity, StarMap
from protorel_paper.figures.star_map_drawing import looks_of
from protorel_paper.figures.unit_ball import unit_ball

HOSTILE = ("$x^2$", "_hidden | `name`", "<script>", "関係" * 40)


@pytest.fixture
def laid(make_space):
    """A space and a map of it by its first two dimensions: t-SNE has tests of its own."""

    def lay(names=HOSTILE, **more):
        space = make_space(names, **more)
        fidelity = Fidelity(0.5, 1.0, 1.0)
        return space, StarMap(space.vectors[:, :2].double().numpy(), space.prototypes[:, :2].double().numpy(), fidelity)

    return lay


def svg_texts(path):
    return [node.text for node in ElementTree.parse(path).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("width", [9.0, 4.5])
def test_figure_1_holds_every_statement_every_name_and_six_sentences(laid, overlapping, width):
    space, found = laid(("born in", "lives in", "founded", "leads"))
    figure = draw_figure1(space, found, six_statements(space), width=width)
    chart, text = figure.axes
    stars = [points for points in chart.collections if len(points.get_offsets()) == 1 and points.get_sizes()[0] > 100]
    assert len(stars) == 4
    small = [points for points in chart.collections if points.get_sizes()[0] < 20]
    assert sum(len(points.get_offsets()) for points in small) == len(space.statements)
    hollow = sum(len(p.get_offsets()) for p in small if len(p.get_offsets()) and (p.get_facecolor()[0] == 1).all())
    assert hollow == sum(one.expresses is False for one in space.statements)
    labels = [one.get_text() for one in chart.texts]
    assert labels == ["born in", "lives in", "founded", "leads", "1", "2", "3", "4", "5", "6"]
    words = " ".join(one.get_text() for one in text.texts)
    assert words.count("Lunsk") == words.count("Ada Kroll") == words.count("nobody asked") == 6
    assert overlapping(figure, [*chart.texts, *text.texts, *figure.legends[0].get_texts()]) == []


def test_no_two_relations_of_figure_1_share_a_shape_or_a_colour():
    looks = looks_of([f"P{index}" for index in range(RELATIONS)])
    assert len({look.shape for look in looks}) == len({look.colour for look in looks}) == RELATIONS
    assert "*" not in {look.shape for look in looks}


def test_no_two_classes_of_figure_5_look_alike(make_space):
    looks = class_looks(make_space([f"P{index}" for index in range(CLASSES - 1)] + ["Other"], no_relation="Other"))
    assert len({(look.shape, look.colour) for look in looks}) == CLASSES


def test_the_six_are_the_nearest_and_the_farthest_of_three_relations(make_space):
    space = make_space(("a", "b", "c", "d"))
    chosen = six_statements(space)
    assert len(set(chosen)) == 6
    for relation in range(3):
        cosines = {
            i: float(space.vectors[i] @ space.prototypes[relation]) for i in range(60) if space.own[i] == relation
        }
        assert chosen[2 * relation] == max(cosines, key=cosines.get)
        assert chosen[2 * relation + 1] == min(cosines, key=cosines.get)


def test_of_long_and_short_statements_a_short_one_is_chosen(make_space):
    space = make_space(("a", "b"), each=3)
    nearest = six_statements(space)[0]
    long = replace(space.statements[nearest], text=space.statements[nearest].text + " and so on" * 40)
    moved = replace(space, statements=tuple(long if i == nearest else s for i, s in enumerate(space.statements)))
    assert nearest not in six_statements(moved)


@pytest.mark.parametrize(
    "text", ["Lunsk" + "x" * 5000, "Ada Kroll" + " word" * 2000 + " Lunsk end", "Ada Kroll$ of $Lunsk"]
)
def test_a_sentence_without_end_finds_room(laid, overlapping, text):
    whole = text if text.startswith("Ada Kroll") else f"Ada Kroll {text}"
    space, found = laid(text=whole)
    figure = draw_figure1(space, found, six_statements(space))
    assert overlapping(figure, figure.axes[1].texts, air=6) == []
    assert [one.get_text() for one in figure.axes[1].texts].count("Ada Kroll") == 6


def test_entities_that_overlap_are_both_painted(laid):
    space, found = laid(("a", "b"), each=2)
    nested = Statement("the Bela Tarn house", Span(4, 19), Span(4, 13))
    figure = draw_figure1(replace(space, statements=(nested,) * 4), found, [0])
    painted = [patch for patch in figure.axes[1].patches if patch.get_width() > 1]
    assert len(painted) == 2
    assert [line.get_linestyle() for line in figure.axes[1].lines] == ["-", "--", "-"]


def test_hostile_names_are_only_text(laid, tmp_path, monkeypatch):
    space, found = laid()
    monkeypatch.setattr("protorel_paper.figures.figure1.star_map", lambda _space, **_: found)
    reproduce_figure1(replace(space, data={"name": "a|b`c\n# d", "fingerprint": "0" * 64}), tmp_path)
    said = svg_texts(tmp_path / "figure1.svg")
    assert {"$x^2$", "<script>"} <= set(said)
    caption = (tmp_path / "figure1.md").read_text()
    assert r"| statements | a\|b\`c \# d | `0000000000000000` |" in caption
    told = json.loads((tmp_path / "figure1.json").read_text())
    assert told["relations"] == list(HOSTILE)
    assert {"task", "data", "run", "machine", "versions", "map"} <= told.keys()


def test_a_caption_says_what_the_stars_are(laid, tmp_path, monkeypatch):
    space, found = laid(("a", "b", "c"))
    monkeypatch.setattr("protorel_paper.figures.figure1.star_map", lambda _space, **_: found)
    reproduce_figure1(space, tmp_path, seed=7)
    caption = (tmp_path / "figure1.md").read_text()
    assert "Stars are the prototypes of the run." in caption
    assert "9 statements whose label is known to be wrong" in caption
    assert "seed 7" in caption
    reproduce_figure1(replace(space, learned=False), tmp_path)
    assert "a star is the mean of the statements shown" in (tmp_path / "figure1.md").read_text()


def test_figure_1_is_the_same_twice(make_space, tmp_path):
    for folder in ("one", "two"):
        reproduce_figure1(make_space(each=5), tmp_path / folder, seed=2)
    for name in ("figure1.svg", "figure1.png", "figure1.md"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


@pytest.mark.parametrize("width", [7.0, 3.5])
def test_figure_2_shows_the_ball_and_the_true_angles(make_space, overlapping, width):
    space = make_space(("born in", "lives in", "founded"))
    ball = unit_ball(space)
    figure = draw_figure2(space, ball, width=width)
    globe, chart = figure.axes
    drawn = np.concatenate([points.get_offsets() for points in globe.collections if len(points.get_offsets()) > 1])
    assert len(drawn) == len(space.statements)
    assert (np.linalg.norm(drawn, axis=1) <= 1 + 1e-9).all()
    stars = [points.get_offsets()[0] for points in globe.collections if points.get_sizes()[0] == 170]
    np.testing.assert_allclose(stars, ball.prototypes[:, :2])
    ticks = [*chart.get_xticklabels(), chart.xaxis.label, chart.yaxis.label]
    assert overlapping(figure, [*globe.texts, *ticks, *figure.legends[0].get_texts()]) == []


def test_figure_2_says_what_survives(make_space, tmp_path):
    space = make_space(("a", "b", "c", "d"))
    reproduce_figure2(space, tmp_path)
    ball = unit_ball(space.first(3)).survival
    caption = (tmp_path / "figure2.md").read_text()
    assert f"hold {100 * ball.squared_length:.0f} % on average" in caption
    assert f"{ball.own_angle_drawn:.0f}° here, {ball.own_angle:.0f}° in the space" in caption
    assert json.loads((tmp_path / "figure2.json").read_text())["relations"] == ["a", "b", "c"]
    assert svg_texts(tmp_path / "figure2.svg").count("a") == 1


def test_figure_2_needs_three_relations(make_space, tmp_path):
    with pytest.raises(BadInput, match="expected at least 3 relations and dimensions for figure 2, got 2 and 16"):
        reproduce_figure2(make_space(("a", "b")), tmp_path)
    assert not list(tmp_path.iterdir())


DIRECTED = ("Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Message-Topic(e1,e2)", "Other")


def test_two_directions_have_one_colour_and_two_shapes_and_other_is_grey(make_space):
    looks = class_looks(make_space(DIRECTED, no_relation="Other"))
    assert [look.label for look in looks] == ["Cause-Effect 1→2", "Cause-Effect 2→1", "Message-Topic 1→2", "Other"]
    assert looks[0].colour == looks[1].colour != looks[2].colour
    assert [look.shape for look in looks] == ["o", "^", "o", "X"]
    assert len({look.colour for look in looks}) == 3


@pytest.mark.parametrize("width", [7.0, 3.5])
def test_figure_5_names_every_class_and_both_directions(laid, overlapping, width):
    space, found = laid(DIRECTED)
    figure = draw_figure5(space, found, width=width)
    (axes,) = figure.axes
    assert len(axes.texts) == 4
    said = [text.get_text() for text in figure.legends[0].get_texts()]
    assert said[0].endswith("(1→2)")
    assert said[1].endswith("(2→1)")
    assert overlapping(figure, [*axes.texts, *figure.legends[0].get_texts()]) == []


def test_a_caption_is_whole_markdown():
    caption = Caption("figure9", "a title", ["One.", "Two."], {"run": {"name": "x_y", "fingerprint": "ab" * 32}})
    assert caption.as_markdown().splitlines()[0] == "# Figure 9: a title"
    assert "![Figure 9: a title](figure9.png)" in caption.as_markdown()
    assert r"| run | x\_y | `abababababababab` |" in caption.as_markdown()


def test_no_mark_of_markdown_survives_in_a_name():
    assert not re.search(r"(?<!\\)[`*_\[\]<>|#]", plain("`a` *b* _c_ [d](e) <f> |g| # h"))
