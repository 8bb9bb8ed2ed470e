"""Budgets: the amount of work for a table, the same for every row so that rows can be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from protorel.statements import BadInput
from protorel_paper.tables.rows import Trained


@dataclass(frozen=True, slots=True)
class Budget:
    """Settings on top of the recipes, and the size of the evaluation."""

    name: str
    encoder: str
    """Encoder that transformer rows start from."""
    pretraining: tuple[str, ...] = ()
    """Settings of every pretraining."""
    training: Mapping[Trained, tuple[str, ...]] = field(default_factory=dict)
    """Settings of the last training of a row, by its size."""
    suffix: str = ""
    """Suffix of every recipe name."""
    method: str = "prototype"
    """Few-shot method for rows that name none."""
    episodes: int = 10_000
    draws: int = 100
    """Draws of true statements per label of FuzzyRED."""
    starts_simply: bool = True
    """Whether a method that learns slowly from scratch starts from the encoder of a simpler one."""
    tuned_for_each: bool = False
    """Whether a row is tuned once per setting, as in the paper, or once for all."""


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
            "paper", encoder="bert-base-uncased", suffix="@paper", method="nearest", starts_simply=False,
            tuned_for_each=True,
        ),
    )
}  # fmt: skip
"""The budgets by name."""


def budget_named(name: str) -> Budget:
    """Return a budget by its name."""
    if name not in BUDGETS:
        raise BadInput(f"budget: expected one of {', '.join(BUDGETS)}, got {name!r}")
    return BUDGETS[name]
