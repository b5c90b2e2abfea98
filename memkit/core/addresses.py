"""Addresses of stores on a server, told apart from paths of files."""

from __future__ import annotations

SCHEMES = ("postgresql://", "postgres://")


def is_server(path: object) -> bool:
    """Whether this is the address of a PostgreSQL database, and no path of a file."""
    return str(path).startswith(SCHEMES)
