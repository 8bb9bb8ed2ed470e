"""Commands that must fail, and files that a user would have."""

from __future__ import annotations

import json

import pytest

from protorel.cli import run


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    """No test reads or fills a user's cache."""
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def fails(capsys):
    """Run a command that must fail with one line on standard error, and return that line."""

    def check(*arguments, code=2):
        assert run([str(argument) for argument in arguments]) == code
        lines = capsys.readouterr().err.strip().splitlines()
        assert len(lines) == 1, lines
        assert lines[0].startswith("protorel: ")
        return lines[0]

    return check


@pytest.fixture
def jsonl(tmp_path):
    """Write rows as a JSONL file."""

    def write(*rows, name="mine.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return path

    return write
