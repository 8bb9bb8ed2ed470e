"""Few-shot methods: one method, one file."""

from collections.abc import Mapping
from functools import partial

from protorel.fewshot.described import default_text_weight, described_ways
from protorel.fewshot.mean import mean
from protorel.fewshot.method import CombineRule, VectorMethod
from protorel.fewshot.nearest import nearest
from protorel.fewshot.prototype import prototype
from protorel.geometry import Similarity, cosine, dot, euclidean
from protorel.statements import BadInput

VECTOR_METHODS: Mapping[str, CombineRule] = {"prototype": prototype, "mean": mean, "nearest": nearest}
"""Methods on stored vectors, by name."""
SIMILARITIES: Mapping[str, Similarity] = {"cosine": cosine, "dot": dot, "euclidean": euclidean}
"""By what they compare, by name."""


def vector_method(name: str = "prototype", similarity: str = "cosine") -> VectorMethod:
    """Return the method that combines examples by a rule and compares by a similarity, both given by name."""
    if name not in VECTOR_METHODS:
        raise BadInput(f"method {name!r} is not known, one of {', '.join(VECTOR_METHODS)} is wanted")
    if similarity not in SIMILARITIES:
        raise BadInput(f"similarity {similarity!r} is not known, one of {', '.join(SIMILARITIES)} is wanted")
    return partial(VECTOR_METHODS[name], similarity=SIMILARITIES[similarity])


__all__ = [
    "CombineRule",
    "SIMILARITIES",
    "VECTOR_METHODS",
    "VectorMethod",
    "default_text_weight",
    "described_ways",
    "mean",
    "nearest",
    "prototype",
    "vector_method",
]
