"""Few-shot methods: one method, one file."""

from collections.abc import Mapping
from functools import partial

from protorel.fewshot.crowd import Crowd
from protorel.fewshot.described import default_text_weight, described_examples, described_ways
from protorel.fewshot.episode_method import EpisodeMethod, Scored, TokenStates
from protorel.fewshot.learned import LEARNED_METHODS, WEIGHTS, load_method, make_method, method_record, save_method
from protorel.fewshot.linear_probe import linear_probe
from protorel.fewshot.mean import mean
from protorel.fewshot.method import CombineRule, FittedMethod, VectorMethod
from protorel.fewshot.nearest import nearest
from protorel.fewshot.prototype import prototype
from protorel.fewshot.setfit import SetFitSettings, tune_on_examples
from protorel.fewshot.tuned_head import tuned_head
from protorel.geometry import Similarity, cosine, dot, euclidean
from protorel.recipes import LearnedSettings, MethodSettings
from protorel.statements import BadInput

VECTOR_METHODS: Mapping[str, CombineRule] = {"prototype": prototype, "mean": mean, "nearest": nearest}
"""Rules by which examples decide by their similarity to a query, by name."""
FITTED_METHODS: Mapping[str, FittedMethod] = {"linear_probe": linear_probe, "tuned_head": tuned_head}
"""Methods that fit a classifier to the examples of each episode, by name."""
TUNED_METHODS: Mapping[str, SetFitSettings] = {"setfit": SetFitSettings()}
"""Methods that tune the encoder itself in each episode, by name, and how."""
SIMILARITIES: Mapping[str, Similarity] = {"cosine": cosine, "dot": dot, "euclidean": euclidean}
"""By what they compare, by name."""


def vector_method(name: str = "prototype", similarity: str = "cosine") -> VectorMethod:
    """Return the method on stored vectors of that name, which compares by a similarity of that name.

    One that fits a classifier reads directions alone where the similarity is the cosine, else lengths too.
    """
    known = (*VECTOR_METHODS, *FITTED_METHODS)
    if name not in known:
        raise BadInput(f"method {name!r} is not known, one of {', '.join(known)} is wanted")
    if similarity not in SIMILARITIES:
        raise BadInput(f"similarity {similarity!r} is not known, one of {', '.join(SIMILARITIES)} is wanted")
    if name in FITTED_METHODS:
        return partial(FITTED_METHODS[name], unit=similarity == "cosine")
    return partial(VECTOR_METHODS[name], similarity=SIMILARITIES[similarity])


__all__ = [
    "method_record",
    "WEIGHTS",
    "CombineRule",
    "Crowd",
    "EpisodeMethod",
    "FITTED_METHODS",
    "FittedMethod",
    "LEARNED_METHODS",
    "LearnedSettings",
    "MethodSettings",
    "SIMILARITIES",
    "Scored",
    "SetFitSettings",
    "TUNED_METHODS",
    "TokenStates",
    "VECTOR_METHODS",
    "VectorMethod",
    "default_text_weight",
    "described_examples",
    "described_ways",
    "linear_probe",
    "load_method",
    "make_method",
    "mean",
    "nearest",
    "prototype",
    "save_method",
    "tune_on_examples",
    "tuned_head",
    "vector_method",
]
