"""Answer files of SemEval 2010 task 8: `ID<tab>LABEL` on each line, in any order; read, written and scored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.corpora import numbered_lines, open_data
from protorel.evaluation.classification.semeval_counts import check_label
from protorel.evaluation.classification.semeval_scorer import SemEvalScore, score_semeval, unknown_ids
from protorel.evaluation.evaluated_model import environment
from protorel.io import sha256, shown, written_whole
from protorel.statements import BadInput

_LINE = "`ID<tab>LABEL`"
_BREAKS = "\t\n\r"
"""What an id or a label cannot contain: the line could not be read back."""
_SHOWN = 80


def read_answers(path: str | Path, *, check: Callable[..., None] | None = None) -> dict[str, str]:
    """Read the label of each id.

    Args:
        path: The answer file.
        check: Called as `check(label, where=...)` for each label; it raises `BadInput` for a wrong one.

    Returns:
        Labels by id, in the order of the file.

    Raises:
        BadInput: The file cannot be read, has no answers, or a line is not `ID<tab>LABEL` with a new id.

    Example:
        >>> import tempfile
        >>> file = Path(tempfile.mkdtemp()) / "answers.txt"
        >>> write_answers(file, {"8001": "Message-Topic(e1,e2)", "8002": "Other"})
        >>> read_answers(file)
        {'8001': 'Message-Topic(e1,e2)', '8002': 'Other'}
    """
    place = Path(path)
    answers: dict[str, str] = {}
    try:
        for line in numbered_lines(place):
            if line is None:
                continue
            where = f"{place}: line {line.number}: "
            if line.problem:
                raise BadInput(where + line.problem)
            name, tab, label = line.text.partition("\t")
            if not (name and tab and label) or "\t" in label:
                raise BadInput(f"{where}expected {_LINE}, got {line.text[:_SHOWN]!r}")
            if name in answers:
                raise BadInput(f"{where}expected each id once, got {shown(name)} twice")
            if check is not None:
                check(label, where=where)
            answers[name] = label
    except OSError as problem:
        raise BadInput(f"{place}: cannot be read ({problem.strerror})") from problem
    if not answers:
        raise BadInput(f"{place}: expected lines {_LINE}, got none")
    return answers


def write_answers(path: str | Path, answers: Mapping[str, str]) -> None:
    """Write an answer file atomically; `read_answers` returns the same answers.

    Args:
        path: The file to write.
        answers: Labels by id.

    Raises:
        BadInput: An id or a label is empty, or contains a tab or a line break.
    """
    lines = [f"{_writable('id', name)}\t{_writable('label', label)}\n" for name, label in answers.items()]
    with written_whole(Path(path)) as unfinished:
        # As bytes: no line end may be changed on any system.
        unfinished.write_bytes("".join(lines).encode())


@dataclass(frozen=True, slots=True)
class AnswersEvaluation:
    """The official score with its settings as JSON, and notes on how to read it."""

    result: SemEvalScore
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def evaluate_answers(answers: Path, key: Path, *, format: str | None = None, seed: int = 0) -> AnswersEvaluation:
    """Score an answer file against a key: what `protorel evaluate answers` does.

    Args:
        answers: The answer file.
        key: An answer file with the correct labels, or labelled statements.
        format: The format of a key with statements that is not Parquet.
        seed: Random seed for the interval.

    Returns:
        The official score, its JSON form, and notes.

    Raises:
        BadInput: A file cannot be read, a label is not one of the task's, or an id is not in the key.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> write_answers(folder / "key.txt", {"1": "Cause-Effect(e1,e2)", "2": "Other"})
        >>> write_answers(folder / "mine.txt", {"1": "Cause-Effect(e1,e2)"})
        >>> found = evaluate_answers(folder / "mine.txt", folder / "key.txt")
        >>> found.result.f1, found.notes
        (1.0, ('1 of 2 statements of the key have no answer; they count as skipped',))
    """
    given, gold = read_answers(answers, check=check_label), read_key(key, format=format)
    if unknown := unknown_ids(gold, given):
        raise BadInput(
            f"{answers}: {len(unknown)} of {len(given)} answers have an id that is not in {key.name}, "
            f"the first: {shown(unknown[0])}"
        )
    score = score_semeval(gold, given, seed=seed)
    as_json = {
        "task": "answers",
        **score.as_json(),
        "answers": {"name": answers.name, "fingerprint": sha256(answers)},
        "key": {"name": key.name, "fingerprint": sha256(key) if key.is_file() else None},
        **environment(),
    }
    return AnswersEvaluation(score, as_json, tuple(_notes(score)))


def read_key(path: Path, *, format: str | None = None) -> dict[str, str]:
    """Read the correct label of each id, from an answer file or from labelled statements."""
    if format is None and path.suffix != ".parquet":
        return read_answers(path, check=check_label)
    gold: dict[str, str] = {}
    for statement in open_data(path, format=format).source():
        where = f"{path}: statement {shown(statement.id)}: "
        if statement.relation is None:
            raise BadInput(f"{where}expected a label, got none")
        if statement.id in gold:
            raise BadInput(f"{where}expected each id once, got it twice")
        check_label(statement.relation, where=where)
        gold[statement.id] = statement.relation
    return gold


def _notes(score: SemEvalScore) -> list[str]:
    if not score.skipped:
        return []
    total = score.official.total
    return [f"{score.skipped} of {total} statements of the key have no answer; they count as skipped"]


def _writable(kind: str, name: str) -> str:
    problem = None
    if not name.strip():
        problem = "is empty"
    elif any(mark in name for mark in _BREAKS):
        problem = "contains a tab or a line break"
    elif not name.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in name):
        problem = "is not Unicode text"
    if problem:
        raise BadInput(f"the {kind} {shown(name)} {problem}, so it cannot be written to an answer file")
    return name
