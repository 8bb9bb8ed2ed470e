"""The names that recipes and the command line choose by: few-shot methods, similarities, readouts, word encoders."""

from __future__ import annotations

from typing import Literal, get_args

CombineName = Literal["prototype", "mean", "nearest"]
"""Rules by which examples decide by their similarity to a query."""
VectorMethodName = Literal["prototype", "mean", "nearest", "linear_probe", "tuned_head"]
"""Methods on stored vectors: the rules, and those that fit a classifier to the examples of each episode."""
TunedMethodName = Literal["setfit"]
"""Methods that tune the encoder itself in each episode."""
LearnedMethodName = Literal["gnn", "meta_network", "mlman", "pair", "siamese", "snail"]
"""Methods with weights of their own; what a recipe says of them is in `methods.py`."""
MethodName = Literal[VectorMethodName, TunedMethodName, LearnedMethodName]
"""All of them."""
SimilarityName = Literal["cosine", "dot", "euclidean"]
"""By what vectors are compared."""
ReadoutName = Literal["start", "mention", "cls", "mean"]
"""How a statement's vector is read from the states of a transformer."""
WordEncoderName = Literal["cnn", "pcnn", "rnn", "self_attention"]
"""Encoders of words, which a training makes from word vectors."""
WORD_ENCODERS = get_args(WordEncoderName)
