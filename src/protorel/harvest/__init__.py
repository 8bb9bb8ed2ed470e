"""Harvest: from a knowledge base and raw text to statements."""
