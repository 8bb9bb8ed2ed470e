"""Geometry of the vectors: similarity, prototypes and their dispersion, whitening."""

from protorel.geometry.dispersion import Dispersion, dispersion, uniformity
from protorel.geometry.prototypes import Origin, Prototypes, mean_prototypes, random_prototypes
from protorel.geometry.similarity import LearnedCosine, ScaledCosine, ShiftedDot, Similarity, cosine, dot, euclidean
from protorel.geometry.whitening import CENTRING, SHRINKAGE, Whitening, fit_whitening

__all__ = [
    "SHRINKAGE",
    "CENTRING",
    "Dispersion",
    "LearnedCosine",
    "Origin",
    "Prototypes",
    "ScaledCosine",
    "ShiftedDot",
    "Similarity",
    "Whitening",
    "cosine",
    "dispersion",
    "dot",
    "euclidean",
    "fit_whitening",
    "mean_prototypes",
    "random_prototypes",
    "uniformity",
]
