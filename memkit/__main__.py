"""`python -m memkit` is `memkit`."""

from memkit.frontends.cli.main import main

main()
