"""The `evaluate` module `risk_identification`."""
