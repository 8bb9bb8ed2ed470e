"""Labelled rows: numbers of labels and sentences, folds that keep a sentence together, data without labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.audit.labelled_rows import LabelledRows
from protorel.io import BadInput
from protorel.statements import as_data_set


def test_unlabelled_rows_are_counted_and_keep_their_numbers(about, labelled_rows):
    one = about("Ada met Bo.", "Ada", "Bo", "met")
    found = labelled_rows(
        [replace(one, relation=None), one, replace(one, relation=None), replace(one, relation="knows")]
    )
    assert found.rows.tolist() == [1, 3]
    assert found.unlabelled == 2
    assert found.relations == ("knows", "met")
    assert found.labels.tolist() == [1, 0]
    assert found.counts.tolist() == [1, 1]


def test_sentences_are_equal_but_for_case_and_white_space(about, labelled_rows):
    texts = ["Ada met Bo.", "ADA  met Bo.", "Ada saw Bo."]
    names = [("Ada", "Bo"), ("ADA", "Bo"), ("Ada", "Bo")]
    rows = [about(text, *pair, label) for text, pair, label in zip(texts, names, "aba", strict=True)]
    assert labelled_rows(rows).sentences.tolist() == [0, 0, 1]


@given(
    sentences=st.lists(st.integers(0, 12), min_size=2, max_size=60), folds=st.integers(2, 7), seed=st.integers(0, 99)
)
def test_statements_with_one_sentence_share_a_fold(about, labelled_rows, sentences, folds, seed):
    rows = [about(f"Ada met Bo {place} times.", "Ada", "Bo", "ab"[n % 2]) for n, place in enumerate(sentences)]
    found = labelled_rows(rows).folds(folds, seed=seed)
    assert ((found >= 0) & (found < folds)).all()
    by_sentence = dict(zip(sentences, found, strict=True))
    assert [by_sentence[one] for one in sentences] == found.tolist()


def test_folds_are_of_about_one_size_and_depend_on_the_seed(about, labelled_rows):
    found = labelled_rows([about(f"Ada met Bo {n} times.", "Ada", "Bo", "ab"[n % 2]) for n in range(1000)])
    sizes = np.bincount(found.folds(5, seed=0), minlength=5)
    assert (np.abs(sizes - 200) < 60).all()
    assert (found.folds(5, seed=0) == found.folds(5, seed=0)).all()
    assert (found.folds(5, seed=0) != found.folds(5, seed=1)).any()


def test_data_without_two_relations_are_one_line(about):
    one = about("Ada met Bo.", "Ada", "Bo", "met")
    cases = {
        "got no statements": [],
        "got 1 statement of one": [one],
        "got 3 statements of one": [one] * 3,
        "expected labelled statements, got 2 statements without a label": [replace(one, relation=None)] * 2,
    }
    for message, rows in cases.items():
        with pytest.raises(BadInput, match=message) as caught:
            LabelledRows.of(as_data_set(rows))
        assert "\n" not in str(caught.value)
