"""Loader of contacts in a table: the CSV that Google, Outlook and Thunderbird export."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.core.written_dates import known_date, written_date
from memkit.sources.csv_lines import csv_cells
from memkit.sources.format import Format
from memkit.sources.mail.contact import PLACES, Contact, Property, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.reading.csv_export import Row, rows
from memkit.sources.sample import Sample

_SEVERAL = " ::: "  # between the values in a cell of Google
_NUMBERED = re.compile(r"(E-mail|Phone|Website|IM|Event|Relation|Custom Field) (\d{1,2}) - Value")  # of Google
_MAIL = re.compile(r"E-mail(?: \d)? Address|(?:Primary|Secondary) Email")
_PHONE = re.compile(r"(?:(.{1,40}) )?(?:Phone|Fax|Pager)(?: \d)?|(Fax|Pager|Mobile) Number")
_NO_LABEL = re.compile(r"\b(?:phone|number|internet|other)\b|[*\d]")
_WORDS = {"mobile": "cell", "business": "work", "company": "work", "primary": "main"}
_SPECIAL = re.compile(r"[\\;,]")
_NO_DAY = re.compile(r"0/0/0+")  # as Outlook writes that it knows none
# Columns that say one thing, by what it is called in a contact, with its label.
_PLAIN = {
    "Nickname": ("NICKNAME", ""),
    "Job Title": ("TITLE", ""), "Organization Title": ("TITLE", ""), "Organization 1 - Title": ("TITLE", ""),
    "Occupation": ("ROLE", ""), "Profession": ("ROLE", ""),
    "Web Page": ("URL", ""), "Personal Web Page": ("URL", ""), "Web Page 1": ("URL", ""), "Web Page 2": ("URL", ""),
    "Spouse": ("X-SPOUSE", ""), "Children": ("X-ABRELATEDNAMES", "child"),
    "Manager's Name": ("X-ABRELATEDNAMES", "manager"), "Assistant's Name": ("X-ABRELATEDNAMES", "assistant"),
    "Notes": ("NOTE", ""),
}  # fmt: skip
_OF_GOOGLE = {"E-mail": "EMAIL", "Phone": "TEL", "Website": "URL", "IM": "IMPP", "Relation": "X-ABRELATEDNAMES"}
_DAYS = {"Birthday": "BDAY", "Anniversary": "ANNIVERSARY"}
# The parts of an address, in the order of a contact's; each program has names of its own for them.
_ADDRESS = (
    ("PO Box",), ("Extended Address", "Street 2", "Address 2"), ("Street", "Address"), ("City",), ("Region", "State"),
    ("Postal Code", "ZipCode"), ("Country", "Country/Region"),
)  # fmt: skip
_LABELS = ("Label", "Type", "Service")
_WORK = (
    ("Organization Name", "Organization Department"), ("Organization 1 - Name", "Organization 1 - Department"),
    ("Company", "Department"), ("Organization", "Department"),
)  # fmt: skip
_HEADERS = (
    {"First Name", "Last Name", "Labels"}, {"Name", "Given Name", "Family Name", "Group Membership"},
    {"First Name", "Last Name", "E-mail Address"}, {"First Name", "Last Name", "Display Name", "Primary Email"},
)  # fmt: skip
_ADDRESSES = ("Address 1 -", "Address 2 -", "Address 3 -", "Home", "Business", "Work", "Other")


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each row as a document about its person: what the address book says."""
    found = (row if isinstance(row, Failure) else _contact(row, options) for row in rows(path, options))
    yield from drafts(found, path, options)


def _contact(row: Row, options: ReadOptions) -> Contact:
    row = {column.strip(): cell.strip() for column, cell in row.items() if cell.strip()}
    work = next((pair for pair in _WORK if pair[0] in row), ())
    return Contact(
        [
            *_names(row),
            *_property("ORG", "", *(row.get(column, "") for column in work)),
            *_days(row, options),
            *(one for column, cell in row.items() for one in _said(column, cell, row)),
            *(one for place in _ADDRESSES for one in _address(place, row)),
            *_property("CATEGORIES", "", *_tags(row), between=","),
        ]
    )


def _property(name: str, label: str, *values: str, between: str = ";") -> Iterator[Property]:
    """A property of a contact, if it says something, and what a person calls it."""
    if not any(values):
        return
    raw = between.join(_SPECIAL.sub(r"\\\g<0>", value).replace("\n", r"\n") for value in values)
    words = [_WORDS.get(word, word) for word in _NO_LABEL.sub(" ", label.lower()).split()]
    if all(word in PLACES for word in words):
        yield Property("", name, tuple(f"TYPE={word}" for word in words), raw)
    else:
        group = " ".join(words)
        yield from (Property(group, name, (), raw), Property(group, "X-ABLABEL", (), group))


def _names(row: Row) -> Iterator[Property]:
    given, middle, family = (
        row.get(f"{one} Name") or row.get(old, "")
        for one, old in (("First", "Given Name"), ("Middle", "Additional Name"), ("Last", "Family Name"))
    )
    before, after = row.get("Name Prefix", row.get("Title", "")), row.get("Name Suffix", row.get("Suffix", ""))
    spoken = " ".join(filter(None, (before, given, middle, family, after)))
    yield from _property("FN", "", row.get("Name") or row.get("Display Name") or spoken or row.get("File As", ""))
    yield from _property("N", "", family, given, middle)


def _said(column: str, cell: str, row: Row) -> Iterator[Property]:
    """What a column says of the contact: a mail address, a number, a page, a relative, a note."""
    if found := _NUMBERED.fullmatch(column):
        label = next((row[at] for kind in _LABELS if (at := f"{found[1]} {found[2]} - {kind}") in row), "")
        for value in cell.split(_SEVERAL):
            if found[1] == "Custom Field":
                yield from _property("NOTE", "", f"{label}: {value}" if label else value)
            elif found[1] == "Event":
                yield from _property(_DAYS.get(label, "X-ABDATE"), label, value)
            else:
                yield from _property(_OF_GOOGLE[found[1]], label, value)
    elif _MAIL.fullmatch(column):
        yield from _property("EMAIL", "", cell)
    elif found := _PHONE.fullmatch(column):
        yield from _property("TEL", column, cell)
    elif column in _PLAIN:
        yield from _property(*_PLAIN[column], cell)


def _days(row: Row, options: ReadOptions) -> Iterator[Property]:
    """The days of a person, as far as they are known: `3/4/1970` is in March or in April."""
    for column, name in _DAYS.items():
        if (told := row.get(column, "")) and not _NO_DAY.fullmatch(told):
            yield from _property(name, "", written_date(told, options.day_first) or told)
    born = [row.get(f"Birth {part}", "") for part in ("Year", "Month", "Day")]
    if all(part.isdecimal() for part in born):
        yield from _property("BDAY", "", known_date(*map(int, born)) or "")


def _address(place: str, row: Row) -> Iterator[Property]:
    label = next((row[at] for kind in _LABELS if (at := f"{place} {kind}") in row), place)
    parts = [next((row[at] for name in names if (at := f"{place} {name}") in row), "") for names in _ADDRESS]
    if not any(parts):
        parts = ["", "", row.get(f"{place} Formatted", "").replace("\n", ", ")]
    yield from _property("ADR", "" if label.startswith("Address") else label, *parts)


def _tags(row: Row) -> Iterator[str]:
    for column, sign in (("Labels", _SEVERAL), ("Group Membership", _SEVERAL), ("Categories", ";")):
        yield from (name.removeprefix("* ").strip() for name in row.get(column, "").split(sign) if name.strip())


def _matches(sample: Sample) -> bool:
    columns = {name.strip() for name in csv_cells(sample.text.split("\n", 1)[0].strip())}
    return any(names <= columns for names in _HEADERS)


FORMAT = Format(
    "contact-table",
    "Contacts as a table (CSV) of Google, Outlook or Thunderbird",
    read,
    _matches,
    ("*.csv",),
)
