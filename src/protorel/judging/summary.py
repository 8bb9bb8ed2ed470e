"""The summary of all verdicts on an audit: counts, agreement, open disagreements, the share of wrong labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from protorel.audit import Audit, WrongShare
from protorel.judging.agreement import Agreement, measure_agreement
from protorel.judging.orders import disagreements
from protorel.judging.results import Decision, decide, estimate_from_verdicts
from protorel.judging.store import VerdictStore


@dataclass(frozen=True, slots=True)
class JudgingSummary:
    """What people found so far.

    Args:
        audit: The id of the audit.
        judges: By judge, how many statements have each verdict; repeats and decisions on disagreements are not counted.
        decisions: What the majority says of each judged statement.
        agreement: How far the judges agree.
        disagreements: The number of statements that judges disagree on, and on which nobody has decided yet.
        wrong_share: The share of wrong labels; None without verdicts on a random sample.
    """

    audit: str
    judges: Mapping[str, Mapping[str, int]]
    decisions: tuple[Decision, ...]
    agreement: Agreement
    disagreements: int
    wrong_share: WrongShare | None

    @property
    def as_json(self) -> dict[str, Any]:
        """Figures as JSON values."""
        agreement = self.agreement
        return {
            "audit": self.audit,
            "judges": {judge: dict(counts) for judge, counts in self.judges.items()},
            "judged": len(self.decisions),
            "right": sum(one.wrong is False for one in self.decisions),
            "wrong": sum(one.wrong is True for one in self.decisions),
            "open": sum(one.wrong is None for one in self.decisions),
            "disagreements": self.disagreements,
            "alpha": asdict(agreement.alpha) if agreement.alpha is not None else None,
            "kappa": [{"judges": list(pair), **asdict(found)} for pair, found in agreement.kappa.items()],
            "repeats": {
                judge: dict(zip(("same", "low", "high", "repeats"), found, strict=True))
                for judge, found in agreement.repeats.items()
            },
            "wrong_share": asdict(self.wrong_share) if self.wrong_share is not None else None,
        }


def summarise_judging(folder: Path | str) -> JudgingSummary:
    """Return the summary of the verdicts on the audit in a folder.

    Args:
        folder: The folder of the audit.

    Raises:
        BadInput: there is no audit; the verdicts are damaged or those of another audit; the package krippendorff is
            not installed and there are several judges.
        WorkFailed: another program holds the verdicts.
    """
    audit = Audit.read(folder)
    with VerdictStore(folder, audit, read_only=True) as store:
        histories = store.histories()
        counts: dict[str, Counter[str]] = {
            judge: Counter(one.verdict for (_, round), one in history.standing().items() if round == "first")
            for judge, history in histories.items()
        }
        return JudgingSummary(
            audit=store.audit_id,
            judges={judge: count for judge, count in counts.items() if count},
            decisions=tuple(decide(audit, histories)),
            agreement=measure_agreement(histories),
            disagreements=len(disagreements(histories)),
            wrong_share=estimate_from_verdicts(store, per_relation=True),
        )
