"""The manifest: what was counted in all places is added up, files are told apart, and no other folder is touched."""

from __future__ import annotations

import json

import pytest

from protorel.corpora.rows import Reject
from protorel.harvest import manifest, settings
from protorel.harvest.engines.alignment import NO_RELATION, AlignmentCounts
from protorel.harvest.engines.shards import Shard
from protorel.harvest.facts_folder import FactsFolder
from protorel.harvest.manifest import Manifest, StageSeconds, begun
from protorel.harvest.settings import described
from protorel.harvest.types import Tally
from protorel.statements import BadInput

FOUND = AlignmentCounts(pairs=20, aligned=10, distinct=7, per_relation={"born_in": 3, NO_RELATION: 2})


def tally(taken: int, **rejected: int) -> Tally:
    made = Tally()
    for _ in range(taken):
        made.take()
    for reason, count in rejected.items():
        for _ in range(count):
            made.reject(Reject("f", None, "text", reason, ""))
    return made


def test_what_was_counted_here_and_in_the_shards_is_added_up_and_lost_shards_are_named(tmp_path):
    shards = [Shard.numbered(number, tmp_path) for number in range(3)]
    shards[0].write([], {"sentences": 4}, tally(2, empty=1), [])
    shards[2].write([], {"sentences": 5, "links": 1}, tally(3, empty=1, odd=1), [])
    facts = FactsFolder(tmp_path, 5, 6, 1, {})
    counts = Manifest({}, facts, {}, tally(1, odd=2), shards, FOUND).counts()
    assert (counts["text"]["rows"], counts["text"]["taken"]) == (11, 6)
    assert counts["text"]["rejected"] == {"empty": 2, "odd": 3}
    assert counts["mentions"] == {"links": 1, "sentences": 9}
    assert counts["shards"] == {"all": 3, "lost": [1]}


def test_every_step_of_the_alignment_accounts_for_what_it_dropped():
    counts = FOUND.as_json()
    assert list(counts.values()) == [20, 10, 3, 2, 5, 2, 1]
    assert counts["statements"] == 10 - counts["dropped: says what another row says"] - 2


def test_the_seconds_of_a_stage_add_up_also_when_it_is_broken_off(tmp_path, monkeypatch):
    clock = iter([0.0, 2.0, 10.0, 13.0])
    monkeypatch.setattr(manifest.time, "monotonic", lambda: next(clock))
    with StageSeconds(tmp_path / "seconds.json").of("names"):
        pass
    with pytest.raises(KeyboardInterrupt), StageSeconds(tmp_path / "seconds.json").of("names"):
        raise KeyboardInterrupt
    assert json.loads((tmp_path / "seconds.json").read_text()) == {"names": 5.0}


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="expected an empty folder or a harvest, got other files"):
        begun(tmp_path, {})
    with pytest.raises(BadInput, match="expected a folder, got a file"):
        begun(tmp_path / "mine.txt", {})
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_a_large_file_is_told_from_others_by_pieces_of_all_its_length(tmp_path, monkeypatch):
    small = described([written(tmp_path, "x" * 100)])
    assert small[0].keys() == {"name", "bytes", "sha256"}
    for name, value in (("_HASHED_WHOLE", 50), ("_PIECE", 4), ("_PIECES", 5)):
        monkeypatch.setattr(settings, name, value)
    given = ["x" * 100, "y" + "x" * 99, "x" * 99 + "y", "x" * 50 + "y" + "x" * 49, "x" * 101]
    found = [described([written(tmp_path, text)])[0] for text in given]
    assert all(one.keys() == {"name", "bytes", "sha256_of_pieces"} for one in found)
    assert len({one["sha256_of_pieces"] for one in found}) == len(given)


def written(folder, text):
    (folder / "f").write_text(text)
    return folder / "f"
