"""Evaluate a model on raw documents, entities found in the text: what `protorel evaluate documents` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from protorel.corpora import AnnotatedDocument, read_docred_documents, read_docred_pairs
from protorel.evaluation.evaluated_model import GivenModel, environment, loaded, run_json
from protorel.evaluation.extraction.document_samples import DocumentSamples, Numbers
from protorel.evaluation.extraction.document_triples import (
    DocumentTriples,
    document_triples,
    facts_in_sentence,
    numbers,
)
from protorel.evaluation.extraction.mention_matches import MATCHES, FoundMentions, Match, found_mentions
from protorel.evaluation.extraction.triples import calibrated_f1_threshold
from protorel.evaluation.leakage_report import run_leakage
from protorel.evaluation.measurement import Measurement, as_numbers
from protorel.extraction import (
    Extraction,
    ExtractionSettings,
    Extractor,
    InputText,
    Mention,
)
from protorel.io import BadInput
from protorel.model import ASSERTED, RelationModel
from protorel.statements import DataSet, Statement, load_equivalents

GOLD = "given"
"""The entity source that takes the annotated mentions, so that one program gives both rows of a table."""


@dataclass(frozen=True, slots=True)
class MentionFigures:
    """How well an entity source finds the annotated mentions."""

    found: Measurement
    """The share of gold mentions that are found."""
    matched: Measurement
    """The share of found mentions that match a gold mention."""
    by_type: dict[str, float]
    """The share of gold mentions that are found, by their type."""
    ceiling: Measurement
    """The share of all facts whose two entities are found in one sentence: no recall of all facts is higher."""

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        figures = {"found": self.found, "matched": self.matched, "ceiling": self.ceiling}
        return {**{name: as_numbers(figure) for name, figure in figures.items()}, "found_by_type": self.by_type}


@dataclass(frozen=True, slots=True)
class DocumentsResult:
    """Figures of a model and an entity source on raw documents."""

    documents: int
    facts: int
    in_sentence: Measurement
    """The share of facts whose entities share a sentence."""
    mentions: dict[Match, MentionFigures]
    triples: tuple[DocumentTriples, ...]
    counts: dict[str, int]
    """Entities and pairs of all documents, and where the pairs ended."""

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        return {
            "documents": self.documents,
            "facts": self.facts,
            "facts_in_sentence": as_numbers(self.in_sentence),
            "mentions": {match: figures.as_json() for match, figures in self.mentions.items()},
            "triples": [one.as_json() for one in self.triples],
            "counts": self.counts,
        }


@dataclass(frozen=True, slots=True)
class DocumentsEvaluation:
    """The figures, their settings as JSON, and notes on how to read them."""

    result: DocumentsResult
    as_json: dict[str, Any]
    notes: tuple[str, ...]


def evaluate_documents(
    model: GivenModel,
    path: Path,
    *,
    entities: str | Any | None = None,
    most_documents: int | None = None,
    seed: int = 0,
) -> DocumentsEvaluation:
    """Evaluate the triples that `Extractor` finds in raw documents, strictly and leniently.

    A triple is right if head and tail match entities that hold the relation. A mention matches an entity strictly by
    the exact span of one of its mentions, leniently by overlap. Triples of a document that name the same entities are
    one triple. Intervals are over documents.

    Args:
        model: A loaded model with prototypes, or a run folder.
        path: Documents in DocRED's format.
        entities: Where entities come from, as in `Extractor`; `given`: the annotated mentions.
        most_documents: Evaluate only this many documents, the first ones.
        seed: Random seed for the intervals.

    Returns:
        The figures, the JSON form, and notes.

    Raises:
        BadInput: the model has no prototypes, a document cannot be read, or the documents have no facts.
    """
    documents = list(read_docred_documents(path, most=most_documents))
    if not any(document.facts for document in documents):
        raise BadInput(f"{path}: expected documents with facts, got none")
    model = loaded(model)
    thresholds = {"probability": ASSERTED}
    if (best := calibrated_f1_threshold(model.maps)) is not None:
        thresholds["f1"] = best
    lowest = min(thresholds.values())
    extractor = Extractor(
        model, entities=entities, settings=ExtractionSettings(threshold=lowest, uncertain_from=lowest)
    )
    texts = (annotated_input(one) if entities == GOLD else InputText(one.text, one.name) for one in documents)
    found = list(extractor.pipe(texts))
    if (bad := next((one.problem for one in found if one.problem is not None), None)) is not None:
        raise BadInput(bad)
    result = _result(documents, found, thresholds, seed=seed)
    data = DataSet.of(path.resolve().name, [row for row in read_docred_pairs(path) if isinstance(row, Statement)])
    tested = {relation for document in documents for _, _, relation in document.facts}
    leakage = run_leakage(model, data, tested, equivalents=load_equivalents())
    as_json = {
        "task": "documents",
        "seed": seed,
        "most_documents": most_documents,
        "entities": _source_name(entities),
        **result.as_json(),
        "data": data.described(),
        "run": run_json(model),
        "leakage": leakage.as_json(),
        **environment(),
    }
    return DocumentsEvaluation(result, as_json, (*leakage.notes(relations=False), *_notes(model, tested)))


def _source_name(entities: object) -> str:
    """Return the name of an entity source; results never contain a path."""
    if not isinstance(entities, str):
        return "spacy" if entities is None else "a function"
    name, colon, argument = entities.partition(":")
    return name + colon + Path(argument).name


def _notes(model: RelationModel, tested: set[str]) -> Iterator[str]:
    if not model.maps.calibrated:
        yield "the model is not calibrated: run `protorel calibrate` first"
    if missing := len(tested - set(model.relations.ids)):
        yield f"{missing} relations of the facts are not among the model's; their facts count as missed"


def annotated_input(document: AnnotatedDocument) -> InputText:
    """Return a document's text with its annotated mentions, for an `Extractor`: of those that overlap, the longest."""
    mentions = [
        Mention.at(document.text, one.span.start, one.span.stop, type=one.type, id=f"#{number}")
        for number, own in enumerate(document.entities)
        for one in own
    ]
    kept: list[Mention] = []
    for one in sorted(mentions, key=lambda one: (one.start - one.stop, one.start)):
        if all(one.stop <= other.start or other.stop <= one.start for other in kept):
            kept.append(one)
    return InputText(document.text, document.name, tuple(sorted(kept, key=lambda one: one.start)))


def _result(
    documents: Sequence[AnnotatedDocument], found: Sequence[Extraction], thresholds: dict[str, float], *, seed: int
) -> DocumentsResult:
    samples = DocumentSamples.draw(len(documents), seed=seed)
    facts = numbers(len(document.facts) for document in documents)
    counts: Counter[str] = Counter()
    for one in found:
        counts.update({name: count for name, count in one.counts.items() if name not in ("asserted", "uncertain")})
    mentions = {}
    for match in MATCHES:
        pairs = zip(documents, found, strict=True)
        matched = [found_mentions(document, one.mentions, match) for document, one in pairs]
        mentions[match] = _mention_figures(documents, matched, facts, samples)
    return DocumentsResult(
        len(documents),
        int(facts.sum()),
        samples.ratio(numbers(len(facts_in_sentence(document)) for document in documents), facts),
        mentions,
        tuple(document_triples(documents, [one.triples for one in found], thresholds, seed=seed)),
        dict(counts),
    )


def _mention_figures(
    documents: Sequence[AnnotatedDocument], matched: Sequence[FoundMentions], facts: Numbers, samples: DocumentSamples
) -> MentionFigures:
    reached = [
        sum(fact[:2] in one.pairs for fact in document.facts) for document, one in zip(documents, matched, strict=True)
    ]
    gold, found = Counter[str](), Counter[str]()
    for one in matched:
        gold.update(one.gold)
        found.update(one.found)
    return MentionFigures(
        samples.ratio(numbers(one.found.total() for one in matched), numbers(one.gold.total() for one in matched)),
        samples.ratio(numbers(one.matched for one in matched), numbers(one.mentions for one in matched)),
        {type: found[type] / gold[type] for type in sorted(gold)},
        samples.ratio(numbers(reached), facts),
    )
