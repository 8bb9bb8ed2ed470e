"""What tests of several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import torch
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

from protorel.batches import StatementTokenizer
from protorel.encoders import Source, TransformerEncoder
from protorel.statements import Span, Statement

# The tests' tensors are tiny: threads would cost more than they give.
torch.set_num_threads(1)

TINY_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TINY_TEXTS = [
    "Ada Kroll was born in Lunsk, a town by the river Mere.",
    "The poet Bela Tarn died in Oster after a long illness.",
    "Ada Kroll married Bela Tarn and moved to Lunsk with him.",
    "abcdefghijklmnopqrstuvwxyz 0123456789 [ ] unused cls sep pad mask unk",
]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real benchmark files; tests that need it have a twin on data the project makes itself."""
    folder = os.environ.get("PROTOREL_DATA")
    if not folder:
        pytest.skip("PROTOREL_DATA is not set: it names the folder with the real FewRel, SemEval and FuzzyRED files")
    return Path(folder)


@pytest.fixture(scope="session")
def tiny_encoder_folder(tmp_path_factory) -> Path:
    """A BERT of 2 layers and its tokenizer, as Hugging Face saves them; it has no [unusedN], so it must be resized."""
    backend = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    backend.normalizer = normalizers.BertNormalizer()
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=160, special_tokens=TINY_SPECIAL, show_progress=False)
    backend.train_from_iterator(TINY_TEXTS, trainer)
    ends = [(token, backend.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    backend.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), TINY_SPECIAL, strict=True))
    config = BertConfig(
        vocab_size=backend.get_vocab_size(),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=96,
        # Wider than BERT's 0.02, so that vectors of different statements differ visibly.
        initializer_range=0.3,
    )
    folder = tmp_path_factory.mktemp("tiny_encoder")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        BertModel(config).save_pretrained(folder)
    PreTrainedTokenizerFast(tokenizer_object=backend, **names).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def tiny_tokenizer(tiny_encoder_folder) -> StatementTokenizer:
    """The tiny encoder's tokenizer with our markers; nothing may change it."""
    return StatementTokenizer.load(tiny_encoder_folder, markers=True)


@pytest.fixture
def tiny_encoder(tiny_encoder_folder, tiny_tokenizer) -> TransformerEncoder:
    """The tiny encoder with dropout off, read at its start markers."""
    source = Source(str(tiny_encoder_folder), local=True)
    return TransformerEncoder.load(source, readout="start", tokenizer=tiny_tokenizer).eval()


@pytest.fixture(scope="session")
def some_statements() -> list[Statement]:
    """Statements of unlike lengths, two of each of three relations; one has nested entities."""

    def about(text: str, head: str, tail: str, relation: str) -> Statement:
        spans = [Span(text.index(name), text.index(name) + len(name)) for name in (head, tail)]
        return Statement(text, *spans, relation, id=f"{relation}/{text[:12]}")

    return [
        about("Ada Kroll was born in Lunsk, a town by the river Mere.", "Ada Kroll", "Lunsk", "born_in"),
        about("Bela Tarn, born in Oster.", "Bela Tarn", "Oster", "born_in"),
        about("The poet Bela Tarn died in Oster after a long illness.", "Bela Tarn", "Oster", "died_in"),
        about("In Lunsk died Ada Kroll.", "Ada Kroll", "Lunsk", "died_in"),
        about("Ada Kroll married Bela Tarn and moved to Lunsk with him.", "Ada Kroll", "Bela Tarn", "spouse"),
        about("the Bela Tarn and Ada Kroll house", "Bela Tarn and Ada Kroll house", "Ada Kroll", "spouse"),
    ]
