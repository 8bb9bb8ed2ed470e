"""Triples of raw documents against their facts, where mentions are found in the text."""

from __future__ import annotations

import pytest

from protorel.corpora import AnnotatedDocument, AnnotatedMention
from protorel.evaluation import annotated_input, document_triples
from protorel.evaluation.extraction.mention_matches import found_mentions, matched_entities
from protorel.extraction import Mention, Triple
from protorel.statements import Span

TEXT = "Ada Kroll of the Tarn Club was born in Lunsk . Lunsk lies by the Mere . Kroll left ."
KROLL, CLUB, LUNSK, MERE = range(4)


def named(name: str, *, last: bool = False) -> tuple[int, int]:
    start = TEXT.rindex(name) if last else TEXT.index(name)
    return start, start + len(name)


def gold(sentence: int, name: str, type: str, *, last: bool = False) -> AnnotatedMention:
    return AnnotatedMention(Span(*named(name, last=last)), sentence, type)


def mention(name: str, *, last: bool = False, type: str | None = None) -> Mention:
    return Mention.at(TEXT, *named(name, last=last), type=type)


@pytest.fixture
def document() -> AnnotatedDocument:
    stops = [TEXT.index(" Lunsk lies"), TEXT.index(" Kroll left"), len(TEXT)]
    return AnnotatedDocument(
        "made",
        TEXT,
        (Span(0, stops[0]), Span(stops[0] + 1, stops[1]), Span(stops[1] + 1, stops[2])),
        (
            (gold(0, "Ada Kroll", "PER"), gold(2, "Kroll", "PER", last=True)),
            (gold(0, "Tarn Club", "ORG"),),
            (gold(0, "Lunsk", "LOC"), gold(1, "Lunsk", "LOC", last=True)),
            (gold(1, "Mere", "LOC"),),
        ),
        frozenset({(KROLL, LUNSK, "born_in"), (KROLL, CLUB, "member_of"), (LUNSK, MERE, "by"), (KROLL, MERE, "saw")}),
    )


def test_a_mention_matches_by_its_exact_span_or_by_the_most_shared_characters(document):
    assert matched_entities(document, mention("Tarn Club"), "strict") == (CLUB,)
    assert matched_entities(document, mention("the Tarn Club"), "strict") == ()
    assert matched_entities(document, mention("the Tarn Club"), "lenient") == (CLUB,)
    assert matched_entities(document, mention("Kroll of the Tarn Club"), "lenient") == (CLUB,)
    assert matched_entities(document, mention("was born"), "lenient") == ()


def test_entities_that_share_a_span_both_match(document):
    twice = AnnotatedDocument(
        "made", TEXT, document.sentences, (*document.entities, (gold(0, "Ada Kroll", "MISC"),)), frozenset()
    )
    assert matched_entities(twice, mention("Ada Kroll"), "strict") == (KROLL, 4)


def test_found_mentions_are_counted_by_type_and_give_the_pairs_that_can_be_asked(document):
    mentions = [mention("Ada Kroll"), mention("the Tarn Club"), mention("Lunsk"), mention("Mere"), mention("was born")]
    strict = found_mentions(document, mentions, "strict")
    assert strict.gold == {"PER": 2, "ORG": 1, "LOC": 3}
    assert +strict.found == {"PER": 1, "LOC": 2}
    assert (strict.mentions, strict.matched) == (5, 3)
    assert strict.pairs == {(KROLL, LUNSK), (LUNSK, KROLL)}  # Mere is alone in its sentence
    lenient = found_mentions(document, mentions, "lenient")
    assert (lenient.found["ORG"], lenient.matched) == (1, 4)
    assert (KROLL, CLUB) in lenient.pairs


def test_one_mention_of_two_entities_is_no_pair(document):
    assert found_mentions(document, [mention("Kroll of the Tarn")], "lenient").pairs == frozenset()


def scores(document, triples, threshold=0.5):
    found = document_triples([document] * 2, [triples] * 2, {"given": threshold})
    return {one.match: one for one in found}


def triple(head: str, tail: str, relation: str, probability: float = 0.9, **places: bool) -> Triple:
    return Triple(mention(head), mention(tail, **places), relation, probability, 0.1)


def test_triples_are_right_by_entity_each_counted_once(document):
    found = scores(
        document,
        [
            triple("Ada Kroll", "Lunsk", "born_in"),
            triple("Ada Kroll", "Lunsk", "born_in", last=True),  # the same entities again
            triple("Ada Kroll", "the Tarn Club", "member_of"),  # right by overlap only
            triple("Lunsk", "Ada Kroll", "born_in"),  # turned round
            triple("Lunsk", "Mere", "by", 0.4),  # below the threshold
        ],
    )
    strict, lenient = found["strict"].in_sentence, found["lenient"].in_sentence
    # Each document twice: three distinct triples, three facts in one sentence.
    assert (strict.asserted, strict.right, strict.gold) == (6, 2, 6)
    assert (lenient.asserted, lenient.right, lenient.gold) == (6, 4, 6)
    assert strict.precision.value == pytest.approx(1 / 3)
    assert lenient.f1.value == pytest.approx(2 / 3)
    assert found["strict"].all_facts.gold == 8


def test_a_right_triple_of_a_fact_that_takes_two_sentences_counts_against_all_facts_only(document):
    found = scores(document, [triple("Ada Kroll", "Mere", "saw"), triple("Lunsk", "Mere", "by", 0.5)])["strict"]
    assert (found.all_facts.asserted, found.all_facts.right) == (4, 4)
    assert (found.in_sentence.asserted, found.in_sentence.right) == (2, 2)
    assert found.as_json()["in_sentence"]["precision"]["value"] == 1


def test_nothing_asserted_has_no_precision(document):
    found = scores(document, [])["strict"].as_json()["all_facts"]
    assert (found["precision"]["value"], found["recall"]["value"]) == (None, 0)


def test_the_annotated_mentions_are_given_without_overlap(document):
    more = (*document.entities, (gold(0, "Ada", "PER"), gold(0, "Tarn Club was", "ORG")))
    given = annotated_input(AnnotatedDocument("made", TEXT, document.sentences, more, frozenset()))
    names = ["Ada Kroll", "Tarn Club was", "Lunsk", "Lunsk", "Mere", "Kroll"]
    assert [one.text for one in given.entities] == names
    assert [one.id for one in given.entities] == ["#0", "#4", "#2", "#2", "#3", "#0"]
