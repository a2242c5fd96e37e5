"""The arrows of the row: build, respond, judge, score, report; each from files to files."""
