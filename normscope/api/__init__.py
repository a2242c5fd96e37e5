"""What `import normscope as ns` offers: judges, runs, comparisons and contexts as Python objects.

Each does what a verb of the command line does, by the same functions.
"""
