"""Judging by entity pair, as distantly supervised relation extraction is judged."""
