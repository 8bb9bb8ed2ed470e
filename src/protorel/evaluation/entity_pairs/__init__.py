"""Evaluation by entity pair, as distantly supervised relation extraction is evaluated."""
