"""Few-shot methods: one file per method, one registry."""

from typing import TYPE_CHECKING

from protorel.lazy import lazy_names

if TYPE_CHECKING:
    from protorel.fewshot.episode_method import (
        WEIGHTS,
        EpisodeMethod,
        Scored,
        TokenStates,
        load_method,
        make_method,
        method_record,
        save_method,
    )
    from protorel.fewshot.hubness import HubnessCorrection
    from protorel.fewshot.method_settings import LearnedSettings, MethodSettings
    from protorel.fewshot.registry import (
        EPISODES,
        METHODS,
        FewShotMethod,
        Needs,
        find_method,
        register_method,
        stored_vector_methods,
        trainable_methods,
    )
    from protorel.fewshot.relation_texts import default_text_weight, described_ways
    from protorel.fewshot.setfit import EncoderMethod, SetFit, SetFitSettings
    from protorel.fewshot.vector_methods import SIMILARITIES, VectorMethod, vector_method

__all__ = [
    "EPISODES",
    "METHODS",
    "SIMILARITIES",
    "WEIGHTS",
    "EncoderMethod",
    "EpisodeMethod",
    "FewShotMethod",
    "HubnessCorrection",
    "LearnedSettings",
    "MethodSettings",
    "Needs",
    "Scored",
    "SetFit",
    "SetFitSettings",
    "TokenStates",
    "VectorMethod",
    "default_text_weight",
    "described_ways",
    "find_method",
    "load_method",
    "make_method",
    "method_record",
    "register_method",
    "save_method",
    "stored_vector_methods",
    "trainable_methods",
    "vector_method",
]

__getattr__ = lazy_names(__name__)
