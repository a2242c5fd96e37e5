"""`python -m normscope` is the command `normscope`."""

from .cli import main

main()
