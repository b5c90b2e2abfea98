"""Mail dates: `Sat, 01 Mar 2025 10:00:00 +0100`, as mails and OPML write them (RFC 5322)."""

from __future__ import annotations

from email.utils import parsedate_to_datetime

from memkit.core.instants import from_clocks, to_iso
from memkit.sources.options import ReadOptions


def mail_date(text: str, options: ReadOptions) -> str | None:
    """The moment as ISO text, without a zone on the clocks here; None for what is no such date."""
    try:
        found = parsedate_to_datetime(text)
        if found.tzinfo is not None or "-0000" in text:  # which says that its zone is unknown, and the time UTC
            return to_iso(found)
        return from_clocks(found, options.timezone)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
