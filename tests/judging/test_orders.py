"""Which statements are judged: the audit's sample, the worst first, at random; repeats; disagreements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.audit import Audit, draw_sample
from protorel.io import BadInput
from protorel.judging import Plan, Verdict, VerdictStore, disagreements, find_plan, with_repeats
from protorel.judging.orders import APART, sample_of


@pytest.fixture
def store(folder):
    with VerdictStore(folder, Audit.read(folder)) as store:
        yield store


def test_the_sample_is_the_audits_and_its_probabilities_are_stored(folder, store):
    made = find_plan(store, "sample", size=30, seed=3)
    drawn = draw_sample(store.audit.scores, 30, seed=3)
    assert made.places == tuple(drawn.places)
    assert made.inclusion == pytest.approx(drawn.inclusion)
    with VerdictStore(folder, store.audit) as again:
        assert again.plan("sample") == made
        assert (made.seed, sum(made.strata), made.stratum) == (3, 60, tuple(drawn.stratum))


def test_all_judges_get_the_same_statements_whatever_is_left_out(store):
    made = find_plan(store, "sample", size=30, seed=3)
    assert find_plan(store, "sample") == made
    assert find_plan(store, "sample", size=10) == made


def test_a_larger_sample_begins_with_the_one_before(store):
    small = find_plan(store, "sample", size=30, seed=3)
    large = find_plan(store, "sample", size=45)
    assert large.places[:30] == small.places
    assert len(set(large.places)) == 45
    assert store.plan("sample") == large
    assert with_repeats(large)[: len(with_repeats(small))] == with_repeats(small)


def test_another_seed_is_refused(store):
    find_plan(store, "sample", size=30, seed=3)
    with pytest.raises(BadInput, match="--seed: expected 3, by which these statements were drawn, got 4"):
        find_plan(store, "sample", seed=4)


def test_a_sample_that_is_drawn_otherwise_today_is_not_mixed_up(store):
    store.set_plan(Plan("sample", (5, 4, 3), seed=3, inclusion=(0.1,) * 3, stratum=(0,) * 3, strata=(60,)))
    assert find_plan(store, "sample").places == (5, 4, 3)
    assert sample_of(store.audit, store.plan("sample")) is None
    with pytest.raises(BadInput, match="--sample: expected at most 3, as an earlier version drew them, got 40"):
        find_plan(store, "sample", size=40)


def test_by_score_the_worst_come_first_and_are_no_sample(store):
    made = find_plan(store, "score", size=20)
    assert made.places == tuple(range(20))
    assert made.inclusion == ()
    assert store.plan("score") == made
    assert sample_of(store.audit, made) is None


def test_at_random_every_statement_is_as_probable(store):
    made = find_plan(store, "random", size=20, seed=1)
    assert made.inclusion == pytest.approx([20 / 60] * 20)
    assert set(made.stratum) == {0}
    assert made.places != tuple(sorted(made.places))


def test_a_small_audit_is_judged_completely(store):
    assert sorted(find_plan(store, "sample").places) == list(range(60))


@given(st.integers(0, 300), st.integers(0, 5))
def test_five_percent_come_again_ten_or_more_statements_later(number, seed):
    items = with_repeats(Plan("sample", tuple(range(1000, 1000 + number)), seed=seed))
    firsts = [place for place, round in items if round == "first"]
    assert firsts == list(range(1000, 1000 + number))
    repeats = [at for at, (_, round) in enumerate(items) if round == "repeat"]
    assert len(repeats) == number // 20
    assert len({items[at] for at in repeats}) == len(repeats)
    for at in repeats:
        assert at - items.index((items[at][0], "first")) - 1 >= APART


def test_disagreements_are_right_against_wrong_until_somebody_decides(store):
    said = {"ada": ["true", "true", "true", "false", "skip"], "bela": ["false", "unclear", "true", "reversed", "true"]}
    for judge, verdicts in said.items():
        for place, one in enumerate(verdicts):
            store.add(judge, Verdict(f"{judge}-{place:08}", place, one))
    assert disagreements(store.histories()) == [0]
    store.add("bela", Verdict("bela-repeat-2", 2, "false", round="repeat"))
    assert disagreements(store.histories()) == [0]
    store.add("cleo", Verdict("cleo-settles-0", 0, "unclear", round="settle"))
    assert disagreements(store.histories()) == [0]
    store.add("cleo", Verdict("cleo-settles-1", 0, "true", round="settle"))
    assert disagreements(store.histories()) == []
    assert disagreements(store.histories(), settled=True) == [0]
