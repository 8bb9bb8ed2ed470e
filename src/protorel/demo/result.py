"""Findings of the demo, as figures and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from protorel.audit import Audit
from protorel.corpora import SmallWorld
from protorel.demo import EPISODES
from protorel.demo.checked_triples import ExtractedText
from protorel.demo.phases import Phases
from protorel.evaluation import LabelTruth, Measurement, machine
from protorel.model import versions
from protorel.report import BeforeAfter
from protorel.statements import fingerprint
from protorel.training import Recipe

IN_WORDS = {
    "new relations 5w1s": "on relations it never saw, one example each",
    "new relations 5w5s": "on relations it never saw, five examples each",
    "new phrasings 5w1s": "on phrasings it never saw, one example each",
    "new phrasings 5w5s": "on phrasings it never saw, five examples each",
}


@dataclass(frozen=True, slots=True)
class DemoResult:
    """Figures before training, with the best readout of the untrained encoder, and after training."""

    recipe: Recipe
    readout: str
    """The best readout of the untrained encoder."""
    before: Mapping[str, Measurement]
    after: Mapping[str, Measurement]
    truth_before: LabelTruth
    """The label check by the mean of each relation's untrained vectors."""
    truth: LabelTruth
    """The label check by the learned prototypes."""
    audit: Audit
    """The training labels, the most suspicious first; the audit does not see which of them are true."""
    extracted: ExtractedText
    """Triples from raw text, right and wrong."""
    phases: Phases
    report: Path

    def accuracy(self) -> list[BeforeAfter]:
        """Return the few-shot accuracy before and after training, each setting in words."""
        return [BeforeAfter(IN_WORDS[name], self.before[name], self.after[name]) for name in self.after]

    def accuracy_note(self) -> str:
        """Return a note on the figures of `accuracy`."""
        return (
            f"Few-shot accuracy over {EPISODES:,} episodes; ± is a 95 % interval. Before training, vectors are read by "
            f"the best readout ({self.readout})."
        )

    def labels(self) -> str:
        """Return in words how well the prototypes tell true labels from false ones."""
        before, after = self.truth_before.by_margin, self.truth.by_margin
        return (
            f"{100 * self.truth.false_share:.0f} % of the training labels are wrong. A true label is closer to its "
            f"prototype than a false one in {_of_100(after)} of 100 pairs; before training in {_of_100(before)}."
        )

    def as_json(self, world: SmallWorld) -> dict[str, Any]:
        """Return the contents of result.json."""
        rows = {f"untrained, best readout ({self.readout})": self.before, f"trained ({self.recipe.name})": self.after}
        return {
            "task": "demo",
            "recipe": self.recipe.model_dump(mode="json"),
            "data": {
                "name": "small_world",
                "fingerprint": fingerprint(world.train),
                "settings": asdict(world.settings),
            },
            "fewshot": {
                row: {name: {"accuracy": m.value, "margin": m.margin} for name, m in figures.items()}
                for row, figures in rows.items()
            },
            "auroc": {
                "trained": asdict(self.truth.by_margin),
                "trained_by_cosine": asdict(self.truth.by_cosine),
                "untrained": asdict(self.truth_before.by_margin),
                "untrained_by_cosine": asdict(self.truth_before.by_cosine),
            },
            "extraction": self.extracted.as_json(),
            "seconds": round(self.phases.total, 1),
            "seconds_of_phases": {name: round(seconds, 1) for name, seconds in self.phases.seconds.items()},
            "machine": machine(),
            "versions": versions(),
        }


def _of_100(area: Measurement) -> str:
    return f"{100 * area.value:.1f} ± {100 * area.margin:.1f}"
