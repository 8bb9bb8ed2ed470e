"""The demo: the whole line, made small."""

import io
import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from rich.console import Console

from protorel.cli.demo import show
from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.demo import run as demo_run
from protorel.demo.checked_triples import extract_triples
from protorel.demo.phases import Phases
from protorel.demo.raw_text import RawText
from protorel.demo.vectors import all_readers, own_reader, read_once
from protorel.encoders import READOUTS
from protorel.model import Prediction, RelationModel
from protorel.model.answers.calibration_file import HeldOut, Interval
from protorel.statements import NO_RELATION, BadInput, RelationVocabulary, read_statements

SMALL = SmallWorldSettings(statements_per_relation=12, held_out_per_relation=8)
PHASES = [
    "building small world",
    "encoding (untrained)",
    "evaluating (untrained)",
    "training",
    "encoding (trained)",
    "evaluating (trained)",
    "checking labels",
    "auditing labels",
    "calibrating",
    "extracting triples",
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


class Knowing:
    """A calibrated model that knows what the text says, and may say it in the other direction."""

    def __init__(self, raw, *, forwards=True, backwards=False):
        self.relations = RelationVocabulary(raw.world.train_relations)
        self.calibration = SimpleNamespace(
            held_out=HeldOut(
                name="", fingerprint="", pairs=1, related=1, labels=1, documents=1, none_share=0.5,
                calibration_error=Interval(value=0, low=0, high=0),
            ),
            curve=None,
        )  # fmt: skip
        self.said = {
            (sentence.of(document.text), *pair): fact.relation
            for document in raw.world.documents
            for sentence, facts in zip(document.sentences, document.expressed, strict=True)
            for fact in facts
            for pair in [(fact.head, fact.tail)] * forwards + [(fact.tail, fact.head)] * backwards
        }

    def predict(self, statements, **_):
        relations = [self.said.get((one.text, one.head_id, one.tail_id)) for one in statements]
        ranked = [((relation, 0.9),) if relation else () for relation in relations]
        return [Prediction(None, 0.0, (), one, 0.1, 0.0) for one in ranked]


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
    assert {"Map", "Labels", "Geometry", "Learning curves", "Data card"} <= {*re.findall(r"<h2[^>]*>([^<]*)<", page)}
    assert "<dt>really says</dt>" in page


def test_the_audit_of_the_demo_ranks_labels_without_a_look_at_the_truth_and_the_page_compares(done):
    result, _ = done
    audit = result.audit
    assert audit.summary["known_wrong"] is None, "the audit saw the truth"
    assert audit.table["expresses"].null_count == 0
    page = result.report.read_text(encoding="utf-8")
    assert re.search(r"\d+ of these 20 are known to be wrong", page)
    assert "labels known to be wrong" in page
    assert 'name="issues"' in page


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
        assert line.index(before) < line.rindex(after)
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


def test_triples_are_asserted_in_documents_that_neither_trained_nor_calibrated_the_run(done):
    result, out = done
    texts = [json.loads(line) for line in (out / "data" / "text" / "documents.jsonl").read_text("utf-8").splitlines()]
    raw = RawText.build(build_small_world(SMALL), out / "again")
    read = " ".join(texts[number]["text"] for number in raw.read)
    assert [sentence.text for sentence in result.extracted.sentences] == [
        sentence.of(document.text)
        for document in raw.world.documents[: len(raw.read)]
        for sentence in document.sentences
    ]
    assert not any(statement.text in read for statement in read_statements(out / "data" / "train.parquet"))
    assert not any(pair.text in read for pair in raw.held_out_pairs())
    assert RelationModel.from_pretrained(out / "run").calibration.held_out.documents == len(raw.calibration)


def test_held_out_pairs_are_those_of_the_names_with_and_without_a_relation(tmp_path):
    raw = RawText.build(build_small_world(SMALL), tmp_path)
    pairs = list(raw.held_out_pairs())
    said = {
        (document.id, fact.head, fact.relation, fact.tail)
        for document in raw.world.documents[raw.calibration.start :]
        for facts in document.expressed
        for fact in facts
    }
    labelled = {(one.document, one.head_id, one.relation, one.tail_id) for one in pairs if one.relation != NO_RELATION}
    assert labelled == said
    assert 0.4 < sum(one.relation == NO_RELATION for one in pairs) / len(pairs) < 0.8
    orders = {(one.text, one.head, one.tail) for one in pairs}
    assert any((text, tail, head) in orders for text, head, tail in orders), "persons are asked in both orders"


def test_triples_are_counted_as_right_by_what_their_sentence_says(tmp_path):
    raw = RawText.build(build_small_world(SMALL), tmp_path)
    found = extract_triples(Knowing(raw), raw)
    assert found.triples
    assert found.precision == found.recall == 1.0
    assert {one.verdict({}) for one in found.triples} == {"right"}
    wrong = extract_triples(Knowing(raw, forwards=False, backwards=True), raw)
    assert not wrong.right
    assert wrong.recall == 0.0
    names = {relation.id: relation.name for relation in raw.world.relations}
    assert {one.verdict(names) for one in wrong.triples} == {"wrong: the sentence says it in the other direction"}
    assert (
        wrong.expressed
        == found.expressed
        == sum(map(len, sum((d.expressed for d in raw.world.documents[: len(raw.read)]), ())))
    )


def test_the_result_and_the_page_say_what_was_extracted(done):
    result, out = done
    found = result.extracted
    written = json.loads((out / "result.json").read_text())["extraction"]
    assert written["asserted"] == len(written["triples"]) == len(found.triples)
    assert written["expressed"] == found.expressed > 0
    assert written["calibrated_on"]["none_share"] == found.calibration["none_share"]
    page = result.report.read_text(encoding="utf-8")
    assert "Triples from raw text" in page
    assert found.in_words() in page
    missed = next(sentence for sentence in found.sentences if sentence.missed)
    assert page.count("missed: the sentence says it") > 0
    assert missed.missed[0][0] in page


@pytest.mark.parametrize("width", [80, 120])
def test_the_terminal_marks_right_and_wrong_triples_in_words(done, tmp_path, width):
    result, _ = done
    raw = RawText.build(build_small_world(SMALL), tmp_path)
    found = extract_triples(Knowing(raw, forwards=True, backwards=True), raw)
    assert 0 < found.right < len(found.triples)
    console = Console(file=io.StringIO(), width=width)
    show(console, replace(result, extracted=found))
    lines = console.file.getvalue().splitlines()
    assert max(len(line) for line in lines[:-1]) <= width
    rows = [line for line in lines if "✓ right" in line or "✗ wrong" in line]
    assert len(rows) == 12 < len(found.triples)
    for row, one in zip(rows, found.triples, strict=False):
        assert ("✓ right" in row) == one.right
        assert one.triple.relation in row
    assert f"the first 12 of {len(found.triples)}" in " ".join(lines)
    assert found.in_words() in " ".join(line.strip() for line in lines)
    written = found.as_json()
    assert written["right"] == sum(triple["right"] for triple in written["triples"])
    assert written["precision"] == written["right"] / written["asserted"] == found.precision < 1


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
