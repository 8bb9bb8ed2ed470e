"""The rule by which mentions and facts become statements: one SQL text, whatever engine runs it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from protorel.statements import BadInput

NO_RELATION = "no_relation"
"""The label of a sampled pair that holds no fact."""
_VIEW = re.compile(r"CREATE OR REPLACE TEMPORARY VIEW (\w+) AS.*?;", re.DOTALL)
_NO_CAP = 2**62


@dataclass(frozen=True, slots=True)
class AlignmentRule:
    """What may be chosen about the alignment; everything else stands in `align.sql`."""

    most: int | None = None
    """At most so many statements of a relation; none for all."""
    fewest: int = 1
    """Relations with fewer statements are left out."""
    no_relation: float = 0.0
    """The share of pairs without a fact that is kept, labelled `no_relation`."""
    seed: int = 0
    """What the choices are drawn by."""
    source: str = "harvest"
    """What every statement names as its source."""

    def __post_init__(self) -> None:
        if self.most is not None and self.most < 1:
            raise BadInput(f"at most {self.most} statements of a relation are asked for, 1 or more is wanted")
        if self.fewest < 1:
            raise BadInput(f"at least {self.fewest} statements of a relation are asked for, 1 or more is wanted")
        if not 0 <= self.no_relation <= 1:
            raise BadInput(f"the share of pairs without a relation is {self.no_relation}, 0 to 1 is wanted")

    def views(self) -> dict[str, str]:
        """Return the statements that make each view, in order."""
        text = _text()
        for name, value in self._values().items():
            text = text.replace(f"{{{name}}}", value)
        return {found[1]: found[0].removesuffix(";") for found in _VIEW.finditer(text)}

    def _values(self) -> dict[str, str]:
        # A hash is 32 hexadecimal digits: as many of them lie below this text as the share says; all lie below "g".
        threshold = "g" if self.no_relation == 1 else f"{int(self.no_relation * 16**15):015x}"
        most = _NO_CAP if self.most is None else self.most
        return {
            "seed": str(self.seed),
            "threshold": threshold if self.no_relation else "",
            "no_relation": NO_RELATION,
            "most": str(most),
            "fewest": str(self.fewest),
            "source": self.source.replace("'", "''"),
        }


@lru_cache(maxsize=1)
def _text() -> str:
    text = files("protorel.harvest").joinpath("align.sql").read_text(encoding="utf-8")
    # Comments may hold what reads like a view.
    return re.sub(r"^--.*\n", "", text, flags=re.MULTILINE)
