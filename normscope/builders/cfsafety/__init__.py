"""CFSafety: 25,000 prompts in ten categories."""
