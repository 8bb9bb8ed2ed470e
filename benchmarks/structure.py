"""How the source is cut: files, lines, imports, folders, and the files that one command walks through.

    python benchmarks/structure.py                       # this checkout
    python benchmarks/structure.py --before REVISION     # and another revision next to it
    python benchmarks/structure.py --walk evaluate fewshot RUN DATA

Lines are those of the files, blank ones included. An import's share counts every line that an import statement covers.
A file has a single importer if one other file of its package names it. `--walk` runs a command of protorel in this
process and lists, in order, the files in which it calls a function, and the rooms: a room that is listed twice was
entered again after it was left.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from inspect import CO_OPTIMIZED
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
ONE_FILE_PER_THING = ("corpora", "fewshot", "objectives", "cli")
"""Rooms whose rule is one file per format, method, equation or verb: they may hold more than fifteen."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures, or the walk of a command."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == ["--walk"]:
        walk(given[1:])
        return
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--before", help="a revision to show next to this checkout")
    before = parser.parse_args(given).before
    columns = {"now": packages(ROOT / "src")}
    if before:
        with tempfile.TemporaryDirectory() as folder:
            columns = {before: packages(_unpacked(before, Path(folder)))} | columns
    for package in sorted({name for column in columns.values() for name in column}):
        print(f"\n{package:44}" + "".join(f"{name[:12]:>14}" for name in columns))
        shown = [column.get(package, {}) for column in columns.values()]
        for row in dict.fromkeys(row for one in shown for row in one):
            print(f"{row:44}" + "".join(f"{one.get(row, '-')!s:>14}" for one in shown))


def packages(source: Path) -> dict[str, dict[str, Any]]:
    """Return the figures of every package under a source folder."""
    return {folder.name: figures(folder) for folder in sorted(source.iterdir()) if (folder / "__init__.py").is_file()}


def figures(package: Path) -> dict[str, Any]:
    """Count what a reader meets in a package."""
    files = {path: path.read_text(encoding="utf-8") for path in sorted(package.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in files.items()}
    lengths = sorted(len(text.splitlines()) for text in files.values())
    lines = sum(lengths)
    imports = {path: _imports(tree) for path, tree in trees.items()}
    covered = sum(node.end_lineno - node.lineno + 1 for found in imports.values() for node in found if node.end_lineno)
    modules = {_module(path, package): path for path in files if path.name != "__init__.py"}
    importers = Counter(name for found in imports.values() for name in _named(found) if name in modules)
    folders = Counter(path.parent for path in files if path.name != "__init__.py")
    large = [f for f, count in folders.items() if count > 15 and f.name not in ONE_FILE_PER_THING]
    past = [n for p, found in imports.items() for n in found if _goes_past(n, p.relative_to(package), package.name)]
    return {
        "files": len(files),
        "lines": lines,
        "median lines per file": median(lengths),
        "files of at most 60 lines": sum(length <= 60 for length in lengths),
        "files with a single importer": sum(importers[name] == 1 for name in modules),
        "imports, share of lines": f"{covered / lines:.1%}",
        "dataclasses": sum(text.count("@dataclass") for text in files.values()),
        "imports past another room's front door": len(past),
        "folders with more than 15 files": ", ".join(f"{f.name} {folders[f]}" for f in large) or 0,
        "largest file": f"{lengths[-1]}",
    }


def walk(command: Sequence[str]) -> None:
    """Run a command and list the files and rooms that it passes through."""
    import protorel
    from protorel.cli import run

    package = Path(protorel.__file__).parent
    files: dict[str, None] = {}
    rooms: list[str] = []

    def see(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(package)) and not _while_importing(frame):
            path = Path(code.co_filename).relative_to(package)
            files[str(path)] = None
            if len(path.parts) > 1 and (not rooms or rooms[-1] != path.parts[0]):
                rooms.append(path.parts[0])

    sys.setprofile(see)
    try:
        run(list(command))
    finally:
        sys.setprofile(None)
    for number, name in enumerate(files, 1):
        print(f"{number:3} {name}")
    print(f"{len(files)} files, {len(set(rooms))} rooms")


def _while_importing(frame: FrameType | None) -> bool:
    """Tell whether a frame is the body of a module or of a class, or is called by one."""
    while frame is not None:
        if not frame.f_code.co_flags & CO_OPTIMIZED and frame.f_globals.get("__name__") != "__main__":
            return True
        frame = frame.f_back
    return False


def _imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]


def _named(found: Iterable[ast.Import | ast.ImportFrom]) -> set[str]:
    """Return the modules that some imports name, `from package import module` included."""
    names = set()
    for node in found:
        if isinstance(node, ast.ImportFrom):
            names |= {node.module or "", *(f"{node.module}.{one.name}" for one in node.names)}
        else:
            names |= {one.name for one in node.names}
    return names


def _goes_past(node: ast.Import | ast.ImportFrom, path: Path, package: str) -> bool:
    """Tell whether an import names a file in another room of the package."""
    if not isinstance(node, ast.ImportFrom) or not node.module:
        return False
    parts = node.module.split(".")
    return len(parts) > 2 and parts[0] == package and parts[1] != path.parts[0]


def _module(path: Path, package: Path) -> str:
    return ".".join((package.name, *path.relative_to(package).with_suffix("").parts))


def _unpacked(revision: str, folder: Path) -> Path:
    command = ["git", "-C", str(ROOT), "archive", revision, "src"]
    packed = subprocess.run(command, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


if __name__ == "__main__":
    main()
