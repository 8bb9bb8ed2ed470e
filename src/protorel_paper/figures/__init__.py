"""Figures 1 to 6 of the paper."""
