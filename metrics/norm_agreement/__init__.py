"""The `evaluate` module `norm_agreement`."""
