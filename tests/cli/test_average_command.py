from __future__ import annotations

import json

import pytest

from protorel.cli import run
from protorel.model import RelationModel, read_record


@pytest.fixture(scope="module")
def second_run(tmp_path_factory, data, recipe):
    """The same training with another seed."""
    out = tmp_path_factory.mktemp("second") / "tiny2"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        assert run(["pretrain", str(recipe), "seed=1", "--data", str(data), "--out", str(out)]) == 0
    return out


def test_two_trainings_become_one_run_that_is_used_like_any_other(finished_run, second_run, data, tmp_path, capsys):
    out = tmp_path / "both"
    capsys.readouterr()
    assert run(["average", str(finished_run), str(second_run), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    relations = len(RelationModel.from_pretrained(finished_run).relations)
    assert said == f"{out}: the mean of 2 runs, with prototypes of the {relations} relations that all know\n"
    assert [part["run"] for part in read_record(out)["blend"]] == ["tiny", "tiny2"]
    again = tmp_path / "again"
    assert run(["pretrain", "smoke", f"encoder={out}", "steps=1", "--data", str(data), "--out", str(again)]) == 0
    result = tmp_path / "result.json"
    assert run(["evaluate", "fewshot", str(out), str(data), "--episodes", "5", "--json", str(result)]) == 0
    judged = json.loads(result.read_text())["run"]
    assert judged["recipe"] is None
    assert judged["blend"] == read_record(out)["blend"]
    assert "the run was trained on 22 of these 22 relations" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["RUN"], "expected two or more runs, got 1"),
        (["RUN", "nowhere"], "nowhere: expected a run folder; no such folder"),
        (["RUN", "RUN", "--out", "OUT"], "exists already; choose another --out"),
    ],
)
def test_what_cannot_be_blended_is_one_line_and_exit_code_2(names, said, finished_run, tmp_path, capsys):
    (tmp_path / "there").mkdir()
    known = {"RUN": str(finished_run), "OUT": str(tmp_path / "there"), "nowhere": str(tmp_path / "nowhere")}
    arguments = ["average", *(known.get(name, name) for name in names)]
    if "--out" not in names:
        arguments += ["--out", str(tmp_path / "out")]
    assert run(arguments) == 2
    problem = capsys.readouterr().err
    assert problem.startswith("protorel: ")
    assert said in problem
    assert problem.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_the_old_name_of_the_command_works_and_says_the_new_one(finished_run, second_run, tmp_path, capsys):
    assert run(["blend", str(finished_run), str(second_run), "--out", str(tmp_path / "both")]) == 0
    assert "blend is now average" in capsys.readouterr().err
    assert RelationModel.from_pretrained(tmp_path / "both").record.blend is not None
    assert run(["--help"]) == 0
    listed = capsys.readouterr().out
    assert "average" in listed
    assert "blend" not in listed
