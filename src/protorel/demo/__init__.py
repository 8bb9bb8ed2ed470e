"""The demo: small world, distant labels, pretraining, few-shot evaluation, an audit of labels, triples, one page.

Importing it does not import torch, so the command line can check its options and show progress first.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.demo.phases import Phases
    from protorel.demo.result import DemoResult
    from protorel.demo.run import run_demo

__all__ = ["ENCODERS", "EPISODES", "QUESTION", "SETTINGS", "DemoResult", "Phases", "run_demo"]

ENCODERS: Mapping[str, tuple[str, ...]] = {
    "minilm": (),
    "cnn": ("encoder=cnn", "learning_rate=1e-3", "steps=300", "head_factor=1"),
}
"""Encoders of the demo, and what each changes in the recipe `demo`."""
EPISODES = 2000
SETTINGS = ((5, 1), (5, 5))
"""Classes and examples per class of the few-shot settings."""
QUESTION = "picks the right one of 5 relations"
"""Title of the first table."""

__getattr__ = lazy_names(__name__)
