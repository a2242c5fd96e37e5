"""Every answer of a run, or of two, as one page that needs no server: search, filters, links."""
