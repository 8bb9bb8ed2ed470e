"""What is asserted, what is uncertain, how streams behave, and what a notebook shows."""

from __future__ import annotations

import gc
import logging
import tracemalloc
from itertools import count, islice

import pytest
from tests.extraction.conftest import RuleModel, capitalised, said

from protorel.extraction import ExtractionSettings, Extractor, InputText, Mention, looks_like_path
from protorel.statements import BadInput


def by_tail(**chances):
    return RuleModel(lambda one: {"met": chances.get(one.tail_text, 0.0)})


def test_a_triple_is_asserted_from_one_half_on_and_uncertain_from_one_fifth_on():
    found = Extractor(by_tail(Bo=0.5, Cy=0.49, Dee=0.2, Eve=0.19), entities=capitalised)("Ada, Bo, Cy, Dee, Eve")
    assert {one.tail.text for one in found.triples} == {"Bo"}
    assert {one.tail.text for one in found.uncertain} == {"Cy", "Dee"}
    assert (found.counts["asserted"], found.counts["uncertain"]) == (4, 8)
    assert found.counts["none"] == 8
    assert found.calibrated


def test_an_outcome_chooses_the_threshold_and_one_out_of_reach_is_refused():
    model = by_tail(Bo=0.85, Cy=0.95)
    found = Extractor(model, entities=capitalised, min_precision=0.9)("Ada, Bo, Cy")
    assert {one.tail.text for one in found.triples} == {"Cy"}
    with pytest.raises(BadInput, match="cannot be reached"):
        Extractor(model, entities=capitalised, min_precision=0.99)


def test_several_relations_of_one_pair_are_all_given_with_their_own_evidence():
    model = RuleModel(lambda one: {"met": 0.8, "spouse": 0.9} if one.head_text == "Ada" else {"met": 0.7})
    found = Extractor(model, entities=capitalised)("Ada married Bo.")
    assert said(found) == [("Ada", "spouse", "Bo"), ("Ada", "met", "Bo"), ("Bo", "met", "Ada")]
    assert [one.reverse_probability for one in found.triples] == [0.0, 0.7, 0.8]
    assert [one.relation for one in found.triples[1].evidence] == ["met"]


def test_candidates_may_be_chosen_and_must_be_known(model):
    settings = ExtractionSettings(relations=("spouse",))
    assert not Extractor(model, entities=capitalised, settings=settings)("Ada met Bo.").triples
    with pytest.raises(BadInput, match="got 'spuose'; did you mean 'spouse'"):
        Extractor(model, entities=capitalised, settings=ExtractionSettings(relations=("spuose",)))


def test_a_model_without_relations_is_refused():
    with pytest.raises(BadInput, match="model: expected one with relations, got none"):
        Extractor(RuleModel(lambda _: {}, relations=[]), entities=capitalised)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"window": 0}, "window: expected a whole number of 1 or more, got 0"),
        ({"min_precision": 90}, "min_precision: expected a number above 0 and at most 1, got 90"),
        ({"entities": "spcy"}, "got 'spcy'. Did you mean 'spacy'?"),
        ({"entities": 5}, "expected a function, a spaCy pipeline or the name of a source, got int"),
        ({"entities": "names:nosuch.tsv"}, "nosuch.tsv: no such file or folder"),
        ({"schema": "nosuch.yaml"}, "nosuch.yaml: no such file"),
    ],
)
def test_what_an_extractor_cannot_be_made_of_is_refused_in_one_line(model, options, problem):
    with pytest.raises(BadInput) as raised:
        Extractor(model, **{"entities": capitalised, **options})
    assert problem in str(raised.value)


def test_given_entities_are_used_in_place_of_the_source(extractor):
    found = extractor("ada met bo.", entities=[{"start": 0, "end": 3, "label": "PERSON", "id": "Q1"}, (8, 10)])
    assert found.mentions == (Mention(0, 3, "ada", "PERSON", "Q1"), Mention(8, 10, "bo"))
    assert len(found.triples) == 1
    assert extractor("ada met bo.", entities=iter([(0, 3), (8, 10)])).counts == found.counts


def test_a_bad_text_of_a_stream_is_reported_and_the_rest_goes_on(extractor, caplog):
    texts = ["Ada met Bo.", 5, {"text": "a b", "entities": [(0, 9)], "document": "two"}, "half \ud800", "Cy met Dee."]
    with caplog.at_level(logging.WARNING, "protorel"):
        found = list(extractor.pipe(texts))
    assert [one.problem for one in found] == [
        None,
        "text 1: expected a text or a mapping with text, got int",
        "two: entities[0]: [0, 9) lies outside the text, which has 3 characters",
        "text 3: text: holds half a character (U+D800) at 5, which cannot be written",
        None,
    ]
    assert [record.getMessage() for record in caplog.records] == [one.problem for one in found if one.problem]
    assert said(found[4]) == [("Cy", "met", "Dee")]


def test_a_source_that_fails_is_named_in_one_line(model):
    def broken(text):
        raise RuntimeError("out of\nluck")

    extractor = Extractor(model, entities=broken)
    with pytest.raises(BadInput, match=r"^entities: the source failed on this text \(RuntimeError: out of luck\)$"):
        extractor("Ada met Bo.")
    [found] = extractor.pipe([InputText("Ada met Bo.", "page")])
    assert found.problem.startswith("page: entities: the source failed")


def test_one_text_in_place_of_several_is_refused(extractor):
    with pytest.raises(BadInput, match="expected several texts, got one"):
        list(extractor.pipe("Ada met Bo."))


def test_a_stream_is_read_as_it_is_used_and_asks_in_batches(model):
    extractor = Extractor(model, entities=capitalised, settings=ExtractionSettings(pairs_at_a_time=8))
    read = []

    def endless():
        for number in count():
            read.append(number)
            yield f"Ada met Bo{number}."

    found = list(islice(extractor.pipe(endless()), 10))
    assert [one.triples[0].tail.text for one in found] == [f"Bo{number}" for number in range(10)]
    assert len(read) < 20
    assert {len(batch) for batch in model.asked} == {8}


def test_a_text_of_ten_megabytes_needs_memory_for_its_mentions_alone(model):
    class Forgetful(RuleModel):
        def predict(self, statements, **options):
            self.asked.clear()
            return super().predict(statements, **options)

    sentence = "Ada met Bo" + " and so on" * 499 + ". "
    text = sentence * 2_000
    starts = [at + by for at in range(0, len(text), len(sentence)) for by in (0, 8)]
    extractor = Extractor(Forgetful(lambda _: {}), entities=lambda _: ((start, start + 2) for start in starts))
    extractor("Ada met Bo.", entities=[])
    tracemalloc.start()
    try:
        found = extractor(text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(text) > 10_000_000
    assert found.counts["entities"] == 4_000
    assert found.counts["none"] == 4_000
    assert peak < 4 * len(text)


def test_many_texts_need_no_more_memory_than_a_few():
    class Forgetful(RuleModel):
        def predict(self, statements, **options):
            self.asked.clear()
            return super().predict(statements, **options)

    settings = ExtractionSettings(pairs_at_a_time=64)
    extractor = Extractor(Forgetful(lambda _: {}), entities=capitalised, settings=settings)

    def peak(texts):
        gc.collect()
        tracemalloc.start()
        try:
            for _ in extractor.pipe("Ada met Bo. " + "x" * 100 for _ in range(texts)):
                pass
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)
    # Texts that are kept would cost 5 MB; what waits to be collected costs less than 0.3.
    assert peak(8_000) < peak(500) + 300_000


def test_a_notebook_shows_painted_entities_and_arcs_and_nothing_from_outside_as_html(model):
    text = "<b>Ada</b> met Bo & Cy."
    spans = [(3, 6, "<i>"), (15, 17, None), (20, 22, "PERSON")]
    for shown in (
        Extractor(model, entities=lambda _: spans)(text)._repr_html_(),
        Extractor(model, entities=lambda _: spans)(text + " " + "x" * 200)._repr_html_(),
    ):
        assert "<svg" in shown
        assert "<b>" not in shown
        assert "<i>" not in shown
        assert "&lt;i&gt;" in shown
    assert "Bo</mark> &amp; <mark" in shown  # a sentence that is too long to be drawn is painted


def test_a_notebook_shows_a_text_without_triples_and_one_that_could_not_be_read(extractor):
    assert "entities 1" in extractor("Ada is here.")._repr_html_()
    [bad] = extractor.pipe([5])
    assert "expected a text" in bad._repr_html_()


TEXTS_AND_PATHS = [
    ("notes.txt", True),
    ("NOTES.JSONL", True),
    ("./notes", True),
    ("data/notes", True),
    ("table.csv", True),
    ("Ada met Bo.", False),
    ("Ada and/or Bo.", False),
    ("Ada\nwrote a.txt", False),
    ("-", False),
]


@pytest.mark.parametrize(("argument", "expected"), TEXTS_AND_PATHS)
def test_an_argument_that_looks_like_a_path_is_told_from_a_text(argument, expected):
    assert looks_like_path(argument) == expected
