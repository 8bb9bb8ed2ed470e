"""Run the cells of a notebook and store what they show, without Jupyter.

python tests/notebooks.py examples/tour.ipynb
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from pathlib import Path
from typing import Any


def outputs_of(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Run all code cells in one namespace; return the outputs of each as a notebook keeps them."""
    names: dict[str, Any] = {"__name__": "__main__"}
    return [_run("".join(cell["source"]), names) for cell in code_cells(notebook)]


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def _run(source: str, names: dict[str, Any]) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "<cell>", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names) if last else None
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": _lines(printed.getvalue())})
    if value is not None:
        if hasattr(value, "_repr_html_"):
            shown = {"text/plain": [f"<{type(value).__name__}>"], "text/html": _lines(value._repr_html_())}
        else:
            shown = {"text/plain": _lines(repr(value))}
        found.append({"data": shown, "metadata": {}, "output_type": "display_data"})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for number, (cell, outputs) in enumerate(zip(code_cells(notebook), outputs_of(notebook), strict=True), start=1):
        cell["outputs"], cell["execution_count"] = outputs, number
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
