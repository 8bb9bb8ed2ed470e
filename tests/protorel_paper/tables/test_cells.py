"""Working through cells: nothing is made twice, nothing is mixed, a failure stops one row only."""

import json
import shutil
from contextlib import contextmanager

import pytest

from protorel.io.file_lock import claimed
from protorel.statements import BadInput, Interrupted, WorkFailed
from protorel_paper.engine.results import ResultFolder
from protorel_paper.engine.runner import Audience, make_results
from protorel_paper.engine.stages import RunFolders, Stage
from protorel_paper.tables.cells import cell_plan, cells_of

FIGURES = {"figures": {"5w1s": {"value": 0.5, "margin": 0.1, "count": 2}}, "data": {}}

RECORD = {"format": 1, "files": {}, "encoder": {"kind": "cnn"}, "max_length": 64}


class Training:
    """A stage that takes note of how it was called, and leaves what a run leaves."""

    def __init__(self, name="run", *, problem=None, begun=True, **settings):
        self.calls, self.problem, self.begun = [], problem, begun
        self.stage = Stage(f"{name}-seed0", {"recipe": settings}, self)

    def __call__(self, out, resume, _watch):
        self.calls.append(resume)
        if self.begun:
            (out / "state" / "step-0000003").mkdir(parents=True, exist_ok=True)
        if self.problem is not None:
            raise self.problem
        (out / "protorel.json").write_text(json.dumps({**RECORD, "seconds": 7.5}))
        shutil.rmtree(out / "state", ignore_errors=True)


def plan(row="mtb", setting="5w1s", *, stages=(), evaluate=lambda: FIGURES, budget="smoke", **settings):
    known = {"budget": budget, "judged_by": {"val": "f"}, **settings}
    stages = tuple(one.stage for one in stages)
    return cell_plan("table1", row, setting, 0, settings=known, stages=stages, evaluate=evaluate)


def cells(out):
    return ResultFolder(out, cells_of("table1"))


def make(plans, out, audience=None):
    return make_results(plans, cells(out), audience=audience or Audience(), keep_going=True)


def test_every_cell_is_made_once_and_its_runs_once_for_all_cells(tmp_path):
    training = Training()
    plans = [plan(setting=setting, stages=[training]) for setting in ("5w1s", "5w5s")]
    told = []
    audience = Audience(finished=lambda plan, cell: told.append((plan.name, cell["figures"])))
    assert make(plans, tmp_path, audience).made == 2
    assert training.calls == [False]
    assert told == [("mtb-5w1s-seed0", FIGURES["figures"]), ("mtb-5w5s-seed0", FIGURES["figures"])]
    assert make(plans, tmp_path).made == 0
    cell = json.loads((tmp_path / "cells" / "table1" / "mtb-5w1s-seed0.json").read_text())
    assert (cell["row"], cell["setting"], cell["seed"], cell["settings"]["budget"]) == ("mtb", "5w1s", 0, "smoke")
    assert cell["runs"][0]["name"] == "run-seed0"
    assert cell["machine"]["cores"] >= 1
    assert "revision" in cell["versions"]


def test_a_finished_run_tells_its_audience(tmp_path):
    seen, lines = [], []

    def watching(line):
        lines.append(line)
        return Audience().watching(line)

    make([plan(stages=[Training()])], tmp_path, Audience(watching, seen.append))
    assert seen == [tmp_path / "runs" / "run-seed0"]
    assert lines == ["cell 1 of 1, mtb-5w1s-seed0: training run-seed0"]


def test_a_run_that_was_stopped_goes_on_and_one_without_a_checkpoint_starts_again(tmp_path):
    stopped = Training(problem=Interrupted("stopped"))
    with pytest.raises(Interrupted, match="stopped in cell 1 of 1, mtb-5w1s-seed0; what is finished is kept"):
        make([plan(stages=[stopped])], tmp_path)
    again = Training()
    make([plan(stages=[again])], tmp_path)
    assert again.calls == [True]

    shutil.rmtree(tmp_path / "runs" / "run-seed0")
    (tmp_path / "runs" / "run-seed0" / "state").mkdir(parents=True)
    anew = Training()
    RunFolders(tmp_path).make(anew.stage, None)
    assert anew.calls == [False]


def test_the_seconds_are_those_that_the_run_has_counted(tmp_path):
    runs, training = RunFolders(tmp_path), Training()
    runs.make(training.stage, None)
    assert runs.described(training.stage)["seconds"] == 7.5


def test_of_a_run_of_an_older_version_the_note_beside_it_tells_the_seconds(tmp_path):
    runs, training = RunFolders(tmp_path), Training()
    runs.make(training.stage, None)
    (tmp_path / "runs" / "run-seed0" / "protorel.json").write_text(json.dumps(RECORD))
    note = tmp_path / "runs" / "run-seed0.json"
    note.write_text(json.dumps({**json.loads(note.read_text()), "seconds": 1000.0}))
    assert runs.described(training.stage)["seconds"] == 1000


def test_a_cell_made_with_other_settings_is_refused_before_any_work(tmp_path):
    make([plan(rate=1)], tmp_path)
    training = Training()
    with pytest.raises(BadInput, match=r": cell mtb-5w1s-seed0 was made with rate=1, now it is 2; use the same"):
        make([plan("first", stages=[training]), plan(rate=2)], tmp_path)
    assert not training.calls


def test_a_setting_that_is_gone_is_another_setting(tmp_path):
    make([plan(rate=1)], tmp_path)
    with pytest.raises(BadInput, match="made with rate=1, which is not set now"):
        make([plan()], tmp_path)


def test_a_run_made_with_other_settings_is_refused_before_any_work(tmp_path):
    make([plan(stages=[Training(steps=3)])], tmp_path)
    training = Training(steps=4)
    with pytest.raises(BadInput, match=r"this run was made with recipe.steps=3, now it is 4"):
        make([plan("other"), plan(stages=[training])], tmp_path)
    assert not training.calls
    assert not cells(tmp_path).has(plan("other").name)


def test_a_finished_run_is_asked_for_the_defaults_of_its_time(tmp_path):
    training = Training(steps=3)
    make([plan(stages=[training])], tmp_path)
    record = tmp_path / "runs" / "run-seed0" / "protorel.json"
    record.write_text(json.dumps({**RECORD, "recipe": {"steps": 3, "warmup": 0.5, "name": "run"}}))
    settings = {"recipe": {"steps": 3}, "defaults": {"warmup": 0.5}}
    stage = Stage("run-seed0", settings, training)
    assert RunFolders(tmp_path).finished(stage)
    changed = Stage("run-seed0", {**settings, "defaults": {"warmup": 0.06}}, training)
    with pytest.raises(BadInput, match=r"run-seed0: this run was made with recipe.warmup=0.5, now it is 0.06"):
        RunFolders(tmp_path).check(changed)


def test_a_run_that_never_began_is_bound_to_no_settings(tmp_path):
    make([plan(stages=[Training(begun=False, problem=BadInput("no such encoder"), steps=3)])], tmp_path)
    assert not list((tmp_path / "runs").iterdir())
    assert make([plan(stages=[Training(steps=4)])], tmp_path).made == 1


def test_a_folder_of_another_budget_is_refused_though_no_cell_has_the_same_name(tmp_path):
    make([plan("first", budget="smoke")], tmp_path)
    with pytest.raises(BadInput, match=r": cell first-5w1s-seed0 was made with budget='smoke', now it is 'cpu'"):
        make([plan("second", budget="cpu")], tmp_path)


def test_a_row_in_work_elsewhere_is_left_to_the_other_process(tmp_path):
    folder = cells(tmp_path)
    plans = [plan("first"), plan("second")]
    with claimed(folder.lock("table1-first-seed0")):
        found = make(plans, tmp_path)
    assert (found.made, found.elsewhere) == (1, ("table1-first-seed0",))
    assert make(plans, tmp_path).made == 1


def test_a_run_in_work_elsewhere_is_left_to_the_other_process(tmp_path):
    training = Training()
    folder = cells(tmp_path)
    with claimed(folder.lock("run-run-seed0")):
        found = make([plan(stages=[training])], tmp_path)
    assert (found.made, found.elsewhere, training.calls) == (0, ("table1-mtb-seed0",), [])


def test_what_another_process_finished_meanwhile_is_not_made_again(tmp_path):
    other, evaluated = plan(), []

    def evaluate():
        evaluated.append(1)
        return FIGURES

    first = plan("first", evaluate=lambda: (make([other], tmp_path), FIGURES)[1])
    assert make([first, plan(evaluate=evaluate)], tmp_path).made == 1
    assert not evaluated


def test_a_cell_that_is_finished_while_it_is_claimed_is_not_made_again(tmp_path, monkeypatch):
    training, evaluated = Training(), []

    @contextmanager
    def claimed_late(lock):
        cells(tmp_path).write(plan().name, {"made": "elsewhere"})
        with claimed(lock) as mine:
            yield mine

    monkeypatch.setattr("protorel_paper.engine.results.claimed", claimed_late)
    late = plan(stages=[training], evaluate=lambda: evaluated.append(1) or FIGURES)
    assert make([late], tmp_path).made == 0
    assert not training.calls
    assert not evaluated


@pytest.mark.parametrize("problem", [WorkFailed("the loss is nan"), BadInput("too few relations")])
def test_a_row_that_fails_does_not_stop_the_others(tmp_path, problem):
    broken = Training(problem=problem)
    plans = [plan(setting=setting, stages=[broken]) for setting in ("5w1s", "5w5s")]
    found = make([*plans, plan("other")], tmp_path)
    assert found.made == 1
    assert found.failed == (f"mtb-5w1s-seed0: {problem}",)
    assert len(broken.calls) == 1


def test_a_mistake_of_ours_is_not_hidden(tmp_path):
    with pytest.raises(ZeroDivisionError):
        make([plan(evaluate=lambda: 1 / 0)], tmp_path)
    assert not list((tmp_path / "work").iterdir())


@pytest.mark.parametrize("text", ["{}", "[]", '{"table": "table1"}', "{"])
def test_a_file_that_is_no_cell_is_named(tmp_path, text):
    place = tmp_path / "cells" / "table1" / "mtb-5w1s-seed0.json"
    place.parent.mkdir(parents=True)
    place.write_text(text)
    with pytest.raises(BadInput, match=r"mtb-5w1s-seed0\.json: (is |lacks |expected an object, got a list;)"):
        make([plan()], tmp_path)


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot make this folder"):
        cells(tmp_path / "file" / "x")
