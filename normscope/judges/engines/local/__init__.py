"""The local engine: prompts as a tree, its passes over a model in memory, replies."""
