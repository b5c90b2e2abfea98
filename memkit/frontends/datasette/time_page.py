"""Time page: the years, months and days of the memories, what happened on a day, and on this day of other years."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasette.utils.asgi import Response

from memkit.core.clock import utc_now
from memkit.core.formatting import when_text
from memkit.core.instants import MONTH_NAMES
from memkit.core.types import Memory
from memkit.frontends.datasette import reading, urls
from memkit.frontends.datasette.access import database_of, remembered
from memkit.frontends.datasette.responses import answer, page
from memkit.frontends.datasette.tables import RECALL
from memkit.text.markdown_html import Around

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

MOST_ON_THIS_DAY = 12
EXCERPT = Around(most=480)


@page
async def time(datasette: Any, request: Any) -> Response:
    """/<database>/-/time, and /<database>/-/time/2025, /2025-03, /2025-03-14."""
    database = await database_of(datasette, request, RECALL)
    when = (request.url_vars.get("when") or "")[:20]
    url = urls.within(datasette, database)
    today = utc_now()[:10]
    shown = await remembered(datasette, database, ("time", when, today), lambda memory: _values(memory, when, url))
    return await answer(datasette, request, "memkit_time.html", shown | {"database": database})


def _values(memory: MemoryDatabase, when: str, url: Any) -> dict[str, Any]:
    found = memory.period(when)
    above = [when[:n] for n in (4, 7) if len(when) > n]
    most = max((n for _, n in found.parts), default=1)
    return {
        "when": when,
        "title": called(when) if when else "Time",
        "parts": [
            {"when": part, "name": _short(part), "count": n, "share": round(100 * n / most), "url": url("time", part)}
            for part, n in found.parts
        ],
        "memories": [_told(one, url) for one in found.memories],
        "on_this_day": [_told(one, url) for one in memory.on_this_day(MOST_ON_THIS_DAY)] if not when else [],
        "_above": [{"name": called(part), "url": url("time", part)} for part in above],
        "_all": url("time"),
        "_before": found.before and {"name": called(found.before), "url": url("time", found.before)},
        "_after": found.after and {"name": called(found.after), "url": url("time", found.after)},
    }


def _told(one: Memory, url: Any) -> dict[str, Any]:
    named = one.title != (one.happened_at or "")[:10]  # the note of a day is called as the page is
    heading = reading.headed(one) if named else reading.heading(one.text) or reading.begins(one.text, 60)
    return {
        "url": url("memory", one.id),
        "heading": heading,
        "when": when_text(one.happened_at),
        "speaker": one.speaker,
        "kind": one.kind,
        "html": "" if reading.says_it_all(one) else reading.text(one, EXCERPT),
    }


def called(when: str) -> str:
    """A year, a month or a day in words: `14 March 2025`."""
    year, month, day = [*when.split("-"), "", ""][:3]
    return " ".join(part for part in (day.lstrip("0"), MONTH_NAMES[int(month) - 1] if month else "", year) if part)


def _short(when: str) -> str:
    """A part of a period by its own name: `2025`, `March`, `14`."""
    return {4: when, 7: called(when).split(" ")[0], 10: when[8:].lstrip("0")}[len(when)]
