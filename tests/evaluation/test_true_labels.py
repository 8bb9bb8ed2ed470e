"""Telling true labels from false ones."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from protorel.evaluation import auroc, label_truth
from protorel.geometry import Prototypes
from protorel.statements import BadInput, RelationVocabulary, Span, Statement


def _statement(relation, expresses):
    return Statement("Ada met Bo.", Span(0, 3), Span(8, 10), relation, expresses=expresses)


@given(st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=4, max_size=40))
def test_the_area_is_scikit_learn_s_ties_included(rows):
    scores = np.asarray([score for score, _ in rows], dtype=float)
    truth = np.asarray([right for _, right in rows])
    if truth.all() or not truth.any():
        with pytest.raises(BadInput, match="expected true and false labels, got only"):
            auroc(scores, truth, draws=2)
    else:
        assert auroc(scores, truth, draws=20).value == pytest.approx(roc_auc_score(truth, scores))


def test_a_label_whose_statement_lies_with_another_prototype_has_a_negative_margin():
    prototypes = Prototypes.of(RelationVocabulary(["a", "b"]), torch.eye(2))
    vectors = torch.tensor([[1.0, 0.1], [0.9, 0.2], [0.1, 1.0], [1.0, 0.0]])
    statements = [_statement("a", True), _statement("b", False), _statement("b", True), _statement("a", True)]
    found = label_truth(prototypes, vectors, statements)
    assert found.false_share == 0.25
    assert found.by_margin.value == 1.0
    assert [margin < 0 for margin in found.margins] == [False, True, False, False]
    unit = vectors[1] / vectors[1].norm()
    assert found.margins[1] == pytest.approx((unit[1] - unit[0]).item())


def test_statements_without_known_truth_are_refused():
    prototypes = Prototypes.of(RelationVocabulary(["a", "b"]), torch.eye(2))
    with pytest.raises(BadInput, match="expected a label and `expresses` for every statement"):
        label_truth(prototypes, torch.eye(2), [_statement("a", True), _statement("b", None)])


def test_a_label_that_the_run_does_not_know_is_refused_with_the_nearest_it_knows():
    prototypes = Prototypes.of(RelationVocabulary(["born_in", "died_in"]), torch.eye(2))
    with pytest.raises(BadInput, match="expected one of the 2 known relations, got 'born_im'; did you mean 'born_in'"):
        label_truth(prototypes, torch.eye(2), [_statement("born_im", True), _statement("died_in", False)])
