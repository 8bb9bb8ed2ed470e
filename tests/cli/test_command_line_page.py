"""The page of commands names every command of both programs, each with all of its options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from protorel.cli.commands import app
from protorel_paper.cli.commands import app as paper_app

NAME = "docs/reference/command_line.md"
TEXT = (Path(__file__).parents[2] / NAME).read_text(encoding="utf-8")


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield every visible command without subcommands, by its full name."""
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
        return
    for word, sub in inner.items():
        if not sub.hidden:
            yield from commands(sub, f"{name} {word}")


COMMANDS = dict([*commands(get_command(app), "protorel"), *commands(get_command(paper_app), "protorel-paper")])
SECTIONS = {
    name: section
    for heading, section in re.findall(r"^### (.*)\n((?:(?!^#).*\n)*)", TEXT, flags=re.MULTILINE)
    for name in re.findall(r"`([^`]+)`", heading)
}


def test_the_page_has_the_commands_of_the_programs_and_no_other():
    assert SECTIONS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_shown_with_all_its_options_and_arguments(name):
    options = {option for parameter in COMMANDS[name].params for option in shown_options(parameter)}
    assert set(re.findall(r"^\| `(--[\w-]+)", SECTIONS[name], flags=re.MULTILINE)) == options
    arguments = sum(parameter.param_type_name == "argument" for parameter in COMMANDS[name].params)
    assert len(re.findall(r"^\| `[^-]", SECTIONS[name], flags=re.MULTILINE)) == arguments


def shown_options(parameter: Any) -> list[str]:
    return [] if parameter.param_type_name == "argument" or parameter.hidden else parameter.opts


def test_the_overview_names_every_command():
    overview = TEXT[: TEXT.index("## Rules")]
    for name in COMMANDS:
        program, command, *sub = name.split()
        assert f"`{program} {command}`" in overview or program == "protorel-paper"
        assert all(f"`{word}`" in overview for word in sub)


def test_the_commands_run_and_every_link_leads_somewhere(page):
    found = page(NAME)
    assert len(found.run_commands()) == 2
    assert found.lost_links() == []
