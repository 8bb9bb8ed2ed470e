"""Verdicts as data: statements with `expresses`, Label Studio's JSON, or FuzzyRED's files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from protorel.audit import Audit
from protorel.io import (
    BadInput,
    as_path,
    check_file_target,
    check_folder_target,
    is_there,
    shown,
    write_text,
    written_whole,
)
from protorel.judging.results import Decision, decide
from protorel.judging.store import VerdictStore
from protorel.judging.verdicts import JudgeHistory, Verdict
from protorel.statements import Span, Statement, write_statements

ExportFormat = Literal["statements", "labelstudio", "fuzzyred"]
LABEL_STUDIO_CONFIG = """<View>
  <Header value="$claim"/>
  <Labels name="entity" toName="text"><Label value="head"/><Label value="tail"/></Labels>
  <Text name="text" value="$text"/>
  <Choices name="verdict" toName="text">
    <Choice value="true"/><Choice value="false"/><Choice value="unclear"/>
    <Choice value="reversed"/><Choice value="other"/>
  </Choices>
  <TextArea name="other_relation" toName="text"/>
  <TextArea name="judge" toName="text"/>
</View>
"""
"""The labelling configuration of a Label Studio project that takes the exported tasks."""
_LABELS = {True: "True", False: "Other"}
_CANNOT_HOLD = re.compile(r"\n|</?e[12]>")
"""What a sentence of FuzzyRED's format cannot contain."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: the number of statements, and of judged statements that the format cannot hold."""

    statements: int
    left_out: int = 0


def export_format(path: Path | str) -> ExportFormat:
    """Return the format that a name asks for: `.parquet` statements, `.json` Label Studio, without a suffix FuzzyRED.

    Raises:
        BadInput: the name ends in something else.
    """
    found: dict[str, ExportFormat] = {".parquet": "statements", ".json": "labelstudio", "": "fuzzyred"}
    suffix = as_path(path, "--export").suffix
    if suffix not in found:
        raise BadInput(
            f"--export: expected a name that ends in .parquet (statements) or .json (Label Studio), or a folder "
            f"(FuzzyRED), got {str(path)!r}"
        )
    return found[suffix]


def check_export(path: Path) -> None:
    """Raise `BadInput` if an export could not be written to a path."""
    if export_format(path) == "fuzzyred":
        check_folder_target(path)
        if is_there(path):
            raise BadInput(f"{path}: exists already. Choose another --export.")
    else:
        check_file_target(path)


def export_verdicts(folder: Path | str, path: Path | str) -> Exported:
    """Write the verdicts on an audit as data.

    Args:
        folder: The folder of the audit.
        path: `FILE.parquet` for all statements of the audit, in the order of the data, with `expresses` filled in where
            the majority is clear; `FILE.json` for Label Studio's tasks, one annotation per judge; a folder for
            FuzzyRED, one file per relation.

    Returns:
        How many statements were written, and how many the format cannot hold.

    Raises:
        BadInput: there is no audit; the verdicts are damaged or those of another audit; nothing is judged; a relation's
            name cannot be a file name.
        WorkFailed: the disk is full.

    >>> from protorel.io import BadInput
    >>> try:
    ...     export_verdicts("no/audit", "judged.parquet")
    ... except BadInput as problem:
    ...     print(problem)
    no/audit/audit.parquet: no such file
    """
    target = as_path(path, "--export")
    format = export_format(target)
    check_export(target)
    audit = Audit.read(folder)
    with VerdictStore(folder, audit, read_only=True) as store:
        histories = store.histories()
    decisions = decide(audit, histories)
    if not decisions:
        raise BadInput(f"{folder}: expected verdicts to export, got none. Run `protorel judge` first.")
    if format == "statements":
        return Exported(_write_statements(audit, decisions, target))
    if format == "labelstudio":
        tasks = list(_tasks(audit, decisions, histories))
        write_text(target, json.dumps(tasks, indent=1, ensure_ascii=False) + "\n")
        return Exported(len(tasks))
    return _write_fuzzyred(audit, decisions, target)


def _write_statements(audit: Audit, decisions: list[Decision], path: Path) -> int:
    found = {one.place: one.expresses for one in decisions}
    order = sorted(range(len(audit)), key=audit.table["row"].to_pylist().__getitem__)
    statements = audit.statements(order)
    return write_statements(
        (
            replace(statement, expresses=found[place]) if place in found else statement
            for place, statement in zip(order, statements, strict=True)
        ),
        path,
        origin=lambda: {"verdicts_on_audit": audit.id},
    )


def _tasks(audit: Audit, decisions: list[Decision], histories: Mapping[str, JudgeHistory]) -> Iterator[dict[str, Any]]:
    """Yield Label Studio's tasks: the statement, an annotation per judge, the audit's score as a prediction."""
    standing = {judge: history.standing() for judge, history in histories.items()}
    places = [one.place for one in decisions]
    columns = ["given_label", "predicted_label", "label_score", "reason"]
    rows = audit.table.select(columns).take(places).to_pylist()
    for one, statement, row in zip(decisions, audit.statements(places), rows, strict=True):
        entities = [
            _entity(statement, name, span) for name, span in (("head", statement.head), ("tail", statement.tail))
        ]
        annotations = []
        for judge, verdicts in standing.items():
            given = verdicts.get((one.place, "settle")) or verdicts.get((one.place, "first"))
            if given is not None and given.verdict != "skip":
                annotations.append({"result": [*entities, *_said(judge, given)], "ground_truth": False})
        yield {
            "data": {
                "text": statement.text,
                "claim": f"{statement.head_text} · {row['given_label']} · {statement.tail_text}",
                "relation": row["given_label"],
                "id": statement.id,
                "row": one.row,
                "expresses": one.expresses,
                "predicted_label": row["predicted_label"],
                "reason": row["reason"],
            },
            "annotations": annotations,
            "predictions": [
                {
                    "model_version": f"protorel audit {audit.id}",
                    "score": round(float(row["label_score"]), 4),
                    "result": [*entities, _choice("true" if row["label_score"] >= 0.5 else "false")],
                }
            ],
        }


def _entity(statement: Statement, name: str, span: Span) -> dict[str, Any]:
    value = {"start": span.start, "end": span.stop, "text": span.of(statement.text), "labels": [name]}
    return {"id": name, "from_name": "entity", "to_name": "text", "type": "labels", "value": value}


def _choice(verdict: str) -> dict[str, Any]:
    return {
        "id": "verdict",
        "from_name": "verdict",
        "to_name": "text",
        "type": "choices",
        "value": {"choices": [verdict]},
    }


def _said(judge: str, given: Verdict) -> Iterator[dict[str, Any]]:
    yield _choice(given.verdict)
    for name, text in (("other_relation", given.relation), ("judge", judge)):
        if text is not None:
            yield {"id": name, "from_name": name, "to_name": "text", "type": "textarea", "value": {"text": [text]}}


def _write_fuzzyred(audit: Audit, decisions: list[Decision], folder: Path) -> Exported:
    """Write one file per relation; a statement that its format cannot hold is left out and counted."""
    clear = [one for one in decisions if one.expresses is not None]
    blocks: dict[str, list[str]] = {}
    statements = audit.statements([one.place for one in clear])
    labels = audit.table["given_label"]
    left_out = 0
    for one, statement in zip(clear, statements, strict=True):
        relation = str(labels[one.place].as_py())
        if (line := _marked(statement)) is None:
            left_out += 1
            continue
        if Path(relation).name != relation or relation.startswith("."):
            raise BadInput(
                f"relation {shown(relation)}: expected a name that a file can have, since FuzzyRED's have it"
            )
        blocks.setdefault(relation, []).append(f'1\t"{line}"\n{_LABELS[bool(one.expresses)]}\nComment:\n\n')
    if not blocks:
        raise BadInput(f"{folder}: expected labels that judges find right or wrong, got none")
    with written_whole(folder) as unfinished:
        unfinished.mkdir()
        for relation, texts in blocks.items():
            (unfinished / f"{relation}.semeval").write_text("".join(texts), encoding="utf-8", newline="")
    return Exported(len(clear) - left_out, left_out)


def _marked(statement: Statement) -> str | None:
    """Return the text with tags around its entities, or None if FuzzyRED's format cannot hold it."""
    text = statement.text
    outer = any(one != one.strip() for one in (text, statement.head_text, statement.tail_text))
    if statement.overlapping or outer or _CANNOT_HOLD.search(text):
        return None
    for span, tag in sorted(((statement.head, "e1"), (statement.tail, "e2")), reverse=True):
        text = f"{text[: span.start]}<{tag}>{span.of(text)}</{tag}>{text[span.stop :]}"
    return text
