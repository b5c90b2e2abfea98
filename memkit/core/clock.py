"""Clock: the current time. memkit asks for it only here, so that tests can set it."""

from __future__ import annotations

from datetime import datetime, timezone


def utc_now() -> str:
    """The current time as it is stored: `YYYY-MM-DDTHH:MM:SSZ`, in UTC."""
    return datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
