from __future__ import annotations

import pytest

from protorel.statements import BadInput, Statement, gather_labels

TEXT = "Ada Kroll was born and died in Lunsk."


def row(relation, *, head=(0, 9), tail=(31, 36)):
    return Statement(TEXT, head, tail, relation)


def test_labels_of_one_pair_are_one_set_and_the_other_order_is_another_pair():
    found = gather_labels([row("born_in"), row("died_in"), row("NA", head=(31, 36), tail=(0, 9)), row("born_in")])
    assert [set(labels) for labels in found.labels] == [{"born_in", "died_in"}, set()]
    assert len(found) == 2
    assert found.statements[0].relation == "born_in"


@pytest.mark.parametrize("none", ["no_relation", "NA", "Other"])
def test_a_label_that_means_no_relation_adds_nothing(none):
    assert gather_labels([row(none), row("born_in")]).labels == (frozenset({"born_in"}),)


def test_a_statement_without_a_label_is_refused():
    with pytest.raises(
        BadInput, match=r"statement 1: expected a label, got none. Label pairs without a relation no_relation"
    ):
        gather_labels([row("born_in"), row(None)])
