"""The `evaluate` module `factor_effects`."""
