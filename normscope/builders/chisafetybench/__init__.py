"""CHiSafetyBench: multiple-choice and risky questions in Chinese."""
