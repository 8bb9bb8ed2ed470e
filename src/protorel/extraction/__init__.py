"""Extraction: from text to triples."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.extraction.arcs import arcs_svg
    from protorel.extraction.entity_keys import Coreference, entity_key
    from protorel.extraction.entity_sources import (
        NUMBERS,
        SOURCES,
        EntitySource,
        KnowledgeBaseNames,
        SpacyEntities,
        check_source_name,
        entity_source,
    )
    from protorel.extraction.extractor import Extractor
    from protorel.extraction.formats import (
        FORMATS,
        Fact,
        GraphEntity,
        KnowledgeGraph,
        OutputFormat,
        check_output,
        format_for,
        write_extractions,
    )
    from protorel.extraction.mention_spans import as_mentions
    from protorel.extraction.predictor import RelationPredictor
    from protorel.extraction.schema import RelationRule, Schema
    from protorel.extraction.settings import ExtractionSettings, check_share
    from protorel.extraction.text_inputs import BadText, InputText, check_texts, is_stream, looks_like_path, read_texts
    from protorel.extraction.triples import Extraction, Mention, Triple, counts_in_words

__all__ = [
    "BadText",
    "Coreference",
    "EntitySource",
    "Extraction",
    "ExtractionSettings",
    "Extractor",
    "FORMATS",
    "Fact",
    "GraphEntity",
    "InputText",
    "KnowledgeBaseNames",
    "KnowledgeGraph",
    "Mention",
    "NUMBERS",
    "OutputFormat",
    "RelationPredictor",
    "RelationRule",
    "SOURCES",
    "Schema",
    "SpacyEntities",
    "Triple",
    "arcs_svg",
    "as_mentions",
    "check_output",
    "check_share",
    "check_source_name",
    "check_texts",
    "counts_in_words",
    "entity_key",
    "entity_source",
    "format_for",
    "is_stream",
    "looks_like_path",
    "read_texts",
    "write_extractions",
]

__getattr__ = lazy_names(__name__)
