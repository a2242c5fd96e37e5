"""The contextual-integrity vignettes of LLM-CI and its successors."""
