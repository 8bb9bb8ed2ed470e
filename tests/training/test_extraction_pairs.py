from __future__ import annotations

import dataclasses
from collections import Counter

import pytest
import torch

from protorel.batches import PooledBatches, swap_roles, tokenise_all
from protorel.statements import BadInput, Statement, load_equivalents, select
from protorel.training import load_finetune_recipe
from protorel.training.building import build_word_encoder
from protorel.training.data.extraction_pairs import LabelledPairs
from protorel.training.data.labelled_data import tokenised

TEXT = "Ada Kroll and Bela Tarn left Lunsk"
ADA, BELA, LUNSK = (0, 9), (14, 23), (29, 34)


def said(head, tail, relation: str | None, source: str = "docred", text: str = TEXT) -> Statement:
    return Statement(text, head, tail, relation, f"{head[0]}-{tail[0]}-{relation}-{source}", source=source)


PAIRS = [
    said(ADA, BELA, "P26"),
    said(BELA, ADA, "P26"),
    said(ADA, LUNSK, "P19"),
    said(ADA, LUNSK, "P551"),
    said(LUNSK, ADA, "no_relation"),
    said(BELA, LUNSK, "NA"),
    said(LUNSK, BELA, "no_relation"),
]
VERIFIED = "Ada Kroll led Tarn Motors"
PARTIAL = [
    said((0, 9), (14, 25), "P169", "fewrel", VERIFIED),
    said((0, 9), (14, 18), "P26", "fewrel", VERIFIED),
]


def pairs_of(statements, *overrides: str) -> LabelledPairs:
    small = ["max_length=48", "cnn.channels=4", "cnn.most_frequent_words=50"]
    recipe = load_finetune_recipe("extraction", [*small, *overrides])
    selection = select(lambda: statements)
    _, tokenizer = build_word_encoder("cnn", recipe, selection.source)
    selection, rows = tokenised(selection, tokenizer, recipe)
    return LabelledPairs(rows, selection.source, recipe, load_equivalents())


def labels_of(pairs: LabelledPairs, numbers) -> dict[str, set[str]]:
    """Return the labels of some pairs by their first id."""
    found = pairs.labels(numbers.tolist())
    return {
        id: {name for name, held in zip(pairs.names, row.tolist(), strict=True) if held}
        for id, row in zip(pairs.ids(numbers.tolist()), found, strict=True)
    }


def test_each_pair_is_there_once_with_all_its_labels_and_no_relation_is_none_of_them():
    pairs = pairs_of(PAIRS)
    assert pairs.names == ("P19", "P26", "P551")
    assert labels_of(pairs, pairs.related) == {
        "0-14-P26-docred": {"P26"}, "14-0-P26-docred": {"P26"}, "0-29-P19-docred": {"P19", "P551"},
    }  # fmt: skip
    assert labels_of(pairs, pairs.none) == {
        "29-0-no_relation-docred": set(), "14-29-NA-docred": set(), "29-14-no_relation-docred": set(),
    }  # fmt: skip
    assert pairs.as_json() == {
        "related": 3, "none": 3, "with_several_labels": 1, "partial": 0, "reversed": 0,
        "labels": {"P19": 1, "P26": 2, "P551": 1},
    }  # fmt: skip


def test_every_relation_counts_fully_for_a_pair_with_all_its_labels_known():
    pairs = pairs_of(PAIRS, "positive_weight=3")
    labels, weights = pairs.labels(pairs.related.tolist()), pairs.weights(pairs.related.tolist())
    assert torch.equal(weights, torch.where(labels, 3.0, 1.0))


def test_of_a_partial_source_other_relations_count_little():
    pairs = pairs_of([*PAIRS, *PARTIAL], "partial_negatives=0.25")
    labels, weights = pairs.labels(pairs.partial.tolist()), pairs.weights(pairs.partial.tolist())
    assert torch.equal(weights, torch.where(labels, 1.0, 0.25))
    assert labels.sum(1).tolist() == [1, 1]


def test_turned_round_a_relation_is_known_not_to_hold_unless_it_is_symmetric():
    pairs = pairs_of([*PAIRS, *PARTIAL], "partial_negatives=0.25", "positive_weight=7")
    [turned] = pairs.reversed.tolist()
    assert pairs.ids([turned]) == ["0-14-P169-fewrel"]
    assert not pairs.labels([turned]).any()
    assert dict(zip(pairs.names, pairs.weights([turned])[0].tolist(), strict=True)) == {
        "P169": 1, "P19": 0.25, "P26": 0.25, "P551": 0.25,
    }  # fmt: skip
    assert len(pairs_of([*PAIRS, *PARTIAL], "symmetric=[]").reversed) == 2
    assert len(pairs_of([*PAIRS, *PARTIAL], "reversed=false").reversed) == 0


def test_a_pair_that_is_labelled_in_both_orders_is_not_turned_round():
    both = [*PARTIAL, said((14, 25), (0, 9), "P169", "fewrel", VERIFIED)]
    assert len(pairs_of([*PAIRS, *both]).reversed) == 0


def test_of_two_labels_of_a_turned_pair_the_symmetric_one_is_left_open():
    both = [said((0, 9), (14, 18), relation, "fewrel", VERIFIED) for relation in ("P26", "P169")]
    pairs = pairs_of([*PAIRS, *both])
    weights = dict(zip(pairs.names, pairs.weights(pairs.reversed.tolist())[0].tolist(), strict=True))
    assert (weights["P26"], weights["P169"]) == (0.0, 1.0)


def test_a_relation_that_no_completely_labelled_source_names_can_count_less_there():
    pairs = pairs_of([*PAIRS, *PARTIAL], "unseen_negatives=0.5")
    weights = pairs.weights(pairs.none.tolist())
    assert dict(zip(pairs.names, weights[0].tolist(), strict=True)) == {"P169": 0.5, "P19": 1, "P26": 1, "P551": 1}


def test_a_pair_of_both_kinds_of_source_is_complete():
    again = [dataclasses.replace(PAIRS[0], source="fewrel", id="again")]
    pairs = pairs_of([*again, *PAIRS])
    assert len(pairs.partial) == 0
    assert len(pairs.related) == 3


def test_labels_that_all_mean_none_are_refused():
    with pytest.raises(BadInput, match="expected statements with a relation, got only NA, no_relation"):
        pairs_of([said(ADA, BELA, "NA"), said(BELA, ADA, "no_relation")])


def test_an_epoch_holds_every_pair_once_or_as_many_as_the_recipe_says():
    natural = pairs_of([*PAIRS, *PARTIAL], "batch_size=4").batches()
    assert natural.steps_per_epoch == -(-(3 + 3 + 2 + 1) // 4)
    drawn = [row for step in range(natural.steps_per_epoch) for row in natural.batch(step)]
    assert sorted(drawn) == sorted(natural.rows.tolist())
    thinned = pairs_of([*PAIRS, *PARTIAL], "batch_size=4", "none_per_related=0.34", "partial_per_epoch=2")
    batches = thinned.batches()
    assert (batches.rows_per_epoch, batches.steps_per_epoch) == (3 + 1 + 2, 2)
    seen = Counter(row for step in range(2 * 40) for row in batches.batch(step))
    assert {seen[row] for row in thinned.related.tolist()} == {40}
    assert sum(seen[row] for row in thinned.none.tolist()) == 40
    assert all(seen[row] for row in batches.rows.tolist())  # over the epochs each has its turn


def test_a_batch_of_pools_is_a_function_of_its_step():
    import numpy as np

    def make() -> PooledBatches:
        return PooledBatches([(np.arange(10), None), (np.arange(10, 90), 7)], 4, seed=3)

    one, other = make(), make()
    assert [one.batch(step) for step in (0, 9, 4)] == [other.batch(step) for step in (0, 9, 4)]


@pytest.mark.parametrize("markers", [False, True])
def test_turned_rows_are_those_of_the_turned_statement(markers, tiny_bert, statements):
    from protorel.batches import StatementTokenizer

    if markers:
        tokenizer = StatementTokenizer.load(tiny_bert, markers=True)
    else:
        recipe = load_finetune_recipe("extraction", ["cnn.most_frequent_words=50"])
        _, tokenizer = build_word_encoder("cnn", recipe, lambda: statements)
    some = [s for s in statements if not s.overlapping][:20]
    rows = tokenise_all(some, tokenizer, max_length=48)
    turned = tokenise_all([dataclasses.replace(s, head=s.tail, tail=s.head) for s in some], tokenizer, max_length=48)
    for number in range(len(some)):
        found, wanted = swap_roles(rows.row(number), tokenizer.layout), turned.row(number)
        assert (found.ids.tolist(), found.head, found.tail) == (wanted.ids.tolist(), wanted.head, wanted.tail)
        assert rows.row(number).head != found.head
