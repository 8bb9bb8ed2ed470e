"""The unit ball: similarity, prototypes, and how they are dispersed."""

from protorel.geometry.dispersion import Dispersion, dispersion
from protorel.geometry.prototypes import Prototypes, mean_prototypes, random_prototypes
from protorel.geometry.similarity import ScaledCosine, Similarity, cosine

__all__ = [
    "Dispersion",
    "Prototypes",
    "ScaledCosine",
    "Similarity",
    "cosine",
    "dispersion",
    "mean_prototypes",
    "random_prototypes",
]
