"""A cache is never trusted and never needed: whatever lies in its folder, the arrays are those that were made."""

from __future__ import annotations

import errno
import json
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.io import array_cache
from protorel.io.array_cache import MANIFEST, ArrayCache, CachedArrays
from protorel.statements import BadInput

ARRAYS = {
    "numbers": np.arange(12, dtype=np.int32).reshape(3, 4),
    "weights": np.linspace(0, 1, 7, dtype=np.float32),
    "none": np.empty((0, 4), dtype=np.int64),
}
FACTS = {"names": ["ä", "\ud800", "c"], "left_out": 2}
FILES = [MANIFEST, *(f"{name}.npy" for name in ARRAYS)]


class Maker:
    """Makes the arrays and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> CachedArrays:
        self.times += 1
        return CachedArrays(ARRAYS, FACTS)


def accept(_: CachedArrays) -> None:
    """Let every array pass."""


def cache_in(root: Path, name: str = "entry", *, schema: str = "tests, version 2") -> ArrayCache:
    return ArrayCache(root / "cache" / name, schema, f"key of {name}")


def assert_right(found: CachedArrays) -> None:
    assert found.facts == FACTS
    assert found.arrays.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert found.arrays[name].dtype == array.dtype
        assert np.array_equal(found.arrays[name], array)


def assert_built_again(cache: ArrayCache) -> None:
    """The next one is made, and the one after it is found."""
    make = Maker()
    assert_right(cache.get(make, accept))
    assert make.times == 1
    found = cache.get(make, accept)
    assert_right(found)
    assert (make.times, found.folder) == (1, cache.folder)
    assert sorted(path.name for path in cache.folder.parent.iterdir()) == [cache.folder.name]


def resealed(cache: ArrayCache, **changes: object) -> None:
    """Change the manifest of a cache as its writer would have."""
    told = json.loads((cache.folder / MANIFEST).read_text()) | changes
    del told["seal"]
    (cache.folder / MANIFEST).write_text(json.dumps(told | {"seal": array_cache._seal(told)}))


@pytest.fixture
def cache(tmp_path) -> ArrayCache:
    """A cache that was filled."""
    filled = cache_in(tmp_path)
    filled.get(Maker(), accept)
    return filled


@pytest.fixture
def said(caplog):
    """What the library said, with its level."""
    caplog.set_level(logging.INFO, logger="protorel")
    return lambda: [(record.levelname, record.getMessage()) for record in caplog.records]


def test_arrays_are_made_once_and_memory_mapped_afterwards(tmp_path, said):
    make = Maker()
    for _ in range(3):
        found = cache_in(tmp_path).get(make, accept)
        assert_right(found)
        assert isinstance(found.arrays["numbers"], np.memmap)
    assert make.times == 1
    assert said() == []


@given(data=st.data())
def test_any_flipped_bit_in_any_file_changes_nothing(data):
    with tempfile.TemporaryDirectory() as root:
        cache = cache_in(Path(root))
        cache.get(Maker(), accept)
        path = cache.folder / data.draw(st.sampled_from(FILES))
        content = bytearray(path.read_bytes())
        place = data.draw(st.integers(0, 8 * len(content) - 1))
        content[place // 8] ^= 1 << place % 8
        path.write_bytes(content)
        assert_right(cache.get(Maker(), accept))
        assert_right(cache.get(lambda: pytest.fail("made twice"), accept))


@given(data=st.data())
def test_a_file_cut_at_any_place_or_with_bytes_added_changes_nothing(data):
    with tempfile.TemporaryDirectory() as root:
        cache = cache_in(Path(root))
        cache.get(Maker(), accept)
        path = cache.folder / data.draw(st.sampled_from(FILES))
        content = path.read_bytes()
        path.write_bytes(content[: data.draw(st.integers(0, len(content)))] + data.draw(st.binary(max_size=9)))
        assert_right(cache.get(Maker(), accept))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("harm", ["missing", "empty", "a folder", "a pipe", "a lost link"])
def test_a_file_that_is_missing_or_is_something_else_is_made_again(cache, name, harm, said):
    path = cache.folder / name
    path.unlink()
    if harm == "empty":
        path.touch()
    elif harm == "a folder":
        path.mkdir()
    elif harm == "a pipe":
        os.mkfifo(path)
    elif harm == "a lost link":
        path.symlink_to("nowhere")
    assert_built_again(cache)
    ((level, line),) = said()
    assert level == "INFO"
    assert line.startswith(f"{cache.folder}: this cache cannot be used (")
    assert line.endswith(") and is rebuilt")


@pytest.mark.parametrize("name", ["file", "link", "pipe", "empty folder"])
def test_something_else_in_the_place_of_the_folder_is_replaced(tmp_path, name):
    cache = cache_in(tmp_path)
    cache.folder.parent.mkdir()
    if name == "file":
        cache.folder.write_text("hello")
    elif name == "link":
        cache.folder.symlink_to(tmp_path / "nowhere")
    elif name == "pipe":
        os.mkfifo(cache.folder)
    else:
        cache.folder.mkdir()
    assert_built_again(cache)


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{}", "{", "1" * 5000, "[" * 100_000, '{"seal": 1}', '{"seal": NaN}', "\0\0", '{"files": null}'],
)
def test_a_manifest_of_any_content_is_made_again(cache, text):
    (cache.folder / MANIFEST).write_text(text)
    assert_built_again(cache)


@pytest.mark.parametrize(("old", "new"), [('"left_out": 2', '"left_out": 3'), ('"c"', '"b"')])
def test_a_manifest_that_says_something_else_is_made_again(cache, old, new):
    path = cache.folder / MANIFEST
    assert path.read_text().count(old) == 1
    path.write_text(path.read_text().replace(old, new))
    assert_built_again(cache)


def test_two_files_in_each_other_s_place_are_noticed(tmp_path):
    def make() -> CachedArrays:
        return CachedArrays({"one": np.arange(5), "other": np.arange(5)[::-1]}, {})

    cache = cache_in(tmp_path)
    cache.get(make, accept)
    one, other = cache.folder / "one.npy", cache.folder / "other.npy"
    one.rename(tmp_path / "kept")
    other.rename(one)
    (tmp_path / "kept").rename(other)
    assert cache.get(make, accept).arrays["one"].tolist() == [0, 1, 2, 3, 4]


def test_a_whole_cache_in_the_place_of_another_is_noticed(tmp_path):
    first, second = cache_in(tmp_path, "first"), cache_in(tmp_path, "second")
    first.get(lambda: CachedArrays({"other": np.zeros(2)}, {}), accept)
    shutil.copytree(first.folder, second.folder)
    assert_right(second.get(Maker(), accept))


def test_a_cache_of_an_older_version_is_built_again(tmp_path, said):
    old = cache_in(tmp_path, schema="tests, version 1")
    old.get(lambda: CachedArrays({"other": np.zeros(2)}, {}), accept)
    assert_built_again(cache_in(tmp_path))
    ((_, line),) = said()
    assert "its schema is 'tests, version 1', expected 'tests, version 2'" in line


def test_a_cache_of_another_format_is_built_again(cache):
    resealed(cache, format=0)
    assert_built_again(cache)


@pytest.mark.parametrize("changes", [{"files": {}}, {"files": []}, {"facts": None}, {"files": {"../up": {}}}])
def test_a_manifest_that_lies_consistently_is_stopped_by_the_check(cache, changes):
    def check(found: CachedArrays) -> None:
        if found.arrays.keys() != ARRAYS.keys() or "names" not in found.facts:
            raise ValueError("other arrays")

    resealed(cache, **changes)
    assert_right(cache.get(Maker(), check))


def test_an_array_of_another_shape_than_the_manifest_says_is_made_again(cache):
    told = json.loads((cache.folder / MANIFEST).read_text())
    told["files"]["numbers"]["shape"] = [4, 3]
    resealed(cache, files=told["files"])
    assert_built_again(cache)


def test_what_a_killed_process_left_is_removed(tmp_path):
    cache = cache_in(tmp_path)
    left = cache.folder.with_name(f".{cache.folder.name}.4711.part")
    left.mkdir(parents=True)
    (left / "numbers.npy").write_text("half")
    cache.folder.with_name(f".{cache.folder.name}.lock").write_text("4711\n")
    assert_built_again(cache)


def test_an_error_of_what_makes_the_arrays_is_raised_and_leaves_nothing(tmp_path, said):
    def broken() -> CachedArrays:
        raise OSError("the data went away")

    with pytest.raises(OSError, match="the data went away"):
        cache_in(tmp_path).get(broken, accept)
    assert list(tmp_path.iterdir()) == []
    assert said() == []


@pytest.mark.parametrize("where", ["cache", "cache/deeper"])
def test_a_root_that_is_a_file_is_said_once_and_the_arrays_stay_in_memory(tmp_path, where, said):
    (tmp_path / "cache").write_text("a file")
    for number in range(3):
        cache = ArrayCache(tmp_path / where / f"{number}", "tests", "key")
        found = cache.get(Maker(), accept)
        assert_right(found)
        assert found.folder is None
    ((level, line),) = said()
    assert level == "WARNING"
    assert line.startswith(f"{tmp_path / where}: this cache cannot be written (")
    assert "the work continues without it" in line


@pytest.mark.parametrize(
    "target", ["numpy.save", "protorel.io.array_cache.write_text", "pathlib.Path.replace", "os.fsync", "shutil.rmtree"]
)
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_disk_that_takes_no_more_is_said_once_and_leaves_nothing(cache, target, number, said, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    (cache.folder / MANIFEST).write_text("{}")  # so that it must be built again
    with monkeypatch.context() as patch:
        patch.setattr(target, fail)
        for _ in range(2):
            assert_right(cache.get(Maker(), accept))
    warnings = [line for level, line in said() if level == "WARNING"]
    assert len(warnings) == 1
    assert os.strerror(number) in warnings[0]
    assert_built_again(cache)


def test_a_folder_that_cannot_be_locked_is_said_once(tmp_path, said, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise BadInput("no lock")

    monkeypatch.setattr(array_cache, "claimed", refuse)
    for _ in range(2):
        assert_right(cache_in(tmp_path).get(Maker(), accept))
    assert [level for level, _ in said()] == ["WARNING"]


def test_a_disk_that_gives_back_other_bytes_is_said_once(tmp_path, said, monkeypatch):
    hashes = iter(range(1000))
    monkeypatch.setattr(array_cache, "sha256", lambda _: str(next(hashes)))
    assert_right(cache_in(tmp_path).get(Maker(), accept))
    ((level, line),) = said()
    assert (level, "cannot be read back as it was written" in line) == ("WARNING", True)


def test_an_intact_cache_is_used_where_nothing_can_be_written(cache, said, monkeypatch):
    monkeypatch.setattr(array_cache, "written_whole", lambda _: pytest.fail("written"))
    monkeypatch.setattr(array_cache, "claimed", lambda *_, **__: pytest.fail("locked"))
    assert_right(cache.get(lambda: pytest.fail("made"), accept))
    assert said() == []


FULL_DISK = """
import resource, sys
from pathlib import Path
import numpy as np
from protorel.io.array_cache import ArrayCache, CachedArrays
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
cache = ArrayCache(Path(sys.argv[1]) / "entry", "s", "k")
found = cache.get(lambda: CachedArrays({"a": np.arange(9)}, {}), lambda _: None)
print(found.arrays["a"].sum(), found.folder)
"""


@pytest.mark.parametrize("limit", [0, 100, 210])
def test_a_real_limit_on_the_size_of_files_leaves_nothing_behind(tmp_path, limit):
    """0: not even the lock's process id can be written; 210: the array can, and the manifest cannot."""
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", FULL_DISK, str(tmp_path / "cache"), str(limit)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ended.stdout == "36 None\n"
    assert ended.stderr.count("\n") == 1
    assert "File too large" in ended.stderr
    assert [path for path in tmp_path.rglob("*") if path.is_file() or path.name != "cache"] == []


FILLING = """
import logging, os, sys
from pathlib import Path
import numpy as np
from protorel.io.array_cache import ArrayCache, CachedArrays
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
def make():
    print("making", flush=True)
    sys.stdin.readline()
    return CachedArrays({"a": np.arange(100_000)}, {"by": os.getpid()})
found = ArrayCache(Path(sys.argv[1]), "s", "k").get(make, lambda _: None)
print(found.arrays["a"].sum(), found.facts["by"], found.folder is not None, flush=True)
"""


def test_processes_that_need_the_same_arrays_at_once_make_them_once(tmp_path):
    folder = tmp_path / "cache" / "entry"
    command = [sys.executable, "-c", FILLING, str(folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen(command, **pipes) for _ in range(3)]
    # The one that makes them is held until each of the others has found that it must wait.
    first = [process.stdout.readline().strip() for process in processes]
    maker = processes[first.index("making")]
    assert sum(line.startswith(f"{folder}: waiting for ") for line in first) == 2
    last = [process.communicate("\n")[0].splitlines() for process in (maker, *processes) if process.returncode is None]
    assert last == [[f"4999950000 {maker.pid} True"]] * 3
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert list(folder.parent.iterdir()) == [folder]


def test_a_process_killed_while_it_made_the_arrays_stops_nobody(tmp_path):
    folder = tmp_path / "cache" / "entry"
    command = [sys.executable, "-c", FILLING, str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "making\n"
        process.kill()
    found = ArrayCache(folder, "s", "k").get(Maker(), accept)
    assert_right(found)
    assert list(folder.parent.iterdir()) == [folder]
