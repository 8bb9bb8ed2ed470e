"""What a training set shares with a test set, against plain loops over all pairs of statements."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.corpora import read_data
from protorel.statements import BadInput, Span, Statement, find_leakage, load_equivalents
from protorel.statements.overlap.leakage import KINDS

SHIPPED = load_equivalents()


def said(head: str, phrase: str, tail: str, relation: str | None = None, **more) -> Statement:
    start = len(head) + len(phrase) + 2
    return Statement(f"{head} {phrase} {tail}", Span(0, len(head)), Span(start, start + len(tail)), relation, **more)


def reasons(found) -> list[set[str]]:
    return [{kind for bit, kind in enumerate(KINDS) if byte & 1 << bit} for byte in found.reasons]


def shared(train, test) -> list[set[str]]:
    return reasons(find_leakage(train, test))


NAMES = ["Ada Kroll", "ADA  KROLL", "Ada\u00a0Kroll", "Bela Tarn", "Lunsk", "Oster"]
PHRASES = [
    "moved from the coast to the hills and was in the end buried beside",
    "moved from the coast to the hills and was at the end buried beside",
    "wrote many letters to",
    "wrote  many LETTERS to",
    "never heard of",
]
RELATIONS = [None, "spouse", "P26", "hypernym", "P31", "P279", "NA", "Other", "met", "Met"]
IDS = [None, "Q1", "Q2", "/m/01", "/m/02", "x1"]

statement = st.builds(
    said,
    st.sampled_from(NAMES),
    st.sampled_from(PHRASES),
    st.sampled_from(NAMES),
    st.sampled_from(RELATIONS),
    head_id=st.sampled_from(IDS),
    tail_id=st.sampled_from(IDS),
)
some = st.lists(statement, max_size=6)


def kind_of(id: str) -> str:
    return "wikidata" if id.startswith("Q") else "freebase" if id.startswith("/m") else "other"


def name_of(name: str) -> str:
    return "".join(name.lower().split())


def same_pair(one: Statement, other: Statement) -> bool:
    ids = [(s.head_id, s.tail_id) for s in (one, other)]
    if all(head and tail for head, tail in ids):
        kinds = [sorted({kind_of(id) for id in pair}) for pair in ids]
        if kinds[0] == kinds[1]:
            return sorted(ids[0]) == sorted(ids[1])
    return sorted(map(name_of, (one.head_text, one.tail_text))) == sorted(
        map(name_of, (other.head_text, other.tail_text))
    )


def likeness(one: Statement, other: Statement) -> float:
    a, b = ({name_of(s.text)[i : i + 5] for i in range(len(name_of(s.text)) - 4)} for s in (one, other))
    return len(a & b) / len(a | b)


def expected_reasons(train: list[Statement], test: list[Statement]) -> list[set[str]]:
    every = []
    for one in train:
        found = set()
        for other in test:
            if one.relation and other.relation and SHIPPED.same(one.relation, other.relation):
                found.add("relations")
            if same_pair(one, other):
                found.add("pairs")
            if name_of(one.text) == name_of(other.text):
                found.add("sentences")
        if "sentences" not in found and any(likeness(one, other) >= 0.7 for other in test):
            found.add("near_duplicates")
        every.append(found)
    return every


@given(some, some)
def test_every_reason_is_the_one_that_a_loop_over_all_pairs_finds(train, test):
    assert reasons(find_leakage(train, test)) == expected_reasons(train, test)


@given(some, some)
def test_the_strict_remainder_shares_nothing_and_nothing_is_lost(train, test):
    found = find_leakage(train, test)
    rest = list(found.remainder(train))
    assert not any(expected_reasons(rest, test))
    again = find_leakage(rest, test)
    assert (again.removed, again.touched, again.left) == (0, 0, len(rest))
    dropped = [one for one, byte in zip(train, found.reasons, strict=True) if byte]
    assert Counter(map(repr, rest + dropped)) == Counter(map(repr, train))
    assert (len(rest), len(dropped), len(train)) == (found.left, found.removed, found.train)
    assert found.relations_left == len({one.relation for one in rest} - {None})


@given(some, some, st.randoms(use_true_random=False))
def test_the_order_of_the_statements_does_not_matter(train, test, chance):
    shuffled = [chance.sample(statements, k=len(statements)) for statements in (train, test)]
    one, other = find_leakage(train, test), find_leakage(*shuffled)
    assert one.counts() == other.counts()
    assert one.relations == other.relations


@given(some, some)
def test_a_test_statement_is_touched_when_it_shares_something_the_other_way_round(train, test):
    found, back = find_leakage(train, test), find_leakage(test, train)
    for kind in KINDS[:3]:
        assert found.shared[kind].test == back.shared[kind].train
        assert found.shared[kind].train == back.shared[kind].test


def test_counts_are_of_things_and_of_statements_on_either_side():
    train = [
        said("Ada", "met", "Bo", "spouse"),
        said("Bo", "saw", "Ada", "spouse"),
        said("Cy", "met", "Di", "P19"),
        said("Ed", "hid", "Flo", "lives_in"),
    ]
    test = [said("Ada", "kept", "Bo", "P26"), said("Cy", "met", "Di", "P20"), said("Guy", "met", "Ida", "P26")]
    counts = find_leakage(train, test).counts()
    assert counts == {
        "train_statements": 4,
        "test_statements": 3,
        "shared": {
            "relations": {"shared": 1, "train_statements": 2, "test_statements": 2},
            "pairs": {"shared": 2, "train_statements": 3, "test_statements": 2},
            "sentences": {"shared": 1, "train_statements": 1, "test_statements": 1},
            "near_duplicates": {"shared": 0, "train_statements": 0, "test_statements": 0},
            "any": {"train_statements": 3, "test_statements": 3},
        },
        "left": {"statements": 1, "relations": 1},
    }


def test_shared_relations_are_named_on_both_sides_with_their_counts():
    train = [said("Ada", "met", "Bo", relation) for relation in ("hypernym", "hypernym", "spouse", "met")]
    test = [said("Cy", "saw", "Di", relation) for relation in ("P31", "P279", "P279", "NA", "P19")]
    found = [dataclasses.astuple(pair) for pair in find_leakage(train, test).relations]
    assert found == [("hypernym", "P279", 2, 2), ("hypernym", "P31", 2, 1)]


@pytest.mark.parametrize("label", ["NA", "no_relation", "Other", None])
def test_statements_without_a_relation_share_none(label):
    assert shared([said("Ada", "met", "Bo", label)], [said("Cy", "saw", "Di", label)]) == [set()]


def test_a_pair_leaks_in_either_order():
    assert shared([said("Ada", "met", "Bo")], [said("Bo", "never saw", "Ada")]) == [{"pairs"}]


def test_where_both_have_ids_the_ids_decide_and_not_the_names():
    ids = {"head_id": "Q1", "tail_id": "Q2"}
    swapped = {"head_id": "Q2", "tail_id": "Q1"}
    others = {"head_id": "Q1", "tail_id": "Q3"}
    assert shared([said("Ada", "met", "Bo", **ids)], [said("Ms Kroll", "wed", "him", **ids)]) == [{"pairs"}]
    assert shared([said("Ada", "met", "Bo", **ids)], [said("Ms Kroll", "wed", "him", **swapped)]) == [{"pairs"}]
    assert shared([said("Ada", "met", "Bo", **ids)], [said("Ada", "saw", "Bo", **others)]) == [set()]


@pytest.mark.parametrize(
    "ids", [{}, {"head_id": "Q1"}, {"head_id": "", "tail_id": "Q2"}, {"head_id": "/m/01", "tail_id": "/m/02"}]
)
def test_where_one_lacks_ids_or_has_those_of_another_knowledge_base_the_names_decide(ids):
    test = [said("ADA", "saw", "bo", head_id="Q1", tail_id="Q2")]
    assert shared([said("Ada", "met", "Bo", **ids)], test) == [{"pairs"}]
    assert shared([said("Ada", "met", "Cy", **ids)], test) == [set()]


def test_ids_that_count_the_entities_of_one_document_do_not_hide_a_shared_pair():
    train = [said("Ada", "met", "Bo", head_id="dev:3#0", tail_id="dev:3#1")]
    assert shared(train, [said("Ada", "saw", "Bo", head_id="test:3#7", tail_id="test:3#1")]) == [{"pairs"}]
    assert shared(train, [said("Ada", "saw", "Bo", head_id="Q1", tail_id="Q2")]) == [{"pairs"}]
    assert shared(train, [said("Cy", "saw", "Bo", head_id="dev:3#0", tail_id="dev:3#1")]) == [set()]


def test_a_sentence_leaks_whatever_pair_it_marks():
    text = "Ada Kroll met Bela Tarn in Lunsk, near Oster."
    one = Statement(text, Span(0, 9), Span(14, 23), "met")
    other = Statement("ada kroll met bela tarn in lunsk , near oster .", Span(27, 32), Span(40, 45), "P131")
    assert shared([one], [other]) == [{"sentences"}]


def test_a_data_set_shares_all_of_itself():
    everything = [said(f"Ada{number}", "met", f"Bo{number}", "met") for number in range(9)]
    found = find_leakage(everything, everything)
    assert (found.left, found.removed, found.touched, found.relations_left) == (0, 9, 9, 0)
    assert list(found.remainder(everything)) == []


def test_nothing_shares_nothing():
    assert find_leakage([], []).counts()["shared"]["any"] == {"train_statements": 0, "test_statements": 0}
    assert find_leakage([said("Ada", "met", "Bo")], []).left == 1
    assert find_leakage([], [said("Ada", "met", "Bo")]).touched == 0


def test_examples_are_few_and_show_both_sides():
    train = [said(f"Ada{number}", "met", f"Bo{number}") for number in range(20)]
    test = [said(f"Bo{number}", "saw the whole family of", f"Ada{number}") for number in range(20)]
    examples = find_leakage(train, test).examples
    assert [(one.train.head_text, one.test.tail_text) for one in examples["pairs"]] == [
        (f"Ada{number}", f"Ada{number}") for number in range(5)
    ]
    assert examples["sentences"] == ()
    near = find_leakage([said("Ada", PHRASES[0], "Bo")], [said("Ada", PHRASES[1], "Cy")]).examples["near_duplicates"]
    assert near[0].likeness == likeness(near[0].train, near[0].test)


def test_the_training_set_is_read_once_and_the_remainder_must_be_of_the_same():
    train = [said("Ada", "met", "Bo"), said("Cy", "met", "Di")]
    found = find_leakage(iter(train), iter(train[:1]))
    assert list(found.remainder(train)) == train[1:]
    with pytest.raises(BadInput, match="expected the 2 statements that were compared, got 1"):
        list(found.remainder(train[:1]))


def test_a_sentence_repeated_under_many_pairs_leaks_each_time():
    train = [said("Ada", PHRASES[0], "Bo", f"r{number}") for number in range(5)]
    found = find_leakage(train, [said("Ada", PHRASES[1], "Bea")])
    assert (found.shared["near_duplicates"].things, found.shared["near_duplicates"].train) == (1, 5)


@pytest.fixture(scope="module")
def fewrel(real_data):
    files = [real_data / "fewrel" / name for name in ("train_wiki.reconstructed.json", "val_wiki.json")]
    return [read_data(file, format="fewrel") for file in files]


def test_fewrel_s_training_file_repeats_297_sentences_of_its_validation_file(fewrel):
    # Every sentence that could be shared, and few of the others: those are much work for MinHash.
    texts = [{statement.text for statement in one} for one in fewrel]
    train, test = (
        [one for number, one in enumerate(statements) if one.text in others or number % 50 == 0]
        for statements, others in zip(fewrel, texts[::-1], strict=True)
    )
    counts = find_leakage(train, test).counts()["shared"]
    assert counts["sentences"] == {"shared": 283, "train_statements": 297, "test_statements": 297}
    assert counts["relations"]["shared"] == 0


def test_shared_sentences_are_counted_as_in_fewrel_on_data_made_here():
    chance = random.Random(0)
    made = [
        said(f"Ada{a}", f"{a * b} times wrote to the people of", f"Lunsk{b}") for a, b in product(range(9), range(9))
    ]
    test = chance.sample(made, k=30)
    repeated = chance.sample(test, k=7)
    train = [dataclasses.replace(one, relation="wrote_to") for one in repeated]
    train += [dataclasses.replace(one, head=one.tail, tail=one.head, relation="read_by") for one in repeated[:2]]
    sentences = find_leakage(train, test).shared["sentences"]
    assert (sentences.things, sentences.train, sentences.test) == (7, 9, 7)


@given(some, some, st.sets(st.sampled_from(KINDS)))
@settings(max_examples=60)
def test_only_the_kinds_that_are_asked_for_count_as_shared(train, test, kinds):
    everything, found = find_leakage(train, test), find_leakage(train, test, kinds=kinds)
    sentences = "sentences" in kinds
    for all_reasons, own in zip(reasons(everything), reasons(found), strict=True):
        wanted = all_reasons & kinds
        # A sentence of the test set is likened to the others only where it does not count by itself.
        if "sentences" in all_reasons and not sentences:
            own, wanted = own - {"near_duplicates"}, wanted - {"near_duplicates"}
        assert own == wanted
    assert found.shared.keys() == kinds
    assert found.relations == everything.relations
    assert found.removed == sum(bool(own) for own in reasons(found))
