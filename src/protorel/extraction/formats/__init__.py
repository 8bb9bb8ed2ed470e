"""Output formats of an extraction: one file per format, one line in the registry."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.extraction.formats.knowledge_graph import Fact, GraphEntity, KnowledgeGraph
    from protorel.extraction.formats.registry import FORMATS, OutputFormat, check_output, format_for, write_extractions

__all__ = [
    "FORMATS",
    "Fact",
    "GraphEntity",
    "KnowledgeGraph",
    "OutputFormat",
    "check_output",
    "format_for",
    "write_extractions",
]

__getattr__ = lazy_names(__name__)
