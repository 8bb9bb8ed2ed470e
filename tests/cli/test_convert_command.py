"""`protorel convert` writes over nothing, and leaves nothing where it fails."""

from __future__ import annotations

import pytest

from protorel.cli import run
from protorel.statements import read_statements

ADA = {"text": "Ada met Bo.", "head": [0, 3], "tail": [8, 10]}
CY = {"text": "Cy saw Lunsk.", "head": [0, 2], "tail": [7, 12]}


def test_a_file_that_exists_is_replaced_by_force_alone(jsonl, tmp_path, fails, monkeypatch):
    out = tmp_path / "mine.parquet"
    command = ["convert", str(jsonl(ADA)), "--format", "jsonl", "--out", str(out)]
    assert run(command) == 0
    before = out.read_bytes()
    jsonl(CY)
    with monkeypatch.context() as patch:
        patch.setattr("protorel.corpora.conversion.read_rows", lambda *_, **__: pytest.fail("the source was read"))
        assert "mine.parquet: exists already; replace it with --force, or choose another --out" in fails(*command)
    assert out.read_bytes() == before
    assert run([*command, "--force"]) == 0
    assert [one.head_text for one in read_statements(out)] == ["Cy"]


def test_force_keeps_the_file_where_the_new_one_cannot_be_made(jsonl, tmp_path, fails):
    out = tmp_path / "mine.parquet"
    command = ["convert", str(jsonl(ADA)), "--format", "jsonl", "--out", str(out)]
    assert run(command) == 0
    before = out.read_bytes()
    (tmp_path / "mine.jsonl").write_text("\n")
    fails(*command, "--force")
    assert out.read_bytes() == before


@pytest.mark.parametrize("content", ["\n", "{"])
def test_a_conversion_that_fails_leaves_no_empty_folder(tmp_path, fails, content):
    source = tmp_path / "source" / "mine.json"
    source.parent.mkdir()
    source.write_text(content)
    fails("convert", source, "--format", "fewrel", "--out", tmp_path / "new" / "deep" / "mine.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["source"]
