"""RelationModel: encoder, prototypes and vocabulary in one object. Whatever uses a run uses this and nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from torch import Tensor, nn

from protorel.batches import StatementTokenizer, TokenRows, text_rows, tokenise_all, wording_rows
from protorel.encoders import RelationEncoder, TransformerEncoder, check_vectors, resolve, side_by_side
from protorel.fewshot import EpisodeMethod
from protorel.geometry import Prototypes, mean_prototypes
from protorel.model.classifier import Classifier
from protorel.model.run_folder import RunParts, load_run, save_run
from protorel.model.run_record import RunRecord
from protorel.model.source import ModelSource
from protorel.statements import RelationVocabulary, Statement, Wording

MarkerStart = Literal["brackets", "unused"]
"""What entity markers are before training: brackets, or tokens that no text holds."""
UNTRAINED_READOUT = "mean"
"""How an encoder that was never trained on relations is read: of all readouts the mean does best there."""


@dataclass(frozen=True, slots=True)
class RelationModel:
    """What training makes and everything else uses."""

    encoder: RelationEncoder
    tokenizer: StatementTokenizer
    prototypes: Prototypes
    max_length: int
    name: str = ""
    classifier: Classifier | None = None
    """What answers with one of its labels, where the model was tuned on them."""
    method: EpisodeMethod | None = None
    """What answers by a few examples, where the model was tuned together with such a method."""
    phrase: str | None = None
    """By what a relation's name is made a statement where the model is to read relations in words, if it learned to."""
    record: RunRecord | None = None
    """What a run says of itself: recipe, data, leakage, versions; None for an encoder that is not a run."""

    @classmethod
    def load(
        cls, name: str | Path | ModelSource, *, readout: str | None = None, marker_start: MarkerStart = "brackets"
    ) -> RelationModel:
        """Load a run folder, `minilm`, a folder with an encoder, or a hub id.

        `readout` and `marker_start` choose how an encoder that is not a run is read; a run knows its own.
        """
        source = ModelSource.find(name)
        if source.record is not None:
            parts = load_run(Path(source.given), source.record, readout=readout)
            return cls(*parts[:4], source.name, parts.classifier, parts.method, parts.phrase, source.record)
        return untrained(source.given, readout=readout or UNTRAINED_READOUT, marker_start=marker_start)

    def save(self, folder: str | Path, *, record: Mapping[str, Any] | None = None) -> None:
        """Write the model into a folder that `load` and, for transformers, Hugging Face tools can open."""
        learned = (self.classifier, self.method, self.phrase)
        parts = RunParts(self.encoder, self.tokenizer, self.prototypes, self.max_length, *learned)
        save_run(parts, Path(folder), record=record or {})

    @property
    def relations(self) -> RelationVocabulary:
        """The relations that have a prototype."""
        return self.prototypes.relations

    @property
    def fingerprint(self) -> str:
        """A hash of all that decides a statement's vector: weights, readout, tokenizer, length."""
        digest = hashlib.sha256(f"{self.encoder.settings} {self.tokenizer.fingerprint} {self.max_length}".encode())
        if isinstance(self.encoder, nn.Module):
            for name, tensor in sorted(self.encoder.state_dict().items()):
                digest.update(name.encode())
                digest.update(tensor.cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def encode(self, statements: Sequence[Statement], *, batch_size: int = 32) -> Float[Tensor, "statements width"]:
        """Return one vector a statement, in order; their directions carry the meaning, compare them by cosine."""
        rows = tokenise_all(statements, self.tokenizer, max_length=self.max_length)
        return self.encode_rows(rows, batch_size=batch_size, ids=[statement.id for statement in statements])

    def encode_texts(self, texts: Sequence[str], *, batch_size: int = 32) -> Float[Tensor, "texts width"]:
        """Return one vector a text, in order: what relations mean, to be compared with statements by cosine."""
        rows = text_rows(texts, self.tokenizer, max_length=self.max_length)
        return self.encode_rows(rows, batch_size=batch_size, texts=True)

    def encode_wordings(self, wordings: Sequence[Sequence[Wording]]) -> Float[Tensor, "relations width"]:
        """Return one direction a relation: that of all its wordings together, texts and made-up statements."""
        rows = wording_rows(wordings, self.tokenizer, max_length=self.max_length)
        vectors = torch.cat([self.encode_rows(rows.texts, texts=True), self.encode_rows(rows.made_up)])
        owners = torch.from_numpy(np.concatenate([rows.owners_of_texts, rows.owners_of_made_up]))
        return mean_prototypes(vectors, owners, len(wordings))

    # Not inference_mode: a classifier could not be trained on vectors made in it.
    @torch.no_grad()
    def encode_rows(
        self,
        rows: TokenRows,
        *,
        indices: Sequence[int] | None = None,
        batch_size: int = 32,
        texts: bool = False,
        ids: Sequence[str] = (),
    ) -> Float[Tensor, "statements width"]:
        """Encode tokenised statements or texts, or those at `indices`, like lengths together, with dropout off.

        A vector that is not finite is an error, which names the row by its place in `ids`, if given.
        """
        read = self.encoder.read_text if texts else self.encoder.read
        what = "text" if texts else "statement"
        chosen = np.arange(len(rows)) if indices is None else np.asarray(indices, dtype=np.int64)
        vectors = torch.empty(len(chosen), self.encoder.width)
        order = np.argsort(rows.lengths[chosen], kind="stable")
        batches = [order[start : start + batch_size] for start in range(0, len(order), batch_size)]

        def encode(places: NDArray[np.int64]) -> None:
            batch = rows.batch(numbers := chosen[places].tolist())
            found = read(self.encoder.states(batch), batch)
            vectors[torch.from_numpy(places)] = check_vectors(found, numbers, ids=ids, what=what)

        with evaluating(self.encoder):
            side_by_side(encode, batches[::-1])
        return vectors


def untrained(
    name: str, *, readout: str, marker_start: MarkerStart = "brackets", max_length: int = 128
) -> RelationModel:
    """Load an encoder that knows no relation yet."""
    source = resolve(name)
    tokenizer = StatementTokenizer.load(source.name, markers=True, local=source.local)
    encoder = TransformerEncoder.load(source, readout=readout, tokenizer=tokenizer)
    if marker_start == "brackets":
        encoder.start_markers_as_brackets(tokenizer)
    limit = getattr(encoder.backbone.config, "max_position_embeddings", max_length)
    return RelationModel(encoder, tokenizer, Prototypes.none(encoder.width), min(max_length, int(limit)), name)


class evaluating:  # noqa: N801
    """Switch dropout off within a block and back to what it was afterwards."""

    def __init__(self, encoder: RelationEncoder) -> None:
        self.module = encoder if isinstance(encoder, nn.Module) else None
        self.was_training = self.module is not None and self.module.training

    def __enter__(self) -> None:
        if self.module is not None:
            self.module.eval()

    def __exit__(self, *_: object) -> None:
        if self.module is not None:
            self.module.train(self.was_training)
