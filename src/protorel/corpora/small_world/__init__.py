"""The embedded corpus: a made-up world with known truth and a dial for the noise of its distant labels.

Names, relations, phrasings and facts are our own inventions; `wording/` holds every sentence that can occur. Facts are
sampled under type constraints, sentences are written about pairs of entities, and distant labels arise as they do with
real text: a sentence that names both entities of a fact gets a row for every relation that the pair holds.
"""

from protorel.corpora.small_world.facts import Entity, Fact
from protorel.corpora.small_world.text import Document
from protorel.corpora.small_world.world import SmallWorld, SmallWorldSettings, build_small_world, write_raw

__all__ = ["Document", "Entity", "Fact", "SmallWorld", "SmallWorldSettings", "build_small_world", "write_raw"]
