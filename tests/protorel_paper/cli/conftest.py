"""Commands of `protorel-paper` that must fail."""

from __future__ import annotations

import pytest

from protorel_paper.cli import run


@pytest.fixture
def fails(capsys):
    """Run a command that must fail with one line on standard error, and return that line."""

    def check(*arguments, code=2):
        assert run([str(argument) for argument in arguments]) == code
        lines = capsys.readouterr().err.strip().splitlines()
        assert len(lines) == 1, lines
        assert lines[0].startswith("protorel-paper: ")
        return lines[0]

    return check
