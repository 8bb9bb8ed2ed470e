"""Integrations: relations in spaCy pipelines, triples as the graphs of other libraries."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.integrations.graphs import to_langchain, to_llama_index
    from protorel.integrations.spacy_component import RelationComponent, make_component

__all__ = ["RelationComponent", "make_component", "to_langchain", "to_llama_index"]

__getattr__ = lazy_names(__name__)
