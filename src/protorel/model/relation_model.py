"""RelationModel: encoder, prototypes, vocabulary and record in one object, with the methods of a Hugging Face model."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
import torch
from huggingface_hub import ModelCard
from jaxtyping import Float
from torch import Tensor, nn

from protorel.batches import StatementTokenizer, TokenRows, tokenise_all, wording_rows
from protorel.encoders import RelationEncoder, TransformerEncoder, resolve
from protorel.fewshot import EpisodeMethod
from protorel.geometry import Prototypes, mean_prototypes
from protorel.io import as_path, kind, printable, shown, write_text
from protorel.model.answers.added_relations import RelationsLike, add_relations, remove_relations
from protorel.model.answers.calibration import Calibration, fingerprint_of
from protorel.model.answers.predicting import ASSERTED, NEAREST, calibrate_model, predict_statements
from protorel.model.answers.prediction import Prediction
from protorel.model.answers.training_statements import TrainingStatements
from protorel.model.classifier import Classifier
from protorel.model.encoding import device_of, encode_token_rows, encoder_fingerprint
from protorel.model.hub_model import CARD, HubModel, card_text
from protorel.model.lineage import Lineage
from protorel.model.run_folder import RunParts, load_run, save_run
from protorel.model.run_record import RunRecord
from protorel.model.source import ModelSource
from protorel.statements import (
    BadInput,
    Descriptions,
    RelationVocabulary,
    StatementsLike,
    Wording,
    as_data_set,
    as_statements,
)

MarkerStart = Literal["brackets", "unused"]
"""Initial embeddings of entity markers: those of brackets, or of tokens that occur in no text."""
BARE_ENCODER = "%s: an encoder without relations; it is used as it is"
"""The log message for a model that is not a run."""
UNTRAINED_READOUT = "mean"
"""The readout of an encoder that was never trained on relations: the mean does best there."""
_LOGGER = logging.getLogger("protorel")


@dataclass(frozen=True, repr=False)
class RelationModel(HubModel):
    """An encoder, one prototype per relation it learned, and the record of its training.

    Args:
        encoder: Turns statements into vectors.
        tokenizer: Splits statements as the encoder reads them.
        prototypes: One vector per relation.
        max_length: Most tokens per statement; longer ones are cut around their entities.
        name: The name that results show.
        classifier: Predicts one of its labels, if the model was tuned on labels.
        method: Classifies by a few examples, if the model was tuned with a few-shot method.
        phrase: Template that makes a statement of a relation's name, if the model learned to read relations in words.
        record: The record of its training: recipe, data, leakage, versions. None for an encoder that is not a run.
        calibration: Maps from cosines to probabilities. None for a run that was never calibrated.
        training_statements: Statements that the run keeps as evidence for its answers. None for a run that keeps none.

    Example:
        Usually a model is loaded with `RelationModel.from_pretrained("runs/mine")`. This one is built by hand:

        >>> import tempfile
        >>> import torch
        >>> from protorel import RelationModel, RelationVocabulary, Span, Statement
        >>> from protorel.encoders import CNNEncoder, word_tokenizer
        >>> from protorel.geometry import Prototypes
        >>> tokenizer = word_tokenizer(["ada", "was", "born", "in", "lunsk"])
        >>> encoder = CNNEncoder(words=tokenizer.layout.vocabulary_size, word_width=6, channels=8)
        >>> prototypes = Prototypes.of(RelationVocabulary(["born_in", "spouse"]), torch.eye(2, 8))
        >>> model = RelationModel(encoder, tokenizer, prototypes, max_length=32, name="small")
        >>> model
        RelationModel('small', encoder='cnn', relations=2, width=8)
        >>> len(model)
        2
        >>> model.encode([Statement("Ada was born in Lunsk", Span(0, 3), Span(16, 21))]).shape
        torch.Size([1, 8])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save_pretrained(folder)
        ...     RelationModel.from_pretrained(folder).relations.ids
        ('born_in', 'spouse')
    """

    encoder: RelationEncoder
    tokenizer: StatementTokenizer
    prototypes: Prototypes
    max_length: int
    name: str = ""
    classifier: Classifier | None = None
    method: EpisodeMethod | None = None
    phrase: str | None = None
    record: RunRecord | None = None
    calibration: Calibration | None = None
    training_statements: TrainingStatements | None = None

    @classmethod
    def from_pretrained(  # type: ignore[override]  # the hub's options are set by its environment variables
        cls,
        name: str | Path | ModelSource,
        *,
        device: str | torch.device | None = None,
        readout: str | None = None,
        marker_start: MarkerStart = "brackets",
    ) -> Self:
        """Load a run, or an encoder that has not learned any relation yet.

        A hub id or folder that holds a run loads as that run. An encoder is announced by the logger `protorel`. Code
        from the hub is never run.

        Args:
            name: A run folder, the hub id of a run, `protorel-small`, `minilm`, or the folder or hub id of an encoder.
            device: The device of the encoder, as in `to`; the CPU by default.
            readout: How a statement's vector is read off the encoder; a run knows its own.
            marker_start: Initial embeddings of entity markers; ignored for a run.

        Returns:
            The model.

        Raises:
            BadInput: There is no such model, a file of it is missing or was changed, or torch cannot use the device.
        """
        source = ModelSource.find(name)
        if not isinstance(readout, (str, type(None))):
            raise BadInput(f"readout: expected the name of a readout, got {kind(readout)}")
        if source.record is not None:
            parts = load_run(source.folder(), source.record, readout=readout)
            learned = (parts.classifier, parts.method, parts.phrase)
            model = cls(*parts[:4], source.name, *learned, source.record, parts.calibration, parts.training_statements)
        else:
            found = untrained(source.given, readout=readout or UNTRAINED_READOUT, marker_start=marker_start)
            model = cls(found.encoder, found.tokenizer, found.prototypes, found.max_length, found.name)
            _LOGGER.warning(BARE_ENCODER, source.given)
        return model if device is None else model.to(device)

    def save_pretrained(  # type: ignore[override]  # a card is all that the mixin's options are needed for
        self,
        folder: str | Path,
        *,
        record: Mapping[str, Any] | None = None,
        config: None = None,
        model_card_kwargs: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the model into a folder that `from_pretrained` and, for transformers, `AutoModel` can open.

        The files replace those of an earlier run in this folder when all are written; if writing fails, the earlier
        run stays as it was. Training statements that the run keeps are copied; `without_statements` leaves them out.
        sentence-transformers refuses the folder: it would give other vectors.

        Args:
            folder: The folder to write; created if it does not exist.
            record: The record to write; by default the model's own record.
            config: Ignored: `config.json` is the encoder's own.
            model_card_kwargs: If given, a model card is written too, unless there is a README.md already.
                `push_to_hub` does so. The key `title` is its heading.

        Raises:
            BadInput: The folder cannot be made or written into.
            WorkFailed: The disk is full or fails.
        """
        del config
        place = as_path(folder, "folder", expected="a folder")
        if record is None:
            record = {} if self.record is None else self.record.as_written()
        learned = (self.classifier, self.method, self.phrase, self.calibration, self.training_statements)
        parts = RunParts(self.encoder, self.tokenizer, self.prototypes, self.max_length, *learned)
        save_run(parts, place, record=record)
        if model_card_kwargs is not None and not (place / CARD).exists():
            write_text(place / CARD, str(self.generate_model_card(**model_card_kwargs)))

    def generate_model_card(self, *, title: str = "") -> ModelCard:
        """Return the model card: encoder, relations and data, as far as the record has them."""
        kind, width = str(self.encoder.settings["kind"]), self.encoder.width
        return ModelCard(
            card_text(title or self.name or "Relation model", kind, width, self.relations.ids, self.record)
        )

    def __len__(self) -> int:
        """Return the number of relations that have a prototype."""
        return len(self.relations)

    def __bool__(self) -> bool:
        """Return True: a model without relations is a model."""
        return True

    def __repr__(self) -> str:
        kind = self.encoder.settings["kind"]
        return f"RelationModel({self.name!r}, encoder={kind!r}, relations={len(self)}, width={self.encoder.width})"

    def _repr_html_(self) -> str:
        """Return the model as a small table for notebooks."""
        rows = {
            "name": self.name,
            "encoder": self.encoder.settings["kind"],
            "relations": len(self),
            "width": self.encoder.width,
        }
        cells = "".join(f"<tr><th>{key}</th><td>{escape(str(value))}</td></tr>" for key, value in rows.items())
        return f"<table><caption>RelationModel</caption>{cells}</table>"

    @property
    def relations(self) -> RelationVocabulary:
        """The relations that have a prototype."""
        return self.prototypes.relations

    @property
    def lineage(self) -> Lineage | None:
        """The lineage of the run; None for an encoder that is not a run."""
        return None if self.record is None else Lineage.of(self.name, self.record, self.relations.ids)

    @property
    def device(self) -> torch.device:
        """The device of the encoder."""
        return device_of(self.encoder)

    def to(self, device: str | torch.device) -> Self:
        """Move the encoder to a device, in place as torch's modules do, and return the model.

        `encode` moves batches there and returns vectors on the CPU, where prototypes, classifier and few-shot methods
        stay.

        Args:
            device: A device of torch, such as `cpu`, `cuda` or `cuda:1`.

        Returns:
            The same model.

        Raises:
            BadInput: Torch does not know the device or cannot use it here.
        """
        try:
            if isinstance(self.encoder, nn.Module):
                self.encoder.to(torch.device(device))
        except Exception as problem:  # whatever torch raises: each kind of device has its own
            reason = (str(problem).strip().splitlines() or [type(problem).__name__])[0][:200]
            raise BadInput(
                f"device: expected one that torch can use here, got {printable(shown(device))} ({reason})"
            ) from problem
        return self

    @property
    def fingerprint(self) -> str:
        """A hash of all that a statement's vector depends on: weights, readout, tokenizer, length."""
        return encoder_fingerprint(self.encoder, self.tokenizer, self.max_length)

    def encode(
        self, statements: StatementsLike, *, batch_size: int = 32, batch_tokens: int | None = None
    ) -> Float[Tensor, "statements width"]:
        """Return one vector per statement, in order; compare them by cosine.

        Args:
            statements: Texts with two entities each, in any form that `as_statements` accepts.
            batch_size: Statements per batch.
            batch_tokens: Most tokens per batch, padding included; replaces `batch_size`.

        Returns:
            The vectors, as the encoder made them: their length is not 1.

        Raises:
            BadInput: A row is not a statement, or cannot be read within `max_length` tokens.
        """
        if not isinstance(batch_size, int) or batch_size < 1:
            raise BadInput(f"batch_size: expected a whole number of at least 1, got {printable(shown(batch_size))}")
        held = as_statements(statements, where="statements")
        rows = tokenise_all(held, self.tokenizer, max_length=self.max_length)
        ids = [statement.id for statement in held]
        return self.encode_rows(rows, batch_size=batch_size, batch_tokens=batch_tokens, ids=ids)

    def encode_wordings(self, wordings: Sequence[Sequence[Wording]]) -> Float[Tensor, "relations width"]:
        """Return one unit vector per relation: the mean direction of its texts and generated statements."""
        rows = wording_rows(wordings, self.tokenizer, max_length=self.max_length)
        vectors = torch.cat([self.encode_rows(rows.texts, texts=True), self.encode_rows(rows.made_up)])
        owners = torch.from_numpy(np.concatenate([rows.owners_of_texts, rows.owners_of_made_up]))
        return mean_prototypes(vectors, owners, len(wordings))

    def predict(
        self,
        statements: StatementsLike,
        *,
        among: Sequence[str] | None = None,
        top: int = 3,
        min_precision: float | None = None,
        nearest: int = NEAREST,
    ) -> list[Prediction]:
        """Return the relations that hold between head and tail of each statement, with probabilities.

        Probabilities are independent per relation: several may hold, or none. Without a calibration they come from the
        training statements alone, and every prediction says `calibrated=False`.

        Args:
            statements: Whatever `as_statements` takes; labels are not needed and not read.
            among: The candidate relations; all that have a prototype by default.
            top: How many candidates `ranked` lists.
            min_precision: Assert only as many relations as keep this precision on the held-out statements of the
                calibration. By default a relation is asserted from a probability of 0.5 on.
            nearest: How many of the nearest prototypes are given as evidence, and how many of the nearest training
                statements, if the run keeps them.

        Returns:
            One prediction per statement, in order.

        Raises:
            BadInput: the model has no prototypes, a statement cannot be read, a candidate is unknown, or the
                precision cannot be reached.
        """
        threshold = ASSERTED if min_precision is None else self.threshold_for(min_precision)
        held = as_statements(statements)
        return predict_statements(self, held, among=among, top=top, threshold=threshold, nearest=nearest)

    @property
    def maps(self) -> Calibration:
        """The calibration, or without one the maps that the training statements give."""
        if self.calibration is not None:
            return self.calibration
        radius, threshold = (one.double().numpy() for one in (self.prototypes.radius, self.prototypes.threshold))
        prototypes = fingerprint_of(self.prototypes.vectors.numpy())
        return Calibration.unmeasured(self.relations.ids, prototypes, radius, threshold)

    def threshold_for(self, min_precision: float) -> float:
        """Return the probability from which on asserted relations reach a precision on held-out statements.

        Args:
            min_precision: The share of asserted relations that must be right.

        Raises:
            BadInput: the model is not calibrated, or the precision cannot be reached.
        """
        return self.maps.threshold_for(min_precision)[0]

    def calibrated(self, held_out: StatementsLike, *, none_share: float | None = None) -> Self:
        """Return the same model with probabilities that fit held-out statements.

        Args:
            held_out: Labelled statements that the model was not trained on. Pairs without a relation are labelled
                `no_relation`; their share should be that of the texts the model is for. Several statements with the
                same text, head and tail are one pair with several relations.
            none_share: Share of pairs without a relation where the model will be used; by default that of `held_out`.

        Returns:
            The calibrated model.

        Raises:
            BadInput: a statement has no label, or there are no pairs with, or none without, a relation.
        """
        return replace(self, calibration=calibrate_model(self, as_data_set(held_out), none_share=none_share))

    def with_relations(self, relations: RelationsLike | None = None, *, examples: StatementsLike = ()) -> Self:
        """Return a model with more relations, which are usable at once and on the scale of the learned ones.

        Args:
            relations: The new relations: a list of names or `Relation`s, a mapping of ids to a name or to
                (name, description), or what `load_descriptions` returns. None: those that the examples name.
            examples: Labelled statements of the new relations; one per relation is enough, three are better.

        Returns:
            A model with one more prototype per relation, from its words, its examples, or both.

        Raises:
            BadInput: a relation is known already, or has neither words nor examples.
        """
        prototypes, calibration = add_relations(self, relations, as_statements(examples))
        return replace(self, prototypes=prototypes, calibration=calibration)

    def with_descriptions(self, descriptions: Descriptions) -> Self:
        """Return the same model with names and descriptions of its relations, for people who read its answers.

        Args:
            descriptions: What `load_descriptions` returns. Relations that it lacks keep the names they have.

        Returns:
            A model with the same vectors and probabilities.
        """
        known = (descriptions.relations.get(one.id, one) for one in self.relations)
        return replace(self, prototypes=replace(self.prototypes, relations=RelationVocabulary(known)))

    def without_relations(self, names: Sequence[str]) -> Self:
        """Return a model without some of its relations.

        Args:
            names: The relations to remove.

        Raises:
            BadInput: the model has no such relation.
        """
        prototypes, calibration = remove_relations(self, names)
        return replace(self, prototypes=prototypes, calibration=calibration)

    def without_statements(self) -> Self:
        """Return the same model without the training statements that the run keeps as evidence.

        Returns:
            A model with the same answers, whose evidence is the nearest prototypes alone.
        """
        return replace(self, training_statements=None)

    def encode_rows(
        self,
        rows: TokenRows,
        *,
        indices: Sequence[int] | None = None,
        batch_size: int = 32,
        batch_tokens: int | None = None,
        texts: bool = False,
        ids: Sequence[str] = (),
    ) -> Float[Tensor, "statements width"]:
        """Return the vectors of tokenised statements or texts, or of those at `indices`, with dropout off.

        Args:
            rows: The tokens; rows of similar length are encoded together.
            indices: Which rows, in this order; all by default.
            batch_size: Rows per batch.
            batch_tokens: Most tokens per batch, padding included; replaces `batch_size`.
            texts: Whether the rows are texts without entities.
            ids: Names of the rows, for errors.

        Returns:
            One vector per row, on the CPU.

        Raises:
            WorkFailed: A vector is not finite.
        """
        return encode_token_rows(
            self.encoder,
            rows,
            indices=indices,
            batch_size=batch_size,
            batch_tokens=batch_tokens,
            texts=texts,
            ids=ids,
        )


def untrained(
    name: str, *, readout: str = UNTRAINED_READOUT, marker_start: MarkerStart = "brackets", max_length: int = 128
) -> RelationModel:
    """Load an encoder as a model without relations, such as one that training starts from.

    Args:
        name: `minilm`, or the folder or hub id of an encoder.
        readout: How a statement's vector is read off the encoder.
        marker_start: Initial embeddings of entity markers.
        max_length: Most tokens per statement; less if the encoder reads fewer.

    Raises:
        BadInput: There is no such encoder, or it cannot be read.
    """
    source = resolve(name)
    tokenizer = StatementTokenizer.load(source.name, markers=True, local=source.local)
    encoder = TransformerEncoder.load(source, readout=readout, tokenizer=tokenizer)
    if marker_start == "brackets":
        encoder.start_markers_as_brackets(tokenizer)
    limit = getattr(encoder.backbone.config, "max_position_embeddings", max_length)
    return RelationModel(encoder, tokenizer, Prototypes.none(encoder.width), min(max_length, int(limit)), name)
