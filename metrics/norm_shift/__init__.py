"""The `evaluate` module `norm_shift`."""
