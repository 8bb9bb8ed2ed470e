"""Relations in text: probabilities, thresholds, direction and triples over natural pairs of entities."""
