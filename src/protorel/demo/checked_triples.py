"""Extracted triples, compared with what the text says: right, wrong, or missed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from protorel.corpora import SmallWorld
from protorel.demo.raw_text import RawText
from protorel.extraction import Extraction, ExtractionSettings, Extractor, Triple
from protorel.model import Calibration, RelationModel
from protorel.statements import Span


@dataclass(frozen=True, slots=True)
class CheckedTriple:
    """An asserted triple, and what the sentence says of its two entities."""

    triple: Triple
    says: tuple[str, ...]
    """Relations that the sentence expresses, from the head to the tail."""
    says_reversed: tuple[str, ...]
    """Those from the tail to the head."""

    @property
    def right(self) -> bool:
        """Whether the sentence says it."""
        return self.triple.relation in self.says

    def verdict(self, names: Mapping[str, str]) -> str:
        """Return in words whether it is right, and if not, what the sentence says; relations are named by `names`."""
        if self.right:
            return "right"
        if self.says:
            return f"wrong: the sentence says {' and '.join(names[relation] for relation in self.says)}"
        if self.triple.relation in self.says_reversed:
            return "wrong: the sentence says it in the other direction"
        if self.says_reversed:
            said = " and ".join(names[relation] for relation in self.says_reversed)
            return f"wrong: the sentence says {said}, in the other direction"
        return "wrong: the sentence does not relate them"


@dataclass(frozen=True, slots=True)
class CheckedSentence:
    """A sentence, the triples asserted in it, and those that it expresses but that were not asserted."""

    text: str
    entities: tuple[Span, ...]
    """Where entities were found."""
    triples: tuple[CheckedTriple, ...]
    missed: tuple[tuple[str, str, str], ...]
    """Name of the head, relation, name of the tail."""


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """What was extracted from raw text, compared with what the text says."""

    sentences: tuple[CheckedSentence, ...]
    documents: int
    counts: Mapping[str, int]
    """Where entities and pairs ended, summed over the documents."""
    threshold: float
    calibration: Mapping[str, Any]
    """What the probabilities were fitted to, and how well: pairs, documents, share of none, calibration error."""

    @property
    def triples(self) -> list[CheckedTriple]:
        """The asserted triples, in the order of the text."""
        return [triple for sentence in self.sentences for triple in sentence.triples]

    @property
    def right(self) -> int:
        """How many asserted triples the text expresses."""
        return sum(triple.right for triple in self.triples)

    @property
    def expressed(self) -> int:
        """How many triples the text expresses."""
        return self.right + sum(len(sentence.missed) for sentence in self.sentences)

    @property
    def precision(self) -> float | None:
        """The share of asserted triples that are right; None if there are none."""
        return self.right / len(self.triples) if self.triples else None

    @property
    def recall(self) -> float | None:
        """The share of the triples that the text expresses that are asserted."""
        return self.right / self.expressed if self.expressed else None

    def in_words(self) -> str:
        """Return how many triples were asserted, how many of them are right, and what that is worth."""
        fitted = self.calibration
        error = fitted["calibration_error"]
        return (
            f"{self.documents} raw documents ({len(self.sentences)} sentences) about entities that training never saw, "
            f"found by name: {len(self.triples)} triples asserted, {self.right} right "
            f"(precision {_percent(self.precision)}), of {self.expressed} that the text expresses "
            f"(recall {_percent(self.recall)}). Probabilities are calibrated on {fitted['pairs']:,} ordered pairs of "
            f"{fitted['documents']} other documents, {100 * fitted['none_share']:.0f} % of them without a relation "
            f"(calibration error {100 * error['value']:.1f} points); asserted from {self.threshold:.2f} on, which has "
            "the best F1 there. The training was short, and saw wrong labels and no pairs without a relation: expect "
            "wrong triples."
        )

    def as_json(self) -> dict[str, Any]:
        """Return the figures and every asserted triple."""
        return {
            "documents": self.documents,
            "sentences": len(self.sentences),
            "threshold": self.threshold,
            "expressed": self.expressed,
            "asserted": len(self.triples),
            "right": self.right,
            "precision": self.precision,
            "recall": self.recall,
            "counts": dict(self.counts),
            "calibrated_on": dict(self.calibration),
            "triples": [
                {
                    "head": checked.triple.head.text,
                    "relation": checked.triple.relation,
                    "tail": checked.triple.tail.text,
                    "probability": round(checked.triple.probability, 4),
                    "right": checked.right,
                }
                for checked in self.triples
            ],
        }


def extract_triples(
    model: RelationModel, raw: RawText, *, count: Callable[[int, int], None] | None = None
) -> ExtractedText:
    """Extract triples from the documents to read with a calibrated model, and compare them with what the text says."""
    assert model.calibration is not None
    assert model.calibration.held_out is not None
    settings = ExtractionSettings(threshold=_best_threshold(model.calibration))
    extractor = Extractor(model, entities=raw.names, schema=raw.schema, settings=settings)
    documents = raw.world.documents[raw.read.start : raw.read.stop]
    sentences: list[CheckedSentence] = []
    counts: Counter[str] = Counter()
    extractions = extractor.pipe({"text": one.text, "document": one.id} for one in documents)
    for number, extraction in enumerate(extractions):
        sentences += _checked(raw.world, number, extraction)
        counts.update(extraction.counts)
        if count is not None:
            count(number + 1, len(documents))
    held_out = model.calibration.held_out.model_dump(include={"pairs", "documents", "none_share", "calibration_error"})
    return ExtractedText(tuple(sentences), len(documents), dict(counts), extractor.threshold, held_out)


def _best_threshold(calibration: Calibration) -> float:
    """Return the probability from which on answers to the held-out pairs have the highest F1."""
    curve = calibration.curve
    if curve is None or not any(curve.right):
        return 0.5
    right = np.cumsum(curve.right)
    f1 = 2 * right / (np.arange(1, len(right) + 1) + curve.labels)
    return curve.probability[int(f1.argmax())]


def _checked(world: SmallWorld, number: int, extraction: Extraction) -> Iterator[CheckedSentence]:
    """Yield the sentences of a document with the triples that were extracted from them."""
    document = world.documents[number]
    names = {entity.id: entity.name for entity in world.entities}
    for sentence, expressed in zip(document.sentences, document.expressed, strict=True):
        triples = [one for one in extraction.triples if sentence.start <= one.head.start < sentence.stop]
        found = {(one.head.id, one.relation, one.tail.id) for one in triples}
        said: dict[tuple[str | None, str | None], tuple[str, ...]] = {}
        for fact in expressed:
            said[fact.head, fact.tail] = (*said.get((fact.head, fact.tail), ()), fact.relation)
        yield CheckedSentence(
            sentence.of(document.text),
            tuple(
                Span(one.start - sentence.start, one.stop - sentence.start)
                for one in extraction.mentions
                if sentence.start <= one.start and one.stop <= sentence.stop
            ),
            tuple(
                CheckedTriple(one, said.get((one.head.id, one.tail.id), ()), said.get((one.tail.id, one.head.id), ()))
                for one in triples
            ),
            tuple(
                (names[fact.head], fact.relation, names[fact.tail])
                for fact in expressed
                if (fact.head, fact.relation, fact.tail) not in found
            ),
        )


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f} %"
