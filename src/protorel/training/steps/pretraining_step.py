"""One step of pretraining: a balanced batch, one pass of the encoder, one loss."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from jaxtyping import Bool, Float, Int
from numpy.typing import NDArray
from torch import Tensor

from protorel.batches import (
    BalancedSampler,
    ShuffledBatches,
    StatementBatch,
    TrainingRows,
    blank_entities,
    collate,
    join_batches,
    mask_tokens,
    swap_names,
)
from protorel.encoders import EncodedBatch, RelationEncoder, encode_in_chunks
from protorel.objectives import HiddenTokens, WeightedSum
from protorel.patterns import SnowballSettings, read_corpus, rule_weights
from protorel.recipes import Recipe
from protorel.statements import StatementSource
from protorel.training.data.small_data import fit_batches, least_relations
from protorel.training.loop import StepResult, step_seed
from protorel.training.run import training_device
from protorel.training.steps.relation_texts import DrawnWordings, TextsOfRelations
from protorel.training.steps.training_dynamics import TrainingDynamics

_MEASURED = 1_000_000
"""Quantiles are of the first million weights: torch.quantile takes no more than 16 million."""


class StatementWeights:
    """One fixed weight per training row: the similarity of a statement to the rules of its relation.

    A pure function of the data, so a resumed run computes the same weights.
    """

    def __init__(self, source: StatementSource, rows: TrainingRows, *, patterns: int) -> None:
        """Find the rules of the statements that `rows` were made from."""
        settings = SnowballSettings()
        weights = rule_weights(read_corpus(source, settings), settings, top=patterns)
        self._weights = torch.from_numpy(weights[rows.origins])

    def of(self, rows: Sequence[int], device: torch.device) -> Float[Tensor, " batch"]:
        """Return the weights of the given rows."""
        return self._weights[list(rows)].to(device)

    def as_json(self) -> dict[str, Any]:
        """Return the section `statement_weights` of a run's record: quartiles."""
        shares = torch.tensor([0.0, 0.25, 0.5, 0.75, 1.0])
        least, low, middle, high, most = torch.quantile(self._weights[:_MEASURED], shares).tolist()
        return {"least": least, "lower_quarter": low, "median": middle, "upper_quarter": high, "most": most}


class PretrainingStep:
    """The step function of pretraining: a function of the recipe's seed and the step's number."""

    def __init__(
        self,
        recipe: Recipe,
        encoder: RelationEncoder,
        objective: WeightedSum,
        rows: TrainingRows,
        dynamics: TrainingDynamics,
        texts: TextsOfRelations | None = None,
        weights: StatementWeights | None = None,
    ) -> None:
        self.recipe, self.encoder, self.objective, self.rows = recipe, encoder, objective, rows
        self.dynamics, self.texts, self.weights = dynamics, texts, weights
        self.device = training_device()
        self.rows_of_relation = rows.rows_of_relation()
        by_pair = recipe.batches_by == "pair"
        grouped = self._rows_of_pair() if by_pair else self.rows_of_relation
        self.unrelated = self._unrelated_batches()
        self.shape = fit_batches(recipe, [len(own) for own in grouped])
        self.sampler = BalancedSampler(
            grouped,
            relations_per_batch=self.shape.relations_per_batch,
            statements_per_relation=self.shape.statements_per_relation,
            seed=recipe.seed,
            groups=rows.groups,
            names=None if by_pair else rows.names,
            kind="entity pair" if by_pair else "relation",
        )

    def _rows_of_pair(self) -> list[NDArray[np.int64]]:
        """Return the rows of each entity pair, without those that a term which reads labels could not use."""
        of_pair = self.rows.rows_of_pair()
        if least_relations(self.recipe) == 1 or (self.rows.relations >= 0).all():
            return of_pair
        labelled = [rows[self.rows.relations[rows] >= 0] for rows in of_pair]
        return [rows for rows in labelled if len(np.unique(self.rows.groups[rows])) > 1]

    def _unrelated_batches(self) -> ShuffledBatches | None:
        """Return the statements without a relation that each batch holds; None without such statements."""
        rows = self.rows.unlabelled_rows
        if not len(rows) or not self.objective.pushes_unrelated:
            return None
        return ShuffledBatches(rows, self.recipe.unrelated_per_batch, step_seed(self.recipe.seed, 0))

    def __call__(self, step: int) -> StepResult:
        """Compute the loss of step number `step`."""
        chosen = self.sampler.rows(step)
        unrelated = self.unrelated.batch(step) if self.unrelated is not None else []
        relations = torch.from_numpy(self.rows.relations[chosen].astype(np.int64)).to(self.device)
        labels = self.rows.labels(chosen).to(self.device)
        drawn = self._draw_wordings(relations, step)
        encoded, hidden = self._encode(self._batch(chosen, step, unrelated), step, drawn)
        vectors, more, wordings = encoded.vectors.split(
            [len(chosen), len(unrelated), len(encoded.vectors) - len(chosen) - len(unrelated)]
        )
        pairs = torch.from_numpy(self.rows.pairs[chosen].astype(np.int64)).to(self.device)
        texts = None
        if drawn is not None:
            texts = drawn.directions(wordings)
        elif self.texts is not None:
            texts = self.texts.encode(self.encoder, relations, chunks=self.recipe.chunks, device=self.device)
        weights = self.weights.of(chosen, self.device) if self.weights is not None else None
        loss = self.objective(
            vectors,
            relations,
            labels,
            hidden,
            pairs=pairs,
            texts=texts,
            weights=weights,
            unrelated=more if unrelated else None,
        )
        prototypes = self.objective.learned_prototypes()
        if prototypes is not None:
            self.dynamics.add(step + 1, chosen, vectors, relations, prototypes)
        return StepResult(loss.total, loss.terms, len(chosen), lambda: self.rows.ids([*chosen, *unrelated]))

    def _batch(self, chosen: list[int], step: int, unrelated: Sequence[int] = ()) -> StatementBatch:
        rows = [self.rows.rows.row(index) for index in chosen]
        if self.recipe.swap_rate:
            rng = np.random.default_rng([self.recipe.seed, 3, step])
            rows = swap_names(
                rows,
                self.rows.relations[chosen].tolist(),
                self.rows.rows,
                # The index of a label that means no relation is -1.
                [*self.rows_of_relation, np.flatnonzero(self.rows.relations < 0)],
                rate=self.recipe.swap_rate,
                max_length=self.recipe.max_length,
                rng=rng,
            )
        rows += [self.rows.rows.row(index) for index in unrelated]
        if self.recipe.blank_rate:
            rng = np.random.default_rng([self.recipe.seed, 2, step])
            layout = self.rows.rows.layout
            rows = [blank_entities(row, layout, rate=self.recipe.blank_rate, rng=rng) for row in rows]
        return collate(rows, self.rows.rows.layout)

    def _draw_wordings(self, relations: Int[Tensor, " batch"], step: int) -> DrawnWordings | None:
        """Return the wordings to encode in one batch with the statements; None if they are encoded separately.

        With padding, `all` wordings are encoded separately: they are much shorter than statements.
        """
        term = self.recipe.objective.text
        if self.texts is None or (term.wordings_per_step == "all" and not self.recipe.padding_free):
            return None
        return self.texts.draw(
            relations,
            count=None if term.wordings_per_step == "all" else term.wordings_per_step,
            rng=np.random.default_rng([self.recipe.seed, 4, step]),
        )

    def _encode(
        self, batch: StatementBatch, step: int, drawn: DrawnWordings | None
    ) -> tuple[EncodedBatch, HiddenTokens | None]:
        """Encode the statements, followed by the drawn wordings, in the same chunks."""
        embeddings = self.encoder.token_embeddings
        if not self.objective.hides_tokens or embeddings is None:
            return self._encode_with(batch, drawn), None
        generator = torch.Generator().manual_seed(step_seed(self.recipe.seed, step))
        masked = mask_tokens(batch, self.rows.rows.layout, rate=self.recipe.objective.mlm.rate, generator=generator)
        twice = self.recipe.objective.mlm.passes == 2
        encoded = self._encode_with(masked.batch, None if twice else drawn, keep=masked.hidden)
        if encoded.states is None or encoded.rows is None or encoded.positions is None:
            return encoded, None
        original = masked.original.to(self.device)[encoded.rows, encoded.positions]
        hidden = HiddenTokens(encoded.states, original, embeddings.weight)
        return self._encode_with(batch, drawn) if twice else encoded, hidden

    def _encode_with(
        self, batch: StatementBatch, drawn: DrawnWordings | None, *, keep: Bool[Tensor, "batch length"] | None = None
    ) -> EncodedBatch:
        texts = None
        if drawn is not None:
            statements = len(batch)
            batch = join_batches(batch, drawn.batch, self.rows.rows.layout)
            texts = torch.cat([torch.zeros(statements, dtype=torch.bool), drawn.texts]).to(self.device)
            if keep is not None:
                keep = F.pad(keep, (0, batch.tokens.shape[1] - keep.shape[1], 0, len(batch) - len(keep)))
        return encode_in_chunks(
            self.encoder,
            batch.to(self.device),
            chunks=self.recipe.chunks,
            keep=None if keep is None else keep.to(self.device),
            texts=texts,
        )
