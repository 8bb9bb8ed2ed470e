"""Judging: people look at labels one by one, and their verdicts are kept."""
