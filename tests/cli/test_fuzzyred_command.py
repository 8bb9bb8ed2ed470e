"""`protorel evaluate fuzzyred`, from files to figures."""

import json
from dataclasses import replace

import pytest
import yaml

from protorel.cli import run
from protorel.statements import read_statements, write_statements


@pytest.fixture(scope="session")
def judged_data(data, tmp_path_factory):
    """Small world's noisy labels; two relations go by names that the run has never heard."""
    statements = list(read_statements(data))
    known = sorted({str(statement.relation) for statement in statements})
    renamed = {known[0]: "unheard_of", known[1]: "unthought_of"}
    path = tmp_path_factory.mktemp("judged") / "judged.parquet"
    write_statements([replace(one, relation=renamed.get(one.relation, one.relation)) for one in statements], path)
    return path


@pytest.fixture(scope="session")
def descriptions(judged_data, tmp_path_factory):
    names = sorted({str(statement.relation) for statement in read_statements(judged_data)})
    path = tmp_path_factory.mktemp("words") / "words.yaml"
    path.write_text(yaml.safe_dump({name: [name.replace("_", " "), f"that {name}"] for name in names}))
    return path


@pytest.fixture(scope="session")
def background(data, tmp_path_factory):
    """Statements of the two relations under the names that are not tested."""
    statements = list(read_statements(data))
    known = sorted({str(statement.relation) for statement in statements})[:2]
    path = tmp_path_factory.mktemp("background") / "others.parquet"
    write_statements([one for one in statements if one.relation in known], path)
    return path


def test_every_figure_is_told_with_all_that_made_it(
    finished_run, judged_data, descriptions, background, tmp_path, capsys
):
    out = tmp_path / "fuzzy.json"
    arguments = ["evaluate", "fuzzyred", str(finished_run), str(judged_data), "--descriptions", str(descriptions)]
    assert run([*arguments, "--whiten", str(background), "--draws", "3", "--seed", "2", "--json", str(out)]) == 0
    printed = capsys.readouterr()
    again = tmp_path / "phrased.json"
    assert run([*arguments, "--phrase", "{tail} is {name} of {head}", "--draws", "3", "--json", str(again)]) == 0
    phrased = json.loads(again.read_text())
    text = out.read_text()
    told = json.loads(text)
    statements = list(read_statements(judged_data))
    true = sum(bool(statement.expresses) for statement in statements)
    assert (told["task"], told["draws"], told["seed"]) == ("fuzzyred", 3, 2)
    assert (told["statements"], told["true"]) == (len(statements), true)
    assert told["baselines"]["accept_all"] == pytest.approx(true / len(statements))
    assert told["baselines"]["reject_all"] == pytest.approx(1 - true / len(statements))
    assert told["groups"]["unseen"] == ["unheard_of", "unthought_of"]
    assert len(told["groups"]["seen"]) == 20
    assert set(told["shots"]) == {"1", "3", "5"}
    assert told["by_prototype"]["log_chance"]["relations"] == 20
    assert told["by_description"]["unseen"]["log_chance"]["relations"] == 2
    assert told["by_description"]["every"]["background_less_mean"]["relations"] == 22
    assert told["background"]["relations"] == 2
    assert told["descriptions"]["relations"] == 22
    assert (told["descriptions"]["phrase"], phrased["descriptions"]["phrase"]) == (None, "{tail} is {name} of {head}")
    assert phrased["by_description"]["every"]["cosine"] != told["by_description"]["every"]["cosine"]
    assert told["data"]["name"] == "judged.parquet"
    assert told["leakage"]["trained"]
    assert str(judged_data.parent) not in text
    assert "trained on 20 of these 22 relations" in printed.err
    for words in (
        "accept all",
        "reject all",
        "majority",
        "1-shot",
        "5-shot",
        "prototype",
        "text, unseen",
        "unheard_of",
    ):
        assert words in printed.out


def test_one_shot_alone_and_an_encoder_that_knows_no_relation(tiny_encoder_folder, judged_data, tmp_path, capsys):
    out = tmp_path / "fuzzy.json"
    arguments = ["evaluate", "fuzzyred", str(tiny_encoder_folder), str(judged_data), "--shot", "2", "--draws", "2"]
    assert run([*arguments, "--json", str(out)]) == 0
    told = json.loads(out.read_text())
    assert set(told["shots"]) == {"2"}
    assert told["by_prototype"] == {}
    assert told["by_description"]["unseen"] == {}
    assert told["groups"]["seen"] == []
    assert "prototype" not in capsys.readouterr().out


def test_bad_input_is_one_line(fails, tiny_encoder_folder, judged_data, data, tmp_path):
    (tmp_path / "other.yaml").write_text("P6: [head of government, who leads it]\n")
    unjudged = [replace(one, expresses=None) for one in read_statements(data)]
    write_statements(unjudged, tmp_path / "unjudged.parquet")
    command = ("evaluate", "fuzzyred", tiny_encoder_folder)
    assert "expected `expresses` (whether the text expresses its label), got none" in fails(
        *command, tmp_path / "unjudged.parquet"
    )
    assert "'--shot'" in fails(*command, judged_data, "--shot", "0")
    line = fails(*command, judged_data, "--descriptions", tmp_path / "other.yaml")
    assert "other.yaml: expected descriptions of the 22 relations of judged.parquet, got none" in line
    assert "no such file" in fails(*command, judged_data, "--descriptions", tmp_path / "nothing.yaml")


def test_statements_to_whiten_by_that_are_all_under_test_are_refused(finished_run, judged_data, capsys):
    assert run(["evaluate", "fuzzyred", str(finished_run), str(judged_data), "--whiten", str(judged_data)]) == 2
    assert "judged.parquet: expected labelled statements of other relations, got only those" in capsys.readouterr().err
