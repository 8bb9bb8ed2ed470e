"""Calibration: from cosines to probabilities, one sigmoid per prototype, at a known share of "none". No torch here.

Equation 2 gives every prototype a sigmoid, d = σ(slope · cos + offset). That is the right form where several relations
may hold, or none, once slope and offset are fitted to held-out statements. Whether none holds has a map of its own.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from protorel.io import BadInput, read_model, write_json
from protorel.model.answers.background import Background
from protorel.model.answers.calibration_file import CALIBRATION_VERSION, IDENTITY, CalibrationFile, Curve, HeldOut, Line

CALIBRATION = "calibration.json"
"""The file of a calibrated run."""
MEASURED = 2.0
"""The logit between a prototype's median training cosine and its farthest twentieth, where nothing else is known."""
UNMEASURED = (10.0, -5.0)
"""Slope and offset of equation 2 where nothing at all is known of a prototype."""
Numbers = NDArray[np.float64]
_MOST_DOCUMENTS = 1_000_000
"""The highest number of a document: a bound on what an altered file can cost."""
_SMALLEST = 1e-12


class Probabilities(NamedTuple):
    """The probability of every candidate for every statement, and that none of them holds."""

    relations: Numbers
    none: Numbers


@dataclass(frozen=True, slots=True)
class Calibration:
    """Maps from cosines to probabilities.

    Args:
        relations: The relations, in the order of the prototypes.
        prototypes: Fingerprint of the prototypes that it was made for, see `fingerprint_of`.
        slope: One slope per relation.
        offset: One offset per relation.
        positives: Number of held-out statements per relation; a relation with few has almost the pooled map.
        none: Map from the logit that none holds, were relations independent, to its calibrated logit.
        measured_share: Share of held-out pairs without a relation.
        none_share: Share of pairs without a relation where the model is used; the probabilities are for this share.
        added: Maps of prototypes that are made without training, by what they are made from.
        held_out: What it was fitted to; None if it was not fitted to held-out statements.
        curve: Held-out answers, for `threshold_for`.
        background: How vectors of held-out statements lie, which puts new prototypes on the scale of the others.
    """

    relations: tuple[str, ...]
    prototypes: str
    slope: Numbers
    offset: Numbers
    positives: NDArray[np.int64]
    none: Line = IDENTITY
    measured_share: float | None = None
    none_share: float | None = None
    added: dict[str, Line] | None = None
    held_out: HeldOut | None = None
    curve: Curve | None = None
    background: Background | None = None

    @classmethod
    def unmeasured(cls, relations: Sequence[str], prototypes: str, radius: Numbers, threshold: Numbers) -> Self:
        """Return the maps of a run that was never calibrated.

        A statement as close to its prototype as half of the training statements has a probability of 0.5; one that
        is only as close as the farthest twentieth has a logit that is lower by `MEASURED`. Without these figures, d is
        as in equation 2.

        Args:
            relations: The relations, in the order of the prototypes.
            prototypes: Fingerprint of the prototypes.
            radius: Median training cosine per relation, NaN where not measured.
            threshold: The cosine that 19 of 20 training statements reach, NaN where not measured.
        """
        with np.errstate(invalid="ignore", divide="ignore"):
            slope = MEASURED / (radius - threshold)
        known = np.isfinite(slope) & (slope > 0) & (slope < 1e4)
        slope = np.where(known, slope, UNMEASURED[0])
        offset = np.where(known, -slope * np.where(known, radius, 0.0), UNMEASURED[1])
        return cls(tuple(relations), prototypes, slope, offset, np.zeros(len(slope), dtype=np.int64))

    def logits(self, cosines: NDArray[np.floating]) -> Numbers:
        """Return one logit per statement and relation, at the share of none that was measured."""
        found: Numbers = cosines.astype(np.float64) * self.slope + self.offset
        return found

    def probabilities(self, cosines: NDArray[np.floating], *, among: NDArray[np.int64] | None = None) -> Probabilities:
        """Return the probability of each relation, and that none of them holds.

        Args:
            cosines: One row per statement, one column per relation of the model.
            among: Columns of the candidates; all by default.
        """
        logits = self.logits(cosines)
        logits = logits if among is None else logits[:, among]
        relations, none = sigmoid(logits), sigmoid(self.none.slope * independent_none(logits) + self.none.offset)
        return self._shifted(relations, none)

    def _shifted(self, relations: Numbers, none: Numbers) -> Probabilities:
        """Move probabilities from the share of none that was measured to the one that is expected, by Bayes' rule."""
        before, now = self.measured_share, self.none_share
        if before is None or now is None or before == now:
            return Probabilities(relations, none)
        related, unrelated = (1 - now) / max(1 - before, _SMALLEST), now / max(before, _SMALLEST)
        whole = np.maximum((1 - none) * related + none * unrelated, _SMALLEST)
        return Probabilities(np.minimum(relations * (related / whole)[:, None], 1.0), none * unrelated / whole)

    def at(self, none_share: float) -> Self:
        """Return the same calibration for another share of pairs without a relation.

        Raises:
            BadInput: the share is not between 0 and 1, or the calibration does not know the share it was fitted at.
        """
        if not 0 <= none_share <= 1:
            raise BadInput(f"none_share: expected a number from 0 to 1, got {none_share}")
        if self.measured_share is None:
            raise BadInput(
                "none_share: expected a model that was calibrated on held-out statements, got one that was not. "
                "Calibrate it first"
            )
        return replace(self, none_share=float(none_share))

    @property
    def calibrated(self) -> bool:
        """Whether the maps were fitted to held-out statements."""
        return self.held_out is not None

    def threshold_for(self, min_precision: float) -> tuple[float, float]:
        """Return the lowest probability whose answers are right often enough, and the share of labels they cover.

        Precision is that of the held-out answers above the threshold, less one standard error over documents and half
        an answer: what holds for some documents must hold for others, and a handful of answers is not trusted.

        Args:
            min_precision: The share of asserted relations that must be right.

        Returns:
            The threshold, and its coverage: the share of the held-out labels that are asserted above it.

        Raises:
            BadInput: the model is not calibrated, the precision is not between 0 and 1, or it cannot be reached.
        """
        if not 0 < min_precision < 1:
            raise BadInput(f"min_precision: expected a number between 0 and 1, got {min_precision}")
        if self.curve is None or not self.curve.probability:
            raise BadInput(
                "min_precision: expected a calibrated model, got one without held-out answers. "
                "Run `protorel calibrate MODEL HELD_OUT` first"
            )
        if self.none_share != self.measured_share:
            raise BadInput(
                f"min_precision: expected the share of none that was measured, {self.measured_share:.3f}, "
                f"got {self.none_share:.3f}. Calibrate on pairs with that share"
            )
        probability = np.asarray(self.curve.probability)
        documents = np.asarray(self.curve.document, dtype=np.int64)
        precision, right = _lower_precision(np.asarray(self.curve.right, dtype=np.float64), documents)
        possible = _last_of_equals(probability)
        reached = np.flatnonzero((precision >= min_precision) & possible)
        if not len(reached):
            best = math.floor(100 * float(precision[possible].max())) / 100  # rounded up, it could not be reached
            if best <= 0:
                raise BadInput(
                    f"min_precision: expected held-out answers that reach a precision, got none, for {min_precision}. "
                    "Calibrate on more pairs, or train longer"
                )
            raise BadInput(
                f"min_precision: expected at most {best:.2f}, which the held-out answers reach, got {min_precision}"
            )
        place = int(reached[-1])
        return float(probability[place]), float(right[place] / max(self.curve.labels, 1))

    def extended(self, relations: Sequence[str], prototypes: str, slope: Numbers, offset: Numbers) -> Self:
        """Return a calibration for more prototypes, whose maps are given."""
        return replace(
            self,
            relations=(*self.relations, *relations),
            prototypes=prototypes,
            slope=np.concatenate([self.slope, slope]),
            offset=np.concatenate([self.offset, offset]),
            positives=np.concatenate([self.positives, np.zeros(len(slope), dtype=np.int64)]),
        )

    def kept(self, places: Sequence[int], prototypes: str) -> Self:
        """Return a calibration for some of the prototypes."""
        chosen = np.asarray(places, dtype=np.int64)
        return replace(
            self,
            relations=tuple(self.relations[place] for place in places),
            prototypes=prototypes,
            slope=self.slope[chosen],
            offset=self.offset[chosen],
            positives=self.positives[chosen],
        )

    def as_json(self) -> dict[str, Any]:
        """Return what calibration.json says."""
        return {
            "format": CALIBRATION_VERSION,
            "relations": list(self.relations),
            "prototypes": self.prototypes,
            "slope": self.slope.tolist(),
            "offset": self.offset.tolist(),
            "positives": self.positives.tolist(),
            "none": self.none.model_dump(),
            "measured_share": self.measured_share,
            "none_share": self.none_share,
            "added": {name: line.model_dump() for name, line in (self.added or {}).items()},
            "held_out": self.held_out.model_dump() if self.held_out is not None else None,
            "curve": self.curve.model_dump() if self.curve is not None else None,
            "background": self.background is not None,
        }

    def save(self, folder: Path) -> None:
        """Write calibration.json, and background.safetensors where a background was measured."""
        write_json(folder / CALIBRATION, self.as_json())
        if self.background is not None:
            self.background.save(folder)

    @classmethod
    def load(cls, folder: Path, *, width: int) -> Self:
        """Read what `save` wrote, for vectors of this width.

        Raises:
            BadInput: the file cannot be read, or its parts differ in length.
        """
        path = folder / CALIBRATION
        said = read_model(path, CalibrationFile)
        for name in ("slope", "offset", "positives"):
            if (found := len(getattr(said, name))) != len(said.relations):
                raise BadInput(
                    f"{path}: {name}: expected one number for each of {len(said.relations)} relations, got {found}"
                )
        if said.curve is not None:
            for name in ("right", "document"):
                if (found := len(getattr(said.curve, name))) != len(said.curve.probability):
                    expected = f"one number for each of {len(said.curve.probability)} answers"
                    raise BadInput(f"{path}: curve.{name}: expected {expected}, got {found}")
            if said.curve.document and max(said.curve.document) > _MOST_DOCUMENTS:
                raise BadInput(f"{path}: curve.document: expected numbers up to {_MOST_DOCUMENTS}, got larger ones")
        return cls(
            tuple(said.relations),
            said.prototypes,
            np.asarray(said.slope, dtype=np.float64),
            np.asarray(said.offset, dtype=np.float64),
            np.asarray(said.positives, dtype=np.int64),
            said.none,
            said.measured_share,
            said.none_share,
            said.added,
            said.held_out,
            said.curve,
            Background.load(folder, width=width) if said.background else None,
        )

    def check_fits(self, relations: Sequence[str], prototypes: str, *, where: str) -> None:
        """Raise `BadInput` if the calibration was made for other relations or other prototypes."""
        hint = "Calibrate the model again with `protorel calibrate`"
        if self.relations != tuple(relations):
            other = next((name for name in self.relations if name not in set(relations)), None)
            found = f"one that has {other!r}" if other is not None else f"one of {len(self.relations)} relations"
            raise BadInput(
                f"{where}: expected a calibration for the model's {len(relations)} relations, got {found}. {hint}"
            )
        if self.prototypes != prototypes:
            raise BadInput(f"{where}: expected a calibration for the model's prototypes, got one for others. {hint}")


def sigmoid(logits: Numbers) -> Numbers:
    """Return 1 / (1 + exp(-logit)) without overflow."""
    found: Numbers = 0.5 * (1.0 + np.tanh(0.5 * logits))
    return found


def independent_none(logits: Numbers) -> Numbers:
    """Return the logit that no relation holds if they are independent: of the product of all 1 - p.

    Args:
        logits: One row per statement, one column per relation.
    """
    log_none = -np.logaddexp(0.0, logits).sum(axis=1)
    found: Numbers = log_none - np.log(np.maximum(-np.expm1(log_none), _SMALLEST))
    return found


def fingerprint_of(vectors: NDArray[np.floating]) -> str:
    """Return a hash of prototypes, by which a calibration knows what it was made for."""
    return hashlib.sha256(np.ascontiguousarray(vectors, dtype=np.float32).tobytes()).hexdigest()


def _lower_precision(right: Numbers, documents: NDArray[np.int64]) -> tuple[Numbers, Numbers]:
    """Return the precision of the first 1, 2, … answers less its uncertainty, and how many of them are right.

    The standard error is that of a ratio of sums over documents (Cochran 1977, "Sampling Techniques", section 6.4).
    """
    hits = np.cumsum(right)
    counts = np.arange(1, len(right) + 1)
    of_document, right_of = np.zeros(documents.max() + 1), np.zeros(documents.max() + 1)
    errors = np.empty(len(right))
    for place, (document, is_right) in enumerate(zip(documents, right, strict=True)):
        of_document[document] += 1
        right_of[document] += is_right
        several = np.count_nonzero(of_document)
        spread = np.square(right_of - hits[place] / counts[place] * of_document).sum()
        errors[place] = np.sqrt(spread * several / max(several - 1, 1)) / counts[place]
    return (hits - 0.5) / counts - errors, hits


def _last_of_equals(ordered: Numbers) -> NDArray[np.bool_]:
    """Tell which answers are the last of their probability: a threshold takes all equal ones or none."""
    return np.append(ordered[1:] != ordered[:-1], True)
