"""The report of runs: what they have is on the page, what is missing is said, and what does not fit is refused."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil

import numpy as np
import pyarrow as pa
import pytest
import torch

from protorel import BadInput, RelationModel
from protorel.audit import AUDIT_SCHEMA, EVIDENCE, RELATION_SCHEMA, Audit
from protorel.cli import run as protorel
from protorel.geometry import Prototypes
from protorel.report import MapSettings, layouts_of, report_runs
from protorel.report.projection import large_neighbour_map
from protorel.statements import STATEMENT_FIELDS, RelationVocabulary, Statement, read_statements

PCA = MapSettings("pca")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PROTOREL_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def statements(data) -> list[Statement]:
    return read_statements(data)


def audit_of(statements, *, worst_says="its neighbours say otherwise") -> Audit:
    """Return an audit whose scores rise with the rows."""
    scores = np.linspace(0, 1, len(statements))
    kept = [name for name in STATEMENT_FIELDS if name not in ("head", "tail")]
    rows = [
        {
            "row": row,
            **{name: getattr(one, name) for name in kept},
            **{f"{part}_start": getattr(one, part).start for part in ("head", "tail")},
            **{f"{part}_stop": getattr(one, part).stop for part in ("head", "tail")},
            "given_label": one.relation,
            "predicted_label": one.relation,
            "label_score": score,
            "is_label_issue": score < 0.5,
            "reason": worst_says if row == 0 else "",
            "scored_by": "prototype",
            **dict.fromkeys(EVIDENCE),
        }
        for row, (one, score) in enumerate(zip(statements, scores.tolist(), strict=True))
    ]
    relations = [
        {"relation": name, "name": f"to {name}", "statements": 3, "label_issues": 1, "estimated_wrong": 1.5,
         "confused_with": None, "confused": 0, "scored_by": "prototype"}
        for name in sorted({one.relation for one in statements})
    ]  # fmt: skip
    return Audit(
        pa.Table.from_pylist(rows, schema=AUDIT_SCHEMA), pa.Table.from_pylist(relations, schema=RELATION_SCHEMA), {}
    )


def block_of(html):
    text = re.search(r'id="statements">([^<]*)<', html)[1]
    return json.loads(gzip.decompress(base64.b64decode(text)))


def test_without_data_there_is_no_map_and_page_and_result_say_so(finished_run, tmp_path, read_page):
    found = report_runs(finished_run, tmp_path / "report.html")
    assert found.statements == 0
    assert found.notes == ("no map: name the statements to draw by --data",)
    page = read_page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "No map: name the statements to draw by --data." in page.text
    assert "canvas" not in page.tags
    assert {"Geometry", "Learning curves", "Data card"} <= {*page.text}


def test_every_statement_is_on_the_map_with_its_label_and_every_prototype_is_a_star(
    finished_run, data, statements, tmp_path, read_page
):
    found = report_runs([finished_run], tmp_path / "report.html", data=data, settings=PCA)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    read_page(html)
    block = block_of(html)
    assert found.statements == len(statements) == len(block["texts"])
    assert [block["relations"][one][0] for one in block["relation"]] == [one.relation for one in statements]
    relations = RelationModel.from_pretrained(finished_run).relations.ids
    assert [block["relations"][one][0] for one, *_ in block["layouts"][0]["stars"]] == list(relations)
    assert [layout["projection"] for layout in block["layouts"]] == ["PCA"]


def test_runs_are_shown_next_to_each_other_and_equal_names_are_numbered(finished_run, data, tmp_path):
    other = tmp_path / "other" / finished_run.name
    shutil.copytree(finished_run, other)
    (other / "journal.jsonl").unlink()
    found = report_runs([finished_run, other], tmp_path / "report.html", data=data, settings=PCA)
    first, second = found.runs
    assert second == f"{first} (2)"
    assert f"{second}: no curves: its folder has no journal" in found.notes
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert html.count("<figure data-run=") == 2
    assert {layout["run"] for layout in block_of(html)["layouts"]} == {*found.runs}


def test_an_audit_gives_scores_reasons_and_the_worst_labels(finished_run, data, statements, tmp_path):
    audit_of(statements).write(tmp_path / "audit")
    found = report_runs(finished_run, tmp_path / "report.html", data=data, audit=tmp_path / "audit", settings=PCA)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    block = block_of(html)
    assert block["audit"]["scores"][0] == 0
    assert block["audit"]["reasons"][0] == "its neighbours say otherwise"
    assert block["audit"]["issues"].count("1") == found.label_issues == len(statements) // 2
    assert "its neighbours say otherwise" in html
    assert "The most suspicious labels" in html


def test_an_audit_of_a_part_of_the_data_leaves_the_rest_without_a_score(finished_run, data, statements, tmp_path):
    audit = audit_of(statements)
    part = Audit(audit.table.slice(0, 2), audit.relations)
    report_runs(finished_run, tmp_path / "report.html", data=data, audit=part, settings=PCA)
    scores = block_of((tmp_path / "report.html").read_text(encoding="utf-8"))["audit"]["scores"]
    assert scores[:2] != [-1, -1]
    assert {*scores[2:]} == {-1}


def test_an_audit_is_shown_without_data_too(finished_run, statements, tmp_path):
    found = report_runs(finished_run, tmp_path / "report.html", audit=audit_of(statements))
    assert found.notes[0].startswith("no map")
    assert "The most suspicious labels" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("change", ["order", "label", "fewer"])
def test_an_audit_of_other_data_is_refused_and_nothing_is_written(finished_run, statements, tmp_path, change):
    others = {
        "order": statements[::-1],
        "label": [Statement(one.text, one.head, one.tail, "other", id=one.id) for one in statements],
        "fewer": statements[:3],
    }[change]
    with pytest.raises(BadInput, match="expected an audit of the statements in --data, got one of others") as problem:
        report_runs(finished_run, tmp_path / "report.html", data=others, audit=audit_of(statements), settings=PCA)
    assert "\n" not in str(problem.value)
    assert not (tmp_path / "report.html").exists()


def test_a_run_without_prototypes_has_a_map_without_stars_and_says_so(tiny_encoder_folder, statements, tmp_path):
    bare = RelationModel.from_pretrained(tiny_encoder_folder)
    bare.save_pretrained(tmp_path / "bare")
    found = report_runs(tmp_path / "bare", tmp_path / "report.html", data=statements, settings=MapSettings())
    assert "bare: no geometry: it has no prototypes" in found.notes
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "has no prototypes" in html
    assert all(layout["stars"] == [] for layout in block_of(html)["layouts"])


def test_data_of_other_relations_are_drawn_with_a_note(finished_run, statements, tmp_path):
    others = [Statement(one.text, one.head, one.tail, "elsewhere") for one in statements[:5]]
    found = report_runs(finished_run, tmp_path / "report.html", data=others, settings=PCA)
    assert any("none of the 1 relations of the data has a prototype" in note for note in found.notes)
    assert found.statements == 5


def test_unlabelled_statements_and_a_single_one_have_a_map(finished_run, statements, tmp_path):
    one = Statement(statements[0].text, statements[0].head, statements[0].tail)
    report_runs(finished_run, tmp_path / "report.html", data=[one])
    assert block_of((tmp_path / "report.html").read_text(encoding="utf-8"))["relation"] == [-1]


def test_no_statements_and_no_runs_are_refused(finished_run, tmp_path):
    with pytest.raises(BadInput, match="expected statements, got none"):
        report_runs(finished_run, tmp_path / "report.html", data=[])
    with pytest.raises(BadInput, match="expected one or more runs, got none"):
        report_runs([], tmp_path / "report.html")
    with pytest.raises(BadInput, match="expected a run, got an encoder"):
        report_runs("minilm", tmp_path / "report.html")


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"projection": "umap"}, "projection: expected one of"),
        ({"most": 0}, "most:"),
        ({"most": 10**6}, "at most 50,000"),
    ],
)
def test_a_wrong_setting_of_the_map_is_named(settings, said):
    with pytest.raises(BadInput, match=said):
        MapSettings(**settings)


def test_equal_runs_and_data_give_an_equal_page(finished_run, data, tmp_path):
    for name in ("one.html", "two.html"):
        report_runs(finished_run, tmp_path / name, data=data)
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_both_projections_are_made_where_open_tsne_is_installed(monkeypatch):
    vectors = torch.randn(30, 4, generator=torch.Generator().manual_seed(0))
    prototypes = Prototypes.of(RelationVocabulary(["a", "b"]), torch.eye(2, 4))
    assert [one.projection for one in layouts_of("run", vectors, prototypes, MapSettings())] == ["t-SNE", "PCA"]
    monkeypatch.setattr("protorel.report.run_content.has_tsne", lambda: False)
    assert [one.projection for one in layouts_of("run", vectors, prototypes, MapSettings())] == ["PCA"]


def test_statements_beyond_the_fitted_ones_are_placed_in_their_own_cluster():
    generator = torch.Generator().manual_seed(0)
    centres = torch.nn.functional.normalize(torch.randn(4, 16, generator=generator), dim=1)
    own = torch.arange(400) % 4
    vectors = torch.nn.functional.normalize(centres[own] + 0.05 * torch.randn(400, 16, generator=generator), dim=1)
    places, stars = large_neighbour_map(vectors, centres, seed=0, fitted=101)
    assert places.shape == (400, 2)
    nearest = np.linalg.norm(places[:, None] - stars[None], axis=-1).argmin(axis=1)
    assert (nearest == own.numpy()).mean() > 0.95


def test_the_command_writes_the_page_and_says_what_is_on_it(finished_run, data, tmp_path, capsys):
    out = tmp_path / "report.html"
    assert protorel(["report", str(finished_run), "--data", str(data), "--projection", "pca", "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert re.fullmatch(rf"{re.escape(str(out))}: 1 run, \d+ statements on the map \(\d\.\d MB\)\n", said.out)
    assert protorel(["report", str(finished_run), "--out", str(out)]) == 0
    said = capsys.readouterr()
    assert "note: no map: name the statements to draw by --data" in said.err
