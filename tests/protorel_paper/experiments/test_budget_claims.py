"""The paper's two claims, tested on points made by hand."""

import pytest

from protorel_paper.engine.claims import Claim, compare
from protorel_paper.experiments.data_budget.claims import budget_claims
from protorel_paper.experiments.data_budget.rows import budget_rows
from protorel_paper.experiments.data_budget.summary import summarise_budget

TEST = ("p", "q", "r", "s")


def point(relations, statements, accuracies, *, recipe="col", seed=0, total=None):
    """A point whose test relations have these accuracies in turn."""
    per_relation = dict(zip(TEST, accuracies, strict=True))
    settings = {
        "experiment": {"test": {"task": "5w1s"}},
        "start_name": "bert",
        "relations": relations,
        "statements": statements,
    }
    if relations:
        settings |= {"recipe_name": recipe, "seed": seed}
    trained = {"statements": total or relations * (statements if statements != "all" else 500)}
    return {
        "settings": settings,
        "training": trained if relations else None,
        "fewshot": {"5w1s": {"accuracy": sum(accuracies) / 4, "per_relation": per_relation}},
        "data": {"name": "train"},
        "test": {"name": "test"},
    }


def about(value):
    return [value - 0.01, value, value + 0.01, value]


def verdicts(*points):
    return {claim.text.split(" (")[0]: claim.verdict for claim in budget_claims(budget_rows(points))}


DIVERSITY, HURTS = "more relations matter more than more statements", "too few relations hurt"


def test_both_claims_hold_where_points_say_so():
    points = [point(0, 0, about(0.6)), point(8, 160, about(0.5)), point(64, 20, about(0.7))]
    assert verdicts(*points) == {DIVERSITY: "holds", HURTS: "holds"}


def test_neither_holds_where_points_say_the_opposite():
    points = [point(0, 0, about(0.4)), point(8, 160, about(0.7)), point(64, 20, about(0.5))]
    assert verdicts(*points) == {DIVERSITY: "does not hold", HURTS: "does not hold"}


def test_a_difference_within_its_interval_decides_nothing():
    points = [point(0, 0, [0.5, 0.6, 0.7, 0.4]), point(8, 160, [0.6, 0.5, 0.4, 0.6]), point(64, 20, about(0.55))]
    assert verdicts(*points) == {DIVERSITY: "not decided", HURTS: "not decided"}


def test_comparisons_that_disagree_are_called_mixed():
    points = [point(0, 0, about(0.5)), point(8, 20, about(0.4)), point(8, 100, about(0.6))]
    assert verdicts(*points) == {DIVERSITY: "cannot be said", HURTS: "mixed"}


@pytest.mark.parametrize(("total", "compared"), [(1280, True), (1600, True), (320, True), (1601, False), (319, False)])
def test_sets_are_compared_at_a_like_number_of_statements_only(total, compared):
    points = [point(8, 160, about(0.5)), point(64, 20, about(0.7), total=total)]
    assert verdicts(*points)[DIVERSITY] == ("holds" if compared else "cannot be said")


def test_each_set_is_compared_with_the_more_diverse_one_nearest_in_statements():
    points = [point(8, 100, about(0.4)), point(24, 20, about(0.5)), point(32, 25, about(0.6)), point(64, 5, about(0.7))]
    (claim,) = budget_claims(budget_rows(points))
    pairs = [(one.first, one.second) for one in claim.comparisons]
    assert pairs == [("32×25", "8×100"), ("64×5", "24×20"), ("64×5", "32×25")]


def test_too_few_relations_are_the_fewest_of_the_grid():
    points = [point(0, 0, about(0.6)), point(8, 20, about(0.5)), point(24, 20, about(0.4))]
    claim = budget_claims(budget_rows(points))[1]
    assert [one.second for one in claim.comparisons] == ["8×20"]
    assert "trained on 8 relations" in claim.words


def test_the_readout_that_training_uses_is_compared_too_where_it_was_judged():
    bare = point(0, 0, about(0.6))
    bare["fewshot_by_trained_readout"] = {"5w1s": {"per_relation": dict(zip(TEST, about(0.3), strict=True))}}
    claims = budget_claims(budget_rows([bare, point(8, 20, about(0.5))]))
    assert [claim.verdict for claim in claims[1:]] == ["holds", "does not hold"]


def test_recipes_are_judged_each_for_itself():
    points = [point(0, 0, about(0.5)), point(8, 20, about(0.4)), point(8, 20, about(0.6), recipe="ce")]
    hurt = {claim.text: claim.verdict for claim in budget_claims(budget_rows(points)) if HURTS in claim.text}
    assert hurt == {f"{HURTS} (ce from bert)": "does not hold", f"{HURTS} (col from bert)": "holds"}


def test_the_difference_is_paired_over_relations():
    """Relations differ widely, each gains the same: a gain that unpaired intervals would hide."""
    compared = compare(
        "x",
        "a",
        "b",
        dict(zip(TEST, [0.2, 0.4, 0.6, 0.9], strict=True)),
        dict(zip(TEST, [0.1, 0.3, 0.5, 0.8], strict=True)),
    )
    assert compared.difference.value == pytest.approx(0.1)
    assert compared.says == 1


def test_one_relation_decides_nothing_and_has_no_margin():
    compared = compare("x", "a", "b", {"p": 0.9}, {"p": 0.1, "q": 0.5})
    assert compared.says == 0
    assert compared.as_json()["margin"] is None


def test_a_claim_counts_what_speaks_for_it_and_against_it():
    gain, loss, none = (
        compare(
            "x",
            "a",
            "b",
            dict(zip(TEST, about(0.5 + by), strict=True)),
            dict(zip(TEST, [0.5, 0.49, 0.5, 0.51], strict=True)),
        )
        for by in (0.2, -0.1, 0.0)
    )
    words = Claim("It is so", [gain, loss, none], "how").words
    assert words.startswith(
        "It is so: mixed. Of 3 comparisons (how) 1 are clearly for it, 1 clearly against it, 1 within"
    )
    assert words.endswith("the mean difference is +3.3 points.")


def test_seeds_are_put_together_with_an_interval_over_them():
    one, two = point(8, 20, about(0.4)), point(8, 20, about(0.6), seed=1)
    (row,) = budget_rows([one, two])
    assert row.seeds == (0, 1)
    assert row.accuracy == pytest.approx(0.5)
    assert row.per_relation["p"] == pytest.approx(0.49)
    assert row.over_relations.count == 4
    assert row.over_seeds.count == 2
    assert budget_rows([one])[0].over_seeds is None


def test_the_table_has_a_row_for_each_place_and_a_line_for_each_claim():
    points = [point(64, "all", about(0.7)), point(0, 0, about(0.6)), point(8, 20, about(0.5))]
    summary = summarise_budget(points)
    assert [row.amount for row in summary.rows] == ["0", "8×20", "64×all"]
    lines = summary.as_markdown().splitlines()
    assert "| bert | untuned | 0 | 0 | 60.0 | ± 1.3 | – |" in lines
    assert "| bert | col | 64×all | 32000 | 70.0 | ± 1.3 | – |" in lines
    assert sum(line.startswith("- ") for line in lines) == 2
    told = summary.as_json()
    assert {"task", "data", "machine", "versions"} <= told.keys()
    assert told["rows"][2]["statements"] == "all"
