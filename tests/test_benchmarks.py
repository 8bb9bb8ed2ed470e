"""The benchmarks run: what they measure is in results/, that they go on working is checked here."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import fmean

import pytest
import torch

from protorel.corpora import SmallWorldSettings, build_small_world
from protorel.geometry import Prototypes
from protorel.model import RelationModel
from protorel.statements import (
    RelationVocabulary,
    Span,
    Statement,
    fingerprint,
    read_statements,
    write_statements,
)

ROOT = Path(__file__).parents[1]


def test_the_benchmark_of_objectives_measures_and_writes_its_headline(tmp_path):
    out = tmp_path / "found.json"
    options = ["--seeds", "2", "--steps", "1", "--episodes", "5", "--json", str(out)]
    variants = ["--only", "whole (equation 7)", "cross-entropy"]
    command = [sys.executable, str(ROOT / "benchmarks" / "objectives.py"), *options, *variants]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PROTOREL_CACHE": str(tmp_path)}
    )
    found = json.loads(out.read_text())
    assert found["ratio"] > 0
    assert list(found["figures"]) == ["whole (equation 7)", "cross-entropy"]
    for row in found["figures"].values():
        assert all(0 <= figure["mean"] <= 1 and figure["deviation"] >= 0 for figure in row.values())
    assert "cross-entropy" in done.stdout


def test_the_benchmark_of_entity_pairs_judges_by_every_rule(tmp_path):
    out = tmp_path / "found.json"
    options = ["--epochs", "1", "--json", str(out)]
    command = [sys.executable, str(ROOT / "benchmarks" / "entity_pairs.py"), *options]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PROTOREL_CACHE": str(tmp_path)}
    )
    found = json.loads(out.read_text())
    assert found["ratio"] > 0
    assert list(found["rules"]) == ["one", "mean", "attention"]
    assert found["rules"]["one"]["leakage"]["checked"]
    assert done.stdout.count("expressed: area") == 3


def test_verdicts_about_a_harvest_are_counted(tmp_path):
    verdicts, out = tmp_path / "judged.jsonl", tmp_path / "found.json"
    verdicts.write_text(
        '{"id": "1:2:Q1:P1:Q2", "aligned": true, "expresses": true}\n'
        '{"id": "1:3:Q1:P1:Q3", "aligned": true, "expresses": false}\n'
    )
    command = [sys.executable, str(ROOT / "benchmarks" / "harvest_judged.py"), str(verdicts), "--json", str(out)]
    subprocess.run(command, capture_output=True, check=True)
    found = json.loads(out.read_text())
    assert (found["aligned"]["value"], found["expresses"]["value"], found["ratio"]) == (1, 0.5, 0.5)
    assert found["relations"] == {"P1": 2}


@pytest.mark.parametrize("what", ["encoder", "encoding", "method"])
def test_the_benchmark_of_precision_lets_both_take_turns(bf16_works, tmp_path, tiny_encoder_folder, what):
    out = tmp_path / "found.json"
    chosen = ["--method", "mlman"] if what == "method" else ["--encoder", str(tiny_encoder_folder), "--batch", "6"]
    chosen += ["--encoding"] * (what == "encoding")
    options = [*chosen, "--rounds", "2", "--json", str(out)]
    command = [sys.executable, str(ROOT / "benchmarks" / "precision.py"), *options]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PROTOREL_CACHE": str(tmp_path)}
    )
    found = json.loads(out.read_text())
    third = {} if what == "method" else {"fp32 by the default library": 2}
    assert {name: len(times) for name, times in found["seconds"].items()} == {"fp32": 2, "bf16": 2, **third}
    assert ("products_ratio" in found) == (what != "method")
    assert found["ratio"] == fmean(found["seconds"]["fp32"]) / fmean(found["seconds"]["bf16"]) > 0
    assert what in found
    assert "ratio" in done.stdout


def test_the_benchmark_next_to_a_busy_process_lets_all_candidates_take_turns(tmp_path, tiny_encoder_folder):
    out = tmp_path / "found.json"
    options = ["--encoder", str(tiny_encoder_folder), "--rounds", "1", "--share", "0.05", "--json", str(out)]
    subprocess.run([sys.executable, str(ROOT / "benchmarks" / "busy.py"), *options], capture_output=True, check=True)
    found = json.loads(out.read_text())
    assert found["ratios_to_torch"].keys() == found["statements_per_second"].keys()
    assert set(found["statements_per_second"]) == {
        f"{work}, {where}" for work in ("encoding", "training") for where in ("alone", "next to a busy process")
    }
    for name, speeds in found["statements_per_second"].items():
        more = {"two processes"} if name.startswith("encoding") else set()
        assert set(speeds) == {"torch", "protorel", "protorel, threads alone"} | more
        assert found["ratios_to_torch"][name]["protorel"] == speeds["protorel"][0] / speeds["torch"][0]


def test_the_benchmark_of_relation_texts_lets_all_variants_take_turns(tmp_path, tiny_encoder_folder):
    out = tmp_path / "found.json"
    cheaper = ["objective.text.wordings_per_step=1", "padding_free=true"]
    options = [f"encoder={tiny_encoder_folder}", "relations_per_batch=4", "--rounds", "2", "--json", str(out)]
    command = [sys.executable, str(ROOT / "benchmarks" / "relation_texts.py"), *cheaper, *options]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PROTOREL_CACHE": str(tmp_path)}
    )
    found = json.loads(out.read_text())
    assert set(found["seconds"]) == {
        "padded", "recipe", "recipe by the default library", "two wordings", "one wording", "statements alone"
    }  # fmt: skip
    assert all(len(times) == 2 for times in found["seconds"].values())
    assert found["ratio"] == fmean(found["seconds"]["recipe"]) / fmean(found["seconds"]["padded"]) > 0
    assert found["recipe"]["objective"]["text"]["wordings_per_step"] == 1
    assert "CPU seconds per step" in done.stdout


def test_the_growth_of_the_sentence_splitter_is_measured_for_every_kind_of_mark(tmp_path):
    out = tmp_path / "found.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "sentences.py"), "--growth", "100", "1000", "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(out.read_text())
    assert {"full stops", "blanks", "brackets"} <= found["seconds"].keys() == found["per_mark"].keys()
    assert all(list(taken) == ["100", "1000"] for taken in found["seconds"].values())
    assert found["ratio"] == max(found["per_mark"].values()) > 0
    assert "time per mark" in done.stdout


def test_the_benchmark_of_startup_compares_with_numpy_and_with_help(tmp_path):
    out = tmp_path / "found.json"
    command = [sys.executable, str(ROOT / "benchmarks" / "startup.py"), "--rounds", "1", "--json", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(out.read_text())
    assert list(found["to_numpy"]) == ["protorel --help", "protorel --version"]
    assert found["to_help"].keys() == found["commands"].keys()
    assert found["ratio"] == max(found["to_help"].values()) > 0
    assert done.stdout.count("a wrong") == len(found["to_help"])


def test_the_benchmark_of_bombs_harvests_each_guarded_and_unguarded(tmp_path):
    out = tmp_path / "found.json"
    options = ["--megabytes", "40", "--limit", "2000", "--json", str(out)]
    command = [sys.executable, str(ROOT / "benchmarks" / "harvest_bombs.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(out.read_text())
    assert len(found["bombs"]) == 6
    for name, one in found["bombs"].items():
        assert (one["exit_code"], one["statements"]) == (0, 1), name
        assert one["megabytes"] < 1_000
        assert one["bytes"] < 10_000
    assert "peak of memory" in done.stdout


def test_the_walk_of_a_few_shot_evaluation_enters_no_room_again(tmp_path, tiny_encoder_folder, some_statements):
    write_statements(some_statements, tmp_path / "data.parquet")
    options = ["--way", "2", "--episodes", "5"]
    command = ["evaluate", "fewshot", str(tiny_encoder_folder), str(tmp_path / "data.parquet"), *options]
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks" / "structure.py"), "--walk", *command],
        capture_output=True, text=True, check=True, env={**os.environ, "PROTOREL_CACHE": str(tmp_path)},
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert lines[-1] == "entered again by evaluate_few_shot: none"
    walked = [line.split()[1] for line in lines if line.split()[0].isdigit() and line.endswith(".py")]
    assert walked.index("evaluation/few_shot/plan.py") < walked.index("evaluation/few_shot/accuracy.py")
    [rooms] = [line for line in lines if line.startswith("rooms in the order of first entry: ")]
    assert rooms.split(": ")[1].split(", ") == list(dict.fromkeys(name.split("/")[0] for name in walked if "/" in name))


def test_a_room_is_entered_again_only_after_another():
    sys.path.insert(0, str(ROOT / "benchmarks"))
    try:
        from structure import entered_again
    finally:
        sys.path.pop(0)
    assert entered_again(["statements", "model", "statements", "io"]) == ["statements"]
    assert entered_again(["statements", "model"]) == []


def test_the_documents_of_protorel_small_have_one_role_each(tmp_path):
    words = ["Ada", "Kroll", "lived", "in", "Lunsk", "."]
    entities = [[{"name": "Ada Kroll", "sent_id": 0, "pos": [0, 2], "type": "PER"}],
                [{"name": "Lunsk", "sent_id": 0, "pos": [4, 5], "type": "LOC"}]]  # fmt: skip
    facts = [{"h": 0, "t": 1, "r": "P551", "evidence": [0]}]
    documents = [{"title": f"t{n}", "sents": [words], "vertexSet": entities, "labels": facts} for n in range(10)]
    (tmp_path / "docs.json").write_text(json.dumps(documents))
    row = {"tokens": words, "h": ["ada kroll", "Q1", [[0, 1]]], "t": ["lunsk", "Q2", [[4]]]}
    (tmp_path / "fewrel.json").write_text(json.dumps({"P19": [row]}))
    script = ROOT / "benchmarks" / "protorel_small.py"
    code = f"""
import argparse, runpy, sys
from pathlib import Path
made = runpy.run_path({str(script)!r})
here = Path({str(tmp_path)!r})
given = argparse.Namespace(fewrel=here / "fewrel.json", redocred=here / "docs.json", decontaminate=here / "docs.json",
                           unseen=here / "fewrel.json", without=here / "without.txt", out=here / "out")
(here / "without.txt").write_text("P20\\n")
made["prepare"](given)
"""
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    train, held = (json.loads((tmp_path / "out" / f"{name}.json").read_text()) for name in ("train", "held_out"))
    assert [one["title"] for one in held] == ["t4", "t9"]
    assert len(train) == 8
    assert (tmp_path / "out" / "unseen.txt").read_text() == "P19\nP20\n"
    assert len(read_statements(tmp_path / "out" / "held_out.parquet")) == 4


def test_the_benchmark_of_low_rank_differences_measures_size_and_accuracy(
    tmp_path, tiny_encoder, tiny_tokenizer, tiny_encoder_folder, some_statements
):
    out, names = tmp_path / "found.json", RelationVocabulary(["born_in", "died_in", "spouse"])
    with torch.no_grad():
        for weight in tiny_encoder.backbone.parameters():
            weight.add_(0.02 * torch.randn_like(weight))
    prototypes = Prototypes.of(names, torch.randn(3, tiny_encoder.width))
    RelationModel(tiny_encoder, tiny_tokenizer, prototypes, max_length=32).save_pretrained(tmp_path / "run")
    write_statements(some_statements, tmp_path / "data.parquet")
    options = [
        "--base",
        str(tiny_encoder_folder),
        "--way",
        "2",
        "--episodes",
        "20",
        "--rank",
        "2",
        "16",
        "--json",
        str(out),
    ]
    command = [sys.executable, str(ROOT / "benchmarks" / "low_rank.py"), str(tmp_path / "run"), *options]
    subprocess.run([*command, "--data", str(tmp_path / "data.parquet")], capture_output=True, check=True)
    found = json.loads(out.read_text())
    sizes = {(row["rank"], row["bits"]): row["bytes"] for row in found["variants"]}
    assert sizes[2, 8] < sizes[16, 8] < sizes[16, 16]
    for row in found["variants"]:
        assert row["difference"] == pytest.approx(row["accuracy"] - found["run"]["accuracy"])
    assert found["variants"][1]["cosine"] > found["variants"][0]["cosine"] > 0.5


def test_the_benchmark_of_training_in_low_rank_compares_it_with_cutting_down(tmp_path, tiny_encoder_folder):
    world = build_small_world(SmallWorldSettings(statements_per_relation=8, held_out_per_relation=1))
    facts, out = tmp_path / "facts", tmp_path / "found.json"
    facts.mkdir()
    write_statements(world.train, facts / "fewrel.parquet")
    names = sorted({str(one.relation) for one in world.train})
    (tmp_path / "held_out.txt").write_text("\n".join(names[:3]))
    (tmp_path / "words.json").write_text(json.dumps({name: [name.replace("_", " "), name] for name in names}))
    options = ["--facts", facts, "--descriptions", tmp_path / "words.json", "--held-out", tmp_path / "held_out.txt"]
    options += ["--base", tiny_encoder_folder, "--rank", 4, "--learning-rate", 0.001, 0.01, "--trial-steps", 2]
    options += ["--settings", "steps=3", "relations_per_batch=4", "min_statements=2", "precision=fp32"]
    options += ["--episode", 2, 1, "--episodes", 20, "--out", tmp_path / "runs", "--json", out]
    command = [sys.executable, ROOT / "benchmarks" / "low_rank_training.py", *options]
    environment = {**os.environ, "PROTOREL_CACHE": str(tmp_path)}
    for _ in range(2):  # the second time all runs are there
        subprocess.run([str(part) for part in command], capture_output=True, check=True, env=environment)
    found = json.loads(out.read_text())
    full, cut, low, stored = found["variants"]
    assert (full["low_rank"], low["low_rank"]) == (None, 4)
    assert full["difference"]["2w1s"]["value"] == 0.0
    assert stored["bytes"] < cut["bytes"] < full["bytes"]
    assert [one["learning_rate"] for one in found["trials"]] == [0.001, 0.01]
    best = min(found["trials"], key=lambda one: one["loss"])
    assert low["learning_rate"] == best["learning_rate"]
    assert found["data"]["relations"] == 3


def test_pairs_for_flair_are_grouped_by_sentence_and_scored_as_strict_triples():
    module = runpy.run_path(str(ROOT / "benchmarks" / "extraction_flair.py"))
    text = "Marie Curie was born in Warsaw ."
    whole = {"text": text, "document": "d1", "head_type": "PER", "tail_type": "LOC", "head_id": "e1", "tail_id": "e2"}
    there = {**whole, "head_start": 0, "head_stop": 11, "tail_start": 24, "tail_stop": 30}
    back = {**whole, "head_start": 24, "head_stop": 30, "tail_start": 0, "tail_stop": 11}
    back |= {"head_type": "LOC", "tail_type": "PER", "head_id": "e2", "tail_id": "e1"}
    rows = [{**there, "relation": "P19"}, {**there, "relation": "P551"}, {**back, "relation": "no_relation"}]
    (sentence,) = module["as_sentences"](rows)
    assert sentence.tokens == text.split()
    assert sentence.types == {(0, 2): "PER", (5, 6): "LOC"}
    labels = {spans: pair.label({"P19": 3, "P551": 9}) for spans, pair in sentence.pairs.items()}
    assert labels == {((0, 2), (5, 6)): "P551", ((5, 6), (0, 2)): "O"}

    gold = module["gold_triples"]([sentence])
    born, lives, wrong = ("d1", "e1", "e2", "P19"), ("d1", "e1", "e2", "P551"), ("d1", "e2", "e1", "P19")
    assert gold == {born, lives}
    assert module["best_threshold"]({born: 0.9, lives: 0.4, wrong: 0.3}, gold) == 0.4
    assert module["best_threshold"]({born: 0.9, lives: 0.3, wrong: 0.3}, gold) == 0.3
    found = module["figures"]({born, wrong}, gold, ["d1", "d2"], seed=0)
    assert [found[name]["value"] for name in ("precision", "recall", "f1")] == [0.5, 0.5, 0.5]
    assert (found["asserted"], found["true"], found["facts"]) == (2, 1, 2)


def test_the_fingerprint_in_the_benchmark_of_flair_is_that_of_our_records(tmp_path):
    module = runpy.run_path(str(ROOT / "benchmarks" / "extraction_flair.py"))
    statement = Statement("Marie Curie was born in Warsaw .", Span(0, 11), Span(24, 30), relation="P19")
    write_statements([statement], tmp_path / "one.parquet")
    assert module["fingerprint"](module["read_rows"](tmp_path / "one.parquet")) == fingerprint([statement])


def test_the_difference_to_flair_is_ours_less_theirs_over_the_same_documents():
    module = runpy.run_path(str(ROOT / "benchmarks" / "extraction_flair.py"))
    documents = [str(number) for number in range(50)]
    gold = {(name, "a", "b", "r") for name in documents}
    half = {triple for triple in gold if int(triple[0]) % 2}
    assert module["paired"](gold, gold, gold, documents, 0)["margin"] == 0
    found = module["paired"](half, gold, gold, documents, 0)
    assert found["value"] == pytest.approx(2 * 25 / (25 + 50) - 1)
    assert found["low"] < found["value"] < found["high"] < 0
    assert found["margin"] == pytest.approx(module["figures"](half, gold, documents, 0)["f1"]["margin"])


def test_the_benchmark_of_the_report_opens_a_page_and_filters_it(tmp_path):
    for program in ("chromium", "chromedriver"):
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed: the page cannot be opened")
    out = tmp_path / "found.json"
    options = ["--statements", "2000", "--rounds", "1", "--json", str(out)]
    command = [sys.executable, str(ROOT / "benchmarks" / "report_page.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(out.read_text())
    assert found["ratio"] > 0
    assert all(len(taken) == 1 for taken in found["filter_milliseconds"].values())
    assert "s to open" in done.stdout
