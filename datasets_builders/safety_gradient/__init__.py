"""A bilingual ladder of answers of known safety, written for Normscope."""
