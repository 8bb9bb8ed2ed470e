"""Settings of an audit, checked when they are created, without importing torch."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from protorel.io import BadInput, check_count, check_type


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """How the labels of a data set are scored.

    Raises:
        BadInput: a setting has the wrong type or is out of range.

    >>> AuditSettings(folds=10).neighbours
    20
    """

    folds: int = 5
    """Parts of the data; a statement is scored by a classifier that was fitted to the other parts."""
    neighbours: int = 20
    """Number of nearest statements whose labels are compared."""
    reverse: bool = True
    """Also read every statement from tail to head, which takes as long as reading it from head to tail."""
    wordings: bool = True
    """Also look for word patterns of each relation."""
    seed: int = 0
    """Random seed of the folds."""

    def __post_init__(self) -> None:
        check_count(self.folds, where="folds")
        if self.folds < 2:
            raise BadInput(f"folds: expected at least 2, got {self.folds}")
        check_count(self.neighbours, where="neighbours")
        for name in ("reverse", "wordings"):
            check_type(getattr(self, name), bool, where=name, expected="True or False")
        check_type(self.seed, int, where="seed", expected="a whole number")

    def as_json(self) -> dict[str, Any]:
        """Return the settings for JSON."""
        return asdict(self)
