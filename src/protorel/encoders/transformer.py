"""Any Hugging Face encoder, over text with entity markers."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.utils import parametrize
from transformers import AutoModel, PreTrainedModel
from transformers.utils import SAFE_WEIGHTS_NAME
from transformers.utils import logging as transformers_logging

from protorel.batches import PairBatch, StatementBatch, StatementTokenizer
from protorel.encoders.finite import check_weights
from protorel.encoders.lora import learn_in_low_rank, merge
from protorel.encoders.padding_free import can_be_padding_free, padding_free_states
from protorel.encoders.products import use_fast_products
from protorel.encoders.readout import READOUTS, whole_text
from protorel.encoders.sources import Source
from protorel.encoders.stored_weights import check_sizes
from protorel.statements import BadInput

# No progress bars and warnings of the library on standard error.
transformers_logging.disable_progress_bar()
transformers_logging.set_verbosity_error()


class TransformerEncoder(nn.Module):
    """A Hugging Face encoder and a readout of its last states."""

    def __init__(self, backbone: PreTrainedModel, *, readout: str) -> None:
        super().__init__()
        if readout not in READOUTS:
            raise BadInput(f"readout: expected one of {', '.join(READOUTS)}, got {readout!r}")
        self.backbone = backbone
        use_fast_products(backbone)
        self.readout = READOUTS[readout]
        self.width = self.readout.parts * int(backbone.config.hidden_size)
        self._takes_embeddings = "inputs_embeds" in inspect.signature(backbone.forward).parameters
        self.trains_in_bf16 = False
        """Whether matrix products are rounded to bfloat16 in training; never in evaluation."""
        self.trains_padding_free = False
        """Whether padding is left out in training, if the backbone is a BERT."""

    @classmethod
    def load(cls, source: Source, *, readout: str, tokenizer: StatementTokenizer) -> TransformerEncoder:
        """Load from a folder or the hub: safetensors only, never remote code."""
        try:
            if Path(source.name).is_dir():
                check_sizes(Path(source.name))
            backbone = AutoModel.from_pretrained(
                source.name, trust_remote_code=False, use_safetensors=True, local_files_only=source.local
            )
            _try_out(backbone)
        except BadInput:
            raise
        except Exception as problem:  # the libraries raise anything for files that they did not write
            raise BadInput(
                f"{source.name}: expected an encoder that can be loaded, got an error ({_first_line(problem)})"
            ) from problem
        one_file = Path(source.name) / SAFE_WEIGHTS_NAME
        check_weights(backbone.named_parameters(), one_file if one_file.is_file() else Path(source.name))
        if backbone.get_input_embeddings().num_embeddings < tokenizer.layout.vocabulary_size:
            # Seeded, so that two loads of the same encoder give the same vectors for the new markers.
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(0)
                backbone.resize_token_embeddings(tokenizer.layout.vocabulary_size, mean_resizing=False)
        return cls(backbone, readout=readout)

    @torch.no_grad()
    def start_markers_as_brackets(self, tokenizer: StatementTokenizer) -> None:
        """Initialise markers with the embeddings of brackets: (head) and [tail].

        The encoder was trained on brackets, and never on an unused token. If the tokenizer has no such bracket, the
        marker stays as it is.
        """
        embeddings, layout = self.token_embeddings, tokenizer.layout
        if embeddings is None or layout.head_markers is None or layout.tail_markers is None:
            return
        brackets = tokenizer.split(["(", ")", "[", "]"])
        for marker, bracket in zip((*layout.head_markers, *layout.tail_markers), brackets, strict=True):
            if bracket.ids and bracket.ids[-1] != layout.unknown:
                embeddings.weight[marker] = embeddings.weight[bracket.ids[-1]]

    def use_dropout(self, rate: float) -> None:
        """Set the dropout rate in training; the config stays as it is."""
        for module in self.backbone.modules():
            if isinstance(module, nn.Dropout):
                module.p = rate

    def learn_in_low_rank(self, rank: int, tokenizer: StatementTokenizer, *, seed: int) -> None:
        """Freeze all matrices, and learn a change of low rank to each, until `merge` is called."""
        learn_in_low_rank(
            self.backbone, rank, tokens=self.token_embeddings, new_tokens=tokenizer.layout.new_tokens, seed=seed
        )

    def merge(self) -> None:
        """Turn changes of low rank into ordinary weights."""
        merge(self.backbone)

    def states(self, batch: StatementBatch) -> Float[Tensor, "batch length hidden"]:
        """Return the last layer's state of each token."""
        return self._last_states(batch.present, input_ids=batch.tokens)

    def states_of(
        self, pieces: Sequence[StatementBatch], read: Sequence[Bool[Tensor, "_ _"]] | None = None
    ) -> list[Float[Tensor, "batch length hidden"]]:
        """Return the states of several batches, with one embedding look-up for all.

        The gradient of a look-up is as large as the vocabulary: one for all is much cheaper than one per batch. In
        padding-free training, the last layer is computed only for the places in `read`.
        """
        if self.token_embeddings is None or not self._takes_embeddings:
            return [self.states(piece) for piece in pieces]
        found = self.token_embeddings(torch.cat([piece.tokens.flatten() for piece in pieces]))
        if self.trains_padding_free and self.training and can_be_padding_free(self.backbone):
            with self._rounded(found.device):
                return padding_free_states(self.backbone, pieces, found, read)
        embedded = found.split([piece.tokens.numel() for piece in pieces])
        # What is learned in low rank becomes matrices once for all pieces. The cache is not made for threads.
        with parametrize.cached() if self.training else nullcontext():
            return [
                self._last_states(piece.present, inputs_embeds=words.unflatten(0, piece.tokens.shape))
                for piece, words in zip(pieces, embedded, strict=True)
            ]

    def places_read(
        self, batch: StatementBatch, texts: Bool[Tensor, " batch"] | None = None
    ) -> Bool[Tensor, "batch length"]:
        """Return the places that the readout reads; in rows where `texts` is true, all places."""
        read = self.readout.places(batch)
        return read if texts is None else torch.where(texts[:, None], batch.present, read)

    def read(self, states: Float[Tensor, "batch length hidden"], batch: StatementBatch) -> Float[Tensor, "batch width"]:
        """Return the readout's vector."""
        return self.readout.read(states, batch)

    def read_text(
        self, states: Float[Tensor, "batch length hidden"], batch: StatementBatch
    ) -> Float[Tensor, "batch width"]:
        """Return the vector of a text without entities: the mean, or [CLS] and the mean for two parts."""
        return whole_text(states, batch, parts=self.readout.parts)

    def read_pairs(self, batch: PairBatch) -> Float[Tensor, "pairs hidden"]:
        """Return the first state of each row of two statements, which are BERT's two segments."""
        segments = getattr(self.backbone.config, "type_vocab_size", 0)  # some encoders have one segment, or none
        inputs = {"token_type_ids": batch.second.long()} if segments > 1 else {}
        return self._last_states(batch.present, input_ids=batch.tokens, **inputs)[:, 0]

    def _last_states(
        self, present: Bool[Tensor, "batch length"], **inputs: Tensor
    ) -> Float[Tensor, "batch length hidden"]:
        """Run the backbone; return float32, so that objectives and readouts are never rounded."""
        with self._rounded(present.device):
            output = self.backbone(attention_mask=present.long(), **inputs)
        states: Tensor = output.last_hidden_state
        return states.float()

    def _rounded(self, device: torch.device) -> torch.autocast:
        """Return the context in which products are rounded to bfloat16, if training uses that."""
        return torch.autocast(device.type, torch.bfloat16, enabled=self.trains_in_bf16 and self.training)

    def forward(self, batch: StatementBatch) -> Float[Tensor, "batch width"]:
        """Return one vector per statement."""
        return self.read(self.states(batch), batch)

    @property
    def most_tokens(self) -> int | None:
        """The largest number of tokens in a row; None: no limit."""
        return getattr(self.backbone.config, "max_position_embeddings", None)

    @property
    def token_embeddings(self) -> nn.Embedding | None:
        """The word embeddings, which a masked-language head shares."""
        embeddings = self.backbone.get_input_embeddings()
        return embeddings if isinstance(embeddings, nn.Embedding) else None

    @property
    def settings(self) -> Mapping[str, Any]:
        """The kind of encoder and its readout; the rest is in Hugging Face's own config.json."""
        return {"kind": "transformer", "readout": self.readout.name}

    def save_weights(self, folder: Path) -> None:
        """Write config.json and model.safetensors, which Hugging Face tools can open."""
        self.backbone.save_pretrained(folder)


@torch.no_grad()
def _try_out(backbone: PreTrainedModel) -> None:
    """Encode a row of one token: settings that make no encoder are found before it is used."""
    tokens = torch.zeros(1, 1, dtype=torch.long)
    states = backbone(input_ids=tokens, attention_mask=torch.ones_like(tokens)).last_hidden_state
    if states.shape != (1, 1, backbone.config.hidden_size):
        raise ValueError(f"expected one state of {backbone.config.hidden_size} numbers, got {tuple(states.shape)}")


def _first_line(problem: Exception) -> str:
    lines = str(problem).strip().splitlines()
    return lines[0][:200] if lines else type(problem).__name__
