"""Encoders over words and word vectors: CNN, PCNN, RNN and self-attention."""
