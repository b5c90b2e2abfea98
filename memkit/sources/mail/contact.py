"""Contacts: what an address book says of a person or a company becomes the drafts of a memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from memkit.core.instants import MONTH_NAMES
from memkit.core.types import DocumentDraft, Draft, Failure
from memkit.sources.chat import LONGEST_TURN, time_or_none
from memkit.sources.options import ReadOptions
from memkit.sources.values import LONGEST_NAME, clean, plain, short_name, sound, tags_of
from memkit.text.chunking import parts
from memkit.text.words import has_cjk, short_id

_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_UNESCAPED = {sign: re.compile(rf"(?<!\\){sign}") for sign in ";,"}
_APPLE_LABEL = re.compile(r"_\$!<(.*)>!\$_")
_DAY = re.compile(r"(\d{4}|--)-?(\d\d)-?(\d\d)(?:T.*)?")
_OWN = "mycontacts"  # the list of Google in which everybody is whom one knows
_NO_YEAR = "1604"  # Apple's year of a day whose year is not known
PLACES = ("home", "work", "cell", "fax", "main", "school", "other", "iphone", "pager")
UUID = "urn:uuid:"
_URI = re.compile(r"(?:tel|mailto|sms|xmpp|urn:uuid):", re.IGNORECASE)
# Relations whose keys say something of a person (`KNOWLEDGE` in predicates.py).
_RELATED = frozenset(
    "spouse partner mother father parent parents children brother sister siblings friend friends colleague".split()
)


@dataclass(frozen=True)
class Property:
    """A line of a contact: `item1.TEL;TYPE=home:123` has a group, a name, parameters and a value."""

    group: str
    name: str
    parameters: tuple[str, ...]
    raw: str

    @cached_property
    def types(self) -> tuple[str, ...]:
        """What its `TYPE` says, in lower case; version 2.1 writes only the values."""
        found = (one.rpartition("=")[2] for one in self.parameters if one.upper().startswith("TYPE=") or "=" not in one)
        return tuple(value.strip('" ').lower() for one in found for value in one.split(","))

    @property
    def value(self) -> str:
        """Its text."""
        return _ESCAPED.sub(lambda found: "\n" if found[1] in "nN" else found[1], self.raw).strip()

    def listed(self, sign: str) -> list[str]:
        """Its parts (`;`), or the items of its list (`,`)."""
        return [
            Property("", "", (), part).value.replace("\n", " ").strip() for part in _UNESCAPED[sign].split(self.raw)
        ]


@dataclass
class Contact:
    """A contact while it is read; `groups` are the lists of people that it is in."""

    properties: list[Property] = field(default_factory=list)
    ended: bool = False
    groups: list[str] = field(default_factory=list)

    def all(self, *names: str) -> list[Property]:
        """The properties with one of these names that say something."""
        return [one for one in self.properties if one.name in names and one.value.strip(";, ")]

    def first(self, *names: str) -> str:
        """The value of the first such property, in one line; empty without one."""
        return next((short_name(one.value) for one in self.all(*names)), "")

    @cached_property
    def uid(self) -> str:
        """The id that its address book gave it; empty without one."""
        return self.first("UID").removeprefix(UUID)

    @property
    def is_group(self) -> bool:
        """Whether it is a list of people."""
        return self.first("KIND", "X-ADDRESSBOOKSERVER-KIND").lower() == "group"

    @cached_property
    def is_company(self) -> bool:
        """Whether it is a company."""
        kind = self.first("KIND").lower()
        return kind in ("org", "organization") or self.first("X-ABSHOWAS").lower() == "company"

    @cached_property
    def organization(self) -> list[str]:
        """The company, and the parts of it."""
        return next((list(filter(None, one.listed(";"))) for one in self.all("ORG")), [])

    @cached_property
    def names(self) -> list[str]:
        """What it is called: the name that is shown first, then others. Empty if it has none."""
        parts = next((one.listed(";") for one in self.all("N")), [])
        family, given, middle, *_ = [*parts, "", "", ""]
        if has_cjk(family) and has_cjk(given):  # the family is named first, and no space between
            spoken = family + given
        else:
            spoken = " ".join(" ".join(filter(None, (given, middle, family))).split())
        shown = self.first("FN")
        found = [
            shown,
            "" if _letters(shown) == _letters(spoken) else spoken,
            *(name for one in self.all("NICKNAME") for name in one.listed(",")),
        ]
        return list(dict.fromkeys(short_name(name) for name in found if any(map(str.isalpha, name))))

    @cached_property
    def title(self) -> str:
        """The first of its names, else that of its company, else a mail address or a number."""
        shown = [*self.names[:1], *self.organization[:1], self.first("EMAIL"), self.first("TEL")]
        return next((short_name(_URI.sub("", one)) for one in shown if one), "")

    @cached_property
    def _labels(self) -> dict[str, str]:
        """What a person calls a number or an address, by its group."""
        found = {one.group: short_name(_APPLE_LABEL.sub(r"\1", one.value)).lower() for one in self.all("X-ABLABEL")}
        return {group: label for group, label in found.items() if group}

    def label(self, one: Property) -> str:
        """What kind of number or address it is: `home`, or what a person calls it; empty if nothing says so."""
        return self._labels.get(one.group) or " ".join(place for place in PLACES if place in one.types)

    def labelled(self, *names: str) -> list[tuple[str, str]]:
        """The kind and the value of each such property, without repetitions."""
        return list(
            dict.fromkeys((self.label(one), short_name(_URI.sub("", one.value, count=1))) for one in self.all(*names))
        )

    def day(self, *names: str) -> str:
        """A day as ISO 8601, as `--05-03` without its year, or as it is written."""
        said = self.first(*names)
        if not (found := _DAY.fullmatch(said)):
            return said
        year = "-" if found[1] in ("--", _NO_YEAR) else found[1]
        return f"{year}-{found[2]}-{found[3]}"

    def related(self) -> list[tuple[str, str]]:
        """Who is what to this person."""
        of_types = [(next(iter(one.types), ""), short_name(one.value)) for one in self.all("RELATED")]
        labelled = [
            *self.labelled("X-ABRELATEDNAMES"),
            *(("spouse", name) for _, name in self.labelled("X-SPOUSE", "X-EVOLUTION-SPOUSE")),
        ]
        return [(kind, name) for kind, name in (*of_types, *labelled) if not _URI.match(name) and ":" not in name]


def _in_words(day: str) -> str:
    """A day as people ask for it: `3 May 1980`, `3 May` without its year."""
    found = _DAY.fullmatch(day)
    if not found or not 1 <= int(found[2]) <= len(MONTH_NAMES):
        return day
    return f"{int(found[3])} {MONTH_NAMES[int(found[2]) - 1]} {found[1].strip('-')}".strip()


def _letters(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


def drafts(contacts: Iterable[Contact | Failure], path: Path, options: ReadOptions) -> Iterator[Draft | Failure]:
    """Each contact as a document about its person, once; one that cannot be read is a Failure."""
    seen: dict[str, set[str]] = {}
    for contact in contacts:
        if isinstance(contact, Failure):
            yield contact
            continue
        try:
            yield from _drafts(contact, seen, path, options)
        except ValueError as error:
            yield Failure(path.as_posix(), f"contact {contact.title!r}: {error}")


def _drafts(contact: Contact, seen: dict[str, set[str]], path: Path, options: ReadOptions) -> Iterator[Draft]:
    about = _about(contact)
    lines = [f"{name}: {value}" for name, value in about]
    notes = "\n\n".join(one.value for one in contact.all("NOTE"))
    text = "\n\n".join(filter(None, ["\n".join([contact.title, *lines]), notes]))
    if not (lines or notes or contact.names):
        return
    if not contact.title:
        raise ValueError("it has no name, company, mail address or number")
    id = contact.uid or contact.title
    before = seen.setdefault(id, set())
    if text in before:
        return
    if before:  # two people of one name, in an address book without ids
        id = f"{id}/{short_id(text)}"
    before.add(text)
    document = DocumentDraft(
        source=clean(f"contact:{id}")[:LONGEST_NAME],
        kind="contact",
        title=contact.title,
        project=options.project,
        updated_at=time_or_none(contact.first("REV")),
        aliases=tuple(contact.names[1:]),
        fields=plain(_fields(contact), options.limits),
        file=path.as_posix(),
    )
    categories = (tag for one in contact.all("CATEGORIES") for tag in one.listed(","))
    tags = [*(tag for tag in categories if tag.casefold().replace(" ", "") != _OWN), *contact.groups]
    pieces = parts(sound(text), LONGEST_TURN)
    for number, piece in enumerate(pieces, 1):
        yield Draft(
            text=piece,
            document=document,
            source_id=document.source,
            kind="contact",
            title=contact.title,
            tags=tags_of(tags),
            project=options.project,
            meta={"part": number, "parts": len(pieces)} if len(pieces) > 1 else {},
        )


def _about(contact: Contact) -> Iterator[tuple[str, str]]:
    """What the contact says, as names and values."""

    def shown(kind: str, value: str) -> str:
        return f"{value} ({kind})" if kind else value

    yield from (("Also called", name) for name in contact.names[1:])
    work = [contact.first("TITLE", "ROLE"), "" if contact.is_company else ", ".join(contact.organization)]
    if any(work) and work[1] != contact.title:
        yield "Work", " at ".join(filter(None, work))
    for name, day in (
        ("Birthday", contact.day("BDAY")),
        ("Anniversary", contact.day("ANNIVERSARY", "X-ANNIVERSARY", "X-EVOLUTION-ANNIVERSARY")),
    ):
        if day:
            yield name, _in_words(day)
    yield from (((kind or "date").capitalize(), value) for kind, value in contact.labelled("X-ABDATE"))
    yield from (("E-mail", shown(*one)) for one in contact.labelled("EMAIL"))
    yield from (("Phone", shown(*one)) for one in contact.labelled("TEL"))
    for one in contact.all("ADR"):
        post, more, street, *others = one.listed(";")
        yield "Address", shown(contact.label(one), ", ".join(filter(None, (street, more, post, *others))))
    yield from (("Link", shown(*one)) for one in contact.labelled("URL", "X-SOCIALPROFILE", "IMPP"))
    yield from (((kind or "related").capitalize(), name) for kind, name in contact.related())


def _fields(contact: Contact) -> dict[str, object]:
    """What becomes relations of the person. Values with a comma stay in the text: they would be taken for several."""
    is_company = contact.is_company or (not contact.names and contact.organization)
    fields: dict[str, list[str]] = {
        "type": ["company"] if is_company else ["person"] if contact.names else [],  # none of a lone number
        "organization": [] if contact.is_company else contact.organization[:1],
        "job_title": [contact.first("TITLE", "ROLE")],
        "born": [contact.day("BDAY")],
        "e_mail": [value for _, value in contact.labelled("EMAIL")],
        "phone_number": [value for _, value in contact.labelled("TEL")],
    }
    for kind, name in contact.related():
        if kind in _RELATED:
            fields.setdefault(kind, []).append(name)
    kept = {key: [one for one in values if one and "," not in one] for key, values in fields.items()}
    return {key: values[0] if len(values) == 1 else values for key, values in kept.items() if values}
