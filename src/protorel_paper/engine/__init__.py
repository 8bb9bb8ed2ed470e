"""The experiment engine: plan, claim, make, write JSON, summarise. Tables and experiments share it."""
