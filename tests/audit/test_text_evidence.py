"""Evidence of the texts alone, on statements small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.audit import text_evidence
from protorel.audit.text_evidence import duplicate_conflicts, pair_relations, type_shares, wording_confidence
from protorel.statements import NearDuplicates, entity_pair

LONG = "Ada Kroll, who had a house by the river and wrote nine books, was later married to Bela Tarn in {}."


def test_the_relations_of_a_pair_are_counted_in_one_direction(about):
    rows = [
        about("Ada met Bo.", "Ada", "Bo", "met"),
        about("ada saw bo.", "ada", "bo", "saw"),
        about("Ada met Bo again.", "Ada", "Bo", "met"),
        about("Ada met Bo.", "Bo", "Ada", "met"),
        about("Ada met Cy.", "Ada", "Cy", "met"),
    ]
    found = pair_relations(rows)
    assert found.tolist() == [2, 2, 2, 1, 1]
    assert found.dtype == np.int32


def test_a_pair_is_known_by_its_ids_where_it_has_them(about):
    rows = [
        about("Ada met Bo.", "Ada", "Bo", "met", head_id="Q1", tail_id="Q2"),
        about("She saw him.", "She", "him", "saw", head_id="Q1", tail_id="Q2"),
        about("Ada met Bo.", "Ada", "Bo", "met", head_id="Q3", tail_id="Q4"),
    ]
    assert pair_relations(rows).tolist() == [2, 2, 1]


def test_near_duplicates_contradict_if_all_have_other_labels(about):
    here, there = LONG.format("Lunsk"), LONG.format("Lunck")
    pair = ("Ada Kroll", "Bela Tarn")
    contradicted = [about(here, *pair, "spouse"), about(there, *pair, "sibling"), about(there, *pair, "friend")]
    assert duplicate_conflicts(contradicted).tolist() == [2, 2, 2]
    supported = [*contradicted[:2], about(here.upper(), "ADA KROLL", "BELA TARN", "spouse")]
    assert duplicate_conflicts(supported).tolist() == [0, 2, 0]
    other_pair = [
        contradicted[0],
        about(here, "Bela Tarn", "Ada Kroll", "sibling"),
        about(here, "Ada Kroll", "Lunsk", "home"),
    ]
    assert duplicate_conflicts(other_pair).tolist() == [0, 0, 0]
    other_text = [contradicted[0], about("Ada Kroll saw Bela Tarn.", *pair, "sibling")]
    assert duplicate_conflicts(other_text).tolist() == [0, 0]


def by_one_index(statements) -> list[int]:
    """Count by one index of all sentences: simple, but it takes much memory."""
    index = NearDuplicates()
    for row, one in enumerate(statements):
        index.add(row, one)
    counts = []
    for row, one in enumerate(statements):
        found = index.find(one)
        alike = [other for other in found[1] if other != row and entity_pair(statements[other]) == entity_pair(one)]
        same = any(statements[other].relation == one.relation for other in alike)
        counts.append(0 if same else len(alike))
    return counts


@settings(max_examples=30)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["Lunsk", "Lunck", "the big old town of Oster"]), st.integers(0, 1), st.sampled_from("abc")
        ),
        max_size=30,
    )
)
def test_conflicts_are_those_of_an_index_of_all_sentences(about, rows):
    pairs = [("Ada Kroll", "Bela Tarn"), ("Bela Tarn", "Ada Kroll")]
    statements = [about(LONG.format(place), *pairs[pair], label) for place, pair, label in rows]
    assert duplicate_conflicts(statements).tolist() == by_one_index(statements)


def test_many_statements_of_one_pair_are_looked_up_and_not_compared_one_by_one(about, monkeypatch):
    chance = np.random.default_rng(0)
    places = ["Lunsk", "Lunck", "Oster by the sea, which has a port"]
    statements = [
        about(LONG.format(places[chance.integers(3)]), "Ada Kroll", "Bela Tarn", "abcdefgh"[chance.integers(8)])
        for _ in range(60)
    ]
    statements += [about(LONG.format("Lunsk"), "Ada Kroll", "Lunsk", "z")]
    expected = by_one_index(statements)
    monkeypatch.setattr(NearDuplicates, "likeness", None)
    assert duplicate_conflicts(statements).tolist() == expected
    monkeypatch.undo()
    monkeypatch.setattr(text_evidence, "_COMPARED", 1000)
    assert duplicate_conflicts(statements).tolist() == expected


def test_type_shares_leave_the_statement_itself_out(about):
    kinds = [("person", "place"), ("person", "place"), ("person", "place"), ("work", "place"), (None, None)]
    rows = [about("Ada met Bo.", "Ada", "Bo", "met", head_type=head, tail_type=tail) for head, tail in kinds] + [
        about("Ada saw Bo.", "Ada", "Bo", "saw", head_type="person", tail_type="person")
    ]
    found = type_shares(rows)
    assert found[:4].tolist() == pytest.approx([2 / 3, 2 / 3, 2 / 3, 0])
    assert np.isnan(found[4:]).all()  # without types; the only one of its relation


def test_a_pattern_is_trusted_by_other_pairs_only(about, labelled_rows):
    names = ["Ada", "Bela", "Cato", "Dora", "Egon", "Fay"]
    rows = [about(f"{name} was born in {name}burg.", name, f"{name}burg", "born_in") for name in names[:4]]
    rows += [about(f"{name} painted the walls of {name}burg.", name, f"{name}burg", "painted") for name in names[4:]]
    rows += [about("Gus fled from Husum.", "Gus", "Husum", "fled")]
    found = wording_confidence(labelled_rows(rows))
    assert found[:4].tolist() == pytest.approx([1.0] * 4)
    assert found[4:6].tolist() == pytest.approx([1.0] * 2)
    assert found[6] == 0


def test_a_pattern_of_one_pair_supports_none_of_its_statements(about, labelled_rows):
    rows = [about("Ada was born in Lunsk.", "Ada", "Lunsk", "born_in")] * 3
    rows += [about(f"{name} married {name}o.", name, f"{name}o", "spouse") for name in ("Bela", "Cato", "Dora")]
    found = wording_confidence(labelled_rows(rows))
    assert found[:3].tolist() == [0, 0, 0]
    assert (found[3:] > 0.9).all()


def test_a_wording_that_other_relations_have_is_trusted_less(about, labelled_rows):
    rows = [
        about(f"{name} was born in {name}burg.", name, f"{name}burg", "born_in") for name in ("Ada", "Bela", "Cato")
    ]
    rows += [about("Egon was born in Egonburg.", "Egon", "Egonburg", "capital")]
    rows += [about(f"{name} rules over {name}burg.", name, f"{name}burg", "capital") for name in ("Fay", "Gus")]
    found = wording_confidence(labelled_rows(rows))
    assert found[:3].tolist() == pytest.approx([2 / 3] * 3)  # two other pairs for it, one against it
    assert found[3] == 0
