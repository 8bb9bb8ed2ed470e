from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from protorel.evaluation import PairSettings, score_pairs
from protorel.evaluation.entity_pairs.aggregation import COMBINE_RULES, Bags
from protorel.statements import BadInput, Span, Statement

NAMES = ["born_in", "none", "spouse"]


def said(head: str, tail: str, relation: str | None, *, expresses: bool | None = None, more: str = "") -> Statement:
    """A statement about two entities; `more` makes another sentence of it."""
    text = f"{head} and {tail}{more}"
    return Statement(
        text, Span(0, len(head)), Span(len(head) + 5, len(head) + 5 + len(tail)), relation, expresses=expresses
    )


# Two statements of Ada and Lunsk, one of Bela and Oster.
SMALL = [
    said("Ada", "Lunsk", "born_in", expresses=True),
    said("Bela", "Oster", "none"),
    said("ADA", "Lunsk", "spouse", expresses=False, more=" again"),
]
PROBABILITIES = np.array([[0.7, 0.1, 0.2], [0.3, 0.1, 0.6], [0.1, 0.4, 0.5]])


def test_figures_of_a_case_counted_by_hand():
    # At least one: (Ada, Lunsk) has born_in 0.7 and spouse 0.5, (Bela, Oster) 0.3 and 0.6; the order by score is
    # true, false (Bela's spouse), true, false.
    found = score_pairs(PROBABILITIES, NAMES, SMALL, PairSettings(combine="one", no_relation="none", at=(1, 2, 3, 100)))
    figures = found.labelled
    assert (figures.pairs, figures.facts, figures.unreachable, found.relations) == (2, 2, 0, 2)
    assert [figures.precision_at[number].value for number in (1, 2, 3, 100)] == pytest.approx([1, 1 / 2, 2 / 3, 1 / 2])
    assert figures.area.value == pytest.approx((1 + 2 / 3) / 2)
    assert figures.max_f1.value == pytest.approx(0.8)
    assert found.notes() == [
        "by labels: there are 4 (pair, relation) scores; precision at 100 is that of all 4",
        "by labels: there are 2 facts; precision at 3, 100 cannot exceed 66.7%, 50.0%",
        "by text: there are 4 (pair, relation) scores; precision at 100 is that of all 4",
        "by text: there are 1 facts; precision at 2, 3, 100 cannot exceed 50.0%, 33.3%, 25.0%",
    ]


def test_with_fewer_facts_than_n_a_note_gives_the_highest_possible_precision_at_n():
    statements = [said(f"h{number}", "t", "born_in" if number < 49 else "none") for number in range(400)]
    perfect = np.array([[1.0, 0.0, 0.0] if one.relation == "born_in" else [0.0, 1.0, 0.0] for one in statements])
    found = score_pairs(perfect, NAMES, statements, PairSettings(no_relation="none", at=(49, 50, 200)))
    (note,) = found.notes()
    assert note == "by labels: there are 49 facts; precision at 50, 200 cannot exceed 98.0%, 24.5%"
    assert [figure.value for figure in found.labelled.precision_at.values()] == [1.0, 0.98, 0.245]
    # A fact of a relation without a score cannot be found, so it does not raise the highest possible precision.
    unknown = [said(f"x{number}", "t", "author") for number in range(2)]
    more = score_pairs(
        np.vstack([perfect, np.zeros((2, 3))]),
        NAMES,
        [*statements, *unknown],
        PairSettings(no_relation="none", at=(50,)),
    )
    assert more.notes()[0] == (
        "by labels: there are 49 facts of relations that the run knows; precision at 50 cannot exceed 98.0%"
    )


def test_by_the_text_only_what_is_truly_expressed_is_a_fact():
    figures = score_pairs(PROBABILITIES, NAMES, SMALL, PairSettings(combine="one", no_relation="none")).expressed
    assert (figures.pairs, figures.facts) == (2, 1)
    assert figures.area.value == 1


def test_a_pair_with_an_unchecked_label_is_not_evaluated_by_the_text():
    statements = [*SMALL, said("Bela", "Oster", "spouse", more=" too")]
    found = score_pairs(np.vstack([PROBABILITIES, PROBABILITIES[1]]), NAMES, statements, PairSettings(combine="one"))
    assert (found.labelled.pairs, found.expressed.pairs) == (2, 1)
    assert found.labelled.facts == 4


def test_where_no_label_was_checked_there_is_no_figure_by_the_text():
    statements = [said("Ada", "Lunsk", "born_in"), said("Bela", "Oster", "spouse")]
    found = score_pairs(PROBABILITIES[:2], NAMES, statements, PairSettings(combine="mean"))
    assert found.expressed is None
    assert found.as_json()["expressed"] is None


def test_facts_of_relations_that_have_no_score_count_as_missed_and_are_counted():
    statements = [said("Ada", "Lunsk", "born_in"), said("Bela", "Oster", "author")]
    found = score_pairs(PROBABILITIES[:2], NAMES, statements, PairSettings(combine="one", no_relation="none", at=(1,)))
    assert (found.labelled.facts, found.labelled.unreachable) == (2, 1)
    assert found.labelled.area.value == 0.5
    assert any("1 of 2 facts are of relations that the run does not know" in note for note in found.notes())


def test_a_sentence_in_two_rows_counts_once():
    once = [said("Ada", "Lunsk", "born_in"), said("Ada", "Lunsk", None, more=" again"), said("Bela", "Oster", "spouse")]
    twice = [*once, said("Ada", "Lunsk", "spouse")]
    rows = np.array([[0.9, 0.0, 0.1], [0.1, 0.0, 0.9], [0.45, 0.0, 0.55], [0.9, 0.0, 0.1]])
    # Were the first sentence counted twice, born_in would have 0.63 and come first; counted once it has 0.5.
    found = score_pairs(rows, NAMES, twice, PairSettings(combine="mean", no_relation="none", at=(1, 3)))
    assert found.labelled.facts == 3
    assert found.labelled.precision_at[1].value == 1
    assert found.labelled.area.value == pytest.approx(average_precision_score([1, 1, 0, 1], [0.5, 0.5, 0.45, 0.55]))


def test_knowledge_base_ids_make_a_pair_where_both_are_known():
    one, two = (
        Statement("Ada in Lunsk", Span(0, 3), Span(7, 12), "born_in", head_id="Q1", tail_id="Q2"),
        Statement("Kroll of Lunsk", Span(0, 5), Span(9, 14), "born_in", head_id="Q1", tail_id="Q2"),
    )
    assert score_pairs(PROBABILITIES[:2], NAMES, [one, two], PairSettings(combine="one")).labelled.pairs == 1


bags = st.lists(st.integers(1, 4), min_size=1, max_size=4)


@given(bags, st.integers(0, 1000))
def test_the_rules_are_what_plain_loops_give(sizes, seed):
    rng = np.random.default_rng(seed)
    rows, relations = sum(sizes), 3
    starts = np.cumsum([0, *sizes[:-1]])
    given = Bags(rng.random((rows, relations)), starts, rng.uniform(-1, 1, (rows, relations)), scale=5.0)
    for name, rule in COMBINE_RULES.items():
        found = rule(given)
        assert found.shape == (len(sizes), relations)
        for bag, (start, size) in enumerate(zip(starts, sizes, strict=True)):
            for relation in range(relations):
                values = [given.probabilities[start + k, relation] for k in range(size)]
                weights = [math.exp(5.0 * given.cosines[start + k, relation]) for k in range(size)]
                wanted = {
                    "one": max(values),
                    "mean": sum(values) / size,
                    "attention": sum(w * v for w, v in zip(weights, values, strict=True)) / sum(weights),
                }[name]
                assert found[bag, relation] == pytest.approx(wanted)


def test_attention_looks_at_the_statements_closest_to_each_relation():
    vectors = np.array([[3.0, 0.0], [0.0, 1.0], [0.0, 0.2]])
    relation_vectors = np.array([[0.0, 0.5], [1.0, 1.0], [2.0, 0.0]])

    def ranks(scale):
        found = score_pairs(
            np.array([[0.1, 0.0, 0.9], [0.5, 0.0, 0.5], [0.9, 0.0, 0.1]]),
            NAMES,
            [said("Ada", "Lunsk", "born_in"), said("Bela", "Oster", "none"), said("Ada", "Lunsk", None, more=" again")],
            PairSettings(combine="attention", no_relation="none", attention_scale=scale, at=(1,)),
            vectors=vectors,
            relation_vectors=relation_vectors,
        )
        return found.labelled.precision_at[1].value

    # Each relation sees the statement that speaks for it, so Ada's two relations lead together; with no attention
    # every score is 0.5.
    assert ranks(200.0) == 0.5
    assert ranks(0.0) == 0.25


def many(pairs=150):
    """Pairs of one to three statements, with scores that know the truth somewhat."""
    rng = np.random.default_rng(0)
    statements, rows = [], []
    for pair in range(pairs):
        relation = str(rng.choice(NAMES))
        for number in range(int(rng.integers(1, 4))):
            statements.append(said(f"h{pair}", f"t{pair}", relation, more=f" {number}"))
            rows.append(np.exp(rng.normal(size=3) + 1.5 * (np.array(NAMES) == relation)))
    return np.array(rows) / np.sum(rows, axis=1, keepdims=True), statements


def test_intervals_are_those_of_redrawing_pairs_one_by_one():
    probabilities, statements = many()
    found = score_pairs(
        probabilities, NAMES, statements, PairSettings(combine="mean", no_relation="none", at=(50,), seed=1)
    )
    groups: dict[str, list[int]] = {}
    for row, statement in enumerate(statements):
        groups.setdefault(statement.head_text, []).append(row)
    scores = np.array([probabilities[rows].mean(0)[[0, 2]] for rows in groups.values()])
    truth = np.array(
        [[statements[rows[0]].relation == name for name in ("born_in", "spouse")] for rows in groups.values()]
    )
    assert found.labelled.area.value == pytest.approx(average_precision_score(truth.ravel(), scores.ravel()))
    rng = np.random.default_rng(5)
    areas, firsts = [], []
    for _ in range(400):
        drawn = rng.integers(len(scores), size=len(scores))
        areas.append(average_precision_score(truth[drawn].ravel(), scores[drawn].ravel()))
        firsts.append(truth[drawn].ravel()[np.argsort(-scores[drawn].ravel())[:50]].mean())
    for figure, values in ((found.labelled.area, areas), (found.labelled.precision_at[50], firsts)):
        low, high = np.quantile(values, [0.025, 0.975])
        assert figure.margin == pytest.approx((high - low) / 2, rel=0.25)
        assert figure.count == 150


def test_the_same_seed_gives_the_same_figures_and_they_go_into_json():
    probabilities, statements = many(20)
    settings = {"combine": "one", "no_relation": "none", "at": (5,)}
    found = score_pairs(probabilities, NAMES, statements, PairSettings(seed=1, **settings))
    assert score_pairs(probabilities, NAMES, statements, PairSettings(seed=1, **settings)) == found
    assert score_pairs(probabilities, NAMES, statements, PairSettings(seed=2, **settings)) != found
    told = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert told["labelled"]["precision_at"]["5"]["value"] == found.labelled.precision_at[5].value
    assert told["labelled"]["area"]["margin"] == found.labelled.area.margin
    assert (told["combine"], told["seed"], told["scored_relations"]) == ("one", 1, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"combine": "most"}, "combine: expected one of one, mean, attention, got 'most'"),
        ({"combine": "attention"}, "attention: expected vectors of statements and relations, got none"),
        ({"at": (0,)}, "precision at N: expected 1 or more, got 0"),
        ({"probabilities": PROBABILITIES[:, :2]}, "expected 3 statements × 3 relations, got 3 × 2"),
        ({"probabilities": np.full((3, 3), np.nan)}, "not finite"),
        ({"statements": [said("Ada", "Lunsk", None)] * 3}, "expected statements that carry a relation, got none"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(change, message):
    settings = {name: change[name] for name in ("combine", "at") if name in change}
    given = {"probabilities": PROBABILITIES, "names": NAMES, "statements": SMALL, **change}
    with pytest.raises(BadInput, match=message):
        score_pairs(given["probabilities"], given["names"], given["statements"], PairSettings(**settings))
