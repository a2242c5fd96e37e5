"""People label a sample of a run: sheets, agreement, and the run's numbers corrected by them."""
