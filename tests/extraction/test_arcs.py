"""The picture of a sentence: every triple is an arc, no two lie on each other, nothing from outside is markup."""

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.extraction import Mention, Triple, arcs_svg
from protorel.statements import Span

SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("Ada Kroll", "Lunsk", "Bela", "the Prize of Oster")


def sentence(places: list[tuple[int, int]], label: str = "born in") -> tuple[str, list[Mention], list[Triple]]:
    text, mentions = "", []
    for name in NAMES:
        text += "so " if mentions else ""
        mentions.append(Mention(len(text), len(text) + len(name), name, "PERSON", None))
        text += name + " "
    triples = [Triple(mentions[head], mentions[tail], label, 0.9, 0.1, ()) for head, tail in places]
    return text + "there.", mentions, triples


def drawn(text: str, mentions: list[Mention], triples: list[Triple]) -> ElementTree.Element:
    return ElementTree.fromstring(arcs_svg(text, Span(0, len(text)), mentions, triples))


def runs(picture: ElementTree.Element) -> list[tuple[float, float, float]]:
    """Return the height and the two ends of the level part of each arc."""
    found = []
    for path in picture.iter(f"{SVG}path"):
        if path.get("fill") == "none":
            start, top = map(float, re.search(r" Q([-\d.]+),([-\d.]+) ", path.get("d")).groups())
            stop = float(re.search(r"H[-\d.]+ Q([-\d.]+),", path.get("d"))[1])
            found.append((top, min(start, stop), max(start, stop)))
    return found


PAIRS = st.tuples(st.integers(0, 3), st.integers(0, 3)).filter(lambda pair: pair[0] != pair[1])


@given(st.lists(PAIRS, min_size=1, max_size=12))
def test_every_triple_is_an_arc_and_no_two_lie_on_each_other(places):
    found = runs(drawn(*sentence(places)))
    assert len(found) == len(places)
    for number, (top, left, right) in enumerate(found):
        for other_top, other_left, other_right in found[number + 1 :]:
            assert top != other_top or right <= other_left or other_right <= left
    ends = [end for _, left, right in found for end in (left, right)]
    assert len(set(ends)) == len(ends)  # each arc leaves and arrives at a place of its own


def test_arcs_between_the_same_two_entities_are_nested():
    (outer, inner) = sorted(runs(drawn(*sentence([(0, 1), (1, 0)]))))
    assert outer[1] < inner[1] < inner[2] < outer[2]


def test_the_whole_sentence_is_drawn_and_a_long_one_by_its_entities():
    text, mentions, triples = sentence([(0, 3)])
    words = "".join(piece.text or "" for piece in drawn(text, mentions, triples).iter(f"{SVG}text"))
    assert "there." in words
    assert "Lunsk" in words
    text += "x" * 200
    words = "".join(piece.text or "" for piece in drawn(text, mentions, triples).iter(f"{SVG}text"))
    assert "xxx" not in words
    assert "Lunsk" not in words
    assert "Ada Kroll" in words


@pytest.mark.parametrize("places", [[], [(0, 1)] * 17])
def test_without_triples_or_with_too_many_nothing_is_drawn(places):
    text, mentions, triples = sentence(places)
    assert arcs_svg(text, Span(0, len(text)), mentions, triples) == ""


@given(st.text(max_size=12))
def test_a_label_is_text_whatever_it_holds(label):
    printable = "".join(one for one in label if one.isprintable())
    picture = drawn(*sentence([(0, 1)], label=printable))
    assert printable in [piece.text or "" for piece in picture.iter(f"{SVG}text")]
