"""Few-shot evaluation: N-way K-shot episodes on labelled statements."""
