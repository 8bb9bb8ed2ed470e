"""Gazetteer: the names of entities, and finding them in text."""
