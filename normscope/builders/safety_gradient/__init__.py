"""A bilingual graded set of answers of known safety, written for Normscope."""
