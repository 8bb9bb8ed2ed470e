"""Label noise: what wrong training labels cost, by rate, kind and objective."""
