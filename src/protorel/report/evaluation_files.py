"""Figures from the JSON files that `protorel evaluate … --json` writes, as tables with a column per run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from protorel.evaluation import Measurement
from protorel.io import BadInput, as_path, read_json, shown
from protorel.report.content import EvaluationTable

Figures = Iterator[tuple[str, Measurement | None]]
"""Figures with what they measure."""
_CALIBRATION = "calibration error"


def check_evaluations(paths: Sequence[Path]) -> list[tuple[Path, dict[str, Any]]]:
    """Return the contents of the files, each with its path.

    Raises:
        BadInput: one cannot be read, or is not a result of `protorel evaluate`.
    """
    return [(path, _read(as_path(path, "evaluations"))) for path in paths]


def evaluation_tables(found: Sequence[tuple[Path, Mapping[str, Any]]]) -> list[EvaluationTable]:
    """Return a table per task, in the order of the files; figures of one run and one setting share a row."""
    columns = _column_names(found)
    rows: dict[str, dict[str, dict[str, Measurement]]] = {}
    for (_, result), column in zip(found, columns, strict=True):
        title, figures = _TASKS[result["task"]]
        of_task = rows.setdefault(title, {})
        for name, figure in figures(result):
            if figure is not None:
                of_task.setdefault(name, {})[column] = figure
    lower = frozenset({_CALIBRATION})
    return [EvaluationTable(title, of_task, lower_is_better=lower) for title, of_task in rows.items()]


def _read(path: Path) -> dict[str, Any]:
    result = read_json(path)
    task = result.get("task") if isinstance(result, dict) else None
    if not isinstance(result, dict) or not isinstance(task, str) or task not in _TASKS:
        got = f"task {shown(task)}" if isinstance(result, dict) else type(result).__name__
        raise BadInput(f"{path}: expected a result of `protorel evaluate … --json`, got {got}")
    return result


def _column_names(found: Sequence[tuple[Path, Mapping[str, Any]]]) -> list[str]:
    """Return the name of each file's run; runs of one name are told apart by their fingerprints."""
    keys = [
        (_text(_part(result, "run"), "name") or path.stem, _text(_part(result, "run"), "fingerprint"))
        for path, result in found
    ]
    marks: dict[str, set[str]] = {}
    for name, mark in keys:
        marks.setdefault(name, set()).add(mark)
    return [name if len(marks[name]) == 1 else f"{name} ({mark[:8]})" for name, mark in keys]


def _few_shot(result: Mapping[str, Any]) -> Figures:
    where = f"{result.get('way')}-way {result.get('shot')}-shot on {_data(result)}"
    method = _text(result, "method")
    name = where if method in ("", "prototype") else f"{where}, {method}"
    yield name, _measured(result, "accuracy")
    yield f"{name}, interval over relations", _measured(result.get("over_relations"), "accuracy")


def _classification(result: Mapping[str, Any]) -> Figures:
    scorer = _text(result, "scorer") or "official"
    yield f"{scorer} F1 on {_data(result)}", _measured(result, "f1")


def _answers(result: Mapping[str, Any]) -> Figures:
    yield f"official F1 on {_text(_part(result, 'key'), 'name') or 'the key'}", _measured(result, "f1")


def _extraction(result: Mapping[str, Any]) -> Figures:
    for one in _items(result, "triples"):
        for part, words in (("sentences", "sentences"), ("documents", "documents"), ("all_facts", "all facts")):
            yield from _scores(_part(one, part), f"{words} of {_data(result)}, {_text(one, 'chosen_by')}")
    yield "direction right", _measured(_part(result, "direction").get("right"), "value")
    yield _CALIBRATION, _measured(result.get("calibration_error"), "value")


def _documents(result: Mapping[str, Any]) -> Figures:
    for match, found in _part(result, "mentions").items():
        if isinstance(found, Mapping):
            yield f"mentions found, {match}", _measured(found.get("found"), "value")
    for one in _items(result, "triples"):
        for part, words in (("in_sentence", "within a sentence"), ("all_facts", "all facts")):
            yield from _scores(_part(one, part), f"{words}, {_text(one, 'match')}, {_text(one, 'chosen_by')}")


def _scores(scores: Mapping[str, Any], where: str) -> Figures:
    for name, words in (("precision", "precision"), ("recall", "recall"), ("f1", "F1")):
        yield f"{words}, {where}", _measured(scores.get(name), "value")


def _fuzzyred(result: Mapping[str, Any]) -> Figures:
    for shot, one in _part(result, "shots").items():
        if isinstance(one, Mapping):
            yield f"accuracy by the paper’s rule, {shot} shots", _measured(one, "accuracy")
    score = _text(result, "default_score")
    yield "AUROC by prototype", _ranking(_part(result, "by_prototype").get(score))
    for group, scores in _part(result, "by_description").items():
        if isinstance(scores, Mapping):
            yield f"AUROC by description, {group} relations", _ranking(scores.get(score))


def _ranking(scores: object) -> Measurement | None:
    return _measured(_part(_part({"": scores}, ""), "ranking").get("auroc"), "value")


def _pairs(result: Mapping[str, Any]) -> Figures:
    for part in ("labelled", "expressed"):
        found = _part(result, part)
        where = f"{part} facts of {_data(result)}, {_text(result, 'combine')}"
        yield f"area under the precision-recall curve, {where}", _measured(found.get("area"), "value")
        yield f"highest F1, {where}", _measured(found.get("max_f1"), "value")
        for rank, figure in _part(found, "precision_at").items():
            yield f"precision at {rank}, {where}", _measured(figure, "value")


_TASKS: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], Figures]]] = {
    "fewshot": ("Few-shot accuracy", _few_shot),
    "classify": ("Classification", _classification),
    "answers": ("Answer files", _answers),
    "extraction": ("Extraction from given entities", _extraction),
    "documents": ("Extraction from raw text", _documents),
    "pairs": ("Entity pairs", _pairs),
    "fuzzyred": ("FuzzyRED", _fuzzyred),
}


def _measured(found: object, name: str) -> Measurement | None:
    """Return a figure of a JSON object; None if it is not a number. A margin that is missing is infinite."""
    if not isinstance(found, Mapping) or (value := _number(found.get(name))) is None:
        return None
    margin, count = _number(found.get("margin")), _number(found.get("count"))
    return Measurement(value, math.inf if margin is None else margin, int(count or 0))


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e15:
        return None
    return float(value) if math.isfinite(value) else None


def _part(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = found.get(name)
    return value if isinstance(value, Mapping) else {}


def _items(found: Mapping[str, Any], name: str) -> Iterable[Mapping[str, Any]]:
    value = found.get(name)
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _text(found: Mapping[str, Any], name: str) -> str:
    value = found.get(name)
    return value if isinstance(value, str) else ""


def _data(result: Mapping[str, Any]) -> str:
    return _text(_part(result, "data"), "name") or "the data"
