"""Open-set evaluation: when to answer "none of these", and what that costs."""
