"""The `evaluate` module `score_shape`."""
