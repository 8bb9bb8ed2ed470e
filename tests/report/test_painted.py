"""A statement painted: the text is the sentence, the tags balance, the entities are marked."""

import re
from html import unescape

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from protorel.report.painted import WHOLE, painted, pieces
from protorel.report.safe_text import readable
from protorel.statements import Span, Statement, StatementError

_TEXTS = st.one_of(
    st.text(min_size=2, max_size=60),
    st.text(alphabet="<>&\"'/ =ab\u202e\x00", min_size=2, max_size=60),
    st.text(alphabet="ab <𝕊", min_size=WHOLE - 5, max_size=WHOLE + 700),
)


@st.composite
def _statements(draw: st.DrawFn) -> Statement:
    text = draw(_TEXTS)
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted)
    try:
        return Statement(text, *(Span(*draw(places)) for _ in range(2)))
    except StatementError:
        assume(False)
        raise


def _marked(html: str, role: str) -> str:
    return "".join(
        unescape(inner) for roles, inner in re.findall(r'<mark class="([a-z ]*)">([^<]*)</mark>', html) if role in roles
    )


@given(_statements())
def test_a_painted_statement_holds_its_sentence_and_balanced_tags(statement):
    html = painted(statement)
    assert re.fullmatch(
        r'<bdi class="sentence">(?:[^<>]|<mark class="(?:head|tail|head tail)">[^<>]+</mark>)*</bdi>', html
    )
    text = unescape(re.sub(r"<[^>]*>", "", html))
    assert text == "".join(piece.text for piece in pieces(statement))
    if len(statement.text) <= WHOLE:
        assert text == readable(statement.text)
        assert _marked(html, "head") == readable(statement.head_text)
        assert _marked(html, "tail") == readable(statement.tail_text)


@given(_statements())
@example(Statement("<" * 700, Span(77, 157), Span(353, 433)))
def test_what_is_kept_of_a_long_sentence_stands_in_it_in_order_with_both_entities(statement):
    cut = pieces(statement)
    text = readable(statement.text)
    at = 0
    for piece in cut:
        if piece.text == "…":
            continue
        at = text.index(piece.text, at) + len(piece.text)
    assert any(piece.in_head for piece in cut)
    assert any(piece.in_tail for piece in cut)
    # Two stretches that all but meet are shown as one, with the up to 16 characters between them.
    assert len("".join(piece.text for piece in cut)) <= max(WHOLE, 2 * (2 * 90 + 80) + 16 + 2)


@pytest.mark.parametrize(
    ("head", "tail", "roles"),
    [
        ((0, 3), (4, 7), ["head", "", "tail", ""]),
        ((0, 7), (4, 7), ["head", "head tail", ""]),
        ((0, 5), (3, 7), ["head", "head tail", "tail", ""]),
        ((4, 7), (0, 11), ["tail", "head tail", "tail"]),
    ],
)
def test_entities_that_overlap_are_painted_side_by_side(head, tail, roles):
    assert [piece.role for piece in pieces(Statement("Ada of Lunsk"[:11], Span(*head), Span(*tail)))] == roles


def test_a_sentence_of_100_000_characters_is_cropped_around_its_entities():
    text = "word " * 8_000 + "Ada Kroll was born in " + "far " * 9_000 + "Lunsk " + "end " * 5_000
    at = [text.index("Ada Kroll"), text.index("Lunsk")]
    html = painted(Statement(text, Span(at[0], at[0] + 9), Span(at[1], at[1] + 5)))
    assert (_marked(html, "head"), _marked(html, "tail")) == ("Ada Kroll", "Lunsk")
    shown = re.sub(r"<[^>]*>", "", html)
    assert shown.count("…") == 3
    assert shown.startswith("…word ")
    assert len(shown) < 500


def test_an_entity_of_100_000_characters_is_cropped_too():
    text = "a" * 50_000 + " b " + "c" * 40_000
    html = painted(Statement(text, Span(0, 50_000), Span(50_003, len(text))))
    assert len(html) < 1200
    assert _marked(html, "tail").startswith("ccc")
