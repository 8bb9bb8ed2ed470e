from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from protorel.encoders.finite import best_of, check_vectors, check_weights
from protorel.encoders.stored_weights import read_tensors
from protorel.statements import BadInput

ODD = [float("nan"), float("inf"), float("-inf")]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
def test_one_number_that_is_not_finite_is_found_in_any_tensor(tmp_path, odd, dtype):
    weights = torch.ones(3, 4, dtype=dtype)
    save_file({"first": torch.ones(2), "second": weights}, tmp_path / "a.safetensors")
    assert set(read_tensors(tmp_path / "a.safetensors")) == {"first", "second"}
    weights[1, 2] = odd
    save_file({"first": torch.ones(2), "second": weights}, tmp_path / "a.safetensors")
    with pytest.raises(BadInput, match=r"a\.safetensors: .* in 1 of 12 values of the tensor 'second'"):
        read_tensors(tmp_path / "a.safetensors")


def test_infinities_of_both_signs_do_not_cancel():
    with pytest.raises(BadInput, match="in 2 of 3 values"):
        check_weights([("w", torch.tensor([float("inf"), 1.0, float("-inf")]))], Path("w"))


def test_large_weights_whose_sum_overflows_are_finite():
    check_weights([("w", torch.full((8,), 3e38)), ("half", torch.full((8,), 6e4, dtype=torch.float16))], Path("w"))


def test_whole_numbers_and_empty_tensors_are_finite():
    check_weights([("positions", torch.arange(3)), ("none", torch.empty(0, 4))], Path("w"))


@pytest.mark.parametrize("odd", ODD)
def test_a_vector_that_is_not_finite_is_named_by_id_or_place(odd):
    vectors = torch.ones(3, 4)
    assert check_vectors(vectors, [4, 0, 2]) is vectors
    vectors[2, 1] = odd
    with pytest.raises(BadInput, match=r"^statement 3 \(counted from 1\): expected a finite vector .* NaN or infinity"):
        check_vectors(vectors, [4, 0, 2])
    with pytest.raises(BadInput, match=r"^text 'c': "):
        check_vectors(vectors, [4, 0, 2], ids=["a", "b", "c", "d", "e"], what="text")


def test_a_vector_whose_length_overflows_is_refused():
    with pytest.raises(BadInput, match=r"statement 'b': .* got one too long to be compared"):
        check_vectors(torch.tensor([[1.0, 0.0], [1e20, 0.0]]), [0, 1], ids=["a", "b"])


def test_many_long_vectors_whose_common_length_overflows_are_accepted():
    check_vectors(torch.full((400, 100), 1e18 / 2), range(400))


def test_states_of_tokens_are_checked_as_well():
    states = torch.ones(2, 3, 4)
    states[1, 2, 0] = torch.nan
    with pytest.raises(BadInput, match="statement 'b'"):
        check_vectors(states, [0, 1], ids=["a", "b"])


def test_the_best_score_is_where_argmax_finds_it_and_minus_infinity_is_a_score():
    scores = torch.tensor([[[1.0, 3.0, 3.0], [float("-inf"), -2.0, -5.0]]])
    assert torch.equal(best_of(scores, "queries"), scores.argmax(-1))
    assert best_of(torch.empty(0, 3), "queries").shape == (0,)


@pytest.mark.parametrize("row", [[1.0, float("nan")], [float("inf"), 0.0], [float("-inf")] * 2])
def test_rows_without_a_best_score_are_counted(row):
    with pytest.raises(BadInput, match=r"^1 of 2 queries: expected finite scores"):
        best_of(torch.tensor([[1.0, 2.0], row]), "queries")
