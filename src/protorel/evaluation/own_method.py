"""By which method a run is judged where nobody says: by the one that it was tuned with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from protorel.evaluation.settings import (
    LEARNED,
    TUNED,
    VECTOR_METHODS,
    EpisodeSettings,
    NoneSettings,
    TextSettings,
    default_episodes,
)
from protorel.model import is_run, read_record
from protorel.statements import BadInput

LEARNED_SIMILARITY = "learned"
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
    known = (*VECTOR_METHODS, *TUNED, *LEARNED)
    if name not in known:
        raise BadInput(f"method: expected one of {', '.join(known)}, got {name!r}")
    if name in TUNED:
        if similarity not in (None, "cosine"):
            raise BadInput(
                f"similarity {similarity!r} was given, but the method {name} tunes the encoder by the cosine"
            )
        return name, "cosine"
    if name not in LEARNED:
        return name, similarity or _own_similarity(record)
    if name != own:
        raise BadInput(
            f"method {name!r} has weights that are tuned with a run, and {Path(run).name} was tuned with "
            f"{repr(own) if own else 'none'}; tune one by a recipe with method.name={name}"
        )
    if similarity is not None:
        raise BadInput(f"similarity {similarity!r} was given, but the method {name} learns how to compare")
    return name, LEARNED_SIMILARITY


def few_shot_settings(
    run: str,
    *,
    way: int,
    shot: int,
    episodes: int | None,
    seed: int,
    method: str | None,
    similarity: str | None,
    texts: TextSettings | None,
    none: NoneSettings | None,
    background: object | None,
    crowd: object | None,
) -> EpisodeSettings:
    """Return how a run is evaluated; refuse options that do not fit each other or the run, before any work.

    Of `background` and `crowd` it counts only whether they were given.
    """
    name, compare = chosen_method(run, method, similarity)
    check_beside_learned(name, descriptions=texts, none_share=none, background=background, crowd=crowd)
    count = default_episodes(name) if episodes is None else episodes
    weight = texts.weight if texts else None
    settings = EpisodeSettings(way, shot, count, seed, name, compare, texts is not None, weight)
    if crowd is not None:
        settings.check_beside_crowd(rejecting=none is not None)
    if none is not None and none.held_out is None and background is None:
        raise BadInput(
            "a rule that rejects queries learns its threshold from statements of other relations: name them by "
            "--threshold-from FILE or --background FILE"
        )
    return settings


def check_beside_learned(method: str, **given: object) -> None:
    """Refuse what a method with weights, or one that tunes the encoder in each episode, cannot read.

    `given` says by option what was asked for.
    """
    for option, value in given.items():
        if value is not None and method in TUNED:
            raise BadInput(
                f"--{option.replace('_', '-')} was given, but the method {method} reads nothing but the examples that "
                "it tunes the encoder on; --method prototype is wanted"
            )
        if value is not None and method in LEARNED:
            raise BadInput(
                f"--{option.replace('_', '-')} was given, but the method {method} reads only the examples as it was "
                "tuned on them; --method prototype is wanted"
            )


def _own_similarity(record: dict[str, Any]) -> str:
    """Return by what a run without a method of its own was tuned to compare."""
    recipe = record.get("recipe") or {}
    episodes = recipe.get("kind") == "episodes" and not record.get("method")
    return str(recipe["similarity"]) if episodes and "similarity" in recipe else "cosine"
