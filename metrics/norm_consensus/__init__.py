"""The `evaluate` module `norm_consensus`."""
