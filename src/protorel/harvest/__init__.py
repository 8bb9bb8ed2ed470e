"""Harvest: from a knowledge base and raw text to statements."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.harvest.alignment import AlignmentRule
    from protorel.harvest.duckdb_engine import DuckDBEngine
    from protorel.harvest.engine import Engine
    from protorel.harvest.fuzzyred import build_fuzzyred
    from protorel.harvest.libraries import memory_bound
    from protorel.harvest.manifest import check_place
    from protorel.harvest.run import harvest
    from protorel.harvest.settings import HarvestSettings, HarvestSources
    from protorel.harvest.shard_work import MentionRule
    from protorel.harvest.spark_engine import SparkEngine

__all__ = [
    "AlignmentRule",
    "DuckDBEngine",
    "Engine",
    "HarvestSettings",
    "HarvestSources",
    "MentionRule",
    "SparkEngine",
    "build_fuzzyred",
    "check_place",
    "harvest",
    "memory_bound",
]

__getattr__ = lazy_names(__name__)
