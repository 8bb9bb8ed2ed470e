"""Overlap between data sets: what a training set shares with a test set."""
