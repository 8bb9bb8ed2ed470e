"""Snowball: word patterns of relations, to read, and as the rule prototypes of the IND baseline."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.patterns.contexts import Context, Slot, context_of
    from protorel.patterns.corpus import PatternCorpus, read_corpus
    from protorel.patterns.reading import ReadPattern, ReadPatterns, patterns_json, read_patterns
    from protorel.patterns.rule_prototypes import rule_prototype, rule_weights
    from protorel.patterns.settings import SnowballSettings
    from protorel.patterns.snowball import RelationPatterns, find_patterns

__all__ = [
    "Context",
    "PatternCorpus",
    "ReadPattern",
    "ReadPatterns",
    "RelationPatterns",
    "Slot",
    "SnowballSettings",
    "context_of",
    "find_patterns",
    "patterns_json",
    "read_corpus",
    "read_patterns",
    "rule_prototype",
    "rule_weights",
]

__getattr__ = lazy_names(__name__)
