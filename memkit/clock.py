"""The time now: the one place where memkit looks at a clock."""

from __future__ import annotations

from datetime import datetime, timezone


def utc_now() -> str:
    """The time now, as it is stored."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
