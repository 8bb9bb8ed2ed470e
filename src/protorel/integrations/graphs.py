"""Triples as the graph types of LangChain and LlamaIndex, which are imported when they are used."""

from __future__ import annotations

import importlib
import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from protorel.extraction import Extraction, Fact, GraphEntity, KnowledgeGraph
from protorel.io import BadInput


def to_langchain(extraction: Extraction) -> Any:
    """Return the asserted triples of a text as LangChain's `GraphDocument`, whose source is the text.

    Its nodes and relationships go into any LangChain graph store, for example by `graph.add_graph_documents`. The type
    is that of langchain-neo4j or, where only that is installed, of langchain-community, which is no longer maintained.

    Raises:
        BadInput: neither is installed.
    """
    graphs = _library(
        "langchain-neo4j", *(f"langchain_{name}.graphs.graph_document" for name in ("neo4j", "community"))
    )
    documents = _library("langchain-core", "langchain_core.documents")
    graph = KnowledgeGraph.of([extraction])
    nodes = {
        entity.number: graphs.Node(id=name, type=entity.type or "Entity", properties=_of_entity(entity))
        for entity, name in _named(graph)
    }
    relationships = [
        graphs.Relationship(
            source=nodes[fact.head.number],
            target=nodes[fact.tail.number],
            type=fact.relation,
            properties=_of_fact(fact),
        )
        for fact in graph.facts
    ]
    source = documents.Document(page_content=extraction.text, metadata={"source": extraction.document})
    return graphs.GraphDocument(nodes=list(nodes.values()), relationships=relationships, source=source)


def to_llama_index(extractions: Iterable[Extraction]) -> tuple[list[Any], list[Any]]:
    """Return the asserted triples of texts as LlamaIndex's `EntityNode` and `Relation`.

    They go into a property graph store by `store.upsert_nodes(nodes)` and `store.upsert_relations(relations)`.

    Raises:
        BadInput: llama-index-core is not installed.
    """
    types = _library("llama-index-core", "llama_index.core.graph_stores.types")
    graph = KnowledgeGraph.of(extractions)
    nodes = {
        entity.number: types.EntityNode(name=name, label=entity.type or "entity", properties=_of_entity(entity))
        for entity, name in _named(graph)
    }
    relations = [
        types.Relation(
            label=fact.relation,
            source_id=nodes[fact.head.number].id,
            target_id=nodes[fact.tail.number].id,
            properties=_of_fact(fact),
        )
        for fact in graph.facts
    ]
    return list(nodes.values()), relations


def _library(package: str, *modules: str) -> Any:
    """Return the first of these modules that is installed."""
    for module in modules:
        try:
            return importlib.import_module(module)
        except ImportError as problem:
            missing = problem
    raise BadInput(f"this needs {package}; install it with: pip install {package}") from missing


def _named(graph: KnowledgeGraph) -> list[tuple[GraphEntity, str]]:
    """Return the entities with names that tell them apart: both libraries know a node by its name alone."""
    shared = Counter(entity.name for entity in graph.entities)
    return [
        (entity, entity.name if shared[entity.name] == 1 else f"{entity.name} ({entity.id or entity.type or 'entity'})")
        for entity in graph.entities
    ]


def _of_entity(entity: GraphEntity) -> dict[str, Any]:
    said = {"name": entity.name, "mentions": entity.names.total()}
    return said if entity.id is None else said | {"kb_id": entity.id}


def _of_fact(fact: Fact) -> dict[str, Any]:
    """Return values that every graph store can hold: numbers and text."""
    return {
        "probability": round(fact.probability, 6),
        "reverse_probability": round(fact.reverse_probability, 6),
        "evidence": json.dumps(fact.evidence, ensure_ascii=False),
    }
