from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from protorel.patterns import SnowballSettings, read_corpus
from protorel.statements import BadInput

SETTINGS = SnowballSettings()


def test_rows_pairs_and_labels_are_those_of_the_data(said):
    one = said("Ada was born in Lunsk.", "Ada", "Lunsk", "born_in")
    data = [
        said("Bo died in Mere.", "Bo", "Mere", "died_in"),
        one,
        replace(one, relation="died_in"),
        said("ADA left Lunsk.", "ADA", "Lunsk"),
        said("Lunsk bore Ada.", "Lunsk", "Ada"),
    ]
    corpus = read_corpus(lambda: data, SETTINGS)
    assert corpus.relations.ids == ("born_in", "died_in")
    assert corpus.row_of.tolist() == [0, 1, 1, 2, 3]
    assert corpus.label_of.tolist() == [1, 0, 1, -1, -1]
    # A pair is known by its names, whatever their case, and in one direction.
    assert corpus.pair_of.tolist() == [0, 1, 1, 2]
    assert corpus.rows_with(0).tolist() == [False, True, False, False]
    assert corpus.rows_with(1).tolist() == [True, True, False, False]
    assert corpus.pairs_with(0).tolist() == [False, True, False]
    assert corpus.pairs_with(1).tolist() == [True, True, False]
    assert corpus.pairs_labelled().tolist() == [True, True, False]
    assert corpus.vectors.shape[0] == len(corpus) == 4


def test_data_without_a_label_have_no_patterns(towns):
    bare = [replace(statement, relation=None) for statement in towns]
    with pytest.raises(BadInput, match="expected labelled statements"):
        read_corpus(lambda: bare, SETTINGS)


def test_reading_twice_gives_the_same_numbers(towns):
    one, two = (read_corpus(lambda: towns, SETTINGS) for _ in range(2))
    assert abs(one.vectors - two.vectors).max() == 0
    assert np.array_equal(one.pair_of, two.pair_of)
