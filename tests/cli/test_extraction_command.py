"""`protorel evaluate extraction`: figures over natural pairs, from a run that knows some of their relations."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from protorel.cli import run
from protorel.model import RelationModel
from protorel.statements import read_statements, write_statements

SENTENCE = "expected a sentence with both entities, got none"


@pytest.fixture(scope="module")
def pairs(data, tmp_path_factory):
    """Pairs in both orders, the second of which holds none, in twenty documents."""
    folder = tmp_path_factory.mktemp("pairs")
    rows = []
    for number, one in enumerate(list(read_statements(data))[:120]):
        ids = (f"f:{number % 20}#{number}", f"f:{number % 20}#{number}-0")
        document, types = f"d{number % 20}", ("PER", "LOC")
        one = replace(one, document=document, head_id=ids[0], tail_id=ids[1], head_type=types[0], tail_type=types[1])
        turned = replace(one, head=one.tail, tail=one.head, head_id=ids[1], tail_id=ids[0], relation="no_relation")
        rows += [one, replace(turned, head_type=types[1], tail_type=types[0])]
    write_statements(rows, folder / "pairs.parquet")
    return folder / "pairs.parquet"


@pytest.fixture(scope="module")
def calibrated_run(finished_run, pairs, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "calibrated"
    RelationModel.from_pretrained(finished_run).calibrated(read_statements(pairs)).save_pretrained(out)
    return out


def test_a_run_is_evaluated_with_baselines_unseen_relations_and_the_ceiling(calibrated_run, pairs, tmp_path, capsys):
    copied = tmp_path / "pairs.parquet"
    copied.write_bytes(pairs.read_bytes())
    reject = {"file": "f.json", "line": None, "field": "[3].labels[1]", "reason": SENTENCE, "content": ""}
    other = {**reject, "reason": "is the same span as the head"}
    lines = [json.dumps(one) for one in (reject, reject, other)]
    (tmp_path / "pairs.rejects.jsonl").write_text("\n".join(lines) + "\n")
    first = next(one.relation for one in read_statements(pairs))
    (tmp_path / "unseen.txt").write_text(f"{first}\n")
    (tmp_path / "words.yaml").write_text(json.dumps({first: {"name": "a relation of persons"}}))
    arguments = ["evaluate", "extraction", calibrated_run, copied, "--json", tmp_path / "r.json", "--resamples", 5]
    arguments += ["--baselines", "--train", pairs, "--descriptions", tmp_path / "words.yaml"]
    arguments += ["--unseen", tmp_path / "unseen.txt", "--examples", pairs]
    assert run([str(argument) for argument in arguments]) == 0
    printed = capsys.readouterr()
    told = json.loads((tmp_path / "r.json").read_text())
    facts = told["triples"][0]["documents"]["gold"]
    assert told["ceiling"] == pytest.approx(facts / (facts + 2))
    assert told["triples"][0]["all_facts"]["gold"] == facts + 2
    assert told["min_precision"]["resamples"] == 5
    assert set(told["baselines"]) == {"type_pair_majority"}
    assert [one["made_from"] for one in told["unseen"]] == ["words", "examples"]
    assert told["unseen_relations"]["relations"] == [first]
    assert "240 pairs of 20 documents" in printed.out
    assert "baseline type pair majority:" in printed.out
    assert "1 relations added by words, alone:" in printed.out
    assert "so they are new to its prototypes but not to its encoder" in printed.err


def test_a_ceiling_that_is_not_known_is_said_to_be_and_can_be_given(calibrated_run, pairs, capsys):
    arguments = ["evaluate", "extraction", str(calibrated_run), str(pairs), "--most-documents", "5"]
    assert run(arguments) == 0
    assert "ceiling of recall: unknown (--all-facts)" in capsys.readouterr().out
    assert run([*arguments, "--all-facts", "60"]) == 0
    printed = capsys.readouterr().out
    assert "60 pairs of 5 documents" in printed
    assert "ceiling of recall: 50.0 % of all facts have both entities in one sentence" in printed


def test_bad_requests_are_refused(fails, calibrated_run, pairs, data, tiny_encoder_folder, tmp_path):
    ask = ("evaluate", "extraction", calibrated_run, pairs)
    assert "--min-precision: expected a number between 0 and 1" in fails(*ask, "--min-precision", 1)
    assert "--baselines: expected --train, or --descriptions" in fails(*ask, "--baselines")
    assert "--examples: expected --unseen with it" in fails(*ask, "--examples", pairs)
    assert "expected pairs with and without a relation" in fails("evaluate", "extraction", calibrated_run, data)
    assert "expected a model with prototypes" in fails("evaluate", "extraction", tiny_encoder_folder, pairs)
    copied = tmp_path / "pairs.parquet"
    copied.write_bytes(pairs.read_bytes())
    (tmp_path / "pairs.rejects.jsonl").write_text('{"file": "f.json"}\n')
    assert "line 1: expected a reject of `protorel convert`" in fails("evaluate", "extraction", calibrated_run, copied)
