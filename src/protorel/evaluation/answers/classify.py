"""Classification judged from files to figures: what `protorel evaluate classify` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from protorel.evaluation.answers.answer_files import write_answers
from protorel.evaluation.answers.class_scores import ClassScores, class_scores
from protorel.evaluation.answers.semeval_labels import check_label
from protorel.evaluation.answers.semeval_scorer import SemEvalScore, score_semeval
from protorel.evaluation.few_shot import labelled
from protorel.evaluation.kept_apart import run_leakage
from protorel.evaluation.redrawing import as_numbers
from protorel.evaluation.report_json import machine, run_json
from protorel.evaluation.result import Measurement
from protorel.evaluation.vector_cache import encode_once
from protorel.io import shown
from protorel.model import RelationModel, versions
from protorel.statements import BadInput, DataSet, Equivalents, Statement, fingerprint, load_equivalents

Scorer = Literal["semeval", "micro", "macro"]
_NAMED = 5
"""How many labels a note names before it only counts."""


@dataclass(frozen=True, slots=True)
class ClassifyJudgement:
    """A figure, all that made it, and what its reader must know."""

    f1: Measurement
    """The F1 that was asked for, with its 95 % interval."""
    result: SemEvalScore | ClassScores
    answers: dict[str, str]
    """What the classifier answered, by the statements' ids."""
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def judge_classify(
    run: str,
    data: DataSet,
    *,
    scorer: Scorer = "macro",
    seed: int = 0,
    answers: Path | None = None,
    equivalents: Equivalents | None = None,
) -> ClassifyJudgement:
    """Judge a tuned run by the labels that its classifier gives to labelled statements.

    `answers` is where an answer file shall go; `seed` is what statements are redrawn by, for the interval.
    """
    everything = list(data.source())
    statements, gold = labelled(everything)
    names = _names(statements, data, unique=scorer == "semeval" or answers is not None)
    if scorer == "semeval":  # before the long work: a bad label costs no time
        for label in dict.fromkeys(gold):
            check_label(label, where=f"{data.path or data.name}: ")
    model = RelationModel.from_pretrained(run)
    if (classifier := model.classifier) is None:
        raise BadInput(f"{run}: has no classifier; `protorel finetune … --model {run}` makes a run that has one")
    given = classifier.answers(encode_once(model, statements))
    by_name = dict(zip(names, given, strict=True))
    result: SemEvalScore | ClassScores
    if scorer == "semeval":
        result = score_semeval(dict(zip(names, gold, strict=True)), by_name, seed=seed)
    else:
        result = class_scores(gold, given, no_relation=classifier.no_relation, seed=seed)
    if answers is not None:
        write_answers(answers, by_name)
    f1 = result.micro_f1 if scorer == "micro" and isinstance(result, ClassScores) else result.macro_f1
    unknown = Counter(label for label in gold if label not in classifier.labels)
    leakage = run_leakage(model, run, data, gold, equivalents=equivalents or load_equivalents())
    told = {
        "task": "classify",
        **result.as_json(),
        "scorer": scorer,
        "f1": f1.value,
        "margin": as_numbers(f1)["margin"],
        "labels": list(classifier.labels.ids),
        "unknown_labels": dict(unknown),
        "data": {
            "name": data.name,
            "fingerprint": fingerprint(statements),
            "statements": len(statements),
            "unlabelled": len(everything) - len(statements),
            "relations": len(set(gold)),
        },
        "run": run_json(model, run),
        "leakage": leakage.as_json(),
        "machine": machine(),
        "versions": versions(),
    }
    notes = (*_of_labels(unknown, len(gold)), *leakage.notes(relations=False))
    return ClassifyJudgement(f1, result, by_name, told, notes)


def _names(statements: Sequence[Statement], data: DataSet, *, unique: bool) -> list[str]:
    """Return the statements' ids; where they must tell statements apart, one that stands twice is refused."""
    if not unique:
        return [statement.id or str(number) for number, statement in enumerate(statements)]
    for name, count in Counter(statement.id for statement in statements).items():
        if not name:
            raise BadInput(f"{data.path or data.name}: {count} statements have no id, answers are given by id")
        if count > 1:
            raise BadInput(f"{data.path or data.name}: {count} statements have the id {shown(name)}, expected one each")
    return [statement.id for statement in statements]


def _of_labels(unknown: Mapping[str, int], statements: int) -> list[str]:
    if not unknown:
        return []
    named = ", ".join(map(repr, list(unknown)[:_NAMED])) + (", …" if len(unknown) > _NAMED else "")
    return [
        f"{sum(unknown.values())} of {statements} statements carry {len(unknown)} labels that the classifier does not "
        f"know ({named}); they count as wrong"
    ]
