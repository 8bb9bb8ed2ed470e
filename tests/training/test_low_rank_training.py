"""Training in low rank from the start: what learns, what is frozen, and what is left of it in the run folder."""

from __future__ import annotations

import re

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import load_file
from torch import nn

from protorel.cli import run as command_line
from protorel.encoders import TransformerEncoder
from protorel.encoders.lora import learn_in_low_rank, merge
from protorel.model import Cut, RelationModel, compress_run, read_record
from protorel.statements import BadInput
from protorel.training import finetune, pretrain, read_journal

RANK = 4
TOKENS = "embeddings.word_embeddings.weight"
NOISE = 1e-6
"""Rounding of a sum to float32, far below any component that was learned."""


@pytest.fixture
def low(recipe):
    """Make a recipe that learns in low rank: `low("steps=3")`."""

    def make(*overrides: str, **more: str):
        return recipe("steps=3", "learning_rate=0.01", f"low_rank={RANK}", *overrides, **more)

    return make


def weights(folder):
    return load_file(folder / "model.safetensors")


def components(now: torch.Tensor, before: torch.Tensor) -> int:
    return int((torch.linalg.svdvals((now - before).double()) > NOISE).sum())


def stop_after(wanted: int):
    def watch(step: int, steps: int, *, loss: float, statements: int) -> None:
        if step == wanted:
            raise RuntimeError("the power is gone")

    return watch


@pytest.mark.parametrize("padding_free", ["true", "false"])
def test_every_matrix_of_the_run_differs_from_the_start_by_no_more_than_the_rank(
    data, low, tiny_bert, tmp_path, padding_free
):
    model = pretrain(data, tmp_path / "run", low(f"padding_free={padding_free}"))
    before, after = weights(tiny_bert), weights(tmp_path / "run")
    found = {name: components(after[name], one) for name, one in before.items() if one.ndim == 2 and name != TOKENS}
    assert max(found.values()) == RANK
    assert min(found[name] for name in found if name.startswith("encoder.layer.0")) == RANK
    assert all(not torch.equal(after[name], one) for name, one in before.items() if name.endswith("LayerNorm.bias"))
    assert found["embeddings.token_type_embeddings.weight"] <= 2
    moved = (after[TOKENS][: len(before[TOKENS])] != before[TOKENS]).any(1).nonzero()[:, 0].tolist()
    assert set(moved) <= set(model.tokenizer.layout.new_tokens)


def test_entity_markers_are_the_token_embeddings_that_learn(data, low, tmp_path):
    model = pretrain(data, tmp_path / "one", low("steps=1", "warmup=0"))
    longer = pretrain(data, tmp_path / "two", low("steps=3"))
    one, two = (each.encoder.token_embeddings.weight for each in (model, longer))
    layout = model.tokenizer.layout
    assert set((one != two).any(1).nonzero()[:, 0].tolist()) >= {*layout.head_markers[:1], *layout.tail_markers[:1]}


@given(st.integers(1, 6), st.integers(1, 9), st.integers(1, 9), st.integers(0, 2**31))
@settings(deadline=None, max_examples=40)
def test_merged_weights_less_the_start_have_at_most_the_rank_whatever_was_learned(rank, rows, columns, seed):
    layer = nn.Linear(columns, rows)
    before = layer.weight.detach().clone()
    if rank > min(rows, columns):
        with pytest.raises(BadInput, match=f"^low_rank: expected at most {min(rows, columns)}, .*, got {rank}$"):
            learn_in_low_rank(layer, rank, tokens=None, new_tokens=(), seed=seed)
        return
    learn_in_low_rank(layer, rank, tokens=None, new_tokens=(), seed=seed)
    assert torch.equal(layer.weight, before)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for factor in layer.parameters():
            if factor.requires_grad:
                factor.add_(torch.randn(factor.shape, generator=generator))
    expected = layer.weight.detach().clone()
    merge(layer)
    assert type(layer) is nn.Linear
    assert torch.equal(layer.weight, expected)
    assert layer.weight.requires_grad
    assert int(torch.linalg.matrix_rank((layer.weight - before).double(), rtol=1e-5)) <= rank


def test_training_starts_at_the_vectors_of_the_encoder(data, recipe, tmp_path):
    losses = []
    for name, rank in (("full", "null"), ("low", RANK)):
        pretrain(data, tmp_path / name, recipe("steps=1", f"low_rank={rank}"))
        losses.append(next(read_journal(tmp_path / name))["loss"])
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)


def test_the_loss_falls_in_low_rank(data, low, tmp_path):
    pretrain(data, tmp_path / "run", low("steps=30", "objective.mlm.weight=0", "padding_free=true"))
    found = [line["loss"] for line in read_journal(tmp_path / "run")]
    assert sum(found[-5:]) < 0.8 * sum(found[:5])


@pytest.mark.parametrize("more", [["padding_free=true"], ["precision=bf16", "padding_free=true"], ["precision=bf16"]])
def test_a_run_that_was_stopped_ends_with_the_weights_of_one_that_was_not(data, low, bf16_works, tmp_path, more):
    wanted = low("steps=4", "checkpoint_every=2", *more)
    pretrain(data, tmp_path / "whole", wanted)
    with pytest.raises(RuntimeError, match="power"):
        pretrain(data, tmp_path / "stopped", wanted, watch=stop_after(3))
    pretrain(data, tmp_path / "stopped", wanted, resume=True)
    one, two = weights(tmp_path / "whole"), weights(tmp_path / "stopped")
    assert all(torch.equal(one[name], two[name]) for name in one)


def test_a_run_is_not_resumed_in_another_rank(data, low, tmp_path):
    with pytest.raises(RuntimeError, match="power"):
        pretrain(data, tmp_path / "run", low("checkpoint_every=1"), watch=stop_after(2))
    with pytest.raises(BadInput, match=r"was started with low_rank=4, got 2\. Resume it with the same"):
        pretrain(data, tmp_path / "run", low("checkpoint_every=1", "low_rank=2"), resume=True)


def test_products_of_factors_are_not_rounded_in_bf16(bf16_works, tiny_bert, data, low, tmp_path):
    encoder = pretrain(data, tmp_path / "run", low()).encoder
    assert isinstance(encoder, TransformerEncoder)
    layer = encoder.backbone.encoder.layer[0].intermediate.dense
    learn_in_low_rank(layer, RANK, tokens=None, new_tokens=(), seed=0)
    with torch.no_grad():
        layer.parametrizations.weight[0].left.normal_(generator=torch.Generator().manual_seed(0))
    plain = layer.weight
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(layer.weight, plain)


def test_a_finished_run_is_an_ordinary_one_and_is_read_back_as_it_was_trained(data, statements, low, tmp_path):
    trained = pretrain(data, tmp_path / "run", low("padding_free=true"))
    again = RelationModel.from_pretrained(tmp_path / "run")
    assert trained.fingerprint == again.fingerprint
    assert all(weight.requires_grad for weight in trained.encoder.parameters())
    assert trained.encoder.state_dict().keys() == again.encoder.state_dict().keys()
    assert torch.equal(trained.encode(statements[:8]), again.encode(statements[:8]))
    assert read_record(tmp_path / "run")["recipe"]["low_rank"] == RANK


@pytest.mark.parametrize("kind", ["extraction", "supervised", "fewrel"])
def test_a_second_stage_adds_a_rank_of_its_own(kind, data, low, tuning, tmp_path):
    pretrain(data, tmp_path / "first", low())
    short = {"extraction": ["epochs=1", "padding_free=true"], "supervised": ["epochs=1"], "fewrel": ["steps=2"]}[kind]
    second = tuning("learning_rate=0.01", "low_rank=2", *short, base=kind)
    finetune(tmp_path / "first", data, tmp_path / "second", second)
    before, after = weights(tmp_path / "first"), weights(tmp_path / "second")
    found = {name: components(after[name], one) for name, one in before.items() if one.ndim == 2 and name != TOKENS}
    assert max(found.values()) == 2


def test_the_best_epoch_of_a_run_in_low_rank_is_what_is_written(data, statements, tuning, tiny_bert, tmp_path):
    wanted = tuning("learning_rate=0.01", "low_rank=2", "epochs=3", "hold_out=20", base="supervised")
    model = finetune(tiny_bert, data, tmp_path / "run", wanted)
    again = RelationModel.from_pretrained(tmp_path / "run")
    assert read_record(tmp_path / "run")["results"]["best_epoch"] is not None
    assert torch.equal(model.encode(statements[:8]), again.encode(statements[:8]))


def test_a_run_in_low_rank_loses_almost_nothing_when_it_is_cut_down_to_its_rank(
    data, statements, low, recipe, tiny_bert, tmp_path
):
    runs = {"low": low("steps=20"), "full": recipe("steps=20", "learning_rate=0.003")}
    cosines = {}
    for name, wanted in runs.items():
        model = pretrain(data, tmp_path / name, wanted)
        cut = Cut(rank=RANK, token_rank=1, token_rows=1, bits=16)
        compress_run(tmp_path / name, tmp_path / f"{name}-cut", base=str(tiny_bert), cut=cut)
        small = RelationModel.from_pretrained(tmp_path / f"{name}-cut")
        one, two = (each.encode(statements[:40]) for each in (model, small))
        cosines[name] = float(torch.cosine_similarity(one, two).min())
    assert cosines["low"] > 0.9999 > cosines["full"]


@pytest.mark.parametrize("value", ["0", "-3", "2.5", "many", "true"])
def test_a_wrong_rank_is_refused_in_one_line(recipe, value):
    with pytest.raises(BadInput, match=r"^recipe col_final: low_rank = .*: input should be [^\n]*$"):
        recipe(f"low_rank={value}")


def test_a_rank_beyond_every_matrix_is_refused_in_one_line_and_leaves_no_folder(data, recipe, tmp_path):
    with pytest.raises(BadInput, match=r"^low_rank: expected at most 32, the largest rank of .*, got 33$"):
        pretrain(data, tmp_path / "run", recipe("low_rank=33"))
    assert not (tmp_path / "run").exists()


def test_a_word_encoder_does_not_learn_in_low_rank(data, recipe, tuning, tmp_path):
    said = re.escape("low_rank: expected a transformer, got a word encoder, which learns whole matrices")
    with pytest.raises(BadInput, match=f"^{said}"):
        pretrain(data, tmp_path / "run", recipe("encoder=cnn", "low_rank=2"))
    with pytest.raises(BadInput, match=f"^{said}"):
        finetune("cnn", data, tmp_path / "run", tuning("low_rank=2"))
    assert not (tmp_path / "run").exists()


def test_the_command_refuses_low_rank_for_a_word_encoder(data, tmp_path, capsys):
    command = ["pretrain", "smoke", "encoder=cnn", "low_rank=2", "--data", str(data), "--out", str(tmp_path / "run")]
    assert command_line(command) == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("protorel: low_rank: expected a transformer, got a word encoder")


def test_a_merged_matrix_is_the_frozen_one_plus_the_product_of_its_two_factors():
    layer = nn.Linear(3, 5)
    frozen = layer.weight.detach().clone()
    learn_in_low_rank(layer, 2, tokens=None, new_tokens=(), seed=0)
    added = layer.parametrizations.weight[0]
    with torch.no_grad():
        added.left.copy_(torch.arange(10.0).reshape(5, 2))
    left, right = added.left.detach().clone(), added.right.detach().clone()
    merge(layer)
    for row in range(5):
        for column in range(3):
            product = sum(float(left[row, one] * right[column, one]) for one in range(2))
            assert layer.weight[row, column].item() == pytest.approx(frozen[row, column].item() + product, abs=1e-5)
