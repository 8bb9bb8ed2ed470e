"""What the record of a blended run says: the runs it is made of, what they saw, and what all were kept apart from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from protorel.model.past import RunPast, run_past
from protorel.model.relation_model import RelationModel
from protorel.model.run_record import read_record


def blend_record(models: Sequence[RelationModel], runs: Sequence[Path]) -> dict[str, Any]:
    """Return the record of a blend: every run it is made of, by name and fingerprint, and what is known of leakage."""
    pasts = [past for run in runs if (past := run_past(run)) is not None]
    common = frozenset.intersection(*(past.apart_from for past in pasts))
    seen = frozenset().union(*(past.relations for past in pasts))
    together = RunPast(" + ".join(past.name for past in pasts), common, seen)
    return {
        "blend": [{"run": model.name, "fingerprint": model.fingerprint} for model in models],
        "leakage": {
            "apart_from": [_kept_from(mark, runs) for mark in sorted(common)],
            "started_from": together.as_json(),
        },
    }


def _kept_from(mark: str, runs: Sequence[Path]) -> dict[str, Any]:
    """Return what was counted of one test set, in each of the runs."""
    counted = [one for run in runs for one in read_record(run)["leakage"]["apart_from"] if one["fingerprint"] == mark]
    shared = sorted({kind for one in counted for kind in one.get("may_share", [])})
    return {"name": counted[0]["name"], "fingerprint": mark, "may_share": shared, "runs": counted}
