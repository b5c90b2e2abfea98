"""A shared store on a PostgreSQL server: what a file pushes into it, and pulls from it."""

from memkit.sharing.postgres.exchange import ExchangeReport, pull, push

__all__ = ["ExchangeReport", "pull", "push"]
