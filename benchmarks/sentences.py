"""Where our rules end sentences, compared with spaCy's rule sentencizer, and how fast either is.

    python benchmarks/sentences.py --text enwiki-pages-articles1-shortened.xml.bz2 --json results/harvest/sentences.json
    python benchmarks/sentences.py --growth 10000 100000 1000000 --json results/harvest/sentences_growth.json

Three texts: hard paragraphs that we made, whose sentences are known; the small world; and documents, if given. Both are
asked paragraph by paragraph, and ends of paragraphs are not counted, because they are easy. The ratio is the
processor time of spaCy over ours.

`--growth` measures our rules on hostile text instead: a sentence followed by N marks. Its ratio is the processor
time per mark of the longest text over that of the shortest, the worst of all: about 1 where time grows with length.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import spacy

from protorel.corpora.small_world import SmallWorldSettings, build_small_world
from protorel.harvest.manifest import machine
from protorel.harvest.mentions.sentences import (
    BEFORE_NUMBERS,
    LONGEST,
    MAY_END,
    NEVER_ENDS,
    Splitter,
    _blocks,
    _pieces,
    _trimmed,
    split_sentences,
)
from protorel.harvest.sources.text import open_documents
from protorel.io.files import sha256, write_json
from protorel.statements import Span

HARD = (
    ["Dr. J. R. Kroll met Mr. Tarn at St. Mere.", "They talked for 3.5 hours."],
    ["Kroll Inc. of Lunsk bought Tarn Ltd. in May.", "It paid little."],
    ["She left the U.S. Navy.", "He stayed in the U.S.", "The ship sank."],
    ["See No. 5 and vol. II of it.", "Both are rare."],
    ["Ada (b. 1900. She was the third.) wrote it.", "It sold."],
    ['"Who is there?" he asked.', '"It is Ada."', "He left."],
    ["She knew rivers, hills, etc. and more.", "Nobody asked her."],
    ["They came in approx. 1900, i.e. late, cf. Tarn.", "All left."],
    ["Why!", "Really?", "Well...", "Perhaps."],
    ["Take vitamin C.", "The rest is luck."],
    ["The firm Yes! was sold.", "Its owner wept."],
    ["It opened at 5 p.m. on Sunday.", "Nobody came."],
)
HOSTILE = {
    "full stops": ".",
    "stops and quotes": '."',
    "stops apart": ". ",
    "blanks": " ",
    "brackets": "(",
    "initials": "A. ",
}
MARKS = "()[]\"'“”‘’"
ABBREVIATIONS = NEVER_ENDS | BEFORE_NUMBERS | MAY_END


def ends_of(split: Splitter, paragraphs: Sequence[str]) -> tuple[list[set[int]], float]:
    """Return where sentences end inside each paragraph, and the processor time it took."""
    began = time.process_time()
    spans = [split(paragraph) for paragraph in paragraphs]
    return [{span.stop for span in of_one[:-1]} for of_one in spans], time.process_time() - began


def reason(paragraph: str, end: int) -> str:
    """Say what stands where only one of the two ends a sentence."""
    before, behind = paragraph[:end].split()[-1], paragraph[end:].lstrip()
    word = before.strip(MARKS + ".")
    if paragraph.count("(", 0, end) > paragraph.count(")", 0, end):
        return "inside brackets"
    if behind[:1].islower():
        return "before a small letter"
    if before.endswith(".") and (word in ABBREVIATIONS or "." in word or len(word) == 1):
        return "behind an abbreviation or an initial"
    if before.strip(MARKS) == "" or behind[:1] in tuple(MARKS):
        return "beside a quotation mark or bracket"
    if before.endswith(("..", "…")):
        return "behind an ellipsis"
    return "elsewhere" if paragraph[end].isspace() else "where no space follows"


def compared(paragraphs: Sequence[str], theirs: Splitter) -> dict[str, Any]:
    """Split all paragraphs both ways and count the ends that agree, and why the others may not."""
    ours_in, our_seconds = ends_of(split_sentences, paragraphs)
    theirs_in, their_seconds = ends_of(theirs, paragraphs)
    pairs = list(zip(paragraphs, ours_in, theirs_in, strict=True))
    both = sum(len(ours & others) for _, ours, others in pairs)
    only_ours = Counter(reason(text, end) for text, ours, others in pairs for end in ours - others)
    only_theirs = Counter(reason(text, end) for text, ours, others in pairs for end in others - ours)
    every = both + only_ours.total() + only_theirs.total()
    return {
        "ratio": their_seconds / our_seconds,
        "paragraphs": len(paragraphs),
        "characters": sum(map(len, paragraphs)),
        "ends": {"both": both, "only ours": only_ours.total(), "only spaCy's": only_theirs.total()},
        "equal": both / every if every else 1.0,
        "only ours": dict(sorted(only_ours.items())),
        "only spaCy's": dict(sorted(only_theirs.items())),
        "seconds": {"ours": our_seconds, "spaCy": their_seconds},
    }


def growth(lengths: Sequence[int], rounds: int = 3) -> dict[str, Any]:
    """Split a sentence with ever more marks behind it; of each length the least processor time of some rounds."""
    seconds: dict[str, dict[str, float]] = {}
    for name, unit in HOSTILE.items():
        texts = {length: "Ada left Lunsk. It rained" + unit * (length // len(unit)) + "x" for length in lengths}
        taken = {
            str(length): min(ends_of(split_sentences, [text])[1] for _ in range(rounds))
            for length, text in texts.items()
        }
        seconds[name] = taken
    shortest, longest = str(min(lengths)), str(max(lengths))
    per_mark = {name: (of[longest] / max(lengths)) / (of[shortest] / min(lengths)) for name, of in seconds.items()}
    return {"ratio": max(per_mark.values()), "per_mark": per_mark, "seconds": seconds}


def spacy_splitter(pipeline: Any) -> Splitter:
    """Return a splitter that runs a spaCy pipeline on each paragraph and cuts long sentences as we do."""

    def split(text: str) -> list[Span]:
        found = []
        for start, stop in _blocks(text):
            for sentence in pipeline(text[start:stop]).sents:
                if span := _trimmed(text, start + sentence.start_char, start + sentence.end_char):
                    found += _pieces(text, span, LONGEST)
        return found

    return split


def right(split: Splitter) -> int:
    """Count the hard paragraphs that come out as we made them."""
    made = ((" ".join(expected), expected) for expected in HARD)
    return sum([span.of(text) for span in split(text)] == expected for text, expected in made)


def paragraphs_of(texts: Iterable[str]) -> list[str]:
    """Cut texts at blank lines."""
    return [paragraph for text in texts for paragraph in text.split("\n\n") if paragraph.strip()]


def main() -> None:
    """Compare, print and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--text", type=Path, help="Documents, for example a Wikipedia dump.")
    parser.add_argument("--statements", type=int, default=60, help="Statements of each relation in the small world.")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--growth", type=int, nargs="+", metavar="N", help="Measure on N marks instead.")
    given = parser.parse_args()
    if given.growth:
        found = growth(given.growth)
        for name, taken in found["seconds"].items():
            print(f"{name}: " + ", ".join(f"{int(length):,} in {seconds:.4f} s" for length, seconds in taken.items()))
        print(f"time per mark, longest over shortest, at worst: {found['ratio']:.2f}")
        if given.json:
            versions = {"protorel": version("protorel")}
            data = {"name": "made by the benchmark"}
            whole = {"task": "growth of sentences", **found, "data": data}
            write_json(given.json, {**whole, "machine": machine(), "versions": versions})
        return
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    theirs = spacy_splitter(pipeline)
    world = build_small_world(SmallWorldSettings(statements_per_relation=given.statements))
    texts = {"small world": paragraphs_of(document.text for document in world.documents)}
    if given.text:
        texts["documents"] = paragraphs_of(document.text for document in open_documents(given.text))
    found = {name: compared(paragraphs, theirs) for name, paragraphs in texts.items()}
    hard = {"paragraphs": len(HARD), "ours": right(split_sentences), "spaCy": right(theirs)}
    print(f"hard paragraphs right: ours {hard['ours']}, spaCy {hard['spaCy']} of {hard['paragraphs']}")
    for name, one in found.items():
        print(f"{name}: {100 * one['equal']:.1f} % of ends equal, {one['ratio']:.1f} times as fast")
    if given.json:
        data = {"name": given.text.name, "sha256": sha256(given.text)} if given.text else {"name": "small_world"}
        versions = {"protorel": version("protorel"), "spacy": version("spacy")}
        headline = {"task": "sentences", "ratio": found[list(found)[-1]]["ratio"], "hard": hard}
        write_json(given.json, {**headline, "texts": found, "data": data, "machine": machine(), "versions": versions})


if __name__ == "__main__":
    main()
