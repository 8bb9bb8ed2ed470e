"""Evaluate the answers of a classifier, from statements to F1: what `protorel evaluate classify` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from protorel.evaluation.classification.answer_files import write_answers
from protorel.evaluation.classification.class_scores import ClassScores, class_scores
from protorel.evaluation.classification.semeval_counts import check_label
from protorel.evaluation.classification.semeval_scorer import SemEvalScore, score_semeval
from protorel.evaluation.embedding_space import encode_once
from protorel.evaluation.evaluated_model import GivenModel, environment, loaded, looked_up, run_json
from protorel.evaluation.labelled_data import labelled
from protorel.evaluation.leakage_report import run_leakage
from protorel.evaluation.measurement import Measurement, as_numbers
from protorel.io import shown
from protorel.model import ModelSource
from protorel.statements import BadInput, DataSet, Equivalents, Statement, fingerprint, load_equivalents

Scorer = Literal["semeval", "micro", "macro"]
_NAMED = 5
"""The most labels that a note names."""


@dataclass(frozen=True, slots=True)
class ClassificationEvaluation:
    """The F1 and all other scores, their settings as JSON, and notes on how to read them."""

    f1: Measurement
    """The F1 of the chosen scorer, with its 95 % interval."""
    result: SemEvalScore | ClassScores
    answers: dict[str, str]
    """The classifier's answers by statement id."""
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def evaluate_classification(
    model: GivenModel,
    data: DataSet,
    *,
    scorer: Scorer = "macro",
    seed: int = 0,
    answers: Path | None = None,
    equivalents: Equivalents | None = None,
) -> ClassificationEvaluation:
    """Evaluate a fine-tuned model by the labels that its classifier gives to labelled statements.

    Args:
        model: A loaded model, or a run folder.
        data: Labelled statements; unlabelled ones are left out and counted.
        scorer: SemEval's official scorer, or micro- or macro-averaged F1.
        seed: Random seed for the interval, which is bootstrapped over statements.
        answers: Where to write an answer file.
        equivalents: Relations that mean the same, for the leakage report; by default the table that we ship.

    Returns:
        F1 with its interval, all scores, the answers, the JSON form, and notes.

    Raises:
        BadInput: The model has no classifier, no statement is labelled, the labels are not the scorer's, or answers
            are needed by id and two statements have the same one.

    Example:
        >>> import tempfile
        >>> from protorel import DataSet, Span, Statement, finetune, load_finetune_recipe
        >>> texts = {"Ada was born in Lunsk.": "born_in", "Ada has a house in Lunsk.": "lives_in"}
        >>> data = [Statement(t, Span(0, 3), Span(len(t) - 6, len(t) - 1), r) for t, r in texts.items()] * 4
        >>> recipe = load_finetune_recipe("supervised", ["epochs=5", "hold_out=0", "learning_rate=0.01"])
        >>> model = finetune("cnn", data, tempfile.mkdtemp() + "/run", recipe)
        >>> evaluate_classification(model, DataSet.of("train", data)).result.accuracy.value
        1.0
    """
    everything = list(data.source())
    statements, gold = labelled(everything)
    ids = _ids(statements, data, unique=scorer == "semeval" or answers is not None)
    if scorer == "semeval":  # before the model is loaded, so that a wrong label is reported at once
        for label in dict.fromkeys(gold):
            check_label(label, where=f"{data.path or data.name}: ")
    source = looked_up(model)
    if isinstance(source, ModelSource):
        source.check_classifies()
    model = loaded(source)
    if (classifier := model.classifier) is None:
        name = model.name or "the model"
        raise BadInput(
            f"{name}: expected a model with a classifier, got one without. "
            f"`protorel finetune … --model {name}` trains one"
        )
    answered = classifier.answers(encode_once(model, statements))
    by_id = dict(zip(ids, answered, strict=True))
    result: SemEvalScore | ClassScores
    if scorer == "semeval":
        result = score_semeval(dict(zip(ids, gold, strict=True)), by_id, seed=seed)
    else:
        result = class_scores(gold, answered, no_relation=classifier.no_relation, seed=seed)
    if answers is not None:
        write_answers(answers, by_id)
    f1 = result.micro_f1 if scorer == "micro" and isinstance(result, ClassScores) else result.macro_f1
    unknown = Counter(label for label in gold if label not in classifier.labels)
    leakage = run_leakage(model, data, gold, equivalents=equivalents or load_equivalents())
    as_json = {
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
        "run": run_json(model),
        "leakage": leakage.as_json(),
        **environment(),
    }
    notes = (*_unknown_labels(unknown, len(gold)), *leakage.notes(relations=False))
    return ClassificationEvaluation(f1, result, by_id, as_json, notes)


def _ids(statements: Sequence[Statement], data: DataSet, *, unique: bool) -> list[str]:
    """Return the statements' ids, or their row numbers; raise `BadInput` for a repeated id if they must be unique."""
    if not unique:
        return [statement.id or str(number) for number, statement in enumerate(statements)]
    for name, count in Counter(statement.id for statement in statements).items():
        if not name:
            raise BadInput(f"{data.path or data.name}: expected an id for each statement, got {count} without")
        if count > 1:
            raise BadInput(f"{data.path or data.name}: expected each id once, got {shown(name)} {count} times")
    return [statement.id for statement in statements]


def _unknown_labels(unknown: Mapping[str, int], statements: int) -> list[str]:
    if not unknown:
        return []
    named = ", ".join(map(repr, list(unknown)[:_NAMED])) + (", …" if len(unknown) > _NAMED else "")
    return [
        f"{sum(unknown.values())} of {statements} statements carry {len(unknown)} labels that the classifier does not "
        f"know ({named}); they count as wrong"
    ]
