"""Words in lines: nothing is lost, nothing overlaps, nothing is wider than its line unless it must be."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from protorel.report.painted import pieces
from protorel.statements import Span, Statement
from protorel_paper.drawing.word_flow import flow, words_of


def laid(text, head, tail, width=30.0):
    words = words_of(pieces(Statement(text, Span(*head), Span(*tail))))
    return words, *flow(words, width=width, space=1.0, measure=lambda word: float(len(word.text)))


def test_entities_keep_their_role_and_a_comma_stays_with_its_word():
    words, placed, lines = laid("Ada Kroll, of Lunsk.", (0, 9), (14, 19), width=11)
    assert [(word.text, word.role) for word in words] == [
        ("Ada", "head"), ("Kroll", "head"), (",", ""), ("of", ""), ("Lunsk", "tail"), (".", ""),
    ]  # fmt: skip
    assert [one.line for one in placed] == [0, 0, 0, 1, 1, 1]
    assert lines == 2
    comma = placed[2]
    assert comma.left == placed[1].right


def test_a_script_without_spaces_is_broken_into_lines():
    text = "東京" * 60
    _, placed, lines = laid(text, (0, 2), (4, 6))
    assert lines >= 4
    assert "".join(one.word.text for one in placed) == text
    assert all(one.right <= 30 for one in placed)


@given(
    st.text(alphabet="ab ,.", min_size=6, max_size=120).filter(lambda text: text[:2].strip() and text[3:5].strip()),
    st.floats(4, 60),
)
def test_every_letter_is_placed_once_in_order_and_no_two_words_overlap(text, width):
    _, placed, lines = laid(text, (0, 2), (3, 5), width=width)
    assert "".join(one.word.text for one in placed) == "".join(text.split())
    assert {one.line for one in placed} == set(range(lines))
    for before, after in pairwise(placed):
        assert (before.line, before.right) <= (after.line, after.left) or before.line < after.line
    starts = [one for one in placed if not one.word.joined]
    for one in starts:
        # What may begin a line does so unless it fits; only what is joined to it may stand out.
        assert one.left == 0 or one.right <= width
