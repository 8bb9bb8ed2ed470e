"""Answer files as SemEval 2010 task 8 has them: an id, a tab and a label on each line, in any order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from protorel.corpora import numbered_lines
from protorel.io import shown, written_whole
from protorel.statements import BadInput

_BREAKS = "\t\n\r"
"""What an id or a label cannot hold: a line could not be read back."""
_SHOWN = 80


def read_answers(path: str | Path, *, check: Callable[..., None] | None = None) -> dict[str, str]:
    """Read the label of each id; `check(label, where=...)` may refuse one, and is told where it stands."""
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
                raise BadInput(f"{where}{line.text[:_SHOWN]!r} is no answer, `ID<tab>LABEL` is wanted")
            if name in answers:
                raise BadInput(f"{where}id {shown(name)} is answered twice, expected each id once")
            if check is not None:
                check(label, where=where)
            answers[name] = label
    except OSError as problem:
        raise BadInput(f"{place}: cannot be read ({problem.strerror})") from problem
    if not answers:
        raise BadInput(f"{place}: holds no answer, lines `ID<tab>LABEL` are wanted")
    return answers


def write_answers(path: str | Path, answers: Mapping[str, str]) -> None:
    """Write a line for each answer, whole or not at all, such that `read_answers` gives the same back."""
    lines = [f"{_writable('id', name)}\t{_writable('label', label)}\n" for name, label in answers.items()]
    with written_whole(Path(path)) as beside:
        # As bytes: no line end may be changed on any system.
        beside.write_bytes("".join(lines).encode())


def _writable(kind: str, name: str) -> str:
    problem = None
    if not name.strip():
        problem = "is empty"
    elif any(mark in name for mark in _BREAKS):
        problem = "holds a tab or a line break"
    elif not name.isprintable() and _lone_surrogate(name):
        problem = "is not Unicode text"
    if problem:
        raise BadInput(f"the {kind} {name!r} {problem}, so it cannot stand in an answer file")
    return name


def _lone_surrogate(name: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in name)
