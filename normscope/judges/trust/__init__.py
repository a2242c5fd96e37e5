"""Whether a judge can be believed: people's labels, cards, probes, agreement, graded set, drift."""
