"""The memory of a harvest on hostile text: files of some kilobytes that unpack to gigabytes.

    python benchmarks/harvest_bombs.py --json results/harvest/bombs.json

Three bombs: plain text in Zstandard, one line of JSON and one page of XML in bzip2; behind the line and the page stands
a good document. Each is harvested by the command line in a process of its own, with all defaults but one worker and
500 MB for the joins, under a limit of `--limit` megabytes of address space, once as it is and once unguarded:
then nothing stops the reading of what unpacks to a thousand times its size, and every byte is read. The ratio is the
largest peak of memory over that of a small harvest; it is about the same however large the bomb is.
"""

from __future__ import annotations

import argparse
import bz2
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import zstandard

from protorel.harvest.manifest import machine
from protorel.io.files import write_json

GOOD = "Ada Kroll was born in Lunsk."
DRIVER = """
import resource, sys
from protorel.cli import run
from protorel.harvest.sources import compressed
if sys.argv[1] == "unguarded":
    compressed.ALWAYS_ALLOWED = 10**15
if int(sys.argv[2]):
    resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]) * 10**6,) * 2)
sys.exit(run(sys.argv[3:]))
"""
PIECE = 10_000_000


def plain_text(path: Path, size: int) -> None:
    """Write plain text in lines, a good sentence on the first."""
    lines = (b"nothing is named in this line, and " + b"nobody is either, " * 50 + b"which is all.\n") * 10
    piece = lines * (PIECE // len(lines))
    with path.open("wb") as stream, zstandard.ZstdCompressor().stream_writer(stream) as writer:
        writer.write(GOOD.encode() + b"\n")
        for _ in range(size // len(piece)):
            writer.write(piece)


def one_line(path: Path, size: int) -> None:
    """Write one line of JSON with a text of that size, and a good line."""
    _streams(path, b'{"text": "', size, b'"}\n' + json.dumps({"text": GOOD}).encode() + b"\n")


def one_page(path: Path, size: int) -> None:
    """Write a dump with one page of that size, and a good page."""
    page = "<page><title>{}</title><ns>0</ns><id>1</id><revision><id>1</id><text>"
    end = "</text></revision></page>"
    start = f"<mediawiki><siteinfo><sitename>Wikipedia</sitename></siteinfo>{page.format('Long')}"
    _streams(path, start.encode(), size, f"{end}{page.format('Good')}{GOOD}{end}</mediawiki>".encode())


def _streams(path: Path, start: bytes, size: int, end: bytes) -> None:
    # A bzip2 file may be several in a row: the same packed filling again and again.
    filling = bz2.compress(b"x" * PIECE)
    with path.open("wb") as stream:
        stream.write(bz2.compress(start))
        for _ in range(size // PIECE):
            stream.write(filling)
        stream.write(bz2.compress(end))


BOMBS: dict[str, Callable[[Path, int], None]] = {
    "plain.txt.zst": plain_text, "line.jsonl.bz2": one_line, "page.xml.bz2": one_page,
}  # fmt: skip


def harvested(text: Path, folder: Path, *, guarded: bool, limit: int) -> dict[str, Any]:
    """Harvest a text in a process of its own and return its peak of memory, its exit code, and what it counted."""
    (folder / "facts.tsv").write_text("E1\tborn_in\tE2\n")
    (folder / "names.tsv").write_text("E1\tAda Kroll\nE2\tLunsk\n")
    out = folder / f"{text.name}-{guarded}"
    given = ["--facts", folder / "facts.tsv", "--aliases", folder / "names.tsv", "--text", text, "--out", out]
    options = [*map(str, given), "--workers", "1", "--memory", "500MB"]
    began = time.monotonic()
    command = [sys.executable, "-c", DRIVER, "guarded" if guarded else "unguarded", str(limit), "harvest", *options]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system"}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=environment
    ) as child:
        assert child.stderr is not None
        said = child.stderr.read().strip().splitlines()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    found = {
        "exit_code": child.returncode,
        "megabytes": round(used.ru_maxrss / 1024),
        "seconds": round(time.monotonic() - began, 1),
        "said": said[-1].replace(str(folder), "…") if child.returncode and said else None,
    }
    if (out / "manifest.json").exists():
        counts = json.loads((out / "manifest.json").read_text())["counts"]
        found |= {"text": counts["text"], "statements": counts["alignment"]["statements"]}
    return found


def main() -> None:
    """Make the bombs, harvest each, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--megabytes", type=int, default=5_000, help="What each unpacks to.")
    parser.add_argument("--plain", type=int, help="What the plain text unpacks to when it is read to its end.")
    parser.add_argument("--limit", type=int, default=2_000, help="Megabytes of address space; 0 for no limit.")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory(prefix="protorel-bombs-") as name:
        folder = Path(name)
        (folder / "small.txt").write_text(GOOD)
        small = harvested(folder / "small.txt", folder, guarded=True, limit=given.limit)
        print(f"a text of one sentence: {small['megabytes']} MB, {small['seconds']} s", flush=True)
        for bomb, make in BOMBS.items():
            for guarded in (True, False):
                is_shorter = make is plain_text and not guarded and given.plain
                megabytes = given.plain if is_shorter else given.megabytes
                make(folder / bomb, megabytes * 10**6)
                one = harvested(folder / bomb, folder, guarded=guarded, limit=given.limit)
                one |= {"bytes": (folder / bomb).stat().st_size, "unpacked_megabytes": megabytes}
                found[f"{bomb}, {'as it is' if guarded else 'unguarded'}"] = one
                print(f"{list(found)[-1]}, {one['bytes']:,} bytes, {megabytes:,} MB unpacked: {one['megabytes']} MB, "
                      f"{one['seconds']} s, exit code {one['exit_code']}", flush=True)  # fmt: skip
    ratio = max(one["megabytes"] for one in found.values()) / small["megabytes"]
    print(f"peak of memory over that of a text of one sentence: {ratio:.2f}")
    if given.json:
        versions = {"protorel": version("protorel")}
        whole = {"task": "memory of a harvest on hostile text", "ratio": ratio, "limit_megabytes": given.limit}
        whole |= {"data": {"name": "made by the benchmark"}}
        write_json(given.json, {**whole, "small": small, "bombs": found, "machine": machine(), "versions": versions})


if __name__ == "__main__":
    main()
