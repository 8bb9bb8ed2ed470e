"""GraphML: entities and facts as networkx, Gephi and yEd open them; evidence is JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from xml.sax.saxutils import escape, quoteattr

from protorel.extraction.formats.knowledge_graph import Fact, GraphEntity, KnowledgeGraph
from protorel.extraction.triples import Extraction

REPLACED = "characters that XML cannot hold replaced by U+FFFD"
_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KEYS = {
    "node": {"name": "string", "type": "string", "id": "string", "mentions": "int"},
    "edge": {
        "relation": "string",
        "probability": "double",
        "reverse_probability": "double",
        "statements": "int",
        "documents": "string",
        "evidence": "string",
    },
}


def render(extractions: Iterable[Extraction], counts: Counter[str]) -> Iterator[str]:
    """Yield the graph of all texts, once all are read."""
    graph = KnowledgeGraph.of(extractions, counts)
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for kind, keys in _KEYS.items():
        for name, type in keys.items():
            yield f'  <key id="{kind}_{name}" for="{kind}" attr.name="{name}" attr.type="{type}"/>\n'
    yield '  <graph edgedefault="directed">\n'
    for entity in graph.entities:
        yield f"    <node id={quoteattr(f'n{entity.number}')}>{_data('node', _of_entity(entity), counts)}</node>\n"
    for number, fact in enumerate(graph.facts):
        ends = f'source="n{fact.head.number}" target="n{fact.tail.number}"'
        yield f'    <edge id="e{number}" {ends}>{_data("edge", _of_fact(fact), counts)}</edge>\n'
    yield "  </graph>\n</graphml>\n"


def _of_entity(entity: GraphEntity) -> dict[str, object]:
    return {"name": entity.name, "type": entity.type, "id": entity.id, "mentions": entity.names.total()}


def _of_fact(fact: Fact) -> dict[str, object]:
    return {
        "relation": fact.relation,
        "probability": round(fact.probability, 6),
        "reverse_probability": round(fact.reverse_probability, 6),
        "statements": len(fact.evidence),
        "documents": json.dumps(fact.documents, ensure_ascii=False),
        "evidence": json.dumps(fact.evidence, ensure_ascii=False),
    }


def _data(kind: str, values: dict[str, object], counts: Counter[str]) -> str:
    return "".join(
        f'<data key="{kind}_{name}">{_text(str(value), counts)}</data>'
        for name, value in values.items()
        if value is not None
    )


def _text(value: str, counts: Counter[str]) -> str:
    """Return text as XML holds it; a carriage return is kept by its number."""
    legal, replaced = _ILLEGAL.subn("\ufffd", value)
    if replaced:
        counts[REPLACED] += replaced
    return escape(legal, {"\r": "&#13;"})
