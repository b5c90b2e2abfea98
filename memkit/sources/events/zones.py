"""Time zones of a calendar: which one a name means, whether it is known here, to Windows, or only to the file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import tzinfo
from zoneinfo import ZoneInfo

# A zone that a file defines is believed if its clocks change by rules of years: others could take forever to work out.
_RULE = re.compile(r"^(?:RRULE|EXRULE)[^:\n]*:(.*)$", re.MULTILINE | re.IGNORECASE)
_OF_YEARS = re.compile(r"(?:;?(?:FREQ=YEARLY|(?:BYMONTH|BYDAY|BYMONTHDAY|UNTIL|COUNT|INTERVAL|WKST)=[\w,+-]*))+\s*")
_PLACE = re.compile(r"[A-Z][\w+-]*/[A-Z][\w+/-]*\Z")  # the end of `/mozilla.org/20050126_1/Europe/Berlin`
_OF_PLACE = re.compile(r"^X-LIC-LOCATION[^:\n]*:[ \t]*(\S+)", re.MULTILINE | re.IGNORECASE)
_LONGEST = 20_000  # characters of a definition: a century of changes


class Zones:
    """The zones of one calendar. `defined` are its definitions (VTIMEZONE), by their names."""

    def __init__(self, defined: Mapping[str, str]):
        self._defined = defined
        self._known: dict[str, tzinfo | None] = {}

    def zone(self, name: str) -> tzinfo | None:
        """The zone of this name; None if neither this machine nor the calendar knows it."""
        if name not in self._known:
            self._known[name] = _of_machine(name) or _of_file(self._defined.get(name, ""))
        return self._known[name]


def _of_machine(name: str) -> tzinfo | None:
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

    place = _PLACE.search(name)
    for known in (name, WINDOWS_TO_OLSON.get(name, ""), place[0] if place else "", *_shorter(place)):
        with suppress(ValueError, OSError, KeyError):  # no such zone; a name that is a folder, or leads out of it
            if known:
                return ZoneInfo(known)
    return None


def _shorter(place: re.Match[str] | None) -> list[str]:
    """The last two parts of a name of a place: `US/Europe/Berlin` ends in one."""
    return ["/".join(place[0].split("/")[-2:])] if place else []


def _of_file(definition: str) -> tzinfo | None:
    if (place := _OF_PLACE.search(definition)) and (found := _of_machine(place[1])):
        return found
    rules = _RULE.findall(definition)
    if not definition or len(definition) > _LONGEST or not all(_OF_YEARS.fullmatch(rule) for rule in rules):
        return None
    from icalendar import Component, Timezone

    try:
        parsed = Component.from_ical(definition)
        found = parsed.to_tz(lookup_tzid=False) if isinstance(parsed, Timezone) else None
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):  # a definition that makes no sense
        return None
    return found if isinstance(found, tzinfo) else None
