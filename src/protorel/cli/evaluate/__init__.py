"""`protorel evaluate …`: figures with intervals. One file per kind of evaluation."""

from __future__ import annotations

import typer

from protorel.cli.evaluate.answers import answers
from protorel.cli.evaluate.classify import classify
from protorel.cli.evaluate.documents import documents
from protorel.cli.evaluate.extraction import extraction
from protorel.cli.evaluate.fewshot import fewshot
from protorel.cli.evaluate.fuzzyred import fuzzyred
from protorel.cli.evaluate.pairs import pairs

evaluate = typer.Typer(help="Evaluate a run: figures with intervals.", no_args_is_help=True)
for command in (fewshot, classify, answers, fuzzyred, pairs, extraction, documents):
    evaluate.command()(command)
