"""An audit on disk: a round trip, damaged and mixed-up files, and the statements that are kept."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protorel.audit import AUDIT, RELATIONS, SUMMARY, Audit
from protorel.io import BadInput


@pytest.fixture
def found(made_audit, some_statements):
    return made_audit(some_statements)


@pytest.fixture
def folder(found, tmp_path):
    found.write(tmp_path / "audit")
    return tmp_path / "audit"


def rejected(folder) -> str:
    with pytest.raises(BadInput) as caught:
        Audit.read(folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_an_audit_is_read_as_it_was_written(found, folder):
    again = Audit.read(folder)
    assert again.table.equals(found.table)
    assert again.relations.equals(found.relations)
    assert again.id == found.id == again.summary["audit"]
    assert again.statements() == found.statements()
    assert repr(again) == repr(found)
    again.write(folder)
    assert Audit.read(folder).table.equals(found.table)


@given(places=st.lists(st.integers(0, 5), max_size=10))
def test_statements_are_those_at_the_places(made_audit, some_statements, places):
    scores = [0.5, 0.1, 0.9, 0.3, 0.7, 0.2]
    found = made_audit(some_statements, scores)
    ranked = [one for _, one in sorted(zip(scores, some_statements, strict=True), key=lambda pair: pair[0])]
    assert found.statements() == ranked
    assert found.statements(places) == [ranked[place] for place in places]


@pytest.mark.parametrize("name", [AUDIT, RELATIONS, SUMMARY])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_a_truncated_file_is_one_line(folder, name, share):
    path = folder / name
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    assert name in rejected(folder)


@pytest.mark.parametrize("name", [AUDIT, RELATIONS, SUMMARY])
def test_a_missing_file_and_a_folder_in_its_place_are_one_line(folder, name):
    (folder / name).unlink()
    assert f"{name}: no such file" in rejected(folder)
    (folder / name).mkdir()
    assert name in rejected(folder)


@pytest.mark.parametrize("name", [AUDIT, RELATIONS, SUMMARY])
def test_a_file_of_another_audit_is_one_line(made_audit, some_statements, folder, tmp_path, name):
    made_audit(some_statements[:4]).write(tmp_path / "other")
    shutil.copy(tmp_path / "other" / name, folder / name)
    assert "expected the files of one audit, got those of two" in rejected(folder)


def test_swapped_and_foreign_files_are_one_line(folder):
    (folder / AUDIT).rename(folder / "kept")
    shutil.copy(folder / RELATIONS, folder / AUDIT)
    assert f"{AUDIT}: expected the columns of an audit, got none named" in rejected(folder)
    pq.write_table(pa.table({"x": [1]}), folder / AUDIT)
    assert "got none named row" in rejected(folder)
    pq.write_table(
        pq.read_table(folder / "kept").drop_columns("label_score").append_column("label_score", [["x"] * 6]),
        folder / AUDIT,
    )
    assert "got other types" in rejected(folder)


@pytest.mark.parametrize("summary", ["[]", "3", "null", "{}", '{"audit": null}', '{"audit": [1]}', "not json"])
def test_a_summary_of_another_kind_is_one_line(folder, summary):
    (folder / SUMMARY).write_text(summary)
    assert rejected(folder)


def test_an_audit_cannot_be_written_into_a_file(found, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(BadInput, match="file"):
        found.write(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"


def test_the_id_changes_with_a_label_and_with_a_score(made_audit, some_statements, found):
    relabelled = [replace(some_statements[0], relation="died_in"), *some_statements[1:]]
    scores = found.scores.tolist()
    assert made_audit(some_statements).id == found.id
    assert made_audit(relabelled).id != found.id
    assert made_audit(some_statements, scores).id != made_audit(some_statements, [*scores[:-1], 0.99]).id


def test_statements_are_kept_in_the_order_of_the_data_and_dropped_with_a_reason(made_audit, some_statements):
    found = made_audit(some_statements, [0.9, 0.2, 0.6, 0.4, 0.8, 0.1])
    kept = found.keep()
    assert list(kept.statements) == [some_statements[row] for row in (0, 2, 4)]
    assert [one for one, _ in kept.dropped] == [some_statements[row] for row in (5, 1, 3)]
    assert all(reason.endswith(".") for _, reason in kept.dropped)
    assert len(found.keep(min_score=0).statements) == 6
    assert len(found.keep(min_score=1).statements) == 0
    most = found.keep(most_dropped=0.34)
    assert [one for one, _ in most.dropped] == [some_statements[row] for row in (5, 1)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"min_score": 1.5}, "min_score: expected a number from 0 to 1, got 1.5"),
        ({"most_dropped": -0.1}, "most_dropped: expected a number from 0 to 1, got -0.1"),
        ({"min_score": float("nan")}, "min_score: expected a number from 0 to 1, got nan"),
        ({"min_score": "high"}, "min_score: expected a number from 0 to 1"),
    ],
)
def test_wrong_thresholds_are_one_line(found, given, message):
    with pytest.raises(BadInput, match=message):
        found.keep(**given)


def test_the_summary_is_json_that_names_the_audit(found, folder):
    assert json.loads((folder / SUMMARY).read_text()) == {"audit": found.id}
