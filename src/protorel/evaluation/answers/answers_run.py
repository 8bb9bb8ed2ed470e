"""Answer files judged from files to figures: what `protorel evaluate answers` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.corpora import open_data
from protorel.evaluation.answers.answer_files import read_answers
from protorel.evaluation.answers.semeval_labels import check_label
from protorel.evaluation.answers.semeval_scorer import SemEvalScore, score_semeval, unknown_ids
from protorel.evaluation.report_json import machine
from protorel.io import sha256, shown
from protorel.model import versions
from protorel.statements import BadInput


@dataclass(frozen=True, slots=True)
class AnswersJudgement:
    """The official score, all that made it, and what its reader must know."""

    result: SemEvalScore
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def judge_answers(answers: Path, key: Path, *, format: str | None = None, seed: int = 0) -> AnswersJudgement:
    """Score an answer file by a key, which is one too or, in Parquet or with a format, holds labelled statements."""
    given, gold = read_answers(answers, check=check_label), read_key(key, format=format)
    if strangers := unknown_ids(gold, given):
        raise BadInput(
            f"{answers}: {len(strangers)} of {len(given)} answers have an id that {key.name} does not hold, "
            f"the first: {shown(strangers[0])}"
        )
    score = score_semeval(gold, given, seed=seed)
    told = {
        "task": "answers",
        **score.as_json(),
        "answers": {"name": answers.name, "fingerprint": sha256(answers)},
        "key": {"name": key.name, "fingerprint": sha256(key) if key.is_file() else None},
        "machine": machine(),
        "versions": versions(),
    }
    return AnswersJudgement(score, told, tuple(_notes(score)))


def read_key(path: Path, *, format: str | None = None) -> dict[str, str]:
    """Read the right label of each id, from an answer file or from labelled statements."""
    if format is None and path.suffix != ".parquet":
        return read_answers(path, check=check_label)
    gold: dict[str, str] = {}
    for statement in open_data(path, format=format).source():
        where = f"{path}: statement {shown(statement.id)}: "
        if statement.relation is None:
            raise BadInput(f"{where}has no label, so it is no key")
        if statement.id in gold:
            raise BadInput(f"{where}this id stands twice, each once is wanted")
        check_label(statement.relation, where=where)
        gold[statement.id] = statement.relation
    return gold


def _notes(score: SemEvalScore) -> list[str]:
    if not score.skipped:
        return []
    total = score.official.total
    return [f"{score.skipped} of {total} statements of the key have no answer; they count as skipped"]
