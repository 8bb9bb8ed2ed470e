"""Harvesting, measured beside what one would take otherwise: names against spaCy's PhraseMatcher, and how it scales.

    python benchmarks/harvest.py --json results/harvest/speed.json

Every figure comes from a process of its own, so that memory is that of the one thing measured. The ratio is how many
times the sentences that PhraseMatcher reads in a second of processor time are read here.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from protorel.harvest.engines.alignment import AlignmentRule
from protorel.harvest.engines.duckdb_engine import DuckDBEngine, do_in_processes
from protorel.harvest.engines.shards import Shard, ShardTask, WorkPlaces
from protorel.harvest.gazetteer.build import build_gazetteer
from protorel.harvest.gazetteer.gazetteer import Gazetteer
from protorel.harvest.libraries import library
from protorel.harvest.manifest import machine
from protorel.harvest.mentions.finder import Mention, MentionedSentence, MentionFinder, MentionRule
from protorel.harvest.types import Document, Tally
from protorel.io.files import write_json
from protorel.statements import Span

SENTENCES_IN_A_DOCUMENT = 20
ONSETS = ("b", "br", "d", "dr", "f", "g", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v", "z")
SYLLABLES = [onset + vowel for onset in ONSETS for vowel in "aeiou"]


def words(count: int, chance: random.Random) -> list[str]:
    """Invent words."""
    return ["".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(count)]


def invent_names(count: int) -> list[str]:
    """Invent names of one to four words."""
    chance = random.Random(0)
    parts = [word.capitalize() for word in words(max(1000, count // 5), chance)]
    return [" ".join(chance.choices(parts, k=chance.choice((1, 2, 2, 2, 3, 3, 4)))) for _ in range(count)]


def invent_sentences(names: Sequence[str], count: int) -> Iterator[str]:
    """Invent sentences of some twenty words with three names in each."""
    chance = random.Random(1)
    plain = words(5000, chance)
    for _ in range(count):
        inside = chance.choices(plain, k=16)
        for name in chance.choices(names, k=3):
            inside.insert(chance.randrange(len(inside)), name)
        yield f"And {' '.join(inside)}."


def documents(sentences: Sequence[str]) -> list[Document]:
    """Join sentences to documents, one a line."""
    step = SENTENCES_IN_A_DOCUMENT
    parts = [sentences[at : at + step] for at in range(0, len(sentences), step)]
    return [Document(f"d{number}", None, None, "\n".join(part)) for number, part in enumerate(parts)]


def by_line(text: str) -> list[Span]:
    """Split a document at its line ends: what is compared is the search for names, not for sentences."""
    spans, start = [], 0
    for line in text.split("\n"):
        spans.append(Span(start, start + len(line)))
        start += len(line) + 1
    return spans


def memory(name: str) -> float:
    """Return this process's memory in megabytes, now (`VmRSS`) or at its highest since the last reset (`VmHWM`)."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name)]
    return int(line.split()[1]) / 1024


def before() -> float:
    """Forget how much memory was held at the highest, and return how much is held now."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def names_built(folder: Path, count: int) -> dict[str, float]:
    """Build the gazetteer; memory and time of that alone."""
    start, began = before(), time.process_time()
    build_gazetteer(folder / "names.parquet", folder / "gazetteer")
    return {"megabytes": memory("VmHWM") - start, "seconds": time.process_time() - began, "names": count}


def names_searched(folder: Path, _: int) -> dict[str, float]:
    """Search sentences with the gazetteer, mapped from its folder."""
    sentences = json.loads((folder / "sentences.json").read_text())
    pages = documents(sentences)
    start = before()
    finder = MentionFinder(Gazetteer.load(folder / "gazetteer"), split=by_line)
    began = time.process_time()
    found = sum(len(one.mentions) for one in finder.find(pages))
    seconds = time.process_time() - began
    return {"megabytes": memory("VmHWM") - start, "sentences_a_second": len(sentences) / seconds, "mentions": found}


def phrases_searched(folder: Path, _: int) -> dict[str, float]:
    """The same by spaCy: names added to a PhraseMatcher, sentences tokenised and matched, overlaps resolved."""
    spacy, matching, utilities = (library(name) for name in ("spacy", "spacy.matcher", "spacy.util"))
    sentences = json.loads((folder / "sentences.json").read_text())
    names = pq.read_table(folder / "names.parquet")
    start, began = before(), time.process_time()
    nlp = spacy.blank("en")
    matcher = matching.PhraseMatcher(nlp.vocab)
    for batch in names.to_batches(max_chunksize=10_000):
        for name, entity in zip(batch["name"].to_pylist(), batch["entity"].to_pylist(), strict=True):
            matcher.add(entity, [nlp.make_doc(name)])
    building, began = time.process_time() - began, time.process_time()
    found = sum(len(utilities.filter_spans(matcher(nlp.make_doc(text), as_spans=True))) for text in sentences)
    seconds = time.process_time() - began
    rate = len(sentences) / seconds
    return {
        "megabytes": memory("VmHWM") - start,
        "sentences_a_second": rate,
        "mentions": found,
        "seconds_to_build": building,
    }


def processes(folder: Path, workers: int) -> dict[str, float]:
    """Find mentions in all documents, shard by shard, by so many processes."""
    pages = documents(json.loads((folder / "sentences.json").read_text()))
    places = WorkPlaces(folder / "gazetteer", folder / f"shards_{workers}")
    shards = [pages[at : at + 100] for at in range(0, len(pages), 100)] * 8
    tasks = [ShardTask(number, tuple(part), places, MentionRule()) for number, part in enumerate(shards)]
    began = time.monotonic()
    done = sum(shard.is_done for shard in do_in_processes(tasks, workers=workers))
    return {"seconds": time.monotonic() - began, "shards": done}


def flat_memory(folder: Path, times: int) -> dict[str, float]:
    """Find mentions in the same text so many times over; the most memory that it took."""
    pages = documents(json.loads((folder / "sentences.json").read_text()))
    places = WorkPlaces(folder / "gazetteer", folder / f"flat_{times}")
    parts = [tuple(pages[at : at + 100]) for at in range(0, len(pages), 100)]
    tasks = (
        ShardTask(number, parts[number % len(parts)], places, MentionRule()) for number in range(times * len(parts))
    )
    done = sum(1 for _ in do_in_processes(tasks, workers=1))
    return {"megabytes": memory("VmHWM"), "shards": done}


def join(folder: Path, triples: int) -> dict[str, float]:
    """Align 20,000 sentences with so many invented facts."""
    duckdb = library("duckdb")
    facts = folder / f"facts_{triples}.parquet"
    entities = max(1000, triples // 10)
    with duckdb.connect() as connection:
        drawn = {"subject": ("Q", 0, entities), "relation": ("P", 7, 500), "object": ("Q", 13, entities)}
        columns = ", ".join(f"'{a}' || (hash(i + {b}) % {c}) AS {name}" for name, (a, b, c) in drawn.items())
        made = f"SELECT {columns} FROM range({triples}) AS made(i)"
        connection.execute(f"COPY ({made}) TO '{facts}' (FORMAT parquet)")
    chance = random.Random(triples)
    sentences = []
    for number in range(20_000):
        ids = [f"Q{chance.randrange(entities)}" for _ in range(3)]
        mentions = tuple(Mention(9 * at, 9 * at + 5, id, None, "name") for at, id in enumerate(ids))
        sentences.append(MentionedSentence(f"d{number}", 0, 0, " ".join(ids), mentions))
    shard = Shard.numbered(0, folder / f"join_{triples}")
    shard.write(sentences, {}, Tally(), [])
    began, spent = time.monotonic(), time.process_time()
    places = {"work": folder / f"work_{triples}", "out": folder / f"out_{triples}"}
    DuckDBEngine(memory="2GB").align([shard], facts, **places, rule=AlignmentRule())
    measured = {"seconds": time.monotonic() - began, "processor_seconds": time.process_time() - spent}
    facts.unlink()
    return {**measured, "triples": triples, "megabytes": memory("VmHWM")}


PARTS: dict[str, Callable[[Path, int], dict[str, float]]] = {
    part.__name__: part
    for part in (names_built, names_searched, phrases_searched, processes, flat_memory, join)
}  # fmt: skip


def measured(part: str, folder: Path, number: int) -> dict[str, float]:
    """Run one part in a process of its own and return what it found."""
    command = [sys.executable, __file__, "--part", part, "--folder", str(folder), "--number", str(number)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    if done.returncode:
        raise RuntimeError(f"{part}: {done.stderr}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"{part} {number}: " + ", ".join(f"{name} {value:,.1f}" for name, value in found.items()), flush=True)
    return found


def main() -> None:
    """Measure, print a line for each part, and write the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    parser.add_argument("--names", type=int, default=1_000_000)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--triples", type=int, nargs="*", default=[1_000_000, 10_000_000, 50_000_000])
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        print(json.dumps(PARTS[given.part](given.folder, given.number)))
        return
    with tempfile.TemporaryDirectory() as scratch:
        figures = measure_all(Path(scratch), given.names, given.sentences, given.triples)
    print(f"{figures['ratio']:.1f} times the sentences of PhraseMatcher, {figures['memory_ratio']:.2f} of its memory")
    if given.json:
        about = {"names": given.names, "sentences": given.sentences, "triples": given.triples}
        write_json(given.json, {"task": "harvest", "data": {"name": "invented", **about}, **figures, **surroundings()})


def measure_all(folder: Path, names: int, sentences: int, triples: Sequence[int]) -> dict[str, Any]:
    """Run every part on the same invented names and sentences."""
    listed = invent_names(names)
    table = {"name": listed, "entity": [f"Q{number}" for number in range(names)], "kind": ["label"] * names}
    pq.write_table(pa.table(table), folder / "names.parquet")
    (folder / "sentences.json").write_text(json.dumps(list(invent_sentences(listed, sentences))))
    built, ours = measured("names_built", folder, names), measured("names_searched", folder, names)
    theirs = measured("phrases_searched", folder, names)
    one, two = (measured("processes", folder, workers) for workers in (1, 2))
    short, long = (measured("flat_memory", folder, times) for times in (1, 10))
    joins = [measured("join", folder, count) for count in triples]
    return {
        "ratio": ours["sentences_a_second"] / theirs["sentences_a_second"],
        "memory_ratio": ours["megabytes"] / theirs["megabytes"],
        "memory_ratio_with_building": max(built["megabytes"], ours["megabytes"]) / theirs["megabytes"],
        "two_processes_ratio": one["seconds"] / two["seconds"],
        "flat_memory_ratio": long["megabytes"] / short["megabytes"],
        "gazetteer": {"built": built, "searched": ours},
        "phrase_matcher": theirs,
        "processes": {"1": one, "2": two},
        "text_times": {"1": short, "10": long},
        "joins": joins,
    }


def surroundings() -> dict[str, Any]:
    """Name the machine, how busy it was, and the versions."""
    names = ("spacy", "duckdb", "numpy", "pyarrow")
    busy = {"load_average": os.getloadavg()[0]}
    return {"machine": {**machine(), **busy}, "versions": {name: library(name).__version__ for name in names}}


if __name__ == "__main__":
    main()
