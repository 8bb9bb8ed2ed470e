"""Engines: finding mentions and joining them with facts, on one machine or on a cluster."""
