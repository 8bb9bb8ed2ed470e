"""The unit ball: similarity, prototypes, and how they are dispersed."""

from protorel.geometry.dispersion import Dispersion, dispersion
from protorel.geometry.prototypes import Prototypes, mean_prototypes, random_prototypes
from protorel.geometry.similarity import ScaledCosine, Similarity, cosine
from protorel.geometry.whitening import Whitening, fit_whitening

__all__ = [
    "Dispersion",
    "Prototypes",
    "ScaledCosine",
    "Similarity",
    "Whitening",
    "cosine",
    "dispersion",
    "fit_whitening",
    "mean_prototypes",
    "random_prototypes",
]
