"""Triples as the graphs of other libraries, by stand-ins that take what the real types take."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from types import ModuleType
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


@pytest.fixture
def libraries(monkeypatch):
    held = {
        "langchain_community.graphs.graph_document": (Node, Relationship, GraphDocument),
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
    [(to_langchain, "langchain-community"), (lambda one: to_llama_index([one]), "llama-index-core")],
)
def test_an_absent_library_is_named_with_the_command_that_installs_it(adapt, package, monkeypatch):
    for name in ("langchain_community", "llama_index"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(BadInput, match=f"install it with: pip install {package}"):
        adapt(extraction())
