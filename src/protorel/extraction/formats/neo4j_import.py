"""Neo4j: a folder with `nodes.csv` and `relationships.csv`, as `neo4j-admin database import full` reads them."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from protorel.extraction.formats.knowledge_graph import Fact, GraphEntity, KnowledgeGraph
from protorel.extraction.triples import Extraction

NODES, RELATIONSHIPS = "nodes.csv", "relationships.csv"
_NODE = ("entityId:ID", "name", "type", "kbId", "mentions:long", "names:string[]", ":LABEL")
_RELATIONSHIP = (
    *(":START_ID", ":END_ID", ":TYPE", "probability:double", "reverseProbability:double"),
    *("statements:long", "documents:string[]", "evidence"),
)
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f;]+")
"""What a reader would take for the end of a line or of an element of a list."""


def write(extractions: Iterable[Extraction], folder: Path, counts: Counter[str]) -> None:
    """Write the graph of all texts, once all are read."""
    graph = KnowledgeGraph.of(extractions, counts)
    folder.mkdir()
    _write(folder / NODES, _NODE, map(_of_entity, graph.entities))
    _write(folder / RELATIONSHIPS, _RELATIONSHIP, map(_of_fact, graph.facts))


def _write(path: Path, header: tuple[str, ...], rows: Iterable[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _of_entity(entity: GraphEntity) -> list[object]:
    labels = ["Entity", _one_line(entity.type)] if entity.type else ["Entity"]
    names = ";".join(map(_one_line, entity.names))
    kind, id = _one_line(entity.type or ""), _one_line(entity.id or "")
    return [f"n{entity.number}", _one_line(entity.name), kind, id, entity.names.total(), names, ";".join(labels)]


def _of_fact(fact: Fact) -> list[object]:
    documents = ";".join(map(_one_line, fact.documents))
    figures = [round(fact.probability, 6), round(fact.reverse_probability, 6), len(fact.evidence)]
    evidence = json.dumps(fact.evidence, ensure_ascii=True)  # no raw line ends in it
    return [f"n{fact.head.number}", f"n{fact.tail.number}", _one_line(fact.relation), *figures, documents, evidence]


def _one_line(text: str) -> str:
    return _BREAKS.sub(" ", text).strip()
