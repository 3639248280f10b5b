"""Lets `python -m headtrack` do what `headtrack` does."""

from headtrack.cli.main import main

main()
