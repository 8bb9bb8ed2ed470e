"""A transformer of the right shape and no size, so that every row can be tried in seconds."""

from __future__ import annotations

from pathlib import Path

import torch

from protorel.encoders import resolve
from protorel.io import written_whole

TINY = "tiny"
"""What a budget calls it."""


def tiny_encoder(folder: Path, *, like: str = "minilm") -> Path:
    """Make a BERT of two narrow layers with another encoder's tokenizer, once; a fixed seed draws its weights."""
    from transformers import AutoTokenizer, BertConfig, BertModel

    if folder.is_dir():
        return folder
    place = resolve(like)
    tokenizer = AutoTokenizer.from_pretrained(place.name, local_files_only=place.local)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=128,
        initializer_range=0.3,  # wider than BERT's, so that statements differ visibly
    )
    with torch.random.fork_rng(devices=[]), written_whole(folder) as beside:
        torch.manual_seed(0)
        BertModel(config).save_pretrained(beside)
        tokenizer.save_pretrained(beside)
    return folder
