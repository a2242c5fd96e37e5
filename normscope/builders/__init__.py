"""Sources to datasets: one subfolder per Hub dataset, and the types that all of them share."""
