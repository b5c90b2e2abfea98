"""`python -m memkit` is `memkit`."""

from memkit.cli import main

main()
