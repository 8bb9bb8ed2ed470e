"""Text that `pretrain` and `finetune` share: how to resume, and what decontamination removed."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from protorel.io import printable

Options = Iterable[tuple[str, Path | str | None]]
"""Options of a command by name, in order; None if not given."""


def resume_command(
    verb: str, recipe: str, overrides: Iterable[str], options: Options, *, keep_state: bool = False
) -> str:
    """Return the command that continues a stopped run."""
    given = [part for name, value in options if value is not None for part in (name, str(value))]
    kept = ["--keep-state"] if keep_state else []
    return shlex.join(["protorel", verb, recipe, *overrides, *given, *kept, "--resume"])


def removed_lines(leakage: Mapping[str, Any]) -> list[str]:
    """Return a line for each test set whose overlap was removed from the training data."""
    return [
        f"overlap with {printable(test['name'])} removed: {_shared(test['shared'])}"
        for test in leakage.get("apart_from", [])
        if test.get("shared")  # missing in averaged runs, where each run has its own
    ]


def tuned_lines(record: Mapping[str, Any]) -> list[str]:
    """Return what was used, and the best epoch where there is one."""
    used, results = record["data"], record["results"]
    lines = [
        f"{used['statements']} statements used, {len(used['rejected'])} rejected, {used['unlabelled']} unlabelled; "
        f"{used['relations']} labels"
    ]
    if results.get("best_epoch") and record.get("dev"):
        each = " ".join(f"{100 * score:.1f}" for score in results.get("dev_scores") or [])
        best = f"epoch {results['best_epoch']} of {results.get('epochs')}"
        metric = record["recipe"].get("metric") or "micro F1 at the best threshold"
        score = f"{metric} on {record['dev']['statements']} dev statements"
        lines.append(f"{best} was the best by {score}: {each} %")
    return lines


def _shared(shared: Mapping[str, Mapping[str, int]]) -> str:
    counts = {kind.replace("_", "-"): found["train_statements"] for kind, found in shared.items() if kind != "any"}
    parts = ", ".join(f"{kind} {count}" for kind, count in counts.items())
    dropped = shared["any"]["train_statements"] if "any" in shared else 0
    return f"{dropped} statements ({parts})"
