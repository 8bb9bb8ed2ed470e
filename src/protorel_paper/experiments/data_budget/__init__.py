"""Data budget: few-shot accuracy by the number of relations and statements trained on (figures 3 and 4)."""
