"""What a release must pass: contents of sdist and wheel, metadata, and the README's quickstart from the wheel alone.

    make release-check

Lists at the end what must be filled in by hand before the first release. Exits with 1 if a check fails.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
IN_WHEEL = (
    "protorel/py.typed",
    "protorel/recipes/col_final.yaml",
    "protorel/model/shipped/protorel-small/difference.safetensors",
    "protorel/corpora/small_world/",
    "protorel_paper/",
)
IN_SDIST = (
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "PAPER.md",
    "CITATION.cff",
    "Makefile",
    "pyproject.toml",
    "tests/",
    "src/protorel/",
)
NOT_SHIPPED = re.compile(
    r"^(results|site|demo|runs|\.venv)/|(^|/)(\.git|__pycache__|\.hypothesis)/|\.(pyc|pkl|pickle|pt|bin)$"
)
MOST_WHEEL = 10_000_000
"""Bytes: protorel-small has 5.5 MB, the code less than one."""


def main() -> int:
    """Build, check, print, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--dist", type=Path, default=ROOT / "dist", help="where sdist and wheel are written")
    parser.add_argument("--no-install", action="store_true", help="leave out the new environment")
    given = parser.parse_args()
    call(sys.executable, "-m", "build", "--outdir", given.dist, ROOT)
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    wheel = given.dist / f"protorel-{version}-py3-none-any.whl"
    sdist = given.dist / f"protorel-{version}.tar.gz"
    call(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
    problems = [*check_wheel(wheel), *check_sdist(sdist), *check_versions(version)]
    if not given.no_install and not problems:
        problems += try_quickstart(wheel)
    for problem in problems:
        print(f"release: {problem}")
    for point in open_points(metadata_of(wheel)):
        print(f"open before the first release: {point}")
    print("release: not ready" if problems else f"release: protorel {version} passes")
    return 1 if problems else 0


def call(*command: object) -> None:
    """Run a command, or stop."""
    subprocess.run([str(part) for part in command], check=True)


def metadata_of(wheel: Path) -> Message:
    """Return the metadata of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(one for one in archive.namelist() if one.endswith(".dist-info/METADATA"))
        return message_from_bytes(archive.read(name))


def check_wheel(wheel: Path) -> Iterator[str]:
    """Yield what is missing in the wheel, or should not be in it."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    yield from missing(names, IN_WHEEL, "wheel")
    for name in names:
        if NOT_SHIPPED.search(name) or name.startswith("tests/"):
            yield f"wheel: {name} should not be in it"
    if (size := wheel.stat().st_size) > MOST_WHEEL:
        yield f"wheel: expected at most {MOST_WHEEL:,} bytes, got {size:,}"
    found = metadata_of(wheel)
    for field in ("License-Expression", "Requires-Python", "Summary", "Description-Content-Type", "Author"):
        if not found.get(field):
            yield f"metadata: {field} is missing"


def check_sdist(sdist: Path) -> Iterator[str]:
    """Yield what is missing in the sdist, or should not be in it."""
    with tarfile.open(sdist) as archive:
        names = [one.partition("/")[2] for one in archive.getnames()]
    yield from missing(names, IN_SDIST, "sdist")
    for name in names:
        if NOT_SHIPPED.search(name):
            yield f"sdist: {name} should not be in it"


def missing(names: list[str], expected: tuple[str, ...], where: str) -> Iterator[str]:
    """Yield the expected files and folders that are absent."""
    for one in expected:
        if not any(name == one or (one.endswith("/") and name.startswith(one)) for name in names):
            yield f"{where}: {one} is missing"


def check_versions(version: str) -> Iterator[str]:
    """Yield the files that name another version."""
    if f"\n## {version}" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("[", ""):
        yield f"CHANGELOG.md: has no section {version}"
    if f"\nversion: {version}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        yield f"CITATION.cff: expected version {version}"


def try_quickstart(wheel: Path) -> list[str]:
    """Run the first Python block of the README in a new environment that has the wheel and nothing else of ours."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [block, *_] = re.findall(r"^```python\n(.*?)^```", readme, flags=re.MULTILINE | re.DOTALL)
    with TemporaryDirectory() as folder:
        call(sys.executable, "-m", "venv", f"{folder}/venv")
        python = f"{folder}/venv/bin/python"
        call(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", f"{wheel}[extract]")
        (Path(folder) / "examples").symlink_to(ROOT / "examples")
        done = subprocess.run([python, "-c", block], cwd=folder, capture_output=True, text=True, check=False)
    print(done.stdout, end="")
    return [] if done.returncode == 0 else [f"quickstart: {done.stderr.strip().splitlines()[-1]}"]


def open_points(metadata: Message) -> Iterator[str]:
    """Yield what needs a public address."""
    if not metadata.get_all("Project-URL"):
        yield "[project.urls] in pyproject.toml, and a badge for the tests in README.md"
    if "private contact" in (ROOT / "SECURITY.md").read_text(encoding="utf-8"):
        yield "a security contact in SECURITY.md"
    tested = {one.rpartition(" ")[2] for one in metadata.get_all("Classifier", []) if "Python :: 3." in one}
    for version in sorted({"3.11", "3.12", "3.13"} - tested):
        yield f"a classifier for Python {version}, once the tests have passed on it"


if __name__ == "__main__":
    sys.exit(main())
