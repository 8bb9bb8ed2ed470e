"""When to give no answer: confidence, thresholds, and what they cost."""
