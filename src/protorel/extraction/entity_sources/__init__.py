"""Where the entities of a text come from: a function from text to spans, under one protocol."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.extraction.entity_sources.choice import SOURCES, EntitySource, check_source_name, entity_source
    from protorel.extraction.entity_sources.knowledge_base import KnowledgeBaseNames
    from protorel.extraction.entity_sources.spacy_pipeline import NUMBERS, SpacyEntities

__all__ = [
    "EntitySource",
    "KnowledgeBaseNames",
    "NUMBERS",
    "SOURCES",
    "SpacyEntities",
    "check_source_name",
    "entity_source",
]

__getattr__ = lazy_names(__name__)
