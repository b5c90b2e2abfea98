"""Browser history loader: the databases of Chrome and its kin, Firefox and its kin, Safari and qutebrowser."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure
from memkit.sources.chat import time_or_none
from memkit.sources.epochs import since_1601, since_2001
from memkit.sources.format import Format
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import columns, read_only
from memkit.sources.reading.item import Item, drafts, link
from memkit.sources.record_ids import RecordIds

# Address, title, time and whether another page led to it by itself, in the order of time. What was loaded into a frame
# of a page was not visited: links of the kinds 3 and 4 in Chrome, 4 and 8 in Firefox.
CHROME = """
select urls.url, urls.title, visit_time, transition & 0xC0000000
from visits join urls on urls.id = visits.url
where transition & 0xFF not in (3, 4)
order by visit_time, visits.id
"""
FIREFOX = """
select moz_places.url, moz_places.title, visit_date, visit_type in (5, 6)
from moz_historyvisits join moz_places on moz_places.id = place_id
where visit_type not in (4, 8)
order by visit_date, moz_historyvisits.id
"""
FIREFOX_MOBILE = "select url, title, date, 0 from history where date > 0 order by date, _id"
SAFARI = """
select url, title, visit_time, redirect_source is not null
from history_visits join history_items on history_items.id = history_item
order by visit_time, history_visits.id
"""
QUTEBROWSER = "select url, title, atime, redirect from History order by atime, rowid"
_NO_PAGE = ("javascript:", "data:", "blob:", "place:", "about:")


@dataclass(frozen=True)
class Browser:
    """A family of browsers: how their visits are read, how the time is told, and the columns of their tables."""

    name: str
    visits: str
    time: Callable[[object], str | None]
    tables: Mapping[str, Set[str]]


_BROWSERS = (
    Browser(
        "Chrome", CHROME, since_1601, {"urls": {"id", "url", "title"}, "visits": {"url", "visit_time", "transition"}}
    ),
    Browser(
        "Firefox",
        FIREFOX,
        time_or_none,
        {"moz_places": {"id", "url", "title"}, "moz_historyvisits": {"place_id", "visit_date", "visit_type"}},
    ),
    Browser(
        "Firefox for Android",
        FIREFOX_MOBILE,
        time_or_none,
        {"history": {"_id", "url", "title", "date", "guid"}, "visits": {"history_guid", "date"}},
    ),
    Browser(
        "Safari",
        SAFARI,
        since_2001,
        {
            "history_items": {"id", "url"},
            "history_visits": {"history_item", "visit_time", "title", "redirect_source"},
        },
    ),
    Browser("qutebrowser", QUTEBROWSER, time_or_none, {"History": {"url", "title", "atime", "redirect"}}),
)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each visit of a page, the oldest first, as a link with its time. Frames in pages are left out."""
    yield from drafts(_visits(path, options), path, options, kind="history")


def _visits(path: Path, options: ReadOptions) -> Iterator[Item]:
    ids = RecordIds()
    with read_only(path, options) as conn:
        browser = _of({name: {*columns(conn, name)} for one in _BROWSERS for name in one.tables})
        if browser is None:
            raise BadSource(f"{path} has no tables of a browser's history")
        for url, title, when, redirect in conn.execute(browser.visits):
            if not isinstance(url, str) or not url or url.startswith(_NO_PAGE):
                continue
            words = " ".join(title.split()) if isinstance(title, str) else ""
            yield Item(
                source="browser-history", document="Browser history", text=link(words, url),
                id=ids.next(when, "", url), title=words or url, kind="visit", at=browser.time(when),
                meta={"url": url, "browser": browser.name, "redirect": bool(redirect)},
            )  # fmt: skip


def _of(tables: Mapping[str, Set[str]]) -> Browser | None:
    """The family of browsers that has such tables."""
    return next(
        (one for one in _BROWSERS if all(wanted <= tables.get(name, set()) for name, wanted in one.tables.items())),
        None,
    )


FORMAT = Format(
    "browser-history",
    "Visits of pages: the databases of browsers",
    read,
    lambda sample: sample.is_database and _of(sample.tables) is not None,
    ("*.db", "*.sqlite", "*.sqlite3", "history"),
)
