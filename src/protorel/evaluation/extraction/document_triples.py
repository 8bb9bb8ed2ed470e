"""Triples found in annotated documents: precision, recall and F1 by the entities that their mentions match."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from protorel.corpora import AnnotatedDocument
from protorel.evaluation.extraction.document_samples import DocumentSamples, Numbers
from protorel.evaluation.extraction.mention_matches import MATCHES, Match, matched_entities
from protorel.evaluation.extraction.triples import MicroScores, document_scores
from protorel.extraction import Triple, entity_key


@dataclass(frozen=True, slots=True)
class DocumentTriples:
    """Precision, recall and F1 of triples at one threshold, for one way to match mentions."""

    chosen_by: str
    """`probability`: asserted from 0.5 on; `f1`: the threshold with the highest F1 on the calibration's pairs."""
    match: Match
    in_sentence: MicroScores
    """Against facts whose entities share a sentence; right triples of other facts are left out."""
    all_facts: MicroScores

    def as_json(self) -> dict[str, Any]:
        """Return the figures for JSON."""
        scores = {"in_sentence": self.in_sentence.as_json(), "all_facts": self.all_facts.as_json()}
        return {"chosen_by": self.chosen_by, "match": self.match, **scores}


def document_triples(
    documents: Sequence[AnnotatedDocument],
    triples: Sequence[Sequence[Triple]],
    thresholds: Mapping[str, float],
    *,
    seed: int = 0,
) -> Iterator[DocumentTriples]:
    """Yield the figures of triples, strictly and leniently, at each threshold.

    A triple is right if head and tail match entities that hold the relation. Triples of a document that name the same
    entities are one triple.

    Args:
        documents: The annotated documents.
        triples: What was found in each of them.
        thresholds: The least probability of an asserted triple, by how it was chosen.
        seed: Random seed for the intervals, which are over documents.
    """
    samples = DocumentSamples.draw(len(documents), seed=seed)
    facts = numbers(len(document.facts) for document in documents)
    near = [facts_in_sentence(document) for document in documents]
    in_sentence = numbers(map(len, near))
    for match in MATCHES:
        for chosen_by, threshold in thresholds.items():
            pairs = zip(documents, triples, strict=True)
            found = [_distinct(document, own, match, threshold) for document, own in pairs]
            given = numbers(asserted for asserted, _ in found)
            right = numbers(len(true) for _, true in found)
            far = numbers(len(true - here) for (_, true), here in zip(found, near, strict=True))
            yield DocumentTriples(
                chosen_by,
                match,
                document_scores(samples, threshold, given - far, right - far, in_sentence),
                document_scores(samples, threshold, given, right, facts),
            )


def facts_in_sentence(document: AnnotatedDocument) -> frozenset[tuple[int, int, str]]:
    """Return the facts whose entities share a sentence."""
    return frozenset(fact for fact in document.facts if document.in_one_sentence(*fact[:2]))


def _distinct(
    document: AnnotatedDocument, triples: Sequence[Triple], match: Match, threshold: float
) -> tuple[int, set[tuple[int, int, str]]]:
    """Return how many different triples are asserted in a document, and the facts among them."""
    right: set[tuple[int, int, str]] = set()
    wrong: set[tuple[object, object, str]] = set()
    for one in triples:
        if one.probability < threshold:
            continue
        heads, tails = (matched_entities(document, mention, match) for mention in (one.head, one.tail))
        facts = {(head, tail, one.relation) for head in heads for tail in tails} & document.facts
        if facts:
            right |= facts
        else:
            wrong.add((heads or entity_key(one.head), tails or entity_key(one.tail), one.relation))
    return len(right) + len(wrong), right


def numbers(values: Iterable[int]) -> Numbers:
    """Return one number per document."""
    return np.fromiter(values, dtype=np.float64)
