"""Finished cells to a table: figures over seeds, paired comparisons, Markdown, JSON and a plot."""
