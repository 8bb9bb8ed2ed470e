from __future__ import annotations

import pytest

from protorel.statements import BadInput, Span, Statement, fingerprint, relation_list, select


def statement(number: int, relation: str | None) -> Statement:
    return Statement("Ada Kroll was born in Lunsk.", Span(0, 9), Span(22, 27), relation, f"s{number}")


LABELS = ["born_in", "died_in", "born_in", None, "lives_in", "died_in", "born_in"]
ALL = [statement(number, label) for number, label in enumerate(LABELS)]


def ids(selection) -> list[str]:
    return [s.id for s in selection.source()]


def test_with_no_wish_everything_is_selected_labelled_or_not():
    selection = select(lambda: ALL)
    assert list(selection.source()) == ALL
    assert selection.counts == {"born_in": 3, "died_in": 2, "lives_in": 1}
    assert list(selection.counts) == sorted(selection.counts)
    assert selection.fingerprint == fingerprint(ALL)


def test_only_some_relations_are_selected_and_nothing_unlabelled_with_them():
    selection = select(lambda: ALL, only=["born_in", "lives_in", "never_seen"])
    assert ids(selection) == ["s0", "s2", "s4", "s6"]
    assert selection.counts == {"born_in": 3, "lives_in": 1}


def test_some_relations_are_left_out():
    selection = select(lambda: ALL, without=["born_in"])
    assert ids(selection) == ["s1", "s3", "s4", "s5"]
    assert selection.counts == {"died_in": 2, "lives_in": 1}


def test_leaving_out_is_stronger_than_asking_for():
    assert ids(select(lambda: ALL, only=["born_in", "died_in"], without=["born_in"])) == ["s1", "s5"]


@pytest.mark.parametrize(("least", "relations"), [(1, 3), (2, 2), (3, 1), (4, 0)])
def test_relations_with_too_few_statements_are_dropped(least, relations):
    selection = select(lambda: ALL, min_statements=least)
    assert len(selection.counts) == relations
    assert {s.relation for s in selection.source()} - {None} == set(selection.counts)
    assert all(count >= least for count in selection.counts.values())


def test_a_selection_can_be_read_again_and_again():
    selection = select(lambda: iter(ALL), without=iter(["died_in"]))
    assert ids(selection) == ids(selection) == ["s0", "s2", "s3", "s4", "s6"]


def test_the_fingerprint_is_that_of_the_selected_part_alone():
    selection = select(lambda: ALL, without=["born_in"])
    rest = [s for s in ALL if s.relation != "born_in"]
    assert selection.fingerprint == fingerprint(rest) != fingerprint(ALL)
    # What is left out may change and the selection is still the same.
    assert select(lambda: [*ALL, statement(9, "born_in")], without=["born_in"]).fingerprint == selection.fingerprint
    assert select(lambda: [*ALL, statement(9, "died_in")], without=["born_in"]).fingerprint != selection.fingerprint


def test_two_ways_to_the_same_part_give_the_same_fingerprint():
    wanted = {"only": ["born_in", "died_in"]}
    labelled = [s for s in ALL if s.relation is not None]
    assert (
        select(lambda: labelled, **wanted).fingerprint
        == select(lambda: labelled, min_statements=2).fingerprint
        == select(lambda: labelled, without=["lives_in"]).fingerprint
    )


def test_nothing_selected_has_no_counts():
    selection = select(lambda: ALL, only=[])
    assert (selection.counts, ids(selection), selection.fingerprint) == ({}, [], fingerprint([]))


def test_the_shipped_development_list_names_sixteen_relations_of_wikidata():
    relations = relation_list("fewrel_dev")
    assert len(relations) == len(set(relations)) == 16
    assert all(relation[0] == "P" and relation[1:].isdigit() for relation in relations)


def test_a_list_is_read_from_a_file_with_comments_and_repeats(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("# mine\nP1\n\n  P2  # a note\nP1\n#P3\r\nplace of birth\n")
    assert relation_list(str(path)) == ("P1", "P2", "place of birth")


@pytest.mark.parametrize("name", ["fewrel_dew", "lists/fewrel_dev", "../splits/fewrel_dev", ""])
def test_an_unknown_list_is_answered_with_those_that_we_ship(name):
    with pytest.raises(
        BadInput, match=r"expected a file or one of the lists of the package \(fewrel_dev\), got neither"
    ):
        relation_list(name)


def test_a_list_that_names_nothing_is_refused(tmp_path):
    (tmp_path / "empty.txt").write_text("# only a comment\n\n")
    with pytest.raises(BadInput, match=r"empty\.txt: expected one relation per line, got none"):
        relation_list(str(tmp_path / "empty.txt"))


def test_a_list_that_is_not_text_is_refused(tmp_path):
    (tmp_path / "relations.txt").write_bytes(b"\xff\xfeP\x001")
    with pytest.raises(BadInput, match="cannot be read as text"):
        relation_list(str(tmp_path / "relations.txt"))
