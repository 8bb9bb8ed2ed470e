"""What each stage of a harvest costs on real text, in seconds of processor time, so that one can reckon for more of it.

    python benchmarks/harvest_stages.py --text DUMP --aliases FILE … --json results/harvest/stages.json

The ratio is what wikitext costs over what finding sentences and mentions in the resulting text costs.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from protorel.harvest.facts_folder import gather_facts
from protorel.harvest.gazetteer.build import build_gazetteer
from protorel.harvest.gazetteer.gazetteer import Gazetteer
from protorel.harvest.manifest import machine
from protorel.harvest.mentions.finder import MentionFinder
from protorel.harvest.mentions.sentences import split_sentences
from protorel.harvest.sources.text import parse, raw_documents
from protorel.harvest.types import Tally
from protorel.io.files import sha256, write_json

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Do something and say how much processor time it took."""
    began = time.process_time()
    found = work()
    return found, time.process_time() - began


def measured(text: Path, facts: list[Path], aliases: list[Path], folder: Path, *, pages: int) -> dict[str, Any]:
    """Go through the stages one after the other, each on all that the one before gave."""
    gathered, gathering = timed(lambda: gather_facts(facts, folder / "facts", aliases=aliases))
    gazetteer, laying_out = timed(lambda: build_gazetteer(gathered.names_path, folder / "gazetteer"))
    cut, cutting = timed(lambda: list(islice(raw_documents([text], Tally()), pages)))
    documents, reading = timed(lambda: [found for page in cut if (found := parse(page, Tally(), None)) is not None])
    sentences, splitting = timed(lambda: sum(len(split_sentences(document.text)) for document in documents))
    finder = MentionFinder(Gazetteer.load(folder / "gazetteer"), split=split_sentences)
    _, finding = timed(lambda: sum(1 for _ in finder.find(documents)))
    return {
        "ratio": reading / finding,
        "counts": {
            "facts": gathered.facts,
            "names": gazetteer.counts["names given"],
            "pages": len(cut),
            "characters of wikitext": sum(len(page.page.text) for page in cut if page.page),
            "sentences": sentences,
        },
        "seconds": {
            "facts and names": gathering,
            "laying out names": laying_out,
            "pages": cutting,
            "wikitext": reading,
            "sentences": splitting,
            "sentences and mentions": finding,
        },
    }


def main() -> None:
    """Measure and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=Path, required=True, help="A Wikipedia dump.")
    parser.add_argument("--facts", type=Path, nargs="+", required=True)
    parser.add_argument("--aliases", type=Path, nargs="*", default=[])
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--json", type=Path, required=True)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        figures = measured(given.text, given.facts, given.aliases, Path(scratch), pages=given.pages)
    busy = {"load_average": os.getloadavg()[0]}
    data = {"name": given.text.name, "sha256": sha256(given.text)}
    about = {"machine": {**machine(), **busy}, "versions": {"protorel": version("protorel")}}
    write_json(given.json, {"task": "harvest_stages", **figures, "data": data, **about})
    for stage, seconds in figures["seconds"].items():
        print(f"{stage}: {seconds:.2f} s")


if __name__ == "__main__":
    main()
