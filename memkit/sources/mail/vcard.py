"""vCard loader: the contacts of an address book, in the versions 2.1, 3.0 and 4.0 (RFC 6350), each once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from quopri import decodestring

from memkit.core.types import Draft, Failure
from memkit.sources.contents import whole
from memkit.sources.encoding import decoded, marked
from memkit.sources.format import Format
from memkit.sources.mail.contact import UUID, Contact, Property, drafts
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.values import clean

_PROPERTY = re.compile(r'(?:([\w-]+)\.)?([\w-]+)((?:;(?:"[^"]*"|[^":;])*)*):(.*)', re.DOTALL)
_PARAMETER = re.compile(r';((?:"[^"]*"|[^";])*)')


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each contact as a document about its person: what the address book says, pictures and keys left out."""
    data = whole(path, options, "note_size")
    if marked(data):
        data = decoded(data).encode()
    found = list(_contacts(decoded(b"\n".join(_unfolded(data))).split("\n")))
    _join_groups(found)
    yield from drafts(_whole(found, path), path, options)


def _whole(found: Iterable[Contact], path: Path) -> Iterator[Contact | Failure]:
    """The contacts that are no lists of people, and a Failure for one that is cut off."""
    for contact in found:
        if not contact.is_group:
            yield contact if contact.ended else Failure(path.as_posix(), f"contact {contact.title!r}: it is cut off")


def _unfolded(data: bytes) -> Iterator[bytes]:
    """The lines; one that goes on in the next ones, even in the middle of a letter, is put together."""
    held: list[bytes] = []
    is_quoted = False  # quoted-printable text of version 2.1, of which a line that goes on ends with `=`
    for line in data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        if is_quoted and held[-1].endswith(b"="):
            held[-1:] = [held[-1][:-1], line]
        elif line[:1] in (b" ", b"\t") and held:
            held.append(line[1:])
        elif line:
            yield b"".join(held)
            held, is_quoted = [line], b"QUOTED-PRINTABLE" in line.partition(b":")[0].upper()
    yield b"".join(held)


def _contacts(lines: Iterable[str]) -> Iterator[Contact]:
    contact: Contact | None = None
    for line in map(str.strip, lines):
        if line.upper() == "BEGIN:VCARD":
            if contact is not None:
                yield contact
            contact = Contact()
        elif contact is not None and line.upper() == "END:VCARD":
            contact.ended = True
            yield contact
            contact = None
        elif contact is not None and (found := _PROPERTY.fullmatch(line)):
            contact.properties.append(_property(found))
    if contact is not None:
        yield contact


def _property(found: re.Match[str]) -> Property:
    parameters = tuple(one.strip() for one in _PARAMETER.findall(found[3]))
    value, given = found[4], [one.upper() for one in parameters]
    if any(one.removeprefix("ENCODING=") == "QUOTED-PRINTABLE" for one in given):
        charset = next((one[len("CHARSET=") :] for one in given if one.startswith("CHARSET=")), "UTF-8")
        data = decodestring(value.encode())
        try:
            value = data.decode(charset)
        except (LookupError, ValueError):
            value = data.decode("utf-8", "replace")
        value = value.replace("\\", "\\\\") if ";" not in value else value
    return Property((found[1] or "").lower(), found[2].upper(), parameters, clean(value))


def _join_groups(contacts: list[Contact]) -> None:
    """Tells the contacts in which lists they are."""
    known = {contact.uid: contact for contact in contacts if contact.uid}
    for group in contacts:
        for one in group.all("MEMBER", "X-ADDRESSBOOKSERVER-MEMBER") if group.is_group else ():
            if member := known.get(one.value.removeprefix(UUID)):
                member.groups.append(group.title)


def _matches(sample: Sample) -> bool:
    return sample.text[:11].upper() == "BEGIN:VCARD"


FORMAT = Format("vcard", "Contacts of an address book (vCard)", read, _matches, ("*.vcf", "*.vcard"))
