"""GLiREL, GLiNER2 and ReLiK on the sentences that protorel-small is evaluated on, where their packages and weights are.

    python benchmarks/extract_peers.py test_revised.json --glirel FOLDER --gliner2 FOLDER --relik FOLDER --json FILE

The documents are in DocRED's format. Every tool reads the same sentences and is asked for the same relations: those of
the documents' facts that protorel-small has a name for. protorel-small and GLiREL are given the annotated mentions;
GLiNER2 and ReLiK find mentions themselves. Triples are scored as by `protorel evaluate documents`: strictly, if head
and tail are exact spans of entities that hold the relation, and leniently, by overlap.

A tool without its package or weights is not run, and one line says why. Install each in an environment that has
protorel: `pip install glirel`, `pip install gliner2`, `pip install relik`. Their weights have licences of their own.
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from protorel import RelationModel
from protorel.corpora import AnnotatedDocument, read_docred_documents
from protorel.evaluation import annotated_input, document_triples, machine
from protorel.extraction import ExtractionSettings, Extractor, Mention, Triple
from protorel.io import BadInput, sha256, write_json

_WORD = re.compile(r"\S+")
AT_A_TIME = 8
"""Sentences per call of a tool."""


@dataclass(frozen=True)
class Sentence:
    """A sentence, where it is in its document, and its annotated mentions as spans of its own characters."""

    document: int
    start: int
    text: str
    mentions: tuple[tuple[int, int], ...]

    def triple(self, head: tuple[int, int], tail: tuple[int, int], relation: str, probability: float) -> Triple:
        """Return a triple of the document from spans of this sentence."""
        ends = (Mention(self.start + a, self.start + b, self.text[a:b]) for a, b in (head, tail))
        return Triple(*ends, relation, probability, 0.0)


Found = Iterator[tuple[Sentence, Triple]]
Tool = Callable[[Any, Sequence[Sentence], Mapping[str, str], float], Found]


def glirel(model: Any, sentences: Sequence[Sentence], ids: Mapping[str, str], threshold: float) -> Found:
    """Yield what GLiREL finds between the annotated mentions; it counts tokens, the last one included."""
    several = [one for one in sentences if len(one.mentions) > 1]
    for batch in batches(several):
        words = [[(word.start(), word.end()) for word in _WORD.finditer(one.text)] for one in batch]
        tokens = [[one.text[a:b] for a, b in own] for one, own in zip(batch, words, strict=True)]
        entities = [[tokens_of(span, own, one) for span in one.mentions] for one, own in zip(batch, words, strict=True)]
        answers = model.batch_predict_relations(tokens, list(ids), threshold=threshold, ner=entities, top_k=-1)
        for one, own, answer in zip(batch, words, answers, strict=True):
            for found in answer:
                head, tail = (
                    (own[first][0], own[stop - 1][1]) for first, stop in (found["head_pos"], found["tail_pos"])
                )
                yield one, one.triple(head, tail, ids[found["label"]], float(found["score"]))


def gliner2(model: Any, sentences: Sequence[Sentence], ids: Mapping[str, str], threshold: float) -> Found:
    """Yield what GLiNER2 finds; a triple is as probable as the less certain of its two mentions."""
    for batch in batches(sentences):
        answers = model.batch_extract_relations(
            [one.text for one in batch],
            list(ids),
            batch_size=AT_A_TIME,
            threshold=threshold,
            include_confidence=True,
            include_spans=True,
        )
        for one, answer in zip(batch, answers, strict=True):
            for label, triples in answer["relation_extraction"].items():
                for found in triples:
                    ends = (found["head"], found["tail"])
                    head, tail = ((end["start"], end["end"]) for end in ends)
                    yield one, one.triple(head, tail, ids[label], min(float(end["confidence"]) for end in ends))


def relik(model: Any, sentences: Sequence[Sentence], ids: Mapping[str, str], threshold: float) -> Found:
    """Yield what ReLiK finds; its relations are those of its own index, and others than the asked ones are left out."""
    for batch in batches(sentences):
        answers = model([one.text for one in batch], annotation_type="char")
        for answer in answers if isinstance(answers, list) else [answers]:
            one = batch[answer.id]
            for found in answer.triplets:
                if found.label in ids and found.confidence >= threshold:
                    head, tail = ((end.start, end.end) for end in (found.subject, found.object))
                    yield one, one.triple(head, tail, ids[found.label], float(found.confidence))


@dataclass(frozen=True)
class Peer:
    """A tool: its package, the class that loads its weights, and how it is asked."""

    package: str
    module: str
    loader: str
    ask: Tool
    mentions: str

    def load(self, folder: Path | None) -> Any:
        """Load the weights.

        Raises:
            NotRun: there is no package or no folder.
        """
        option = f"--{self.package}"
        if folder is None:
            raise NotRun(f"no weights given ({option} FOLDER)")
        if not folder.is_dir():
            raise NotRun(f"{option} {folder}: no such folder")
        try:
            loader = getattr(import_module(self.module), self.loader)
        except ImportError as problem:
            raise NotRun(f"its package cannot be imported ({problem}); pip install {self.package}") from problem
        return loader.from_pretrained(str(folder))


class NotRun(Exception):
    """Why a tool was not run."""


PEERS = {
    "GLiREL": Peer("glirel", "glirel", "GLiREL", glirel, "annotated"),
    "GLiNER2": Peer("gliner2", "gliner2", "GLiNER2", gliner2, "its own"),
    "ReLiK": Peer("relik", "relik", "Relik", relik, "its own"),
}


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what can be run, print a line for each tool, and write the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("data", type=Path, help="Documents in DocRED's format.")
    parser.add_argument("--model", default="protorel-small")
    for name, peer in PEERS.items():
        parser.add_argument(f"--{peer.package}", type=Path, metavar="FOLDER", help=f"Weights of {name}.")
    parser.add_argument("--threshold", type=float, default=0.5)
    parser.add_argument("--most-documents", type=int)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args(arguments)
    documents = list(read_docred_documents(given.data, most=given.most_documents))
    model = RelationModel.from_pretrained(given.model)
    asked = {relation for document in documents for _, _, relation in document.facts}
    ids = {one.name: one.id for one in model.relations if one.id in asked and one.name}
    if not ids:
        raise BadInput(f"{given.model}: expected names of the documents' relations, got none")
    sentences = [one for number, document in enumerate(documents) for one in sentences_of(number, document)]
    print(f"{len(documents)} documents, {len(sentences)} sentences, {len(ids)} relations")
    tools: dict[str, Any] = {}
    began = time.perf_counter()
    tools[given.model] = scored(documents, _own(model, documents, ids, given.threshold), given.threshold)
    tools[given.model] |= {"mentions": "annotated", "seconds": time.perf_counter() - began}
    for name, peer in PEERS.items():
        try:
            loaded = peer.load(getattr(given, peer.package))
        except NotRun as reason:
            tools[name] = {"not_run": str(reason)}
            continue
        began = time.perf_counter()
        triples: list[list[Triple]] = [[] for _ in documents]
        for sentence, triple in peer.ask(loaded, sentences, ids, given.threshold):
            triples[sentence.document].append(triple)
        tools[name] = scored(documents, triples, given.threshold)
        tools[name] |= {"mentions": peer.mentions, "seconds": time.perf_counter() - began, "version": _version(peer)}
    for name, found in tools.items():
        print(_line(name, found))
    if given.json is not None:
        settings = {"threshold": given.threshold, "documents": len(documents), "sentences": len(sentences)}
        data = {"name": given.data.name, "sha256": sha256(given.data)}
        relations = sorted(ids.values())
        write_json(given.json, {**settings, "data": data, "relations": relations, "tools": tools, "machine": machine()})


def sentences_of(number: int, document: AnnotatedDocument) -> Iterator[Sentence]:
    """Yield the sentences of a document, each annotated span once."""
    spans = {one.span for own in document.entities for one in own}
    for place in document.sentences:
        here = sorted(
            (span.start - place.start, span.stop - place.start)
            for span in spans
            if place.start <= span.start and span.stop <= place.stop
        )
        yield Sentence(number, place.start, place.of(document.text), tuple(here))


def tokens_of(span: tuple[int, int], words: Sequence[tuple[int, int]], sentence: Sentence) -> list[Any]:
    """Return a mention as GLiREL takes it: the first token, the last one, a type that it ignores, and the text."""
    inside = [number for number, (start, stop) in enumerate(words) if start < span[1] and span[0] < stop]
    return [inside[0], inside[-1], "ENTITY", sentence.text[span[0] : span[1]]]


def batches(sentences: Sequence[Sentence]) -> Iterator[Sequence[Sentence]]:
    """Yield a few sentences at a time."""
    for start in range(0, len(sentences), AT_A_TIME):
        yield sentences[start : start + AT_A_TIME]


def scored(documents: Sequence[AnnotatedDocument], triples: Sequence[Sequence[Triple]], threshold: float) -> Any:
    """Return strict and lenient figures as JSON."""
    return {one.match: one.as_json() for one in document_triples(documents, triples, {"given": threshold})}


def _own(
    model: RelationModel, documents: Sequence[AnnotatedDocument], ids: Mapping[str, str], threshold: float
) -> list[Sequence[Triple]]:
    settings = ExtractionSettings(threshold=threshold, relations=tuple(sorted(ids.values())))
    extractor = Extractor(model, entities="given", settings=settings)
    return [found.triples for found in extractor.pipe(annotated_input(one) for one in documents)]


def _version(peer: Peer) -> str | None:
    try:
        return version(peer.package)
    except PackageNotFoundError:
        return None


def _line(name: str, found: Mapping[str, Any]) -> str:
    if "not_run" in found:
        return f"{name}: not run: {found['not_run']}"
    strict, lenient = (_scores(found[match]["in_sentence"]) for match in ("strict", "lenient"))
    return f"{name}, mentions {found['mentions']}: strict {strict}; lenient {lenient}; {found['seconds']:.0f} s"


def _scores(scores: Mapping[str, Any]) -> str:
    figures = ((short, scores[name]) for short, name in (("P", "precision"), ("R", "recall"), ("F1", "f1")))
    return ", ".join(f"{short} {_percent(one)}" for short, one in figures)


def _percent(figure: Mapping[str, Any]) -> str:
    """Return a figure in percent; without any answer there is no precision, and one document has no interval."""
    if figure["value"] is None:
        return "none"
    return f"{100 * figure['value']:.1f}" + ("" if figure["margin"] is None else f" ± {100 * figure['margin']:.1f}")


if __name__ == "__main__":
    main()
