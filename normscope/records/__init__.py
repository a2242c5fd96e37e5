"""One run is one model under test on one or more benchmarks, in one folder."""
