"""The `evaluate` module `cfsafety_score`."""
