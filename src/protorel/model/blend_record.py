"""What a blended run knows of its past: the runs it is made of, what they saw, and what all were kept apart from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from protorel.model.relation_model import RelationModel
from protorel.model.run_folder import read_record


def blend_record(models: Sequence[RelationModel], runs: Sequence[Path]) -> dict[str, Any]:
    """Return the record of a blend: every run it is made of, by name and fingerprint, and what is known of leakage."""
    past = [_leakage(run) for run in runs]
    common = set.intersection(*(_apart_from(each) for each in past))
    seen = set().union(*(_relations_seen(model, each) for model, each in zip(models, past, strict=True)))
    started_from = {
        "name": " + ".join(model.name for model in models),
        "apart_from": sorted(common),
        "relations": sorted(seen),
    }
    return {
        "blend": [{"run": model.name, "fingerprint": model.fingerprint} for model in models],
        "leakage": {"apart_from": [_entry(mark, past) for mark in sorted(common)], "started_from": started_from},
    }


def _leakage(run: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = read_record(run).get("leakage") or {}
    return found


def _apart_from(leakage: Mapping[str, Any]) -> set[str]:
    """The test sets that a run and the one it began with were kept apart from, by fingerprint."""
    own = {entry["fingerprint"] for entry in leakage.get("apart_from", [])}
    before = leakage.get("started_from")
    return own & set(before["apart_from"]) if before else own


def _relations_seen(model: RelationModel, leakage: Mapping[str, Any]) -> set[str]:
    before = leakage.get("started_from")
    return {*model.relations.ids, *(before["relations"] if before else ())}


def _entry(mark: str, past: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What was counted of one test set, in each of the runs."""
    entries = [entry for leakage in past for entry in leakage["apart_from"] if entry["fingerprint"] == mark]
    shared = sorted({kind for entry in entries for kind in entry.get("may_share", [])})
    return {"name": entries[0]["name"], "fingerprint": mark, "may_share": shared, "runs": entries}
