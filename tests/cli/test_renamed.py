"""Older names of commands and options work for one release, and a note says the new one."""

import pytest

from protorel.cli.renamed import OPTIONS, with_new_names

COMMANDS = {"blend": "average", "evaluate answers": "evaluate classification"}
TABLE = {"average": {"--older": "--new"}, "evaluate fewshot": {"--crowd": "--hubness"}}


@pytest.mark.parametrize(
    ("given", "expected", "notes"),
    [
        ("blend a b --out c", "average a b --out c", ["blend is now average"]),
        ("blend a --older x", "average a --new x", ["blend is now average", "--older is now --new"]),
        ("evaluate answers run data", "evaluate classification run data", ["evaluate answers is now"]),
        ("evaluate fewshot run --crowd 3", "evaluate fewshot run --hubness 3", ["--crowd is now --hubness"]),
        ("evaluate fewshot run --crowd=3", "evaluate fewshot run --hubness=3", ["--crowd is now --hubness"]),
        ("average --older a --older b", "average --new a --new b", ["--older is now --new"]),
        ("average --older-still a", "average --older-still a", []),
        ("average -- --older", "average -- --older", []),
        ("demo blend --older", "demo blend --older", []),
        ("", "", []),
    ],
)
def test_an_older_name_becomes_the_new_one_with_one_note(given, expected, notes, capsys):
    assert with_new_names(given.split(), COMMANDS, TABLE) == expected.split()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len(notes)
    assert all(line.startswith(f"note: {note}") for line, note in zip(lines, notes, strict=True))


def test_no_new_name_is_an_older_one():
    for names in OPTIONS.values():
        assert not names.keys() & set(names.values())


@pytest.mark.parametrize("command", OPTIONS)
def test_the_new_options_are_those_of_the_command(command, capsys):
    from protorel.cli import run

    assert run([*command.split(), "--help"]) == 0
    shown = capsys.readouterr().out
    for older, new in OPTIONS[command].items():
        assert new in shown
        assert older not in shown
