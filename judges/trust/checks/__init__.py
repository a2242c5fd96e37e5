"""Whether a judge holds what it is used for: ladder, languages, several judges, probes, drift."""
