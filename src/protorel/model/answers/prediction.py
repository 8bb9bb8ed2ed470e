"""What a model answers about one statement: the relations that hold, their probabilities, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason for an answer: a prototype or a training statement that is close to the statement.

    >>> Evidence("prototype", "born_in", 0.5).as_json()
    {'kind': 'prototype', 'relation': 'born_in', 'similarity': 0.5}
    """

    kind: Literal["prototype", "statement"]
    relation: str
    similarity: float
    """The cosine between the statement and the prototype, or between the two statements."""
    id: str = ""
    """The id of the training statement."""
    text: str = ""
    """The text of the training statement."""
    head: str = ""
    """The head of the training statement, as written in its text."""
    tail: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the fields that are set."""
        said = {"kind": self.kind, "relation": self.relation, "similarity": round(self.similarity, 6)}
        return said | {name: value for name in ("id", "text", "head", "tail") if (value := getattr(self, name))}


@dataclass(frozen=True, slots=True)
class Prediction:
    """The relations between the head and the tail of one statement.

    Probabilities are independent: several relations may hold, or none.

    >>> answer = Prediction("born_in", 0.9, (("born_in", 0.9),), (("born_in", 0.9), ("spouse", 0.1)), 0.08, 0.01)
    >>> answer.as_json()["asserted"]
    [['born_in', 0.9]]
    """

    relation: str | None
    """The most probable relation that holds; None: none of the candidates does."""
    probability: float
    """The probability of the answer: of `relation`, or that none holds."""
    asserted: tuple[tuple[str, float], ...]
    """All relations that hold, each with its probability, the most probable first; empty: none."""
    ranked: tuple[tuple[str, float], ...]
    """The `top` candidate relations with their probabilities, whether they hold or not."""
    none_probability: float
    """The probability that none of the candidates holds."""
    reverse_probability: float
    """The probability of the same relation with head and tail swapped: a doubtful direction is visible.

    Where the answer is None, that of the highest-ranked candidate.
    """
    evidence: tuple[Evidence, ...] = ()
    """The nearest prototypes; after them the nearest training statements, if the run keeps them."""
    calibrated: bool = False
    """Whether the probabilities were calibrated on held-out statements."""

    def as_json(self) -> dict[str, Any]:
        """Return the prediction as JSON values, probabilities with six digits."""
        return {
            "relation": self.relation,
            "probability": round(self.probability, 6),
            "asserted": [[name, round(value, 6)] for name, value in self.asserted],
            "ranked": [[name, round(value, 6)] for name, value in self.ranked],
            "none_probability": round(self.none_probability, 6),
            "reverse_probability": round(self.reverse_probability, 6),
            "evidence": [one.as_json() for one in self.evidence],
            "calibrated": self.calibrated,
        }
