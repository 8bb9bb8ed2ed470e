"""Snowball: patterns of words that tell a relation, to read, and as the rule prototypes of the IND baseline."""

from protorel.patterns.contexts import Context, Slot, context_of
from protorel.patterns.corpus import PatternCorpus, read_corpus
from protorel.patterns.reading import ReadPatterns, patterns_json, read_patterns
from protorel.patterns.rule_prototypes import rule_prototype, rule_weights
from protorel.patterns.settings import SnowballSettings
from protorel.patterns.snowball import RelationPatterns, find_patterns

__all__ = [
    "Context",
    "PatternCorpus",
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
