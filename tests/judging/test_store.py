"""The store of verdicts: an append-only log; undo without end; a verdict sent twice is stored once."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.audit import Audit
from protorel.judging import VERDICTS, Verdict, VerdictRefused, VerdictStore
from protorel.judging.verdicts import Entry, JudgeHistory


@pytest.fixture
def store(folder):
    with VerdictStore(folder, Audit.read(folder)) as store:
        yield store


def verdict(number: int, place: int = 0, said: str = "true", **rest) -> Verdict:
    return Verdict(f"verdict-{number:04}", place, said, "died_in" if said == "other" else None, **rest)


def standing(store, judge="ada"):
    return {key: one.verdict for key, one in store.histories()[judge].standing().items()}


def test_a_verdict_is_there_when_the_file_is_opened_again(folder, store):
    store.add("ada", verdict(1, 5, "other", opinion_shown=True))
    with VerdictStore(folder, Audit.read(folder)) as again:
        [entry] = again.log()
    assert entry == Entry(1, "ada", verdict(1, 5, "other", opinion_shown=True))


def test_the_row_of_the_data_is_stored_with_the_place(folder, store):
    store.add("ada", verdict(1, 5))
    with sqlite3.connect(store.path) as connection:
        [(place, row)] = connection.execute("SELECT place, row FROM log").fetchall()
    connection.close()
    assert (place, row) == (5, store.audit.table["row"][5].as_py())


def test_the_log_only_grows(store):
    store.add("ada", verdict(1))
    connection = sqlite3.connect(store.path)
    for change in ("DELETE FROM log", "UPDATE log SET verdict = 'false'"):
        with pytest.raises(sqlite3.IntegrityError, match="the log only grows"):
            connection.execute(change)
    connection.close()


def test_a_verdict_sent_twice_is_stored_once(store):
    for _ in range(3):
        store.add("ada", verdict(1))
    assert len(store.log()) == 1


@pytest.mark.parametrize("other", [verdict(1, 1), verdict(1, 0, "false"), verdict(1, 0, opinion_shown=True)])
def test_another_verdict_with_the_same_id_is_refused(store, other):
    store.add("ada", verdict(1))
    with pytest.raises(VerdictRefused, match="which another line has"):
        store.add("ada", other)
    with pytest.raises(VerdictRefused, match="which another line has"):
        store.add("bela", verdict(1))
    with pytest.raises(VerdictRefused, match="which another line has"):
        store.undo("ada", "verdict-0001")
    assert len(store.log()) == 1


def test_undo_takes_back_one_verdict_after_another_to_the_first(store):
    for number in range(4):
        store.add("ada", verdict(number, number))
    undone = [store.undo("ada", f"undo-{number:08}") for number in range(6)]
    assert [one and one.place for one in undone] == [3, 2, 1, 0, None, None]
    assert standing(store) == {}
    assert len(store.log()) == 8  # what was never there leaves no line


def test_an_undo_sent_twice_undoes_once_and_answers_the_same(store):
    for number in range(3):
        store.add("ada", verdict(number, number))
    first = store.undo("ada", "undo-00000001")
    assert store.undo("ada", "undo-00000001") == first
    assert first is not None
    assert first.place == 2
    assert list(standing(store)) == [(0, "first"), (1, "first")]


def test_undo_brings_the_earlier_verdict_on_the_same_statement_back(store):
    store.add("ada", verdict(1, 0, "true"))
    store.add("ada", verdict(2, 1, "true"))
    store.add("ada", verdict(3, 0, "false"))
    assert standing(store) == {(1, "first"): "true", (0, "first"): "false"}
    store.undo("ada", "undo-00000001")
    assert standing(store) == {(0, "first"): "true", (1, "first"): "true"}


def test_judges_and_rounds_do_not_touch_each_other(store):
    store.add("ada", verdict(1, 0, "true"))
    store.add("bela", verdict(2, 0, "false"))
    store.add("ada", verdict(3, 0, "false", round="repeat"))
    store.undo("bela", "undo-00000001")
    assert standing(store, "ada") == {(0, "first"): "true", (0, "repeat"): "false"}
    assert standing(store, "bela") == {}


def test_two_processes_worth_of_stores_see_each_other(folder, store):
    with VerdictStore(folder, Audit.read(folder)) as second:
        store.add("ada", verdict(1, 0))
        second.add("bela", verdict(2, 1))
        store.add("ada", verdict(3, 2))
        assert second.log() == store.log()
        assert set(second.histories()) == set(store.histories()) == {"ada", "bela"}


def test_a_place_that_the_audit_does_not_have_is_refused(store):
    with pytest.raises(VerdictRefused, match="place: expected one below 60, got 60"):
        store.add("ada", verdict(1, 60))
    assert store.log() == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"id": "short"}, "id: expected 8 to 64"),
        ({"id": 12345678}, "id: expected 8 to 64"),
        ({"place": -1}, "place: expected a whole number"),
        ({"place": True}, "place: expected a whole number"),
        ({"verdict": "maybe"}, "verdict: expected one of true, false"),
        ({"verdict": ["true"]}, "verdict: expected one of true, false"),
        ({"round": "third"}, "round: expected one of first"),
        ({"opinion_shown": 1}, "opinion_shown: expected true or false"),
        ({"relation": "died_in"}, "relation: expected none with this verdict"),
        ({"verdict": "other"}, "relation: expected the name of a relation, got None"),
        ({"verdict": "other", "relation": ""}, "relation: expected the name of a relation"),
    ],
)
def test_a_verdict_has_its_fields_checked(fields, said):
    with pytest.raises(VerdictRefused, match=said):
        Verdict(**{"id": "verdict-1", "place": 0, "verdict": "true", **fields})


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("undo"), st.sampled_from(["ada", "bela"])),
        st.tuples(st.integers(0, 3), st.sampled_from(["ada", "bela"]), st.sampled_from(VERDICTS)),
    ),
    max_size=30,
)


@given(ACTIONS)
def test_what_stands_is_what_a_plain_list_per_judge_would_hold(actions):
    histories = {"ada": JudgeHistory(), "bela": JudgeHistory()}
    lists = {"ada": [], "bela": []}
    for number, (what, judge, *said) in enumerate(actions):
        if what == "undo":
            histories[judge].add(Entry(number, judge, None))
            del lists[judge][-1:]
        else:
            one = verdict(number, what, said[0])
            histories[judge].add(Entry(number, judge, one))
            lists[judge].append(one)
    for judge, history in histories.items():
        assert history.standing() == {(one.place, "first"): one for one in lists[judge]}
        assert history.last == (lists[judge][-1] if lists[judge] else None)
