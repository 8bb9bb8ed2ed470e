"""Evaluate a model on FuzzyRED, from statements to figures: what `protorel evaluate fuzzyred` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float
from torch import Tensor

from protorel.evaluation.embedding_space import encode_once
from protorel.evaluation.evaluated_model import GivenModel, environment, loaded, run_json
from protorel.evaluation.few_shot.settings import TextSettings
from protorel.evaluation.fuzzyred.judged_statements import judged
from protorel.evaluation.fuzzyred.label_scores import LabelScores, Targets, label_scores
from protorel.evaluation.fuzzyred.paper_rule import DRAWS, SHOTS, draw_shots
from protorel.evaluation.fuzzyred.result import (
    EVERY,
    SEEN,
    UNSEEN,
    Baselines,
    FuzzyRedResult,
    ShotFigures,
    tabulate,
)
from protorel.evaluation.labelled_data import hold_out_of
from protorel.evaluation.leakage_report import run_leakage
from protorel.model import MarkerStart
from protorel.statements import BadInput, DataSet, Equivalents, load_equivalents


@dataclass(frozen=True, slots=True)
class FuzzyRedSettings:
    """Settings of `evaluate_fuzzyred`.

    Args:
        shots: The numbers K of true statements to draw.
        draws: The number of draws for each statement.
        seed: Random seed for the draws.
        readout: How to read an encoder that is not a run, where the model is given by name.
        marker_start: Entity markers of such an encoder: brackets, or unused tokens.

    Example:
        >>> FuzzyRedSettings(draws=10).shots
        (1, 3, 5)
    """

    shots: tuple[int, ...] = SHOTS
    draws: int = DRAWS
    seed: int = 0
    readout: str | None = None
    marker_start: MarkerStart = "brackets"


@dataclass(frozen=True, slots=True)
class FuzzyRedEvaluation:
    """The figures, their settings as JSON, and notes on how to read them."""

    result: FuzzyRedResult
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def evaluate_fuzzyred(
    model: GivenModel,
    data: DataSet,
    settings: FuzzyRedSettings | None = None,
    *,
    texts: TextSettings | None = None,
    background: DataSet | None = None,
    equivalents: Equivalents | None = None,
) -> FuzzyRedEvaluation:
    """Evaluate how well a model separates labels that the text expresses from those that it does not.

    Relations that the model knows are scored by its prototypes, any relation by its description and by drawn true
    statements.

    Args:
        model: A loaded model, or a run folder, an encoder name, folder or hub id.
        data: Judged statements: each has a label and `expresses`.
        settings: How many true statements to draw, and how often.
        texts: Descriptions of relations.
        background: Statements of other relations, to standardise cosines by; tested relations are left out.
        equivalents: Relations that mean the same; by default the table that we ship.

    Returns:
        The paper's accuracy, ranking and threshold figures, baselines, the JSON form, and notes.

    Raises:
        BadInput: A statement has no label or no `expresses`, no relation has two true statements, or the descriptions
            are of other relations.

    Example:
        >>> from protorel import DataSet, Span, Statement
        >>> texts = {"Ada was born in Lunsk.": True, "Ada, born in Lunsk.": True, "Ada never saw Lunsk.": False}
        >>> rows = [
        ...     Statement(text, Span(0, 3), Span(len(text) - 6, len(text) - 1), "born_in", expresses=true)
        ...     for text, true in texts.items()
        ... ]
        >>> found = evaluate_fuzzyred("minilm", DataSet.of("mine", rows), FuzzyRedSettings(shots=(1,), draws=5))
        >>> found.result.baselines.majority, found.result.shots[1].groups["every"].ranking.macro_auroc.value
        (0.6666666666666666, 1.0)
    """
    settings, meanings = settings or FuzzyRedSettings(), equivalents or load_equivalents()
    statements = list(data.source())
    given = judged(statements, str(data.path or data.name))
    # Before the model is loaded, so that a bad file is reported at once.
    others = hold_out_of(background, given.relations, equivalents=meanings) if background else None
    model = loaded(model, readout=settings.readout, marker_start=settings.marker_start)
    leakage = run_leakage(model, data, given.relations, equivalents=meanings)
    unseen = tuple(relation for relation in given.relations if relation not in leakage.known)
    groups = {EVERY: given.relations, SEEN: leakage.known, UNSEEN: unseen}
    vectors = encode_once(model, statements)
    of_others = encode_once(model, others.statements) if others else None

    def scores_by(names: Sequence[str], targets: Float[Tensor, "targets width"]) -> LabelScores:
        found = Targets.of(targets, names, given.relations, meanings)
        return label_scores(vectors, given, found, background=of_others)

    by_prototype = scores_by(model.relations.ids, model.prototypes.vectors)
    by_text: LabelScores = {}
    descriptions = texts.read_by(model) if texts else None
    if descriptions is not None:
        named = list(descriptions.relations)
        by_text = scores_by(named, model.encode_wordings(descriptions.wordings(named)))
        if not by_text:
            tested = f"the {len(given.rows)} relations of {data.name}"
            raise BadInput(f"{descriptions.name}: expected descriptions of {tested}, got none of them")
    seed = settings.seed
    drawn = {shot: draw_shots(vectors, given, shot=shot, draws=settings.draws, seed=seed) for shot in settings.shots}
    result = FuzzyRedResult(
        statements=len(statements),
        true=int(given.truth.sum()),
        groups=groups,
        baselines=Baselines.of(given),
        shots={shot: ShotFigures.of(one, given, groups, shot=shot, seed=seed) for shot, one in drawn.items()},
        by_prototype=tabulate(by_prototype, given, given.relations, seed=seed),
        by_description={name: tabulate(by_text, given, group, seed=seed) for name, group in groups.items()},
        undescribed=tuple(name for name in given.relations if by_text and name not in by_text["cosine"]),
    )
    as_json = {
        "task": "fuzzyred",
        "draws": settings.draws,
        "seed": seed,
        **result.as_json(),
        "data": data.described(),
        "run": run_json(model),
        "descriptions": {**descriptions.as_json(), "relations": len(descriptions)} if descriptions else None,
        "background": others.as_json() if others else None,
        "leakage": leakage.as_json(),
        **environment(),
    }
    return FuzzyRedEvaluation(result, as_json, (*leakage.notes(), *result.notes()))
