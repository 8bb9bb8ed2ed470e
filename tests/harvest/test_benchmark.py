"""The benchmarks of the harvest run: what they measure is in results/, that they go on working is checked here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from protorel.statements import Span, Statement, write_statements

ROOT = Path(__file__).parents[2]
BENCHMARKS = ROOT / "benchmarks"
OPTIONS = ("longer_names", "adjectives", "ner")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("harvest.py", ["--names", "200", "--sentences", "60", "--triples", "2000"]),
        ("harvest_truth.py", ["--statements", "6"]),
        ("sentences.py", ["--statements", "6"]),
    ],
)
def test_a_benchmark_measures_and_writes_its_headline(name, options, tmp_path):
    out = tmp_path / "found.json"
    command = [sys.executable, str(BENCHMARKS / name), *options, "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    assert found["ratio"] > 0
    assert {"task", "data", "machine", "versions"} <= found.keys()
    if name == "harvest.py":
        assert found["gazetteer"]["searched"]["mentions"] > 0
        assert found["phrase_matcher"]["mentions"] > 0
        assert [join["triples"] for join in found["joins"]] == [2000]
    elif name == "harvest_truth.py":
        assert all(row["statements"]["recall"] == 1 for row in found["rows"].values())
    else:
        assert found["hard"]["ours"] == found["hard"]["paragraphs"] > found["hard"]["spaCy"]
        assert found["texts"]["small world"]["equal"] == 1


def test_the_costs_of_all_stages_are_measured(tmp_path):
    (tmp_path / "dump.xml").write_text(
        "<mediawiki><siteinfo><sitename>Wikipedia</sitename><namespaces><namespace key='0' case='first-letter' />"
        "</namespaces></siteinfo><page><title>Ada Kroll</title><ns>0</ns><id>1</id><revision><id>2</id>"
        "<text>Ada Kroll was born in Lunsk. She left.</text></revision></page></mediawiki>"
    )
    (tmp_path / "facts.tsv").write_text("E1\tborn_in\tE2\n")
    (tmp_path / "names.tsv").write_text("E1\tAda Kroll\nE2\tLunsk\n")
    given = ["--text", "dump.xml", "--facts", "facts.tsv", "--aliases", "names.tsv", "--json", "found.json"]
    command = [sys.executable, str(BENCHMARKS / "harvest_stages.py"), *given]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert found["ratio"] > 0
    assert found["counts"] == {"facts": 1, "names": 2, "pages": 1, "characters of wikitext": 38, "sentences": 2}


def test_verdicts_are_counted_of_what_another_harvest_keeps_and_drops(tmp_path):
    rows = [("a", True, True), ("b", True, False), ("c", False, False), ("d", False, False)]
    lines = [{"id": f"p:0:h:{id}:t", "aligned": aligned, "expresses": expresses} for id, aligned, expresses in rows]
    (tmp_path / "judged.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    kept = [
        Statement("Ada left.", Span(0, 3), Span(4, 8), line["relation"], line["id"])
        for line in ({"relation": line["id"].split(":")[-2], **line} for line in lines[:3])
    ]
    write_statements(kept, tmp_path / "harvest" / "statements" / "0.parquet")
    manifest = {"parameters": {}, "counts": {}, "relations": {}}
    (tmp_path / "harvest" / "manifest.json").write_text(json.dumps(manifest))
    options = ["judged.jsonl", "--kept", "harvest", "--json", "found.json"]
    command = [sys.executable, str(BENCHMARKS / "harvest_judged.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "found.json").read_text())
    assert (found["statements"], found["aligned"]["value"]) == (3, pytest.approx(2 / 3))
    assert found["harvest"] == {**manifest, "dropped": {"wrongly aligned": 1}}


def test_figures_of_the_sentence_splitter_are_those_of_the_file():
    page = words_of("docs/reference/harvest_sources.md")
    found = json.loads((ROOT / "results/harvest/sentences.json").read_text())
    split, hard = found["texts"]["documents"], found["hard"]
    assert f"{100 * split['equal']:.1f} % of all ends" in page
    assert f"at {split['ratio']:.1f} times the speed" in page
    for name, words in (("only spaCy's", "spaCy alone ends {} sentences"), ("only ours", "we alone end {}")):
        assert words.format(split["ends"][name]) in page
    assert f"Of {hard['paragraphs']} hard paragraphs that we made ourselves, spaCy gets {hard['spaCy']} as" in page


def test_figures_on_the_page_are_those_of_the_files():
    page = words_of("docs/tasks/build_distant_data.md")
    results = {
        name: json.loads((ROOT / f"results/harvest/{name}.json").read_text()) for name in ("wikipedia", *OPTIONS)
    }
    before = results["wikipedia"]["relations"]
    left = {name: sum(results[name]["harvest"]["relations"].values()) for name in OPTIONS}
    dropped = {name: results[name]["harvest"]["dropped"] for name in OPTIONS}
    for name, words in (
        ("longer_names", "{}, both wrongly aligned"),
        ("adjectives", "{}, all wrongly aligned"),
        ("ner", "{} that express their relation, 2 that express nothing, none wrongly aligned"),
    ):
        kind = "expresses" if name == "ner" else "wrongly aligned"
        assert set(dropped[name]) == ({kind} if name != "ner" else {kind, "aligned, expresses nothing"})
        assert f"results/harvest/{name}.json)) | {left[name]:,} | {words.format(dropped[name][kind])} |" in page
    occupations = before["P106"] - results["ner"]["harvest"]["relations"]["P106"]
    assert f"{occupations} of the {sum(before.values()) - left['ner']} dropped statements are of P106" in page
    read = [json.loads(line) for line in (ROOT / "results/harvest/adjectives.jsonl").read_text().splitlines()]
    aligned, expresses = (sum(row[verdict] for row in read) for verdict in ("aligned", "expresses"))
    assert f"the other {len(read)} statements that it drops" in page
    assert f"{aligned} were rightly aligned" in page
    assert f"{expresses} of them expresses its relation" in page
    assert len(read) + dropped["adjectives"]["wrongly aligned"] == sum(before.values()) - left["adjectives"]


def words_of(name: str) -> str:
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())
