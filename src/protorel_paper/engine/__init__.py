"""The experiment engine: plan, claim, make, write JSON, summarise."""
