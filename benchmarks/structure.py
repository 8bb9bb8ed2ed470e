"""How the source is cut: files, lines, imports, folders, and the files that one command walks through.

    python benchmarks/structure.py                       # this checkout
    python benchmarks/structure.py --before REVISION     # and another revision next to it
    python benchmarks/structure.py --walk evaluate fewshot RUN DATA

Lines are those of the files, blank ones included. An import's share counts every line that an import statement covers.
A file has a single importer if one other file of its package names it. `--walk` runs a command of protorel in this
process and lists, in order, the files in which it calls a function, and the rooms in the order in which they are first
entered. It also lists the rooms that the library function behind the command calls itself, in order: a room should not
be entered again after it was left. Calls by deeper functions do not count, since helpers return where they came from.
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
HELPERS = ("cli", "io", "lazy.py", "threads.py")
"""Rooms and files that every command passes through."""
_INLINE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


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

    seen = Walk(Path(protorel.__file__).parent)
    sys.setprofile(seen.see)
    try:
        run(list(command))
    finally:
        sys.setprofile(None)
    for number, name in enumerate(seen.files, 1):
        print(f"{number:3} {name}")
    inner = [name for name in seen.files if name.split("/")[0] not in HELPERS]
    print(f"{len(seen.files)} files, {len(inner)} of them outside io and cli")
    print(f"rooms in the order of first entry: {', '.join(seen.rooms())}")
    name, called = seen.longest()
    print(f"{name} calls, in order: {', '.join(called)}")
    print(f"entered again by {name}: {', '.join(entered_again(called)) or 'none'}")


class Walk:
    """The files that calls enter, and what the functions that the command line calls enter themselves."""

    def __init__(self, package: Path) -> None:
        self.package = str(package)
        self.files: dict[str, None] = {}
        self._top: tuple[FrameType, str] | None = None
        self._calls: dict[str, list[str]] = {}
        self._below: dict[str, set[str]] = {}

    def see(self, frame: FrameType, event: str, _: object) -> None:
        """Take note of a call or a return; `sys.setprofile` calls this."""
        if event == "return" and self._top is not None and frame is self._top[0]:
            self._top = None
        if event != "call" or not (room := self._room(frame)) or _while_importing(frame):
            return
        file = frame.f_code.co_filename[len(self.package) + 1 :]
        self.files[file] = None
        caller = _caller(frame)
        if self._top is None and room not in HELPERS and caller is not None and self._room(caller) == "cli":
            self._top = frame, frame.f_code.co_qualname
            self._calls.setdefault(frame.f_code.co_qualname, [])
        elif self._top is not None:
            name = self._top[1]
            self._below.setdefault(name, set()).add(file)
            if caller is self._top[0] and self._calls[name][-1:] != [room]:
                self._calls[name].append(room)

    def rooms(self) -> list[str]:
        """Return the rooms in the order in which they are first entered."""
        return list(dict.fromkeys(name.split("/")[0] for name in self.files if "/" in name))

    def longest(self) -> tuple[str, list[str]]:
        """Return the function called by the command line with most files below it, and the rooms that it enters."""
        name = max(self._below, key=lambda one: len(self._below[one]))
        return name, self._calls[name]

    def _room(self, frame: FrameType) -> str | None:
        path = frame.f_code.co_filename
        return path[len(self.package) + 1 :].split("/")[0] if path.startswith(self.package + "/") else None


def entered_again(rooms: Sequence[str]) -> list[str]:
    """Return the rooms that are entered again after they were left, each once."""
    return [room for room, count in Counter(rooms).items() if count > 1]


def _caller(frame: FrameType) -> FrameType | None:
    """Return the function that calls another; a comprehension counts as the function around it."""
    caller = frame.f_back
    while caller is not None and caller.f_code.co_name in _INLINE:
        caller = caller.f_back
    return caller


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
