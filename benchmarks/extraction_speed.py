"""How fast text becomes triples: sentences and pairs per second of `Extractor`, and of pairs that are asked one by one.

    python benchmarks/extraction_speed.py test_revised.json --json results/extraction/speed.json

The texts are the first documents of a file in DocRED's format. Four kinds of work take turns, several rounds, with one
and with two threads:

- `given`: `Extractor.pipe` with the annotated mentions;
- `spacy`: `Extractor.pipe` with mentions by spaCy's small English pipeline;
- `one_by_one`: `RelationModel.predict` on one pair at a time, as a loop over pairs does it; on evenly spaced pairs;
- `spacy_alone`: spaCy's pipeline on the same texts, without relations.

Rates are by the clock, and per second of processor time, in which other work on the machine counts less: medians over
rounds, with the lowest and the highest. A ratio is the median of the ratios within a round. `pairs` are
ordered pairs that the model was asked about.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from protorel import RelationModel
from protorel.corpora import read_docred_documents
from protorel.evaluation import annotated_input, machine
from protorel.extraction import Extractor, InputText, SpacyEntities
from protorel.io import sha256, write_json
from protorel.model import Prediction, versions
from protorel.statements import RelationVocabulary, Statement

Times = tuple[float, float]
"""Seconds by the clock, and of processor time."""
QUIET = 0.5
"""The load average of the last minute above which other work is said to share the machine."""


class Recording:
    """A model that keeps what it is asked."""

    def __init__(self, model: RelationModel) -> None:
        self._model = model
        self.relations: RelationVocabulary = model.relations
        self.asked: list[Statement] = []

    def predict(
        self, statements: Sequence[Statement], *, among: Sequence[str] | None = None, top: int = 3
    ) -> Iterable[Prediction]:
        """Return the model's predictions."""
        self.asked += statements
        return self._model.predict(statements, among=among, top=top)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, help="Documents in DocRED's format.")
    parser.add_argument("--model", default="protorel-small")
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--one-by-one", type=int, default=300, help="Pairs that are asked one by one.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    import torch  # after protorel, which says how its threads wait

    documents = list(read_docred_documents(given.data, most=given.documents))
    sentences = sum(len(document.sentences) for document in documents)
    model = RelationModel.from_pretrained(given.model)
    gold = [annotated_input(document) for document in documents]
    raw = [InputText(document.text, document.name) for document in documents]
    spacy = SpacyEntities()
    # A first round without the clock: what is asked, and nothing is loaded later.
    asked = {
        name: _asked(model, source, texts) for name, source, texts in (("given", "given", gold), ("spacy", spacy, raw))
    }
    step = max(1, len(asked["given"]) // given.one_by_one)
    some = asked["given"][::step][: given.one_by_one]
    works: dict[str, tuple[Callable[[], object], int | None, int | None]] = {
        "given": (lambda: list(Extractor(model, entities="given").pipe(gold)), sentences, len(asked["given"])),
        "spacy": (lambda: list(Extractor(model, entities=spacy).pipe(raw)), sentences, len(asked["spacy"])),
        "one_by_one": (lambda: [model.predict([one], top=len(model.relations)) for one in some], None, len(some)),
        "spacy_alone": (lambda: [spacy(one.text) for one in raw], sentences, None),
    }
    before = os.getloadavg()
    seconds: dict[int, dict[str, list[Times]]] = {threads: {name: [] for name in works} for threads in given.threads}
    for _ in range(given.rounds):
        for threads in given.threads:
            torch.set_num_threads(threads)
            for name, (work, _, _) in works.items():
                began = time.perf_counter(), time.process_time()
                work()
                seconds[threads][name].append((time.perf_counter() - began[0], time.process_time() - began[1]))
    found = {
        str(threads): _figures({name: (works[name][1:], own) for name, own in measured.items()})
        for threads, measured in seconds.items()
    }
    for threads, figures in found.items():
        print(f"{threads} thread{'s' if threads != '1' else ''}:")
        for line in _lines(figures):
            print(f"  {line}")
    load = {"before": before, "after": os.getloadavg(), "shared": before[0] > QUIET}
    print("load average before: {:.1f}, after: {:.1f}".format(before[0], load["after"][0]))
    if given.json is not None:
        settings = {
            "task": "extraction_speed",
            "documents": len(documents),
            "sentences": sentences,
            "rounds": given.rounds,
        }
        data = {"name": given.data.name, "sha256": sha256(given.data)}
        run = {"name": given.model, "fingerprint": model.fingerprint}
        told = {**settings, "data": data, "run": run, "threads": found, "load_average": load}
        write_json(given.json, {**told, "machine": machine(), "versions": versions()})


def _asked(model: RelationModel, source: Any, texts: Sequence[InputText]) -> list[Statement]:
    recording = Recording(model)
    for _ in Extractor(recording, entities=source).pipe(texts):
        pass
    return recording.asked


def _figures(measured: Mapping[str, tuple[tuple[int | None, ...], list[Times]]]) -> dict[str, Any]:
    figures: dict[str, Any] = {}
    for name, ((sentences, pairs), seconds) in measured.items():
        counts = {"sentences": sentences, "pairs": pairs}
        figures[name] = {what: count for what, count in counts.items() if count is not None}
        for place, clock in enumerate(("second", "processor_second")):
            took = [one[place] for one in seconds]
            figures[name][f"{clock}s"] = took
            for what in figures[name].keys() & counts.keys():
                figures[name][f"{what}_per_{clock}"] = _spread([counts[what] / one for one in took])  # type: ignore[operator]
    alone, both = (figures[name]["seconds"] for name in ("spacy_alone", "spacy"))
    figures["ratio"] = {
        "given_to_one_by_one": _spread(_faster(figures, "seconds")),
        "given_to_one_by_one_processor": _spread(_faster(figures, "processor_seconds")),
        "spacy_alone_share_of_spacy": _spread([one / other for one, other in zip(alone, both, strict=True)]),
    }
    return figures


def _faster(figures: Mapping[str, Any], clock: str) -> list[float]:
    """Return how many times as many pairs the extractor reads as a loop over pairs does, by round."""
    fast, slow = ([one / figures[name]["pairs"] for one in figures[name][clock]] for name in ("given", "one_by_one"))
    return [other / one for one, other in zip(fast, slow, strict=True)]


def _spread(values: Sequence[float]) -> dict[str, float]:
    return {"median": median(values), "lowest": min(values), "highest": max(values)}


def _lines(figures: Mapping[str, Any]) -> Iterable[str]:
    for name, own in figures.items():
        if name == "ratio":
            continue
        rates = [
            f"{_shown(own[f'{what}_per_second'])} {what} per second" for what in ("sentences", "pairs") if what in own
        ]
        yield f"{name}: {', '.join(rates)}"
        if "pairs" in own:
            yield f"  {_shown(own['pairs_per_processor_second'])} pairs per second of processor time"
    yield f"pairs by Extractor over pairs one by one: {_shown(figures['ratio']['given_to_one_by_one'], digits=2)}"
    yield f"the same by processor time: {_shown(figures['ratio']['given_to_one_by_one_processor'], digits=2)}"
    yield f"spaCy's share of the time: {_shown(figures['ratio']['spacy_alone_share_of_spacy'], digits=2)}"


def _shown(spread: Mapping[str, float], digits: int = 0) -> str:
    return "{:.{d}f} ({:.{d}f} to {:.{d}f})".format(
        *(spread[name] for name in ("median", "lowest", "highest")), d=digits
    )


if __name__ == "__main__":
    main()
