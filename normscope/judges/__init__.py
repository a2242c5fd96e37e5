"""Text to judgements: scales, rubrics, engines and the rules for text."""
