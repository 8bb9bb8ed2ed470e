"""Triples on the page: what was read, what was found, and whether it is right."""

from protorel.report import MarkedTriple, ReadSentence
from protorel.report.sections.triples import triples_section
from protorel.statements import Span

TEXT = "Ada Kroll leads Lunsk Optics."
RIGHT = MarkedTriple("Ada Kroll", "leads", "Lunsk Optics", "right", right=True, probability=0.81)
MISSED = MarkedTriple("Ada Kroll", "owns", "Lunsk Optics", "missed: the sentence says it", right=False)


def section(*sentences, names=None):
    return triples_section(sentences, "A note.", names or {})


def test_entities_are_marked_where_they_are_and_overlapping_ones_once():
    page = section(ReadSentence(TEXT, [Span(16, 28), Span(0, 9), Span(4, 15)], [RIGHT]))
    assert '<mark class="entity">Ada Kroll</mark> leads <mark class="entity">Lunsk Optics</mark>.' in page


def test_a_triple_is_right_or_wrong_by_sign_colour_and_word():
    page = section(ReadSentence(TEXT, [], [RIGHT, MISSED]), names={"leads": "is head of"})
    right, missed = (line for line in page.splitlines() if line.startswith("<li class="))
    assert 'class="right"' in right
    assert "✓</span> right" in right
    assert "<bdi>is head of</bdi>" in right
    assert "0.81" in right
    assert 'class="wrong"' in missed
    assert "✗</span> missed: the sentence says it" in missed
    assert "quiet" not in missed, "what was missed has no probability"


def test_sentences_without_a_triple_are_counted_and_not_shown():
    page = section(ReadSentence(TEXT, [], [RIGHT]), ReadSentence("Nothing here.", [], []))
    assert "Nothing here" not in page
    assert "1 sentence, of 2, that" in page
    assert "A note." in page


def test_many_and_long_sentences_are_bounded_and_said_to_be():
    page = section(*[ReadSentence("x" * 5_000, [Span(0, 1), Span(4_000, 4_001)], [RIGHT])] * 100)
    assert "the first 60 of the 100 sentences" in page
    assert page.count('<bdi class="sentence">') == 60
    assert len(page) < 60 * 1_600
