"""Triples of many texts as one graph: entities merged, each fact once with all its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from protorel.extraction.entity_keys import entity_key
from protorel.extraction.triples import Extraction, Mention, Triple

_MOST_NAMES = 20


@dataclass(slots=True)
class GraphEntity:
    """An entity of the graph: mentions with the same id or, without ids, with the same name and type."""

    number: int
    name: str
    """The name that it is mentioned by most often."""
    type: str | None
    id: str | None
    names: Counter[str] = field(default_factory=Counter)

    def add(self, mention: Mention) -> None:
        """Count one more mention."""
        name = " ".join(mention.text.split())
        if name in self.names or len(self.names) < _MOST_NAMES:
            self.names[name] += 1
        self.name = min(self.names, key=lambda one: (-self.names[one], one))
        self.type = self.type or mention.type


@dataclass(slots=True)
class Fact:
    """A relation between two entities, with every place that states it."""

    head: GraphEntity
    relation: str
    tail: GraphEntity
    probability: float = 0.0
    """The largest of its statements' probabilities."""
    reverse_probability: float = 0.0
    """That of the same statement."""
    evidence: list[dict[str, Any]] = field(default_factory=list)
    """Document, offsets, probability and the model's evidence of each statement."""

    def add(self, document: str, triple: Triple) -> None:
        """Add a statement of the fact."""
        if triple.probability > self.probability or not self.evidence:
            self.probability, self.reverse_probability = triple.probability, triple.reverse_probability
        offsets = {
            f"{side}_{end}": getattr(mention, end)
            for side, mention in (("head", triple.head), ("tail", triple.tail))
            for end in ("start", "stop")
        }
        said = {"probability": round(triple.probability, 6), "evidence": [one.as_json() for one in triple.evidence]}
        self.evidence.append({"document": document, **offsets, **said})

    @property
    def documents(self) -> list[str]:
        """The documents that state the fact, in order."""
        return list(dict.fromkeys(one["document"] for one in self.evidence))


class KnowledgeGraph:
    """Entities and facts of asserted triples; uncertain ones are left out and counted."""

    def __init__(self) -> None:
        self._entities: dict[tuple[str, ...], GraphEntity] = {}
        self._facts: dict[tuple[int, str, int], Fact] = {}

    @classmethod
    def of(cls, extractions: Iterable[Extraction], counts: Counter[str] | None = None) -> KnowledgeGraph:
        """Return the graph of all extractions."""
        graph = cls()
        for extraction in extractions:
            graph.add(extraction)
            if counts is not None and extraction.uncertain:
                counts["uncertain triples left out of the graph"] += len(extraction.uncertain)
        return graph

    def add(self, extraction: Extraction) -> None:
        """Add the triples of one text."""
        for triple in extraction.triples:
            head, tail = self._entity(triple.head), self._entity(triple.tail)
            key = (head.number, triple.relation, tail.number)
            self._facts.setdefault(key, Fact(head, triple.relation, tail)).add(extraction.document, triple)

    @property
    def entities(self) -> list[GraphEntity]:
        """The entities, in the order of their first mention."""
        return list(self._entities.values())

    @property
    def facts(self) -> list[Fact]:
        """The facts, in the order of their first statement."""
        return list(self._facts.values())

    def _entity(self, mention: Mention) -> GraphEntity:
        key = entity_key(mention)
        if key not in self._entities:
            self._entities[key] = GraphEntity(len(self._entities), mention.text, mention.type, mention.id)
        self._entities[key].add(mention)
        return self._entities[key]
