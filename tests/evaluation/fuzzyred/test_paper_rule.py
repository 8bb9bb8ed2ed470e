"""FuzzyRED by the paper's rule, against plain loops on whole numbers, where equality is exact."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.evaluation.fuzzyred.judged_statements import judged
from protorel.evaluation.fuzzyred.paper_rule import draw_shots, draw_true, paper_rule
from protorel.geometry import cosine
from protorel.statements import BadInput, Span, Statement


def statements_of(counts):
    """So many true and false statements of each relation, in an order that mixes them."""
    made = [
        Statement("Ada met Bo.", Span(0, 3), Span(8, 10), relation, f"{relation}-{n}", expresses=n < true)
        for relation, (true, false) in counts.items()
        for n in range(true + false)
    ]
    return [made[i] for i in np.random.default_rng(0).permutation(len(made))]


def whole_vectors(count, width=3, seed=0, size=3):
    return torch.from_numpy(np.random.default_rng(seed).integers(-size, size + 1, (count, width)).astype(float))


def dot(left, right):
    """Exact for whole numbers, so that equal scores are equal in every way of adding them up."""
    return left @ right.T


COUNTS = {"b": (6, 5), "a": (2, 7), "c": (4, 1)}


@pytest.mark.parametrize("shot", [1, 2, 3, 5])
def test_the_rule_is_that_of_plain_loops_over_the_same_draws(shot):
    statements = statements_of(COUNTS)
    vectors, given_ = whole_vectors(len(statements)), judged(statements, "here")
    scored = draw_shots(vectors, given_, shot=shot, draws=20, seed=4, similarity=dot)
    found = paper_rule(scored, given_, shot=shot)
    right, accepted_true = [], []
    for number, relation in enumerate(sorted(COUNTS)):
        rows = [row for row, one in enumerate(statements) if one.relation == relation]
        true = [row for row in rows if statements[row].expresses]
        threshold = min(float(vectors[i] @ vectors[j]) for i in true for j in true if i != j)
        own = np.asarray([true.index(row) if row in true else -1 for row in rows])
        drawn = draw_true(len(true), own, shot=shot, draws=20, rng=np.random.default_rng([4, shot, number]))
        shares = []
        for place, row in enumerate(rows):
            hits = 0
            for draw in range(20):
                total = sum(float(vectors[row] @ vectors[true[pick]]) for pick in drawn[place, draw])
                accepted = total > shot * threshold
                hits += accepted == statements[row].expresses
                if statements[row].expresses:
                    accepted_true.append(accepted)
                assert scored[number].scores[draw, place] == pytest.approx(total / shot)
            shares.append(hits / 20)
        right += shares
        assert scored[number].threshold == threshold
        assert found.per_relation[relation] == pytest.approx(sum(shares) / len(shares))
    assert found.accuracy.value == pytest.approx(sum(right) / len(right))
    assert found.accuracy.count == len(statements)
    assert found.over_relations.count == 3
    assert found.kept_true == pytest.approx(np.mean(accepted_true))


@given(st.integers(0, 10_000), st.sampled_from([1, 2, 3, 5]), st.integers(2, 6), st.integers(0, 5))
@settings(max_examples=40)
def test_a_true_statement_is_rejected_at_equality_only(seed, shot, true, false):
    statements = statements_of({"a": (true, false)})
    vectors, given_ = whole_vectors(len(statements), seed=seed, size=1), judged(statements, "here")
    (one,) = draw_shots(vectors, given_, shot=shot, draws=10, seed=seed, similarity=dot)
    of_true = given_.truth[one.rows]
    assert (one.scores[:, of_true] >= one.threshold).all()
    assert (one.accepted == (one.scores > one.threshold + 1e-9)).all()


def test_equality_is_exact_for_real_vectors_too():
    """Two true statements can only draw each other, so that every score is the threshold itself."""
    statements = statements_of({"a": (2, 6)})
    given_ = judged(statements, "here")
    for seed in range(20):
        vectors = torch.randn(8, 7, generator=torch.Generator().manual_seed(seed))
        for shot in (1, 3, 5):
            (one,) = draw_shots(vectors, given_, shot=shot, draws=3)
            assert not one.accepted[:, given_.truth[one.rows]].any()


def test_the_drawn_are_others_and_differ_unless_there_are_too_few():
    own = np.asarray([0, 3, -1])
    drawn = draw_true(4, own, shot=3, draws=200, rng=np.random.default_rng(0))
    assert drawn.shape == (3, 200, 3)
    for row, place in enumerate(own):
        assert set(np.unique(drawn[row])) == set(range(4)) - {place}
        assert all(len(set(one)) == 3 for one in drawn[row])
    few = draw_true(4, own, shot=4, draws=200, rng=np.random.default_rng(0))
    assert set(np.unique(few[0])) == {1, 2, 3}
    assert any(len(set(one)) < 3 for one in few[0])
    assert all(len(set(one)) == 4 for one in few[2]), "four others are enough for one that is not in the pool"


def test_every_other_true_statement_is_drawn_equally_often():
    drawn = draw_true(6, np.asarray([2]), shot=2, draws=6000, rng=np.random.default_rng(1))
    counts = np.bincount(drawn.ravel(), minlength=6)
    assert counts[2] == 0
    assert np.abs(np.delete(counts, 2) / 6000 - 2 / 5).max() < 0.025


def test_relations_with_too_few_true_statements_are_told():
    given_ = judged(statements_of({"few": (3, 4), "many": (9, 4), "one": (1, 5), "none": (0, 3)}), "here")
    vectors = torch.randn(29, 4, generator=torch.Generator().manual_seed(0))
    for shot, repeated in ((1, []), (2, []), (3, ["few"]), (8, ["few"]), (9, ["few", "many"])):
        scored = draw_shots(vectors, given_, shot=shot, draws=2)
        assert [one.relation for one in scored] == ["few", "many"]
        assert [one.relation for one in scored if one.repeated] == repeated


def test_the_same_seed_draws_the_same_and_another_does_not():
    given_ = judged(statements_of(COUNTS), "here")
    vectors = torch.randn(25, 4, generator=torch.Generator().manual_seed(0))
    first, again, other = (
        draw_shots(vectors, given_, shot=1, draws=5, seed=seed, similarity=cosine)[1].scores for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_a_constant_encoder_rejects_all_and_scores_the_share_of_false_labels():
    given_ = judged(statements_of(COUNTS), "here")
    found = paper_rule(draw_shots(torch.ones(25, 4), given_, shot=3, draws=4), given_, shot=3)
    assert found.accuracy.value == pytest.approx(13 / 25)
    assert (found.kept_true, found.rejected_false) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("counts", "shot", "message"),
    [
        (COUNTS, 0, "shot: expected 1 or more, got 0"),
        ({"a": (1, 4), "b": (0, 2)}, 1, "expected a relation with two statements that"),
    ],
)
def test_what_cannot_be_drawn_is_refused(counts, shot, message):
    statements = statements_of(counts)
    with pytest.raises(BadInput, match=message):
        draw_shots(torch.ones(len(statements), 2), judged(statements, "here"), shot=shot)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"relation": None}, "x.parquet: statement 's1': expected a label, got none"),
        ({"expresses": None}, "x.parquet: statement 's1': expected `expresses`"),
    ],
)
def test_a_statement_that_nobody_judged_is_named(change, message):
    given_ = {"relation": "a", "expresses": True} | change
    with pytest.raises(BadInput, match=message):
        judged([Statement("Ada met Bo.", Span(0, 3), Span(8, 10), id="s1", **given_)], "x.parquet")


def test_no_statement_at_all_is_refused():
    with pytest.raises(BadInput, match="expected judged statements, got none"):
        judged([], "x.parquet")
