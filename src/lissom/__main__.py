"""`python -m lissom`: the command line, where the program `lissom` is not on the path."""

from .cli import main

main()
