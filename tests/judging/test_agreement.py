"""Agreement of judges: alpha by krippendorff's package, kappa against statsmodels, repeats."""

import sys

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa, to_table

from protorel.io import BadInput
from protorel.judging import JudgeHistory, Verdict, cohen_kappa, krippendorff_alpha, measure_agreement
from protorel.judging.verdicts import Entry

ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=40)


def histories(said: dict[str, list[str]], repeats: dict[str, dict[int, str]] | None = None):
    found = {}
    for judge, verdicts in said.items():
        history = found[judge] = JudgeHistory()
        given = [(place, one, "first") for place, one in enumerate(verdicts) if one]
        given += [(place, one, "repeat") for place, one in (repeats or {}).get(judge, {}).items()]
        for number, (place, one, round) in enumerate(given):
            relation = "x" if one == "other" else None
            history.add(Entry(number, judge, Verdict(f"id-{number:08}", place, one, relation, round)))
    return found


@given(ROWS)
def test_kappa_is_that_of_statsmodels(rows):
    pairs = np.array(rows)
    ours = cohen_kappa(pairs)
    if ours is None:
        assert len({value for pair in rows for value in pair}) == 1
    else:
        theirs = cohens_kappa(to_table(pairs, bins=3)[0], return_results=False)
        assert ours == pytest.approx(theirs, abs=1e-12)


@given(ROWS)
def test_alpha_is_one_minus_the_ratio_of_disagreements(rows):
    assume(len({value for pair in rows for value in pair}) > 1)
    values = np.array(rows)
    counts = np.stack([(values == category).sum(axis=1) for category in range(3)], axis=1)
    observed = sum(one != other for one, other in rows) / len(rows)
    pool = values.ravel()
    expected = sum(one != other for i, one in enumerate(pool) for j, other in enumerate(pool) if i != j)
    expected /= len(pool) * (len(pool) - 1)
    assert krippendorff_alpha(counts) == pytest.approx(1 - observed / expected)


def test_perfect_agreement_is_one_and_chance_is_near_zero():
    said = ["true", "false"] * 20
    assert measure_agreement(histories({"ada": said, "bela": said})).alpha.value == pytest.approx(1)
    random = np.random.default_rng(0)
    drawn = [["true", "false"][one] for one in random.integers(2, size=400)]
    found = measure_agreement(histories({"ada": said * 10, "bela": drawn}), resamples=200)
    assert abs(found.alpha.value) < 0.1
    assert found.alpha.low < 0 < found.alpha.high
    assert found.kappa["ada", "bela"].low <= found.kappa["ada", "bela"].value <= found.kappa["ada", "bela"].high


def test_false_reversed_and_other_are_the_same_view_of_the_label():
    found = measure_agreement(
        histories({"ada": ["true", "false", "reversed", "other"] * 3, "bela": ["true", "other", "false", "false"] * 3})
    )
    assert found.alpha.value == pytest.approx(1)
    assert found.kappa["ada", "bela"].value == pytest.approx(1)


def test_what_a_judge_skipped_or_never_saw_is_missing():
    found = measure_agreement(
        histories(
            {
                "ada": ["true", "false", "true", "skip", "true", "false"],
                "bela": ["true", "false", "skip", "true", "", "true"],
                "cleo": ["skip", "skip", "skip"],
            }
        )
    )
    assert found.alpha.statements == 3
    assert list(found.kappa) == [("ada", "bela")]
    assert found.kappa["ada", "bela"].statements == 3


def test_where_all_verdicts_are_equal_there_is_no_coefficient():
    found = measure_agreement(histories({"ada": ["true"] * 9, "bela": ["true"] * 9}))
    assert (found.alpha.value, found.alpha.low) == (None, None)
    assert found.kappa["ada", "bela"].value is None


def test_one_judge_has_no_agreement_but_repeats():
    found = measure_agreement(
        histories(
            {"ada": ["true", "false", "true", "unclear", "skip"]},
            {"ada": {0: "true", 1: "reversed", 2: "false", 4: "true"}},
        )
    )
    assert found.alpha is None
    same, low, high, number = found.repeats["ada"]
    assert (same, number) == (2 / 3, 3)
    assert 0 <= low < same < high <= 1


def test_nobody_has_no_agreement():
    found = measure_agreement({})
    assert (found.alpha, found.kappa, found.repeats) == (None, {}, {})


def test_the_interval_is_the_same_every_time_and_contains_the_value():
    said = histories({"ada": ["true", "false", "true"] * 15, "bela": ["true", "false", "false"] * 15})
    one, two = measure_agreement(said), measure_agreement(said)
    assert one == two
    assert one.alpha.low < one.alpha.value < one.alpha.high


def test_without_the_package_the_message_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    with pytest.raises(BadInput, match=r"this needs krippendorff; install it with: pip install 'protorel\[audit\]'"):
        measure_agreement(histories({"ada": ["true", "false"], "bela": ["true", "true"]}))
