from __future__ import annotations

import pytest

from protorel.statements import Relation, RelationVocabulary, UnknownRelation


def test_every_relation_has_its_index_and_every_index_its_relation():
    vocabulary = RelationVocabulary(["born_in", Relation("died_in", "place of death"), "lives_in"])
    assert len(vocabulary) == 3
    assert [vocabulary.index(relation.id) for relation in vocabulary] == [0, 1, 2]
    assert vocabulary[1].name == "place of death"
    assert vocabulary.ids == ("born_in", "died_in", "lives_in")
    assert "lives_in" in vocabulary
    assert "works_in" not in vocabulary


def test_an_unknown_relation_is_named_with_the_nearest_known_one():
    with pytest.raises(
        UnknownRelation, match=r"expected one of the 2 known relations, got 'born_im'; did you mean 'born_in'\?"
    ):
        RelationVocabulary(["born_in", "died_in"]).index("born_im")
    with pytest.raises(UnknownRelation, match=r"expected one of the 0 known relations, got 'born_in'$"):
        RelationVocabulary([]).index("born_in")


def test_a_relation_cannot_stand_twice():
    with pytest.raises(ValueError, match="got 'born_in' more than once"):
        RelationVocabulary(["born_in", "died_in", Relation("born_in", "place of birth")])


def test_vocabularies_are_equal_when_relations_and_order_are():
    one, same, other = (RelationVocabulary(ids) for ids in (["a", "b"], ["a", "b"], ["b", "a"]))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != ["a", "b"]
    assert repr(one) == "RelationVocabulary(['a', 'b'])"
