"""Mentions: the sentences of documents and the entities they name."""
