"""Harvest: from a knowledge base and raw text to statements."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.harvest.engines.alignment import AlignmentRule, Engine
    from protorel.harvest.engines.duckdb_engine import DuckDBEngine
    from protorel.harvest.engines.spark_engine import SparkEngine
    from protorel.harvest.fuzzyred import build_fuzzyred
    from protorel.harvest.libraries import memory_bound
    from protorel.harvest.manifest import check_place
    from protorel.harvest.mentions.finder import MentionRule
    from protorel.harvest.mentions.name_search import NameSearch
    from protorel.harvest.mentions.sentences import split_sentences
    from protorel.harvest.run import harvest_statements
    from protorel.harvest.settings import HarvestSettings, HarvestSources

__all__ = [
    "AlignmentRule",
    "DuckDBEngine",
    "Engine",
    "HarvestSettings",
    "HarvestSources",
    "MentionRule",
    "NameSearch",
    "SparkEngine",
    "build_fuzzyred",
    "check_place",
    "harvest_statements",
    "memory_bound",
    "split_sentences",
]

__getattr__ = lazy_names(__name__)
