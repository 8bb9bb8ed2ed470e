"""Choice of the few-shot method and similarity: those given, or those that the run was tuned with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from protorel.evaluation.few_shot.settings import EpisodeSettings, FewShotSettings
from protorel.fewshot import FewShotMethod, find_method
from protorel.statements import BadInput

if TYPE_CHECKING:
    from protorel.model import ModelSource, RelationModel, RunRecord

LEARNED_SIMILARITY = "learned"
"""The similarity of a method with weights, which is learned."""


def chosen_method(
    model: RelationModel | ModelSource, method: str | FewShotMethod | None, similarity: str | None
) -> tuple[FewShotMethod, str]:
    """Return the method and the name of the similarity: those given, else the run's own, else `prototype` and `cosine`.

    A method with weights works only with the run that it was tuned with. A method that tunes the encoder in each
    episode works with any model, and always by cosine.

    Raises:
        BadInput: the method or the similarity does not fit the model.
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
            f"method: expected {f'{own!r} or ' if own else ''}a method without weights for {Path(model.name).name}, "
            f"got {chosen.name!r}. Tune a run by a recipe with method.name={chosen.name}"
        )
    if similarity is not None:
        raise BadInput(f"similarity: expected none, since the method {chosen.name} learns its own, got {similarity!r}")
    return chosen, LEARNED_SIMILARITY


def episode_settings(model: RelationModel | ModelSource, settings: FewShotSettings) -> EpisodeSettings:
    """Return the settings of the episodes, with the method that answers them.

    Raises:
        BadInput: settings do not fit each other or the model.
    """
    method, similarity = chosen_method(model, settings.method, settings.similarity)
    texts, none = settings.texts, settings.none
    _check_examples_only(method, descriptions=texts, none_share=none, whiten=settings.whiten, hubness=settings.hubness)
    count = method.default_episodes if settings.episodes is None else settings.episodes
    weight = texts.weight if texts else None
    chosen = EpisodeSettings(
        settings.way, settings.shot, count, settings.seed, method, similarity, texts is not None, weight
    )
    if settings.hubness is not None:
        chosen.check_takes_hubness()
    if none is not None and none.held_out is None and settings.whiten is None:
        raise BadInput(
            "--none-share: expected statements of other relations to learn the threshold from, got none. "
            "Name them by --threshold-from FILE or --whiten FILE"
        )
    return chosen


def _check_examples_only(method: FewShotMethod, **given: object) -> None:
    """Raise `BadInput` for options that need a method on stored vectors."""
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
