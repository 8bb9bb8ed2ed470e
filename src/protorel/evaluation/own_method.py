"""By which method a run is judged where nobody says: by the one that it was tuned with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from protorel.evaluation.settings import (
    EpisodeSettings,
    NoneSettings,
    TextSettings,
)
from protorel.fewshot import FewShotMethod, find_method
from protorel.statements import BadInput

if TYPE_CHECKING:
    from protorel.model import ModelSource, RelationModel, RunRecord

LEARNED_SIMILARITY = "learned"
"""The similarity of a method with weights: it learns how to compare."""


def chosen_method(
    model: RelationModel | ModelSource, method: str | FewShotMethod | None, similarity: str | None
) -> tuple[FewShotMethod, str]:
    """Return the method and the name of the similarity: those given, else the run's own, else `prototype` and `cosine`.

    A method with weights is judged with the run that it was tuned with, and with no other. One that tunes the encoder
    in each episode works with any, and does so by the cosine.
    """
    record = model.record
    own = record.method.settings.get("name") if record is not None and record.method is not None else None
    recipe = record.recipe if record is not None else None
    chosen = find_method(method or own or (recipe.judged_by if recipe is not None else None) or "prototype")
    if chosen.needs == "encoder":
        if similarity not in (None, "cosine"):
            raise BadInput(f"similarity: expected cosine, by which {chosen.name} tunes the encoder, got {similarity!r}")
        return chosen, "cosine"
    if not chosen.trainable:
        return chosen, similarity or _own_similarity(record)
    if chosen.name != own:
        raise BadInput(
            f"method {chosen.name!r} has weights that are tuned with a run, and {Path(model.name).name} was tuned with "
            f"{repr(own) if own else 'none'}; tune one by a recipe with method.name={chosen.name}"
        )
    if similarity is not None:
        raise BadInput(f"similarity: expected none, since the method {chosen.name} learns its own, got {similarity!r}")
    return chosen, LEARNED_SIMILARITY


def few_shot_settings(
    model: RelationModel | ModelSource,
    *,
    way: int,
    shot: int,
    episodes: int | None,
    seed: int,
    method: str | FewShotMethod | None,
    similarity: str | None,
    texts: TextSettings | None,
    none: NoneSettings | None,
    background: object | None,
    crowd: object | None,
) -> EpisodeSettings:
    """Return how a run is evaluated; refuse options that do not fit each other or the run, before any work.

    Of `background` and `crowd` it counts only whether they were given.
    """
    chosen, compare = chosen_method(model, method, similarity)
    _check_examples_only(chosen, descriptions=texts, none_share=none, background=background, crowd=crowd)
    count = chosen.default_episodes if episodes is None else episodes
    weight = texts.weight if texts else None
    settings = EpisodeSettings(way, shot, count, seed, chosen, compare, texts is not None, weight)
    if crowd is not None:
        settings.check_beside_crowd(rejecting=none is not None)
    if none is not None and none.held_out is None and background is None:
        raise BadInput(
            "a rule that rejects queries learns its threshold from statements of other relations: name them by "
            "--threshold-from FILE or --background FILE"
        )
    return settings


def _check_examples_only(method: FewShotMethod, **given: object) -> None:
    """Refuse what a method that does not read stored vectors cannot use; `given` holds it by option."""
    for option, value in given.items():
        if value is not None and not method.reads_stored_vectors:
            raise BadInput(
                f"--{option.replace('_', '-')}: expected a method on stored vectors such as --method prototype, "
                f"got {method.name}, which reads only the examples of an episode"
            )


def _own_similarity(record: RunRecord | None) -> str:
    """Return the similarity that a run without a method of its own was tuned with."""
    if record is None or record.recipe is None or record.recipe.kind != "episodes" or record.method is not None:
        return "cosine"
    return record.recipe.similarity or "cosine"
