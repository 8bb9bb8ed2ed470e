"""Triples as the graphs of other libraries: by stand-ins that take what the real types take, and by the real types."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from protorel.extraction import Extraction, Mention, Triple
from protorel.integrations import to_langchain, to_llama_index
from protorel.statements import BadInput


@dataclass(kw_only=True)
class Node:
    id: str | int
    type: str = "Node"
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class Relationship:
    source: Node
    target: Node
    type: str
    properties: dict[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class GraphDocument:
    nodes: list[Node]
    relationships: list[Relationship]
    source: Any


@dataclass(kw_only=True)
class Document:
    page_content: str
    metadata: dict[str, Any]


@dataclass(kw_only=True)
class EntityNode:
    name: str
    label: str = "entity"
    properties: dict[str, Any] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.name.replace('"', " ")


@dataclass(kw_only=True)
class Relation:
    label: str
    source_id: str
    target_id: str
    properties: dict[str, Any] = field(default_factory=dict)


LANGCHAIN = ("langchain_neo4j", "langchain_community")


@pytest.fixture(params=LANGCHAIN)
def libraries(monkeypatch, request):
    for name in LANGCHAIN:
        monkeypatch.setitem(sys.modules, name, None)
    held = {
        f"{request.param}.graphs.graph_document": (Node, Relationship, GraphDocument),
        "langchain_core.documents": (Document,),
        "llama_index.core.graph_stores.types": (EntityNode, Relation),
    }
    for name, types in held.items():
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            module = ModuleType(".".join(parts[:end]))
            module.__path__ = []
            monkeypatch.setitem(sys.modules, module.__name__, module)
        for one in types:
            setattr(sys.modules[name], one.__name__, one)


def extraction(document="page") -> Extraction:
    text = 'Ada met "Bo" and the other Ada.'
    ada, bo = Mention(0, 3, "Ada", "PERSON", "Q1"), Mention(8, 12, '"Bo"', "PERSON")
    other = Mention(27, 30, "Ada", "GPE", "Q2")
    triples = (Triple(ada, bo, "met", 0.9, 0.1), Triple(bo, other, "met", 0.8, 0.2), Triple(ada, bo, "met", 0.7, 0.1))
    return Extraction(triples, (Triple(ada, bo, "spouse", 0.3, 0.3),), {}, text, document)


def test_langchain_gets_a_graph_document_with_its_text(libraries):
    graph = to_langchain(extraction())
    assert [(one.id, one.type) for one in graph.nodes] == [
        ("Ada (Q1)", "PERSON"),
        ('"Bo"', "PERSON"),
        ("Ada (Q2)", "GPE"),
    ]
    assert [(one.source.id, one.type, one.target.id) for one in graph.relationships] == [
        ("Ada (Q1)", "met", '"Bo"'),
        ('"Bo"', "met", "Ada (Q2)"),
    ]
    assert graph.nodes[0].properties == {"name": "Ada", "mentions": 2, "kb_id": "Q1"}
    assert graph.source == Document(page_content=extraction().text, metadata={"source": "page"})


def test_llama_index_gets_nodes_and_relations_with_all_evidence(libraries):
    nodes, relations = to_llama_index([extraction("one"), extraction("two")])
    assert [one.name for one in nodes] == ["Ada (Q1)", '"Bo"', "Ada (Q2)"]
    assert (relations[0].source_id, relations[0].label, relations[0].target_id) == ("Ada (Q1)", "met", nodes[1].id)
    assert relations[0].properties["probability"] == 0.9
    evidence = json.loads(relations[0].properties["evidence"])
    assert [one["document"] for one in evidence] == ["one", "one", "two", "two"]


@pytest.mark.parametrize(
    ("adapt", "package"),
    [(to_langchain, "langchain-neo4j"), (lambda one: to_llama_index([one]), "llama-index-core")],
)
def test_an_absent_library_is_named_with_the_command_that_installs_it(adapt, package, monkeypatch):
    for name in (*LANGCHAIN, "llama_index"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BadInput, match=f"install it with: pip install {package}"):
        adapt(extraction())


def real(module):
    """Import a library that is no dependency of the tests."""
    return pytest.importorskip(
        module, reason=f"{module} is not installed: it brings forty packages or more, so `dev` leaves it out"
    )


@pytest.mark.filterwarnings("ignore:.*langchain-community.*:DeprecationWarning")
@pytest.mark.parametrize("library", LANGCHAIN)
def test_the_real_langchain_takes_the_graph(library, monkeypatch):
    types = real(f"{library}.graphs.graph_document")
    documents = real("langchain_core.documents")
    for other in LANGCHAIN:
        if other != library:
            monkeypatch.setitem(sys.modules, f"{other}.graphs.graph_document", None)
    graph = to_langchain(extraction())
    assert isinstance(graph, types.GraphDocument)
    assert isinstance(graph.source, documents.Document)
    assert (graph.source.page_content, graph.source.metadata) == (extraction().text, {"source": "page"})
    assert [(one.source.id, one.type, one.target.id) for one in graph.relationships] == [
        ("Ada (Q1)", "met", '"Bo"'),
        ('"Bo"', "met", "Ada (Q2)"),
    ]
    assert graph.model_dump()["nodes"][0]["properties"] == {"name": "Ada", "mentions": 2, "kb_id": "Q1"}


def test_the_real_langchain_writes_the_graph_to_its_store():
    store = real("langchain_neo4j.graphs.neo4j_graph").Neo4jGraph
    asked = []
    graph = store.__new__(store)  # without a database: what it would be asked is kept
    graph._driver = SimpleNamespace(close=lambda: None)
    graph.query = lambda *given, **_: asked.append(given[-1])
    graph.add_graph_documents([to_langchain(extraction())], include_source=True)
    nodes, relationships = asked
    assert [one["id"] for one in nodes["data"]] == ["Ada (Q1)", '"Bo"', "Ada (Q2)"]
    assert nodes["document"]["page_content"] == extraction().text
    assert [(one["source"], one["type"], one["target"]) for one in relationships["data"]] == [
        ("Ada (Q1)", "MET", '"Bo"'),
        ('"Bo"', "MET", "Ada (Q2)"),
    ]
    plain = (str, int, float)
    assert all(isinstance(value, plain) for one in relationships["data"] for value in one["properties"].values())


def test_the_real_llama_index_finds_the_triples_in_its_store():
    types = real("llama_index.core.graph_stores.types")
    store = real("llama_index.core.graph_stores").SimplePropertyGraphStore()
    nodes, relations = to_llama_index([extraction("one"), extraction("two")])
    assert all(isinstance(one, types.EntityNode) for one in nodes)
    store.upsert_nodes(nodes)
    store.upsert_relations(relations)
    found = store.get_triplets(entity_names=["Ada (Q1)"])
    assert [(head.name, relation.label, tail.name) for head, relation, tail in found] == [("Ada (Q1)", "met", '"Bo"')]
    [(_, relation, _)] = found
    assert [one["document"] for one in json.loads(relation.properties["evidence"])] == ["one", "one", "two", "two"]
