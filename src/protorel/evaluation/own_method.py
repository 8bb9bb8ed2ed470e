"""By which method a run is judged where nobody says: by the one that it was tuned with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from protorel.fewshot import FITTED_METHODS, LEARNED_METHODS, TUNED_METHODS, VECTOR_METHODS
from protorel.model import is_run, read_record
from protorel.statements import BadInput

LEARNED = "learned"
"""The similarity of a method with weights: it learns how to compare."""


def chosen_method(run: str, method: str | None, similarity: str | None) -> tuple[str, str]:
    """Return the names of method and similarity: those given, else the run's own, else `prototype` and `cosine`.

    A method with weights is judged with the run that it was tuned with, and with no other. One that tunes the encoder
    in each episode works with any, and does so by the cosine.
    """
    record = read_record(Path(run)) if is_run(Path(run)) else {}
    own = ((record.get("method") or {}).get("settings") or {}).get("name")
    recipe = record.get("recipe") or {}
    name = method or own or recipe.get("judged_by") or "prototype"
    known = (*VECTOR_METHODS, *FITTED_METHODS, *TUNED_METHODS, *LEARNED_METHODS)
    if name not in known:
        raise BadInput(f"method {name!r} is not known, one of {', '.join(known)} is wanted")
    if name in TUNED_METHODS:
        if similarity not in (None, "cosine"):
            raise BadInput(
                f"similarity {similarity!r} was given, but the method {name} tunes the encoder by the cosine"
            )
        return name, "cosine"
    if name not in LEARNED_METHODS:
        return name, similarity or _own_similarity(record)
    if name != own:
        raise BadInput(
            f"method {name!r} has weights that are tuned with a run, and {Path(run).name} was tuned with "
            f"{repr(own) if own else 'none'}; tune one by a recipe with method.name={name}"
        )
    if similarity is not None:
        raise BadInput(f"similarity {similarity!r} was given, but the method {name} learns how to compare")
    return name, LEARNED


def check_beside_learned(method: str, **given: object) -> None:
    """Refuse what a method with weights, or one that tunes the encoder in each episode, cannot read.

    `given` says by option what was asked for.
    """
    for option, value in given.items():
        if value is not None and method in TUNED_METHODS:
            raise BadInput(
                f"--{option.replace('_', '-')} was given, but the method {method} reads nothing but the examples that "
                "it tunes the encoder on; --method prototype is wanted"
            )
        if value is not None and method in LEARNED_METHODS:
            raise BadInput(
                f"--{option.replace('_', '-')} was given, but the method {method} reads only the examples as it was "
                "tuned on them; --method prototype is wanted"
            )


def _own_similarity(record: dict[str, Any]) -> str:
    """Return by what a run without a method of its own was tuned to compare."""
    recipe = record.get("recipe") or {}
    episodes = recipe.get("kind") == "episodes" and not record.get("method")
    return str(recipe["similarity"]) if episodes and "similarity" in recipe else "cosine"
