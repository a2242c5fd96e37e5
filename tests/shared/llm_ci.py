"""The contexts whose numbers are the paper's: what is counted of them never changes."""

LLM_CI = ("coppa", "iot", "location", "public_records", "social_contract", "web")
