"""Sources for `--budget smoke`: small trainings on small world that take a minute or two."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from protorel.corpora import SmallWorld, SmallWorldSettings, build_small_world
from protorel.statements import DataSet, Descriptions
from protorel.training import finetune, load_finetune_recipe, load_recipe, pretrain
from protorel_paper.engine import Watching, quiet
from protorel_paper.experiments import Amount, PointExam, run_data_budget
from protorel_paper.figures.figures import FigureSources
from protorel_paper.recipes import RECIPES

SETTINGS = SmallWorldSettings(statements_per_relation=60, held_out_per_relation=20)
# Few words and no masked-word loss: most of a step would be spent on words that small world never uses.
_CNN = (
    "encoder=cnn",
    "learning_rate=1e-3",
    "head_factor=1",
    "cnn.most_frequent_words=1000",
    "objective.mlm.weight=0",
)
PRETRAINING: Sequence[str] = (*_CNN, "steps=200")
TUNING: Sequence[str] = ("epochs=4", "learning_rate=1e-3")
BUDGET: Sequence[str] = (*_CNN, "steps=40")
GRID: tuple[Sequence[Amount], Sequence[Amount]] = (0, 4, 22), (0, 10, None)
"""Numbers of relations, and of statements per relation."""
EPISODES = 500


def smoke_sources(folder: Path, *, figures: Sequence[str], seed: int = 0, watching: Watching = quiet) -> FigureSources:
    """Train what these figures need in a folder, and return the sources to draw from."""
    world = build_small_world(SETTINGS)
    run = tuned = points = None
    if {"figure1", "figure2", "figure5"} & {*figures}:
        run = folder / "small_world"
        with watching("small world: pretraining") as watch:
            pretrain(list(world.train), run, load_recipe("demo", [*PRETRAINING, f"seed={seed}"]), watch=watch)
    if run is not None and "figure5" in figures:
        tuned = folder / "small_world_tuned"
        stated = [one for one in world.train if one.expresses]
        with watching("small world: tuning") as watch:
            recipe = load_finetune_recipe("supervised", [*TUNING, f"seed={seed}"])
            finetune(run, stated, tuned, recipe, watch=watch)
    if {"figure3", "figure4"} & {*figures}:
        points = folder / "points"
        _budget(world, points, seed=seed, watching=watching)
    return FigureSources(
        run=run,
        data=DataSet.of("small world, training", world.train),
        semeval_run=tuned,
        semeval_data=DataSet.of("small world, new phrasings", world.test_phrasings),
        points=points,
        descriptions=Descriptions.of({relation.id: relation for relation in world.relations}, name="small world"),
        seed=seed,
    )


def _budget(world: SmallWorld, points: Path, *, seed: int, watching: Watching) -> None:
    test = DataSet.of("small world, new relations", world.test_relations)
    run_data_budget(
        [load_recipe("budget", BUDGET, also_in=RECIPES)],
        DataSet.of("small world, training", world.train),
        test,
        points,
        relations=GRID[0],
        statements=GRID[1],
        seeds=(seed,),
        exam=PointExam.of(test, episodes=EPISODES),
        watching=watching,
    )
