"""Settings of the evaluation on natural pairs, and the data that its baselines and added relations need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from protorel.io import BadInput
from protorel.statements import SYMMETRIC, DataSet


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """Settings of `evaluate_extraction`.

    Args:
        min_precision: The precision to ask the model for.
        resamples: Resamples of documents in which that precision is checked.
        most_documents: Evaluate only this many documents, the first ones.
        all_facts: Number of all facts of the documents, also those whose entities share no sentence.
        unreachable: Numbers of facts without a sentence by document, as `facts_without_sentence` returns them.
        symmetric: Relations that hold in both orders.
        seed: Random seed for intervals and resamples.

    Example:
        >>> ExtractionSettings().min_precision
        0.9
    """

    min_precision: float = 0.9
    resamples: int = 20
    most_documents: int | None = None
    all_facts: int | None = None
    unreachable: Mapping[str, int] | None = None
    symmetric: tuple[str, ...] = SYMMETRIC
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.min_precision < 1:
            raise BadInput(f"min_precision: expected a number between 0 and 1, got {self.min_precision}")
        for name in ("resamples", "most_documents", "all_facts"):
            if (value := getattr(self, name)) is not None and value < 1:
                raise BadInput(f"{name}: expected 1 or more, got {value}")


@dataclass(frozen=True, slots=True)
class BaselineData:
    """What the baselines learn from; a baseline without its data is left out.

    Args:
        train: Training pairs with entity types, for the type-pair majority.
        held_out: Pairs that the untrained encoder is calibrated on.
        encoder: The untrained encoder, which needs the descriptions of the relations too.
    """

    train: DataSet | None = None
    held_out: DataSet | None = None
    encoder: str = "minilm"


@dataclass(frozen=True, slots=True)
class UnseenSettings:
    """Relations that are evaluated as if they had been added without training.

    Args:
        relations: Those relations. Their learned prototypes are removed first.
        examples: Labelled statements of them; without examples, only their words are used.
        shots: Examples per relation.
    """

    relations: tuple[str, ...]
    examples: DataSet | None = None
    shots: int = 3
