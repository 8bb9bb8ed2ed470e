"""The best epoch of a supervised run: the dev set that scores epochs, the score, and the weights that scored best."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from protorel.batches import StatementTokenizer, TokenRows, TrainingRows, training_rows
from protorel.statements import BadInput, Selection

Metric = Literal["semeval", "macro", "micro", "accuracy"]

_NAMED = 5
"""How many labels a warning names before it only counts."""
_DIRECTION = re.compile(r"\(e[12],e[12]\)$")


class TuningWarning(UserWarning):
    """Something in the data makes a tuned model's scores look better or worse than they are."""


@dataclass(frozen=True, slots=True)
class DevSet:
    """Tokenised statements with their gold labels."""

    rows: TokenRows
    indices: NDArray[np.int64]
    """The rows that belong to the dev set."""
    gold: tuple[str, ...]
    fingerprint: str | None = None
    """The data set's fingerprint; None for statements held out from the training data."""
    shared: int = 0
    """How many of them are training statements too."""
    never_trained: tuple[str, ...] = ()
    """Labels that are not in the training data."""
    rejected: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return the section `dev` of a run's record."""
        return {
            "fingerprint": self.fingerprint,
            "held_out": self.fingerprint is None,
            "statements": len(self.indices),
            "rejected": self.rejected,
            "shared_with_training": self.shared,
            "labels_never_trained": list(self.never_trained),
        }


def hold_out(rows: TrainingRows, count: int, *, seed: int) -> tuple[NDArray[np.int64], DevSet | None]:
    """Split rows into training rows and a dev set of `count` statements; no dev set if `count` is 0.

    One statement of each label stays in training. A statement with two labels goes to one side with both.
    """
    if not count:
        return np.arange(len(rows)), None
    order = np.random.default_rng([seed, 5]).permutation(len(rows))
    _, firsts = np.unique(rows.relations[order], return_index=True)
    staying = set(rows.groups[order[firsts]].tolist())
    free = [group for group in dict.fromkeys(rows.groups[order].tolist()) if group not in staying]
    sizes = np.bincount(rows.groups)
    total = np.cumsum([sizes[group] for group in free])
    if not len(total) or total[-1] < count:
        most = int(total[-1]) if len(total) else 0
        raise BadInput(
            f"hold_out={count}: at most {most} of these {len(rows)} statements can be held out, "
            "since one of each label must stay. Set a lower number, or use --dev"
        )
    chosen = free[: int(np.searchsorted(total, count)) + 1]
    is_held = np.isin(rows.groups, chosen)
    held = np.flatnonzero(is_held)
    gold = tuple(rows.names[label] for label in rows.relations[held].tolist())
    return np.flatnonzero(~is_held), DevSet(rows.rows, held, gold)


def dev_set(
    dev: Selection, train: Selection, tokenizer: StatementTokenizer, *, max_length: int, labels: Sequence[str]
) -> DevSet:
    """Tokenise a dev set; warn of training statements in it, and of labels that are not in the training data."""
    if not dev.counts:
        raise BadInput("--dev: expected labelled statements, got none")
    rows = training_rows(dev.source, tokenizer, max_length=max_length, data_fingerprint=dev.fingerprint)
    if len(rows) == 0:
        raise BadInput(f"--dev: none of the statements can be used; the first: {rows.rejected[0]['reason']}")
    shared = count_shared(dev, train)
    gold = tuple(rows.names[label] for label in rows.relations.tolist())
    unseen = Counter(label for label in gold if label not in set(labels))
    if unseen:
        named = ", ".join(map(repr, list(unseen)[:_NAMED])) + (", …" if len(unseen) > _NAMED else "")
        warnings.warn(
            f"{unseen.total()} of the {len(gold)} dev statements have {len(unseen)} label{'s' * (len(unseen) > 1)} "
            f"not in the training data ({named}), which are never predicted: they count as wrong",
            TuningWarning,
            stacklevel=2,
        )
    everything = np.arange(len(rows))
    return DevSet(rows.rows, everything, gold, dev.fingerprint, shared, tuple(unseen), len(rows.rejected))


def count_shared(dev: Selection, train: Selection) -> int:
    """Return how many dev statements are training statements too; warn if there are any."""
    trained = {statement.key for statement in train.source() if statement.relation is not None}
    shared = sum(statement.key in trained for statement in dev.source() if statement.relation is not None)
    if shared:
        warnings.warn(
            f"{shared} of the {sum(dev.counts.values())} dev statements are training statements too, "
            "so the dev score is too high",
            TuningWarning,
            stacklevel=3,
        )
    return shared


def dev_score(gold: Sequence[str], answers: Sequence[str], *, metric: Metric, no_relation: str | None = None) -> float:
    """Return the score that chooses the epoch, between 0 and 1; figures to report come from `protorel.evaluation`.

    `accuracy` counts every label. The others are F1 without the label `no_relation`: `micro` over all answers, `macro`
    averaged over the labels in gold or answers, `semeval` averaged over the relations in gold, where the right relation
    in the wrong direction is wrong, as in the official scorer.
    """
    if metric == "accuracy":
        return sum(right == answer for right, answer in zip(gold, answers, strict=True)) / len(gold)
    counted_as: dict[str, Callable[[str], str]] = {
        "semeval": lambda label: _DIRECTION.sub("", label),
        "macro": lambda label: label,
        "micro": lambda _: "",
    }
    name = counted_as[metric]
    pairs = list(zip(gold, answers, strict=True))
    right = Counter(name(label) for label, answer in pairs if label == answer != no_relation)
    expected = Counter(name(label) for label in gold if label != no_relation)
    answered = Counter(name(answer) for answer in answers if answer != no_relation)
    counted = expected if metric == "semeval" else expected | answered
    # F1 is 2 PR / (P + R): twice the right answers over all gold labels and all answers.
    each = [2 * right[one] / (expected[one] + answered[one]) for one in counted]
    return sum(each) / len(each) if each else 0.0


class BestEpoch:
    """Keeps a copy of the weights of the epoch with the highest score, as part of every checkpoint."""

    def __init__(self, modules: Mapping[str, nn.Module]) -> None:
        self.modules = modules
        self.scores: list[float] = []
        self._weights: dict[str, Tensor] = {}

    @property
    def epoch(self) -> int | None:
        """The best epoch, counted from 1; the earlier of two with the same score."""
        return self.scores.index(max(self.scores)) + 1 if self.scores else None

    def add(self, score: float) -> None:
        """Add the score of the weights as they are now."""
        self.scores.append(score)
        if self.epoch == len(self.scores):
            self._weights = {name: tensor.detach().cpu().clone() for name, tensor in self._now().items()}

    def use(self) -> None:
        """Load the best weights into the modules; without a score the last ones stay."""
        if self._weights:
            for part, module in self.modules.items():
                module.load_state_dict({name: self._weights[f"{part}.{name}"] for name in module.state_dict()})

    def tensors(self) -> dict[str, Tensor]:
        """Return scores and weights by name."""
        return {"scores": torch.tensor(self.scores, dtype=torch.float64), **self._weights}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to what `tensors` returned."""
        self.scores = tensors["scores"].tolist()
        self._weights = {name: tensors[name] for name in self._now()} if self.scores else {}

    def _now(self) -> dict[str, Tensor]:
        parts = self.modules.items()
        return {f"{part}.{name}": tensor for part, module in parts for name, tensor in module.state_dict().items()}
