"""A shared store on a PostgreSQL server: what a file pushes into it, and pulls from it."""

from memkit.sharing.postgres.exchange import ExchangeReport
from memkit.sharing.postgres.pulling import pull
from memkit.sharing.postgres.pushing import push
from memkit.sharing.postgres.rights import allow

__all__ = ["ExchangeReport", "allow", "pull", "push"]
