"""A small world to train on, and encoders that take a step in milliseconds."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.statements import Statement, write_statements
from protorel.training import FinetuneRecipe, Recipe, load_finetune_recipe, load_recipe

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SMALL = [
    "relations_per_batch=4", "statements_per_relation=2", "max_length=48", "chunks=2", "checkpoint_every=1000",
    "cnn.channels=16", "cnn.most_frequent_words=200",
]  # fmt: skip
SMALL_TUNING = ["max_length=48", "chunks=2", "checkpoint_every=1000", "cnn.channels=16", "cnn.most_frequent_words=200"]


@pytest.fixture(scope="session", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def statements() -> tuple[Statement, ...]:
    return build_small_world(SmallWorldSettings(statements_per_relation=12, held_out_per_relation=1)).train


@pytest.fixture(scope="session")
def data(statements: tuple[Statement, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "small.parquet"
    write_statements(statements, path)
    return path


@pytest.fixture(scope="session")
def tiny_bert(statements: tuple[Statement, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A BERT of two narrow layers over the words of the small world, in a folder that Hugging Face tools can open."""
    folder = tmp_path_factory.mktemp("tiny-bert")
    backend = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    backend.normalizer = normalizers.Lowercase()
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    texts = (statement.text for statement in statements)
    backend.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=SPECIAL, show_progress=False))
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=backend, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]",
        mask_token="[MASK]",
    ).save_pretrained(folder)  # fmt: skip
    config = BertConfig(
        vocab_size=backend.get_vocab_size(), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=64,
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        BertModel(config).save_pretrained(folder)
    return folder


@pytest.fixture
def recipe(tiny_bert: Path):
    """Make a small recipe of the full objective: `recipe("steps=3")`, on the tiny transformer unless told else."""

    def make(*overrides: str, base: str = "col_final") -> Recipe:
        return load_recipe(base, [f"encoder={tiny_bert}", *SMALL, *overrides])

    return make


@pytest.fixture
def tuning():
    """Make a small recipe for tuning: `tuning("epochs=3")`."""

    def make(*overrides: str, base: str = "supervised") -> FinetuneRecipe:
        return load_finetune_recipe(base, [*SMALL_TUNING, *overrides])

    return make
