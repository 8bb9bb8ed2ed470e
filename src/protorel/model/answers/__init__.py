"""What a model answers: predictions, their calibration, and relations that are added without training."""
