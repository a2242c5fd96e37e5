"""The `evaluate` module `refusal_rates`."""
