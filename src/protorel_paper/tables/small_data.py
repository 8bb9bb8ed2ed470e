"""The embedded small world in the place of the benchmarks, so that every row can be tried with no file at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from protorel.corpora import SmallWorld, SmallWorldSettings, build_small_world
from protorel.evaluation import OTHER, SEMEVAL_RELATIONS
from protorel.statements import DataSet, Statement

_SETTINGS = SmallWorldSettings(statements_per_relation=8, held_out_per_relation=6)


class SmallWorldData:
    """Distant labels to pretrain on, known relations in other words to tune on, new relations to judge by."""

    def __init__(self, settings: SmallWorldSettings = _SETTINGS) -> None:
        self.world = build_small_world(settings)

    def open(self, name: str) -> DataSet:
        """Return the part of the world that takes the place of a benchmark."""
        return DataSet.of(f"small_world_{name}", _statements(self.world, name))


def _statements(world: SmallWorld, name: str) -> Iterable[Statement]:
    match name:
        case "distant" | "fuzzyred":
            return world.train
        case "fewrel_train":
            return world.test_phrasings
        case "fewrel_val":
            return world.test_relations
        case "semeval_train":
            return _as_semeval(world.train, world)
        case "semeval_test":
            return _as_semeval(world.test_phrasings, world)
        case _:
            raise ValueError(f"small world has nothing for {name}")


def _as_semeval(statements: Iterable[Statement], world: SmallWorld) -> list[Statement]:
    """Give statements the labels of SemEval: nine relations are called by its names, all others are Other."""
    names = dict(zip(world.train_relations, (f"{name}(e1,e2)" for name in SEMEVAL_RELATIONS), strict=False))
    return [replace(statement, relation=names.get(str(statement.relation), OTHER)) for statement in statements]
