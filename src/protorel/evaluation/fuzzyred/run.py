"""FuzzyRED from files to figures: what `protorel evaluate fuzzyred` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from jaxtyping import Float
from torch import Tensor

from protorel.evaluation.fuzzyred.as_json import figures_json
from protorel.evaluation.fuzzyred.figures import EVERY, SEEN, UNSEEN, FuzzyRedResult, shot_figures, tabulate, trivial
from protorel.evaluation.fuzzyred.judged import judged
from protorel.evaluation.fuzzyred.rule import DRAWS, SHOTS, draw_shots
from protorel.evaluation.fuzzyred.scores import LabelScores, Targets, label_scores
from protorel.evaluation.held_out import hold_out
from protorel.evaluation.kept_apart import run_leakage
from protorel.evaluation.report_json import machine, run_json
from protorel.evaluation.settings import TextSettings
from protorel.evaluation.vector_cache import encode_once
from protorel.model import MarkerStart, RelationModel, versions
from protorel.statements import BadInput, DataSet, Equivalents, load_equivalents


@dataclass(frozen=True, slots=True)
class FuzzyRedJudgement:
    """The figures, all that made them, and what their reader must know."""

    result: FuzzyRedResult
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def judge_fuzzyred(
    run: str,
    data: DataSet,
    *,
    shots: Sequence[int] = SHOTS,
    draws: int = DRAWS,
    seed: int = 0,
    texts: TextSettings | None = None,
    background: DataSet | None = None,
    readout: str | None = None,
    marker_start: MarkerStart = "brackets",
    equivalents: Equivalents | None = None,
) -> FuzzyRedJudgement:
    """Judge how well a run, or an encoder, tells labels that a text expresses from those that it only carries.

    Relations that the run knows are scored by its prototypes, any relation by its description and by drawn true
    statements. `background` holds statements of other relations, which say what cosines are usual.
    """
    meanings = equivalents or load_equivalents()
    statements = list(data.source())
    given = judged(statements, str(data.path or data.name))
    # Before the long work: a bad file costs no time.
    others = hold_out(list(background.source()), given.relations, equivalents=meanings) if background else None
    model = RelationModel.from_pretrained(run, readout=readout, marker_start=marker_start)
    leakage = run_leakage(model, run, data, given.relations, equivalents=meanings)
    unseen = tuple(name for name in given.relations if name not in leakage.known)
    groups = {EVERY: given.relations, SEEN: leakage.known, UNSEEN: unseen}
    vectors = encode_once(model, statements)
    usual = encode_once(model, others.statements) if others else None

    def scores_by(names: Sequence[str], targets: Float[Tensor, "targets width"]) -> LabelScores:
        found = Targets.of(targets, names, given.relations, meanings)
        return label_scores(vectors, given, found, background=usual)

    by_prototype = scores_by(model.relations.ids, model.prototypes.vectors)
    by_text: LabelScores = {}
    descriptions = texts.read_by(model) if texts else None
    if descriptions is not None:
        named = list(descriptions.relations)
        by_text = scores_by(named, model.encode_wordings(descriptions.wordings(named)))
        if not by_text:
            raise BadInput(f"{descriptions.name}: describes none of the {len(given.rows)} relations of {data.name}")
    drawn = {shot: draw_shots(vectors, given, shot=shot, draws=draws, seed=seed) for shot in shots}
    result = FuzzyRedResult(
        statements=len(statements),
        true=int(given.truth.sum()),
        groups=groups,
        baselines=trivial(given),
        shots={shot: shot_figures(one, given, groups, shot=shot, seed=seed) for shot, one in drawn.items()},
        by_prototype=tabulate(by_prototype, given, given.relations, seed=seed),
        by_description={name: tabulate(by_text, given, group, seed=seed) for name, group in groups.items()},
        undescribed=tuple(name for name in given.relations if by_text and name not in by_text["cosine"]),
    )
    as_json = {
        "task": "fuzzyred",
        "draws": draws,
        "seed": seed,
        **figures_json(result),
        "data": data.described(),
        "run": run_json(model, run),
        "descriptions": {**descriptions.as_json(), "relations": len(descriptions)} if descriptions else None,
        "background": others.as_json() if others else None,
        "leakage": leakage.as_json(),
        "machine": machine(),
        "versions": versions(),
    }
    return FuzzyRedJudgement(result, as_json, (*leakage.notes(), *result.notes()))
