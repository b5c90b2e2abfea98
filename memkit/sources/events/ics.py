"""iCalendar loader: events, tasks and journal entries, by the library icalendar (the extra `calendar`)."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Any

from memkit.core.instants import from_clocks, to_iso
from memkit.core.patterns import pattern
from memkit.core.types import DocumentDraft, Draft, Failure, ReadWarning
from memkit.sources.chat import LONGEST_TURN
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded, marked
from memkit.sources.events.recurrence import dates, in_words
from memkit.sources.events.zones import Zones
from memkit.sources.format import Format
from memkit.sources.html_markdown import html_markdown
from memkit.sources.json_file import is_json, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Damaged, Sample
from memkit.sources.values import LONGEST_NAME, clean, plain, short_name, sound, tags_of
from memkit.text.chunking import parts
from memkit.text.words import short_id

# A long line goes on in the next one, after a blank: even in the middle of a letter, so bytes are joined.
_FOLD = re.compile(rb"(?<!\n)(?:\r?\n)+[ \t]")
_EDGE = pattern(r"(BEGIN|END):([A-Z-]+)\s*", re.IGNORECASE)
_ABOUT = pattern(r"(X-WR-CALNAME|X-WR-RELCALID|X-WR-TIMEZONE)(?:;[^:]*)?:(.*)", re.IGNORECASE)
_ESCAPED = pattern(r"\\(.)")
_KINDS = {"VEVENT": "event", "VTODO": "task", "VJOURNAL": "journal"}
_HTML = pattern(r"</?(?:a|b|br|div|html|html-blob|i|li|ol|p|span|ul)\b[^<>]*>", re.IGNORECASE)
_MOST_NAMES = 30  # people that the text names; `meta` has all
_INVITES = ("When", "Moved from", "Repeats", "Where", "Status")  # what a mail does not say itself
_ONE_DAY = timedelta(days=1)
_BROKEN = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError)  # what icalendar may raise


@dataclass
class _Calendar:
    """A calendar of the file: what it says of itself, its zones, and its components as text (None: without an end)."""

    about: dict[str, str] = field(default_factory=dict)
    zones: dict[str, str] = field(default_factory=dict)
    components: list[tuple[str, str | None]] = field(default_factory=list)


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure | ReadWarning]:
    """Each event, task and journal entry once: what recurs with its rule in words, a date moved out of it by itself."""
    data = whole(path, options, "note_size")
    if is_json(data):
        data = _as_ical(path, load_json(data, options.limits))
    text = decoded(data if (marked(data) or "").startswith(("utf-16", "utf-32")) else _FOLD.sub(b"", data))
    for calendar in _calendars(text.split("\n")):
        yield from _drafts(calendar, path, options)


def invitation(data: bytes, timezone: str | None) -> tuple[str, str]:
    """What a calendar in a mail invites to, or takes back: when and where, in lines, and what is said about it.

    Both are empty where it holds no event that can be read, and without the library.
    """
    for calendar in _calendars(decoded(_FOLD.sub(b"", data)).split("\n")):
        clocks = _Clocks(Zones(calendar.zones), calendar.about.get("X-WR-TIMEZONE", ""), timezone)
        for kind, text in calendar.components:
            with suppress(ImportError, *_BROKEN):
                event = _Entry(kind, text, clocks)
                about = event.about()
                return "\n".join(f"{name}: {about[name]}" for name in _INVITES if about[name]), event.description()
    return "", ""


def _as_ical(path: Path, calendar: Any) -> bytes:
    """A calendar in JSON (jCal, RFC 7265) as iCalendar."""
    from icalendar import Component

    try:
        ical: bytes = Component.from_jcal(calendar).to_ical()
    except _BROKEN as error:
        raise Damaged(path, f"it is no calendar: {error}") from error
    return ical


def _calendars(lines: Iterable[str]) -> Iterator[_Calendar]:
    calendar, kind, held = _Calendar(), "", list[str]()
    for line in lines:
        edge = _EDGE.fullmatch(line)
        begins, name = (edge[1].upper() == "BEGIN", edge[2].upper()) if edge else (False, "")
        if kind and (name == "VCALENDAR" or (begins and name in (*_KINDS, "VTIMEZONE"))):
            calendar.components.append((kind, None))
            kind, held = "", []
        if name == "VCALENDAR":
            yield calendar
            calendar = _Calendar()
        elif begins and not kind and name in (*_KINDS, "VTIMEZONE"):
            kind, held = name, [line.strip()]
        elif kind:
            held.append(line.rstrip("\r"))
            if name == kind:
                _close(calendar, kind, "\r\n".join(filter(None, held)))
                kind = ""
        elif about := _ABOUT.fullmatch(line.strip()):
            calendar.about[about[1].upper()] = _ESCAPED.sub(r"\1", about[2]).strip()
    if kind:
        calendar.components.append((kind, None))
    yield calendar


def _close(calendar: _Calendar, kind: str, text: str) -> None:
    if kind != "VTIMEZONE":
        calendar.components.append((kind, text))
    elif name := re.search(r"^TZID(?:;[^:\n]*)?:([^\r\n]*)", text, re.MULTILINE | re.IGNORECASE):
        calendar.zones[name[1].strip()] = text


def _drafts(calendar: _Calendar, path: Path, options: ReadOptions) -> Iterator[Draft | Failure | ReadWarning]:
    name = short_name(calendar.about.get("X-WR-CALNAME", ""))
    identity = calendar.about.get("X-WR-RELCALID") or name
    document = DocumentDraft(
        source=clean(f"calendar:{identity}")[:LONGEST_NAME] if identity else path.as_posix(),
        kind="calendar",
        title=name or path.stem,
        project=options.project,
        whole=False,
        file=path.as_posix(),
    )
    zones = Zones(calendar.zones)
    home = calendar.about.get("X-WR-TIMEZONE", "")
    entries: dict[str, _Entry] = {}
    for kind, text in calendar.components:
        try:
            entry = _Entry(kind, text, _Clocks(zones, home, options.timezone))
        except _BROKEN as error:
            yield Failure(path.as_posix(), f"{_KINDS.get(kind, 'a time zone')}: {error}")
            continue
        before = entries.get(entry.id)
        if before and before.sequence == entry.sequence and before.gist != entry.gist:
            entry.id = f"{entry.id}/{short_id(*entry.gist)}"  # a program that gives one id to several
        if not before or entry.version >= before.version:
            entries[entry.id] = entry
    for entry in entries.values():
        try:
            found = list(entry.drafts(document, options))
            yield from found
            yield from entry.broken(path.as_posix(), said=bool(found))
        except _BROKEN as error:
            yield Failure(path.as_posix(), f"{entry.kind} {entry.title or entry.id!r}: {error}")


@dataclass(frozen=True)
class _Moment:
    """A day, or a time on the clocks of a zone (empty: of nowhere), and the same as ISO 8601 in UTC."""

    local: date
    zone: str
    iso: str

    def __str__(self) -> str:
        if not isinstance(self.local, datetime):
            return self.local.isoformat()
        return f"{self.local.replace(tzinfo=None).isoformat(' ', 'minutes')}{f' ({self.zone})' if self.zone else ''}"


@dataclass(frozen=True)
class _Clocks:
    """The clocks of a calendar: `home` is its zone, `ours` that of times which belong to no zone."""

    zones: Zones
    home: str
    ours: str | None

    def moment(self, value: Any) -> _Moment | None:
        """The time of a property; None if there is none that could be understood."""
        when = getattr(value, "dt", None)
        if not isinstance(when, date):
            return None
        if not isinstance(when, datetime):
            return _Moment(when, "", when.isoformat())
        name = str(getattr(value, "params", {}).get("TZID", ""))
        try:
            return self._timed(when, name)
        except (ValueError, OverflowError):  # a time at the end of the calendar, or a zone that the user misspelt
            return None

    def _timed(self, when: datetime, name: str) -> _Moment:
        home = self.zones.zone(self.home)
        if not name and when.tzinfo:  # in UTC, as calendars save what was entered on the clocks of home
            shown = when.astimezone(home) if home else when
            return _Moment(shown, self.home if home else "UTC", to_iso(when))
        zone: tzinfo | None = self.zones.zone(name) if name else home
        local = when.replace(tzinfo=None)
        moment = to_iso(local.replace(tzinfo=zone)) if zone else from_clocks(local, self.ours)
        return _Moment(local, name or (self.home if zone else ""), moment)


class _Entry:
    """An event, a task or a journal entry. Raises ValueError and its like for one that makes no sense."""

    def __init__(self, kind: str, text: str | None, clocks: _Clocks):
        from icalendar import Component

        if text is None:
            raise ValueError("it does not end")
        self.kind, self.clocks = _KINDS[kind], clocks
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that a zone's name is guessed: here it is guessed with more care
            self.parsed: Any = Component.from_ical(text)
        self.title = " ".join(self._text("SUMMARY").split())
        self.start, self.due = self._moment("DTSTART"), self._moment("DUE")
        self.done = self._moment("COMPLETED")
        moved_from = self._moment("RECURRENCE-ID")
        self.moved = str(moved_from) if moved_from else ""
        start = self.start.iso if self.start else None
        uid = self._text("UID") or short_id(self.kind, start, self.title, self._text("DESCRIPTION"))
        self.id = clean(f"{uid}/{moved_from.iso}" if moved_from else uid)[:LONGEST_NAME]
        self.gist = (self.title, start)
        changed = self._moment("LAST-MODIFIED") or self._moment("DTSTAMP")
        sequence = self._text("SEQUENCE")
        self.sequence = int(sequence) if re.fullmatch(r"\d{1,9}", sequence) else 0
        self.version = (self.sequence, changed.iso if changed else "")

    def _all(self, name: str) -> list[Any]:
        """The values of a property, without those that could not be understood."""
        from icalendar import vBroken

        found = self.parsed.get(name)
        values = found if isinstance(found, list) else [] if found is None else [found]
        return [one for one in values if not isinstance(one, vBroken)]

    def _text(self, name: str) -> str:
        return "\n\n".join(filter(None, (clean(str(one)).strip() for one in self._all(name))))

    def _moment(self, name: str) -> _Moment | None:
        return next((moment for one in self._all(name) if (moment := self.clocks.moment(one))), None)

    def _people(self, *names: str) -> list[str]:
        found = (
            getattr(one, "params", {}).get("CN") or re.sub(r"(?i)^mailto:", "", str(one))
            for name in names
            for one in self._all(name)
        )
        return list(dict.fromkeys(filter(None, map(short_name, found))))

    def _end(self) -> _Moment | None:
        """When it ends: the last day of it, or a time. The end of days is the day after."""
        end = self._moment("DTEND")
        if not self.start or type(end.local if end else self.start.local) is not type(self.start.local):
            return None
        if end is None:
            duration = next((getattr(one, "dt", None) for one in self._all("DURATION")), None)
            if not isinstance(duration, timedelta):
                return None
            try:
                local = self.start.local + duration
            except OverflowError:
                return None
            end = _Moment(local, self.start.zone, local.isoformat())
        if not isinstance(end.local, datetime) and end.local > self.start.local:
            last = end.local - _ONE_DAY
            end = _Moment(last, "", last.isoformat())
        return end if str(end) != str(self.start) else None

    def _when(self) -> str:
        end = self._end()
        if not self.start or not end:
            return str(self.start or "")
        first, last = str(self.start), str(end)
        if isinstance(end.local, datetime) and end.zone == self.start.zone:
            zone = f" ({end.zone})" if end.zone else ""
            same_day = isinstance(self.start.local, datetime) and end.local.date() == self.start.local.date()
            return f"{first.removesuffix(zone)} to {last[11:] if same_day else last}"
        return f"{first} to {last}"

    def _repeats(self) -> str:
        rules = [words for one in self._all("RRULE") if isinstance(one, dict) and (words := in_words(one))]
        also, but = dates(self._days("RDATE")), dates(self._days("EXDATE"))
        rules += [f"also on {also}"] if also else []
        return ", ".join([*rules, f"except {but}"] if but and rules else rules)

    def _days(self, name: str) -> list[date]:
        listed = (one for group in self._all(name) for one in getattr(group, "dts", []))
        return [day for one in listed if isinstance(day := getattr(one, "dt", None), date)]

    def about(self) -> dict[str, str]:
        """What it says beside its title and description, by names."""
        people, status = self._people("ORGANIZER", "ATTENDEE"), self._status()
        return {
            "When": self._when(),
            "Due": str(self.due or ""),
            "Done": str(self.done or ""),
            "Moved from": self.moved,
            "Repeats": self._repeats(),
            "Where": " ".join(self._text("LOCATION").split()),
            "With": ", ".join([*people[:_MOST_NAMES], *(["..."] if len(people) > _MOST_NAMES else [])]),
            "Status": status if status in ("cancelled", "tentative") else "",
            "Link": self._text("URL"),
        }

    def _status(self) -> str:
        return self._text("STATUS").lower()

    def description(self) -> str:
        """What its author wrote about it, as Markdown."""
        text = self._text("DESCRIPTION")
        return html_markdown(text).strip() if _HTML.search(text) else text

    def _tags(self) -> tuple[str, ...]:
        return tags_of(name for group in self._all("CATEGORIES") for name in getattr(group, "cats", [group]))

    def broken(self, source: str, *, said: bool) -> Iterator[Failure | ReadWarning]:
        """That its time could not be understood; if it says nothing else, what was wrong first."""
        wrong = [(name, reason) for name, reason in self.parsed.errors if name == "DTSTART" or not said]
        for name, reason in wrong[:1]:
            about = f"{self.kind} {self.title or self.id!r}: {name or 'a line'} is broken: {reason}"
            yield ReadWarning(source, about) if said else Failure(source, about)

    def drafts(self, document: DocumentDraft, options: ReadOptions) -> Iterator[Draft]:
        """The drafts: one, of a long text several with one id. None if it says nothing, not even when.

        Raises ValueError for what cannot be stored.
        """
        organizer, people, status = self._people("ORGANIZER"), self._people("ORGANIZER", "ATTENDEE"), self._status()
        about = self.about()
        lines = "\n".join(f"{name}: {value}" for name, value in about.items() if value)
        text = "\n\n".join(filter(None, ["\n".join(filter(None, [self.title, lines])), self.description()]))
        happened = self.done or self.start or self.due or self._moment("CREATED")
        end = self._end()
        meta = plain(
            {
                **{name.lower().replace(" ", "_"): value for name, value in about.items() if value},
                **({"with": people} if people else {}),
                **({"organizer": organizer[0]} if organizer else {}),
                **({"zone": self.start.zone} if self.start and self.start.zone else {}),
                **({"end": end.iso} if end else {}),
                **({"status": status} if status else {}),
            },
            options.limits,
        )
        pieces = parts(sound(text), LONGEST_TURN) if text else []
        for number, piece in enumerate(pieces, 1):
            yield Draft(
                text=piece,
                document=document,
                source_id=self.id,
                kind=self.kind,
                title=short_name(self.title) or None,
                tags=self._tags(),
                project=options.project,
                happened_at=happened.iso if happened else None,
                sequential=False,
                meta={**meta, "part": number, "parts": len(pieces)} if len(pieces) > 1 else meta,
            )


# A calendar, or a part that a program saved without one around it: an event, or what is none (free and busy times).
_PARTS = f"VCALENDAR|{'|'.join(_KINDS)}|VTIMEZONE|VFREEBUSY|VAVAILABILITY|VALARM"
_FIRST = pattern(rf"BEGIN:(?:{_PARTS})[ \t]*[\r\n]|\s*\[\s*\"(?:{_PARTS})\"\s*,\s*\[", re.IGNORECASE)


def _matches(sample: Sample) -> bool:
    return _FIRST.match(sample.text) is not None


FORMAT = Format(
    "ics",
    "A calendar (iCalendar, also as JSON)",
    read,
    _matches,
    ("*.ics", "*.ical", "*.jcal", "*.json"),
    needs=("icalendar",),
    extra="calendar",
)
