from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.evaluation import read_answers, score_semeval
from protorel.evaluation.classification.semeval_counts import SEMEVAL_LABELS
from protorel.evaluation.classification.semeval_scorer import semeval_f1_interval
from protorel.statements import BadInput

# Counted by hand. Cause-Effect: 1 and 2 right, 3 the wrong way round, 4 skipped. Message-Topic: 5 right, 6 answered
# Other. Other: 7 right, 8 answered with a relation that the key lacks, 9 skipped.
GOLD = {
    "1": "Cause-Effect(e1,e2)",
    "2": "Cause-Effect(e1,e2)",
    "3": "Cause-Effect(e2,e1)",
    "4": "Cause-Effect(e2,e1)",
    "5": "Message-Topic(e1,e2)",
    "6": "Message-Topic(e1,e2)",
    "7": "Other",
    "8": "Other",
    "9": "Other",
}
ANSWERS = {
    "8": "Entity-Origin(e2,e1)",
    "1": "Cause-Effect(e1,e2)",
    "2": "Cause-Effect(e1,e2)",
    "3": "Cause-Effect(e1,e2)",
    "5": "Message-Topic(e1,e2)",
    "6": "Other",
    "7": "Other",
}
REPORT = """\
!!!WARNING!!! The proposed file contains 1 label(s) of type 'Entity-Origin(e2,e1)', which is \
NOT present in the key file.

<<< (2*9+1)-WAY EVALUATION (USING DIRECTIONALITY)>>>:

Confusion matrix:
        C-E1 C-E2 M-T1  _O_ *EO2 <-- classified as
      +-------------------------+ -SUM- skip ACTUAL
 C-E1 |   2    0    0    0    0 |    2    0    2
 C-E2 |   1    0    0    0    0 |    1    1    2
 M-T1 |   0    0    1    1    0 |    2    0    2
  _O_ |   0    0    0    1    1 |    2    1    3
      +-------------------------+
 -SUM-    3    0    1    2    1      7    2    9

Coverage = 7/9 = 77.78%
Accuracy (calculated for the above confusion matrix) = 4/7 = 57.14%
Accuracy (considering all skipped examples as Wrong) = 4/9 = 44.44%
Accuracy (considering all skipped examples as Other) = 5/9 = 55.56%

Results for the individual relations:
      Cause-Effect(e1,e2) :    P =    2/   3 =  66.67%     R =    2/   2 = 100.00%     F1 =  80.00%
      Cause-Effect(e2,e1) :    P =    0/   0 =   0.00%     R =    0/   2 =   0.00%     F1 =   0.00%
     Message-Topic(e1,e2) :    P =    1/   1 = 100.00%     R =    1/   2 =  50.00%     F1 =  66.67%
                   _Other :    P =    1/   2 =  50.00%     R =    1/   3 =  33.33%     F1 =  40.00%

Micro-averaged result (excluding Other):
P =    3/   4 =  75.00%     R =    3/   6 =  50.00%     F1 =  60.00%

MACRO-averaged result (excluding Other):
P =  55.56%\tR =  50.00%\tF1 =  48.89%



<<< (9+1)-WAY EVALUATION IGNORING DIRECTIONALITY >>>:

Confusion matrix:
         C-E  M-T  _O_  *EO <-- classified as
      +--------------------+ -SUM- skip ACTUAL
  C-E |   3    0    0    0 |    3    1    4
  M-T |   0    1    1    0 |    2    0    2
  _O_ |   0    0    1    1 |    2    1    3
      +--------------------+
 -SUM-    3    1    2    1      7    2    9

Coverage = 7/9 = 77.78%
Accuracy (calculated for the above confusion matrix) = 5/7 = 71.43%
Accuracy (considering all skipped examples as Wrong) = 5/9 = 55.56%
Accuracy (considering all skipped examples as Other) = 6/9 = 66.67%

Results for the individual relations:
             Cause-Effect :    P =    3/   3 = 100.00%     R =    3/   4 =  75.00%     F1 =  85.71%
            Message-Topic :    P =    1/   1 = 100.00%     R =    1/   2 =  50.00%     F1 =  66.67%
                   _Other :    P =    1/   2 =  50.00%     R =    1/   3 =  33.33%     F1 =  40.00%

Micro-averaged result (excluding Other):
P =    4/   4 = 100.00%     R =    4/   6 =  66.67%     F1 =  80.00%

MACRO-averaged result (excluding Other):
P = 100.00%\tR =  62.50%\tF1 =  76.19%



<<< (9+1)-WAY EVALUATION TAKING DIRECTIONALITY INTO ACCOUNT -- OFFICIAL >>>:

Confusion matrix:
         C-E  M-T  _O_  *EO <-- classified as
      +--------------------+ -SUM- xDIRx skip  ACTUAL
  C-E |   2    0    0    0 |    2     1     1      4
  M-T |   0    1    1    0 |    2     0     0      2
  _O_ |   0    0    1    1 |    2     0     1      3
      +--------------------+
 -SUM-    2    1    2    1      6     1     2      9

Coverage = 7/9 = 77.78%
Accuracy (calculated for the above confusion matrix) = 4/7 = 57.14%
Accuracy (considering all skipped examples as Wrong) = 4/9 = 44.44%
Accuracy (considering all skipped examples as Other) = 5/9 = 55.56%

Results for the individual relations:
             Cause-Effect :    P =    2/(   2 +   1) =  66.67%     R =    2/   4 =  50.00%     F1 =  57.14%
            Message-Topic :    P =    1/(   1 +   0) = 100.00%     R =    1/   2 =  50.00%     F1 =  66.67%
                   _Other :    P =    1/(   2 +   0) =  50.00%     R =    1/   3 =  33.33%     F1 =  40.00%

Micro-averaged result (excluding Other):
P =    3/   4 =  75.00%     R =    3/   6 =  50.00%     F1 =  60.00%

MACRO-averaged result (excluding Other):
P =  83.33%\tR =  50.00%\tF1 =  61.90%



<<< The official score is (9+1)-way evaluation with directionality taken into account: macro-averaged F1 = 61.90% >>>
"""


@pytest.mark.parametrize("number", [1, 2, 3, 5])
def test_the_samples_of_the_task_give_the_official_report_to_the_byte(real_data, number):
    folder = real_data / "semeval2010" / "scorer"
    key, answers = (read_answers(folder / f"{name}{number}.txt") for name in ("answer_key", "proposed_answer"))
    # The official files were made where lines end in CRLF.
    wanted = (folder / f"result_scores{number}.txt").read_bytes().replace(b"\r\n", b"\n").decode()
    assert score_semeval(key, answers).report() == wanted


def test_a_case_counted_by_hand_gives_its_report():
    assert score_semeval(GOLD, ANSWERS).report() == REPORT


def test_a_key_without_other_scores_other_nowhere():
    score = score_semeval({"1": "Cause-Effect(e1,e2)", "2": "Cause-Effect(e2,e1)"}, {"1": "Other"})
    report = score.report()
    assert "of type '_Other', which is NOT present" in report
    assert " C-E1 |   0    0    1 |    1    0    1\n" in report
    assert "_Other :" not in report
    assert "considering all skipped examples as Other) = 0/2" in report
    assert score.f1 == 0


def official_f1(gold, answers):
    """The rule of the task in plain loops."""
    relations = {label.split("(")[0] for label in gold.values()} - {"Other"}
    total = 0.0
    for relation in relations:
        right = answered = wanted = 0
        for name, label in gold.items():
            said = answers.get(name)
            wanted += label.split("(")[0] == relation
            if said is not None:
                answered += said.split("(")[0] == relation
                right += said == label and label.split("(")[0] == relation
        precision, recall = (right / answered if answered else 0.0), right / wanted
        total += 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return total / len(relations)


labels = st.sampled_from(SEMEVAL_LABELS[:4] + SEMEVAL_LABELS[-3:])
cases = st.lists(st.tuples(labels, st.none() | labels), min_size=1, max_size=30).filter(
    lambda rows: any(gold != "Other" for gold, _ in rows) and any(answer for _, answer in rows)
)


@settings(max_examples=40)  # each redraws statements for its intervals
@given(cases)
def test_the_official_f1_is_the_task_s_rule_in_plain_loops(rows):
    gold = {str(place): label for place, (label, _) in enumerate(rows)}
    answers = {str(place): label for place, (_, label) in enumerate(rows) if label}
    score = score_semeval(gold, answers)
    assert score.f1 == pytest.approx(official_f1(gold, answers), abs=1e-12)
    assert score.official.macro.f1 / 100 == pytest.approx(score.f1, abs=1e-12)


@settings(max_examples=40)  # each redraws statements for its intervals
@given(cases)
def test_sums_agree_in_every_part(rows):
    gold = {str(place): label for place, (label, _) in enumerate(rows)}
    answers = {str(place): label for place, (_, label) in enumerate(rows) if label}
    score = score_semeval(gold, answers)
    for part in (score.directed, score.undirected, score.official):
        assert (part.total, part.answered) == (len(gold), len(answers))
        assert sum(map(part.row_sum, part.labels)) + part.wrong_direction_total == part.answered
        assert sum(map(part.column_sum, [*part.labels, *part.unknown])) + part.wrong_direction_total == part.answered
    assert score.skipped == len(gold) - len(answers)
    assert score.directed.right == score.official.right
    assert score.undirected.right == score.official.right + score.official.wrong_direction_total


def test_the_interval_is_that_of_redrawing_statements_one_by_one():
    rng = np.random.default_rng(0)
    rows = [
        (label, label if rng.random() < 0.6 else str(rng.choice(SEMEVAL_LABELS)))
        for label in rng.choice(SEMEVAL_LABELS, size=200).tolist()
    ]
    found = semeval_f1_interval(rows, seed=3)
    slow = []
    for _ in range(300):
        drawn = [rows[place] for place in rng.integers(len(rows), size=len(rows))]
        named = {str(place): row for place, row in enumerate(drawn)}
        slow.append(official_f1({n: gold for n, (gold, _) in named.items()}, {n: a for n, (_, a) in named.items()}))
    low, high = np.quantile(slow, [0.025, 0.975])
    assert found.margin == pytest.approx((high - low) / 2, rel=0.2)
    assert found.count == 200
    assert semeval_f1_interval(rows, seed=3) == found
    assert semeval_f1_interval(rows, seed=4).margin != found.margin


def test_one_statement_has_no_interval_and_still_goes_into_json():
    score = score_semeval({"1": "Cause-Effect(e1,e2)"}, {"1": "Cause-Effect(e1,e2)"})
    assert score.macro_f1.margin == math.inf
    assert score.as_json()["margin"] is None


def test_json_holds_the_figures_as_shares():
    told = score_semeval(GOLD, ANSWERS, seed=5).as_json()
    assert told["f1"] == pytest.approx((4 / 7 + 2 / 3) / 2)
    assert 0 < told["margin"] < 1
    assert (told["statements"], told["skipped"], told["wrong_direction"], told["seed"]) == (9, 2, 1, 5)
    assert told["undirected"]["micro"] == pytest.approx({"precision": 1.0, "recall": 2 / 3, "f1": 0.8})
    assert told["official"]["accuracy"] == pytest.approx(4 / 9)
    assert told["official"]["wrong_direction"] == {"Cause-Effect": 1}
    assert told["official"]["per_relation"]["Message-Topic"]["count"] == 2
    assert told["directed"]["wrong_direction"] is None
    assert told["directed"]["confusion"]["Other"] == {"Entity-Origin(e2,e1)": 1, "Other": 1}


@pytest.mark.parametrize(
    ("gold", "answers", "said"),
    [
        (GOLD, {"1": "Other", "77": "Other"}, "1 of 2 answers have an id that is not in the key, the first: '77'"),
        (GOLD, {}, "expected answers to the 9 statements of the key, got none"),
        ({"1": "Other"}, {"1": "Other"}, "expected a key with relations, got only Other"),
        (GOLD, {"1": "born_in"}, "expected one of the task's 19 labels, got 'born_in'"),
        ({"1": "Cause-Effect"}, {"1": "Other"}, "without a direction"),
    ],
)
def test_what_cannot_be_scored_is_refused(gold, answers, said):
    with pytest.raises(BadInput) as problem:
        score_semeval(gold, answers)
    assert said in str(problem.value)
