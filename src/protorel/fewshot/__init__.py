"""Few-shot methods: one method, one file."""

from collections.abc import Mapping

from protorel.fewshot.mean import mean
from protorel.fewshot.method import VectorMethod
from protorel.fewshot.nearest import nearest
from protorel.fewshot.prototype import prototype

VECTOR_METHODS: Mapping[str, VectorMethod] = {"prototype": prototype, "mean": mean, "nearest": nearest}
"""Methods on stored vectors, by name."""

__all__ = ["VECTOR_METHODS", "VectorMethod", "mean", "nearest", "prototype"]
