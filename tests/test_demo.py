"""The demo: the whole line, made small."""

import io
import json
import re

import numpy as np
import pytest
import torch
from rich.console import Console

from protorel.cli.demo import show
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.demo import run as demo_run
from protorel.demo.phases import Phases
from protorel.demo.vectors import all_readers, own_reader, read_once
from protorel.encoders import READOUTS
from protorel.model import RelationModel
from protorel.statements import BadInput, read_statements

SMALL = SmallWorldSettings(statements_per_relation=12, held_out_per_relation=8)
PHASES = [
    "building small world",
    "encoding (untrained)",
    "evaluating (untrained)",
    "training",
    "encoding (trained)",
    "evaluating (trained)",
    "checking labels",
    "projecting the map",
    "writing the page",
]


class Recorder:
    """Keeps what a watcher of the demo is told."""

    def __init__(self):
        self.told = {}

    def begin(self, name):
        self.now = self.told[name] = []

    def count(self, done, of):
        self.now.append((done, of))

    def __call__(self, step, steps, **_):
        self.now.append((step, steps))

    def end(self):
        self.now.append("end")


@pytest.fixture(scope="module")
def recorder():
    return Recorder()


@pytest.fixture(scope="module")
def done(tmp_path_factory, tiny_encoder_folder, recorder):
    out = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROTOREL_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(demo_run, "EPISODES", 60)
        overrides = (f"encoder={tiny_encoder_folder}", "steps=4", "relations_per_batch=11", "max_length=96")
        return demo_run.run_demo(out, overrides=overrides, settings=SMALL, phases=Phases(recorder)), out


def test_the_demo_leaves_data_a_run_a_result_and_a_page(done):
    result, out = done
    assert len(read_statements(out / "data" / "train.parquet")) == 12 * 22
    assert len(RelationModel.from_pretrained(out / "run").relations) == 22
    page = result.report.read_text(encoding="utf-8")
    assert "protorel: small world" in page
    assert "Label check" in page


def test_the_demo_evaluates_new_relations_and_new_phrasings_before_and_after_training(done):
    result, out = done
    assert list(result.before) == list(result.after) == [
        "new relations 5w1s", "new relations 5w5s", "new phrasings 5w1s", "new phrasings 5w5s",
    ]  # fmt: skip
    written = json.loads((out / "result.json").read_text())
    untrained, trained = written["fewshot"].values()
    for name in result.after:
        assert untrained[name]["accuracy"] == result.before[name].value
        assert trained[name]["accuracy"] == result.after[name].value
    assert 0 <= written["auroc"]["trained"]["value"] <= 1
    assert str(out) not in (out / "result.json").read_text()


def test_the_first_table_says_in_words_what_it_shows(done):
    result, _ = done
    words = [row.words for row in result.accuracy()]
    assert words == [
        "on relations it never saw, one example each",
        "on relations it never saw, five examples each",
        "on phrasings it never saw, one example each",
        "on phrasings it never saw, five examples each",
    ]
    page = re.sub(r"<[^>]+>", " ", result.report.read_text(encoding="utf-8").partition("<h1>")[2])
    places = [page.index(line) for line in words]
    assert places == sorted(places)
    assert places[-1] < page.index("training statements"), "the table comes before everything but the title"
    first = result.accuracy()[0]
    assert first.before is result.before["new relations 5w1s"]
    assert f"{100 * first.after.value:.1f} %" in page


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_shows_the_same_table_and_nothing_wider_than_it(done, width):
    result, _ = done
    console = Console(file=io.StringIO(), width=width)
    show(console, result)
    *lines, last = console.file.getvalue().splitlines()
    for row in result.accuracy():
        (line,) = [line for line in lines if row.words in line]
        before, after = (f"{100 * m.value:.1f} ± {100 * m.margin:.1f} %" for m in (row.before, row.after))
        assert line.index(before) < line.index(after)
    assert max(len(line) for line in lines) <= width
    assert result.labels() in " ".join(line.strip() for line in lines)
    assert last == f"Open {result.report}"


def test_the_label_check_is_a_sentence_with_the_figures_before_and_after(done):
    result, _ = done
    after, before = (100 * truth.by_margin.value for truth in (result.truth, result.truth_before))
    assert f"in {after:.1f} ±" in result.labels()
    assert f"before training in {before:.1f} ±" in result.labels()
    assert "than a false one" in result.report.read_text(encoding="utf-8")


def test_every_phase_is_shown_from_beginning_to_end(done, recorder):
    assert list(recorder.told) == PHASES
    assert all(told[-1] == "end" for told in recorder.told.values())
    for name in ("encoding (untrained)", "evaluating (untrained)", "training", "encoding (trained)"):
        *counts, _ = recorder.told[name]
        assert len(counts) >= 4, name
        assert [number for number, _ in counts] == sorted({number for number, _ in counts})
        assert counts[-1][0] == counts[-1][1]


def test_the_result_says_how_long_each_phase_took(done):
    result, out = done
    written = json.loads((out / "result.json").read_text())
    assert list(written["seconds_of_phases"]) == PHASES
    assert sum(result.phases.seconds.values()) <= result.phases.total
    assert written["seconds"] >= max(written["seconds_of_phases"].values())


def test_the_time_is_told_longest_phase_first_and_trifles_together():
    phases = Phases()
    phases.seconds.update({"a": 4.4, "b": 0.7, "c": 61.5, "d": 0.9})
    assert phases.in_words() == "c 62 s, a 4 s, the rest 2 s"
    del phases.seconds["b"], phases.seconds["d"]
    assert phases.in_words() == "c 62 s, a 4 s"


def test_all_readouts_from_one_pass_are_those_of_separate_passes(tiny_encoder_folder):
    world = build_small_world(SMALL)
    model = RelationModel.from_pretrained(tiny_encoder_folder)
    found = read_once(model, world.train, all_readers(model), batch_size=7)
    assert list(found) == list(READOUTS)
    for readout, vectors in found.items():
        own = RelationModel.from_pretrained(tiny_encoder_folder, readout=readout)
        torch.testing.assert_close(vectors, own.encode(world.train), atol=1e-5, rtol=1e-5)


def test_a_sentence_with_two_labels_is_encoded_once(tiny_encoder_folder):
    world = build_small_world(SMALL)
    model = RelationModel.from_pretrained(tiny_encoder_folder)
    counts = []
    vectors = read_once(model, world.train, own_reader(model), count=lambda done, of: counts.append((done, of)))["own"]
    distinct = {(statement.text, statement.head, statement.tail) for statement in world.train}
    assert counts[-1] == (len(distinct), len(distinct))
    assert len(distinct) < len(world.train) == len(vectors)


def test_a_statement_of_the_demo_whose_vector_is_not_finite_is_named(tiny_encoder_folder):
    world = build_small_world(SMALL)
    model = RelationModel.from_pretrained(tiny_encoder_folder)
    with torch.no_grad():
        model.encoder.token_embeddings.weight.fill_(torch.nan)
    with pytest.raises(BadInput, match=r"^statement '.+': expected a finite vector"):
        read_once(model, world.train, all_readers(model))


def test_the_best_untrained_readout_is_the_best_of_all():
    world = build_small_world(SMALL)
    sets = {"test_relations": world.test_relations, "test_phrasings": world.test_phrasings}
    generator = torch.Generator().manual_seed(0)
    relations = sorted({statement.relation for own in sets.values() for statement in own})
    clean = {
        name: torch.eye(len(relations))[[relations.index(statement.relation) for statement in own]]
        for name, own in sets.items()
    }

    def noisy(noise):
        return {part: own + noise * torch.randn(own.shape, generator=generator) for part, own in clean.items()}

    readings = {"worse": noisy(1.0), "best": noisy(0.1), "worst": noisy(3.0)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo_run, "EPISODES", 60)
        readout, figures = demo_run._best(readings, sets, Phases().watch)
    assert readout == "best"
    assert np.mean([figure.value for figure in figures.values()]) > 0.9
