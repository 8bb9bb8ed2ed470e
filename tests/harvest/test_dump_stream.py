"""Compressed files, whole, cut off and damaged: what can be read is read, what is wrong is said in one line."""

from __future__ import annotations

import bz2
import gzip
import random
import tempfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from protorel.harvest.sources.alias_files import read_names
from protorel.harvest.sources.compressed import CUT_SHORT
from protorel.harvest.sources.facts import open_facts, read_triples
from protorel.harvest.sources.files import SKIPPED_BYTES, first_bytes, text_lines
from protorel.harvest.sources.text import open_documents
from protorel.harvest.types import Tally
from protorel.statements import BadInput

PACKED = {
    "gzip": gzip.compress,
    "bzip2": lambda content: bz2.compress(content, compresslevel=1),
    # As the zstd command does: without a checksum, damage to what is packed badly goes unseen.
    "Zstandard": zstandard.ZstdCompressor(write_checksum=True).compress,
}
# By chance, so that it does not shrink to nothing: several blocks of each kind of compression.
ROWS = [f"E{random.Random(number).getrandbits(200):x}\tborn_in\tE2" for number in range(6_000)]
WHOLE = "\n".join(ROWS).encode()


def lines(path: Path, longest: int = 1_000) -> tuple[list[str], Tally]:
    tally = Tally()
    return [line.text for line in text_lines(path, tally, longest=longest)], tally


@pytest.mark.parametrize("packing", PACKED)
def test_several_streams_in_one_file_are_read_one_after_another(tmp_path, packing):
    halves = (WHOLE[:100_001], b"", WHOLE[100_001:])
    (tmp_path / "f").write_bytes(b"".join(PACKED[packing](half) for half in halves))
    found, tally = lines(tmp_path / "f")
    assert found == ROWS
    assert not tally.noticed


@pytest.mark.parametrize("packing", PACKED)
def test_a_file_cut_off_in_the_middle_is_read_up_to_the_cut_and_counted(tmp_path, packing):
    packed = PACKED[packing](WHOLE)
    (tmp_path / "f").write_bytes(packed[: len(packed) * 3 // 4])
    found, tally = lines(tmp_path / "f")
    assert 100 < len(found) < len(ROWS)
    assert found[:-1] == ROWS[: len(found) - 1]
    assert tally.noticed == {CUT_SHORT: 1}


@pytest.mark.parametrize("packing", PACKED)
def test_a_damaged_file_is_read_up_to_the_damage_and_counted(tmp_path, packing):
    packed = bytearray(PACKED[packing](WHOLE))
    middle = len(packed) // 2
    packed[middle : middle + 2_000] = b"\xff" * 2_000
    (tmp_path / "f").write_bytes(packed)
    found, tally = lines(tmp_path / "f", longest=100_000)
    assert found[:100] == ROWS[:100]
    assert sum(tally.noticed.values()) == 1
    assert "damaged" in next(iter(tally.noticed))


@pytest.mark.parametrize("packing", PACKED)
@pytest.mark.parametrize("length", [6, 20])
def test_a_file_cut_off_before_its_first_block_is_called_so_in_one_line(tmp_path, packing, length):
    path = tmp_path / "f"
    path.write_bytes(PACKED[packing](WHOLE)[:length])
    for read in (open_facts, open_documents, read_names):
        with pytest.raises(BadInput, match=f"is a {packing} file that is cut off before anything") as caught:
            list(read(path, Tally()))
        assert "\n" not in str(caught.value)
    assert not list(read_triples(path, Tally()))


def test_a_file_damaged_at_its_beginning_and_a_packed_empty_one_are_told_apart(tmp_path):
    packed = bz2.compress(WHOLE)
    for content, message in (
        (packed[:4] + b"\0" * 100, "is a bzip2 file that is damaged before anything"),
        (bz2.compress(b""), "expected facts, but the file is empty"),
        (b"", "expected facts, but the file is empty"),
    ):
        (tmp_path / "f").write_bytes(content)
        with pytest.raises(BadInput, match=message):
            list(open_facts(tmp_path / "f"))


def test_of_several_files_of_text_one_that_is_cut_off_is_rejected_and_the_rest_is_read(tmp_path):
    (tmp_path / "a.txt.bz2").write_bytes(bz2.compress(b"Ada left.")[:10])
    (tmp_path / "b.txt").write_text("Tarn stayed.")
    tally = Tally()
    assert [document.text for document in open_documents(tmp_path, tally)] == ["Tarn stayed."]
    assert tally.rejected == {"is a bzip2 file that is cut off before anything could be read from it": 1}


@settings(max_examples=40)
@given(st.binary(max_size=3_000).map(lambda content: b"x" + content), st.integers(0, 200), st.integers(1, 5_000))
def test_zstandard_gives_back_what_went_in_and_any_cut_is_counted(content, cut, size):
    packed = PACKED["Zstandard"](content) + PACKED["Zstandard"](b"more")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "f"
        path.write_bytes(packed)
        assert first_bytes(path, size) == (content + b"more")[:size]
        path.write_bytes(packed[: max(5, len(packed) - 1 - cut)])
        _, tally = lines(path)
    whole_frame = len(packed) - 1 - cut == len(PACKED["Zstandard"](content))
    assert tally.noticed == ({} if whole_frame else {CUT_SHORT: 1})


@pytest.mark.parametrize("packing", PACKED)
def test_what_unpacks_to_very_much_is_all_there(tmp_path, packing):
    (tmp_path / "f").write_bytes(PACKED[packing](b"Ada left.\n" * 300_000))
    assert sum(1 for _ in text_lines(tmp_path / "f", Tally(), longest=100)) == 300_000


def test_a_line_that_is_too_long_is_one_line_however_long_it_is(tmp_path):
    (tmp_path / "f").write_text("one\n" + "x" * 95 + "\ntwo\n" + "y" * 95)
    tally = Tally()
    found = list(text_lines(tmp_path / "f", tally, longest=10))
    assert [(line.number, line.problem) for line in found] == [
        (1, None), (2, "expected at most 10 bytes, got 95"), (3, None), (4, "expected at most 10 bytes, got 95"),
    ]  # fmt: skip
    assert tally.noticed == {SKIPPED_BYTES: 190}
