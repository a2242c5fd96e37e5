"""People check what the rules for text read: a sample, a sheet to fill in, precision and recall."""
