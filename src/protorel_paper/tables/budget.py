"""How much work may go into a table: the same for every row, so that rows can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from protorel.statements import BadInput
from protorel_paper.tables.rows import Trained


@dataclass(frozen=True, slots=True)
class Budget:
    """What is set on top of the recipes, and how long the judging is."""

    name: str
    encoder: str
    """What transformer rows begin with."""
    pretraining: tuple[str, ...] = ()
    """Settings of every pretraining."""
    training: Mapping[Trained, tuple[str, ...]] = field(default_factory=dict)
    """Settings of the trainings that come last, by how they are sized."""
    suffix: str = ""
    """What follows the name of every recipe."""
    method: str = "prototype"
    """How vectors are judged in episodes."""
    episodes: int = 10_000
    draws: int = 100
    """How often true statements are drawn for each label of FuzzyRED."""
    begins_simply: bool = True
    """Whether a method that learns slowly from scratch begins with the encoder of a simpler one."""
    tuned_for_each: bool = False
    """Whether a row is tuned once for each setting, as the paper does, or once for all."""


_ALIKE = ("max_length=64", "min_statements=10", "learning_rate=3e-4", "prototype_start=means")
_LIGHT_MLM = ("objective.mlm.weight=0.1", "objective.mlm.rate=0.1")
_SMALL_WORDS = (
    *(f"{kind}.most_frequent_words=200" for kind in ("cnn", "pcnn", "rnn", "self_attention")),
    *("cnn.channels=16", "pcnn.channels=16", "rnn.hidden=8", "self_attention.hidden=12"),
)

BUDGETS = {
    budget.name: budget
    for budget in (
        Budget(
            "smoke",
            encoder="tiny",
            pretraining=(
                "steps=3", "relations_per_batch=4", "statements_per_relation=2", "max_length=48", "checkpoint_every=3",
            ),
            training={
                "tuned": ("steps=3", "episodes=[[5,1]]", "max_length=48", "checkpoint_every=3"),
                "pairs": ("steps=3", "episodes=[[3,1]]", "max_length=48", "checkpoint_every=3", "encoder=null"),
                "scratch": ("steps=3", "episodes=[[10,1]]", "max_length=48", "checkpoint_every=3", *_SMALL_WORDS),
                "supervised": ("epochs=1", "hold_out=20", "max_length=48", "checkpoint_every=1000"),
                "scratch_supervised": (
                    "epochs=1", "hold_out=20", "max_length=48", "checkpoint_every=1000", *_SMALL_WORDS,
                ),
            },
            episodes=20,
            draws=5,
        ),
        # 12,160 statements are encoded in every pretraining, 4,992 in every tuning.
        Budget(
            "cpu",
            encoder="minilm",
            pretraining=(
                "steps=95", "relations_per_batch=64", "statements_per_relation=2", "checkpoint_every=20",
                *_ALIKE, *_LIGHT_MLM,
            ),
            training={
                "tuned": ("steps=52", "checkpoint_every=20"),
                "supervised": ("epochs=2",),
            },
        ),
        Budget(
            "paper", encoder="bert-base-uncased", suffix="@paper", method="nearest", begins_simply=False,
            tuned_for_each=True,
        ),
    )
}  # fmt: skip
"""The budgets by name."""


def budget_named(name: str) -> Budget:
    """Return a budget by its name."""
    if name not in BUDGETS:
        raise BadInput(f"budget {name!r} is not known, one of {', '.join(BUDGETS)} is wanted")
    return BUDGETS[name]
