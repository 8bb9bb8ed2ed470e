"""The model we ship: its size, its documented sentences, and the figures of its page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from protorel import Extractor, RelationModel
from protorel.model import ModelSource

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/reference/protorel_small.md").read_text(encoding="utf-8")
FOUND = json.loads((ROOT / "results" / "extraction" / "protorel_small.json").read_text())
BEFORE = json.loads((ROOT / "results" / "extraction" / "before_cutting.json").read_text())


@pytest.fixture(scope="module")
def model() -> RelationModel:
    return RelationModel.from_pretrained("protorel-small")


def test_it_has_names_and_is_calibrated(model):
    assert len(model) == 113
    assert all(relation.name for relation in model.relations)
    assert model.calibration.calibrated
    assert f"{model.calibration.held_out.pairs:,} pairs of {model.calibration.held_out.documents} documents" in PAGE


def test_it_takes_at_most_six_megabytes_and_ships_no_text():
    folder = ModelSource.find("protorel-small").folder()
    files = {path.name: path.stat().st_size for path in folder.iterdir()}
    assert sum(files.values()) <= 6_000_000
    assert set(files) == {
        "background.safetensors",
        "calibration.json",
        "difference.safetensors",
        "modules.json",
        "protorel.json",
        "prototypes.safetensors",
        "relations.json",
    }


@pytest.mark.parametrize(
    ("text", "head", "relation", "tail"),
    [
        ("Marie Curie was born in Warsaw.", "Marie Curie", "place of birth", "Warsaw"),
        ("Paris is the capital of France.", "Paris", "capital of", "France"),
        ("Jane Austen never married and died in Winchester in 1817.", "Jane Austen", "place of death", "Winchester"),
    ],
)
def test_documented_sentences_give_what_the_pages_say(model, text, head, relation, tail):
    found = Extractor(model, entities="spacy")(text)
    assert (head, relation, tail) in {(one.head.text, one.label, one.tail.text) for one in found.triples}
    assert found.calibrated


def test_a_sentence_without_a_relation_gives_none(model):
    assert Extractor(model, entities="spacy")("Nothing in Reykjavik reminded Anna of Helsinki.").triples == ()


def percent(found: dict, *, digits: int = 1) -> str:
    return f"{100 * found['value']:.{digits}f} ± {100 * found['margin']:.{digits}f}"


def test_the_figures_of_the_page_are_those_of_its_files():
    asked, best, plain = FOUND["min_precision"], FOUND["triples"][1], FOUND["triples"][0]
    assert FOUND["run"]["name"] == "protorel-small"
    for figure in (
        f"{percent(FOUND['calibration_error'])} points",
        f"{percent(asked['precision'])} %",
        f"{percent(asked['pairs_asserted'])} %",
        f"of 20 | {asked['held']} |",
        f"{percent(FOUND['false_positives']['any_relation']['share'])} %",
        f"{FOUND['direction']['asserted']:,} asserted",
        f"{percent(FOUND['direction']['right'])} %",
        f"{100 * FOUND['ceiling']:.1f} % have both",
        f"{percent(BEFORE['min_precision']['precision'])} %",
        f"held in {BEFORE['min_precision']['held']} of 20",
    ):
        assert figure in PAGE, figure
    rows = [plain["documents"], best["documents"], best["all_facts"], BEFORE["triples"][1]["documents"]]
    rows += [BEFORE["baselines"][name]["documents"] for name in BEFORE["baselines"]]
    for row in rows:
        cells = " | ".join(percent(row[name]) for name in ("precision", "recall", "f1"))
        assert cells in PAGE, cells


def test_the_twenty_sentences_are_marked_as_their_file_says():
    judged = json.loads((ROOT / "results" / "extraction" / "twenty_judged.json").read_text())
    shown = re.findall(r"(✓|✗) ([^<|]*?) \(0\.\d\d\)", PAGE)
    assert len(shown) == judged["asserted"]
    assert [number for number, (mark, _) in enumerate(shown, 1) if mark == "✗"] == judged["wrong"]
    assert f"{judged['right']} of {judged['asserted']} asserted triples are right" in PAGE


def test_the_figures_of_added_relations_are_those_of_their_file():
    shown = (ROOT / "docs/tasks/add_a_relation.md").read_text(encoding="utf-8")
    found = json.loads((ROOT / "results" / "extraction" / "new_relations.json").read_text())
    for row in (found["learned"], *(one["together"] for one in found["unseen"])):
        cells = f"| {percent(row['new']['f1'])} | {percent(row['all']['f1'])} |"
        assert cells in shown, cells


def test_other_pages_quote_the_same_figures():
    asked = FOUND["min_precision"]
    added = json.loads((ROOT / "results" / "extraction" / "new_relations.json").read_text())
    untrained = BEFORE["baselines"]["untrained_by_words"]["documents"]["f1"]
    by_words = next(one for one in added["unseen"] if one["made_from"] == "words")["together"]["new"]["f1"]
    quoted = {
        "docs/concepts/calibration.md": (
            f"{percent(FOUND['calibration_error'])} points",
            f"{percent(asked['precision'])} % on Re-DocRED test",
            f"{percent(asked['pairs_asserted'])} % of the related",
        ),
        "docs/tasks/zero_shot.md": (
            percent(untrained),
            f"{percent(by_words)} instead of {percent(added['learned']['new']['f1'])}",
        ),
    }
    for name, figures in quoted.items():
        shown = " ".join((ROOT / name).read_text(encoding="utf-8").split())
        assert [one for one in figures if one not in shown] == [], name


def test_relations_that_no_training_has_seen_have_the_figures_of_their_file_on_every_page():
    found = json.loads((ROOT / "results/extraction/never_trained.json").read_text())
    by_words, by_examples = found["unseen"]
    assert (by_words["made_from"], by_examples["made_from"]) == ("words", "examples")
    assert not set(found["unseen_relations"]["relations"]) & set(found["leakage"]["known_relations"])
    new = [percent(one["together"]["new"]["f1"]) for one in (by_words, by_examples)]
    for name in ("docs/limits.md", "docs/tasks/zero_shot.md", "docs/tasks/add_a_relation.md"):
        shown = " ".join((ROOT / name).read_text(encoding="utf-8").split())
        assert f"{new[0]} by words and" in shown
        assert f"{new[1]} by three examples" in shown
    for expected in (
        percent(found["learned"]["old"]["f1"]),
        f"by their words, with {new[0]}, and by three examples with {new[1]}",
        percent(by_words["alone"]["false_positives"]["any_relation"]["share"]),
    ):
        assert expected in " ".join(PAGE.split())


def test_the_twin_and_flair_have_the_figures_of_their_files():
    twin = ROOT / "results/extraction/twin"
    for folder, settings in {
        "examples": ("5w1s", "5w5s", "10w1s", "10w5s"),
        "described": ("5w1s", "5w5s", "10w1s", "10w5s"),
        "words": ("5w0s", "10w0s"),
    }.items():
        found = [json.loads((twin / folder / f"{name}.json").read_text()) for name in settings]
        assert " | ".join(f"{100 * one['accuracy']:.1f}" for one in found) in PAGE
    flair = json.loads((ROOT / "results/extraction/flair.json").read_text())["figures"]["threshold"]
    assert " | ".join(percent(flair[name]) for name in ("precision", "recall", "f1")) in PAGE
    paired = json.loads((ROOT / "results/extraction/flair_paired.json").read_text())["difference"]
    assert f"+{percent(paired)} points" in PAGE


def test_the_speed_is_that_of_its_file():
    found = json.loads((ROOT / "results/extraction/speed.json").read_text())
    one, two = found["threads"]["1"], found["threads"]["2"]
    for name in ("given", "spacy"):
        sentences, pairs = (round(one[name][f"{of}_per_second"]["median"]) for of in ("sentences", "pairs"))
        both = [round(two[name][f"{of}_per_second"]["median"]) for of in ("sentences", "pairs")]
        assert f"| {sentences} | {pairs} | {both[0]} and {both[1]} |" in PAGE
    single = [round(of["one_by_one"]["pairs_per_second"]["median"]) for of in (one, two)]
    assert f"| {single[0]} | {single[1]} |" in PAGE
