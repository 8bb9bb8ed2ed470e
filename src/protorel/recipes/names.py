"""The names that recipes and the command line choose by: few-shot methods, similarities, readouts, word encoders.

A file of its own, since commands are declared with these names, and without pydantic.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from protorel.fewshot import METHODS, stored_vector_methods

if TYPE_CHECKING:
    CombineName = str
    VectorMethodName = str
else:
    CombineName = Literal[tuple(name for name, method in METHODS.items() if method.takes_similarity)]
    """Rules by which examples decide by their similarity to a query."""
    VectorMethodName = Literal[tuple(stored_vector_methods())]
    """Methods on stored vectors: the rules, and those that fit a classifier to the examples of each episode."""
SimilarityName = Literal["cosine", "dot", "euclidean"]
"""How vectors are compared."""
ReadoutName = Literal["start", "mention", "cls", "mean"]
"""How a statement's vector is read from the states of a transformer."""
WordEncoderName = Literal["cnn", "pcnn", "rnn", "self_attention"]
"""Encoders of words, which a training makes from word vectors."""
WORD_ENCODERS = get_args(WordEncoderName)
