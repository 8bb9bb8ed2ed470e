"""The embedded corpus: an invented world with known truth and an adjustable share of wrong labels.

Names, relations, phrasings and facts are invented; `wording/` holds every sentence that can occur. Facts are sampled
under type constraints, sentences are written about pairs of entities, and distant labels arise as with real text: a
sentence that names both entities of a fact gives one row per relation of the pair.
"""

from protorel.corpora.small_world.facts import Entity, Fact
from protorel.corpora.small_world.text import Document
from protorel.corpora.small_world.world import SmallWorld, SmallWorldSettings, build_small_world, write_raw

__all__ = ["Document", "Entity", "Fact", "SmallWorld", "SmallWorldSettings", "build_small_world", "write_raw"]
