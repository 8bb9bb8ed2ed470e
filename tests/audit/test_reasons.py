"""Each reason is one sentence with a name, a number, and never None."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.audit import EVIDENCE
from protorel.audit.reasons import Row, reason

NAMES = {"P19": "place of birth", "P20": "place of death"}


def said(score: float = 0.1, **values) -> str:
    row = dict.fromkeys([*EVIDENCE, "head_type", "tail_type"])
    row |= {"given_label": "P19", "predicted_label": "P19", "label_score": score}
    return reason(Row(row | values, NAMES))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, "Weak evidence for place of birth."),
        ({"predicted_label": "P20"}, "It looks more like place of death."),
        ({"predicted_label": "P7"}, "It looks more like P7."),
        ({"predicted_label": None}, "Weak evidence for place of birth."),
        ({"cross_fitted_probability": 0.2, "reverse_probability": 0.9}, "It fits better from tail to head."),
        ({"cross_fitted_probability": 0.5, "reverse_probability": 0.9}, "Weak evidence for place of birth."),
        ({"cross_fitted_probability": 0.01}, "Other sentences give this label a probability of 0.01."),
        ({"duplicate_conflicts": 0}, "Weak evidence for place of birth."),
        ({"duplicate_conflicts": 1}, "A near-duplicate about this pair has another label."),
        ({"duplicate_conflicts": 3}, "3 near-duplicates about this pair have other labels."),
        (
            {"type_share": 0.01, "head_type": "work", "tail_type": "place"},
            "Only 1 % of the label's statements relate work and place.",
        ),
        ({"neighbour_agreement": 0.15}, "15 % of its neighbours have this label."),
        ({"description_fit": -0.1}, "Its description fits no better than those of other relations."),
        ({"description_fit": float("nan"), "type_share": float("nan")}, "Weak evidence for place of birth."),
        (
            {"predicted_label": "P20", "neighbour_agreement": 0.0, "description_fit": -1.0},
            "It looks more like place of death, and 0 % of its neighbours have this label.",
        ),
        ({"score": 0.9}, "Looks like place of birth."),
        ({"score": 0.5, "neighbour_agreement": 0.8}, "Looks like place of birth, as 80 % of its neighbours."),
        ({"score": 0.9, "neighbour_agreement": 0.2}, "Looks like place of birth."),
        (
            {"score": 0.9, "neighbour_agreement": 0.8, "wording_confidence": 0.7},
            "Looks like place of birth, and its wording is typical of it.",
        ),
    ],
)  # fmt: skip
def test_the_reason_says_what_the_evidence_says(values, expected):
    assert said(**values) == expected


PIECE = st.one_of(st.none(), st.just(float("nan")), st.floats(-1, 1), st.just(float("inf")))
WORDS = st.text(min_size=1).filter(lambda word: "None" not in word and "nan" not in word)


@given(
    score=st.floats(0, 1),
    evidence=st.fixed_dictionaries({name: PIECE for name in EVIDENCE if EVIDENCE[name][0] == "float"}),
    label=WORDS,
    other=st.one_of(st.none(), WORDS),
    kinds=st.tuples(WORDS, WORDS),
    names=st.dictionaries(WORDS, WORDS, max_size=3),
)
def test_any_evidence_and_any_name_gives_one_sentence(score, evidence, label, other, kinds, names):
    row = {**dict.fromkeys(EVIDENCE), **evidence, "head_type": kinds[0], "tail_type": kinds[1]}
    row |= {"given_label": label, "predicted_label": other, "label_score": score}
    found = reason(Row(row, names))
    assert found.endswith(".")
    assert "None" not in found
    assert "nan" not in found


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "{0} %s %", "\u202eabc", "a" * 1000, "🦆"])
def test_a_hostile_name_is_said_as_it_is(name):
    assert name in said(predicted_label=name)
