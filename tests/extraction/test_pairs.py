"""Which pairs are asked, what the model reads of them, and where the others are counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.extraction.conftest import RuleModel, balanced, capitalised, in_order, said

from protorel.extraction import ExtractionSettings, Extractor, Mention
from protorel.statements import MAX_TEXT, BadInput

STORY = "Ada met Bo. 12 men saw Cy. Dee slept."


def asked(model):
    return [(one.head_text, one.tail_text, one.text) for one in model.statements]


def test_both_orders_of_a_pair_in_one_sentence_are_asked_with_the_sentence_alone(extractor, model):
    found = extractor(STORY)
    assert asked(model) == [("Ada", "Bo", "Ada met Bo."), ("Bo", "Ada", "Ada met Bo.")]
    assert said(found) == [("Ada", "met", "Bo")]
    assert found.counts["too_far"] == 10
    assert balanced(found.counts)


def test_a_wider_window_adds_pairs_and_changes_none(model):
    found = Extractor(model, entities=capitalised, window=2)(STORY)
    texts = {(head, tail): read for head, tail, read in asked(model)}
    assert texts["Ada", "Bo"] == "Ada met Bo."
    assert texts["Cy", "Bo"] == "Ada met Bo. 12 men saw Cy."
    assert ("Ada", "Dee") not in texts
    assert found.counts["too_far"] == 4
    assert balanced(found.counts)


def test_offsets_are_those_of_the_whole_text(extractor):
    [triple] = extractor("🙂 e\u0301\r\n\r\nit rained. Ada met Bo.").triples
    assert (triple.head.start, triple.head.stop) == (19, 22)
    assert triple.head.text == "Ada"


def test_a_sentence_end_inside_a_mention_is_none(model):
    text = "He lives in St. Mary. Oster is near."
    spans = [(12, 27), (0, 2)]
    found = Extractor(model, entities=lambda _: spans)(text)
    assert found.counts["too_far"] == 0
    assert model.statements[0].text == text


def test_mentions_of_one_entity_are_no_pair_and_its_nearest_mention_is_asked(model):
    text = "Ada Kroll wrote that Kroll and ADA KROLL met Bo."
    spans = [{"start": 0, "stop": 9, "id": "Q1"}, (21, 26), {"start": 31, "stop": 40, "id": "Q1"}, (45, 47)]
    found = Extractor(model, entities=lambda _: spans)(text)
    assert found.counts["same_entity"] == 2
    assert found.counts["same_pair"] == 4
    assert sorted((one.head.start, one.tail.start) for one in model.statements[::2]) == [(0, 21), (21, 45), (31, 45)]
    assert balanced(found.counts)


def test_by_coreference_mentions_are_one_entity_and_share_its_id(model):
    text = "Ada Kroll met Bo. Kroll met Cy."
    spans = [{"start": 0, "stop": 9, "id": "Q1"}, (14, 16), (18, 23), (28, 30)]
    found = Extractor(model, entities=lambda _: spans, coreference=lambda *_: [[0, 2]])(text)
    assert [(one.head.id, one.tail.text) for one in found.triples] == [("Q1", "Bo"), ("Q1", "Cy")]


@pytest.mark.parametrize(
    ("clusters", "problem"),
    [([[0, 9]], "expected numbers of mentions below 2, got 9"), ([[0], [0]], "each mention in one cluster, got 0 in")],
)
def test_clusters_that_cannot_be_are_refused(model, clusters, problem):
    extractor = Extractor(model, entities=capitalised, coreference=lambda *_: clusters)
    with pytest.raises(BadInput, match=problem):
        extractor("Ada met Bo.")


def test_a_sentence_with_five_hundred_entities_asks_the_nearest_pairs_and_counts_the_others(model):
    text = ", ".join(f"N{number}" for number in range(500))
    found = Extractor(model, entities=capitalised)(text)
    assert len(model.statements) == 1_000
    assert found.counts["entities"] == 500
    assert found.counts["over_cap"] == 500 * 499 - 1_000
    assert {abs(one.tail.start - one.head.start) < 15 for one in model.statements} == {True}
    assert balanced(found.counts)


def test_a_long_sentence_is_cropped_around_the_pair_at_words(model):
    text = "word " * 3_000 + "Ada met Bo " + "word " * 3_000
    [triple] = Extractor(model, entities=capitalised)(text).triples
    read = model.statements[0]
    assert 1_900 < len(read.text) <= 2_000
    assert read.text.startswith("word ")
    assert read.text.endswith(" word")
    assert read.head_text == "Ada"
    assert text[triple.tail.start : triple.tail.stop] == "Bo"


def test_a_pair_that_is_wider_than_a_statement_may_be_is_too_far(model):
    text = "Ada" + " word" * (MAX_TEXT // 5) + " Bo."
    found = Extractor(model, entities=capitalised)(text)
    assert found.counts["too_far"] == 2
    assert model.asked == []


def test_no_pair_is_asked_of_a_text_with_one_entity_or_none(extractor, model):
    for text in ("", "  \n", "nothing here", "Ada is here."):
        found = extractor(text)
        assert (found.triples, found.uncertain, model.asked) == ((), (), [])
        assert found.counts["pairs"] == 0


def test_a_statement_that_the_model_cannot_read_is_counted_and_the_others_are_answered(model):
    def picky(statements, **options):
        for one in statements:
            if "Nul" in (one.head_text, one.tail_text):
                raise BadInput(f"statement {one.id}: expected at least one token, got none")
        return RuleModel.predict(model, statements, **options)

    model.predict = picky
    found = Extractor(model, entities=capitalised)("Ada met Bo and Nul.")
    assert said(found) == [("Ada", "met", "Bo")]
    assert found.counts["unreadable"] == 4
    assert balanced(found.counts)


def test_a_problem_of_the_model_itself_is_raised(model):
    def broken(*_, **__):
        raise BadInput("calibration.json: made for another vocabulary")

    model.predict = broken
    with pytest.raises(BadInput, match="another vocabulary"):
        Extractor(model, entities=capitalised)("Ada met Bo and Cy.")


WORDS = st.text(st.sampled_from("AaBb .,!?()\n\r\t\"'…。éß\u0301\u05d0\u202e\x00🙂"), max_size=60)


@given(WORDS, st.integers(1, 3))
def test_every_mention_slices_the_text_and_every_pair_ends_somewhere(text, window):
    model = RuleModel(in_order)
    found = Extractor(model, entities=capitalised, window=window)(text)
    for one in (*found.triples, *found.uncertain):
        for mention in (one.head, one.tail):
            assert text[mention.start : mention.stop] == mention.text
    assert balanced(found.counts)
    for one in model.statements:
        assert one.text in text


def shifted(triples, by):
    return [
        (one.head.start + by, one.tail.stop + by, one.relation, one.probability, one.reverse_probability)
        for one in triples
    ]


@given(WORDS, WORDS)
def test_a_text_of_two_parts_gives_what_both_parts_give(one, other):
    extractor = Extractor(RuleModel(in_order), entities=capitalised)
    parts, whole = [extractor(one), extractor(other)], extractor(f"{one}\n\n{other}")
    by = len(one) + 2
    for name in ("triples", "uncertain"):
        both = shifted(getattr(parts[0], name), 0) + shifted(getattr(parts[1], name), by)
        assert shifted(getattr(whole, name), 0) == both


@given(st.lists(WORDS, max_size=6), st.integers(1, 9), st.randoms(use_true_random=False))
def test_neither_batches_nor_the_order_of_texts_change_an_answer(texts, size, random):
    alone = [Extractor(RuleModel(in_order), entities=capitalised)(text) for text in texts]
    order = list(range(len(texts)))
    random.shuffle(order)
    extractor = Extractor(RuleModel(in_order), entities=capitalised, settings=ExtractionSettings(pairs_at_a_time=size))
    together = list(extractor.pipe(texts[place] for place in order))
    assert together == [alone[place] for place in order]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=6))
def test_spans_are_refused_in_one_line_or_slice_the_text(spans):
    text = "Ada met Bo. Then 🙂 e\u0301 came to Cy.\r\n"
    extractor = Extractor(RuleModel(in_order), entities=lambda _: spans)
    [found] = extractor.pipe([text])
    if found.problem is not None:
        assert "\n" not in found.problem
        assert found.counts["entities"] == 0
    else:
        assert [one.text for one in found.mentions] == [text[a:b] for a, b in sorted(spans)]
        assert all(isinstance(one, Mention) for one in found.mentions)
