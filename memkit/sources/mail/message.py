"""Mail: one message as it came over the net, decoded, and as drafts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from email.utils import parseaddr
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from memkit.core.roles import chosen_name
from memkit.core.types import DocumentDraft, Draft, Failure, ReadWarning, Restated
from memkit.sources import encoding
from memkit.sources.authors import turned
from memkit.sources.chat import conversation, with_files
from memkit.sources.events.ics import invitation
from memkit.sources.guard import reason
from memkit.sources.html_markdown import html_markdown
from memkit.sources.mail.quotes import Folding, quoted_forward
from memkit.sources.mail.tnef import names_in
from memkit.sources.mail_dates import mail_date
from memkit.sources.options import ReadOptions
from memkit.sources.values import clean, short_name

_ID = re.compile(r"<([^<>\s]+)>")
_OLD_COLON = re.compile(rb"^([!-9;-~]+)[ \t]+:", re.MULTILINE)
_AT = re.compile(r"(?P<user>\S+) at (?P<host>\S+)(?:\s+\((?P<name>.*)\))?")  # as archives of mailing lists write it
_UNBRACKETED = re.compile(r"(?P<name>[^<>]*[^\s<>])\s+(?P<address>[^\s<>,;]+@[^\s<>,;]+)")  # as other archives do
_QUOTES = ' \t"'
_PACK, _PACKS = "winmail.dat", ("application/ms-tnef", "application/vnd.ms-tnef")  # in which Outlook packs files
_CALENDAR = "text/calendar"
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_ENCRYPTED = ("multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime")
_ENCRYPTED_TEXT = re.compile(r"-----BEGIN PGP MESSAGE-----.*?(?:-----END PGP MESSAGE-----\s*|\Z)", re.DOTALL)
_SIGNED_TEXT = re.compile(r"-----BEGIN PGP SIGNED MESSAGE-----[ \t]*\n(?:[A-Za-z-]+: [^\n]*\n)*\s*\n")
_SIGNATURE_BLOCK = re.compile(r"-----BEGIN PGP SIGNATURE-----.*?(?:-----END PGP SIGNATURE-----|\Z)", re.DOTALL)
# In these all bytes are letters, so that it is not seen where a text is in UTF-8 all the same.
_ONE_BYTE = re.compile(r"(?:iso[-_]?8859|latin|windows[-_]?125|cp[-_]?125)", re.IGNORECASE)
_ONE_OF_MANY = re.compile(r"(?:\"[^\"]*\"?|<[^>]*>?|[^,\"<])+")
_LONGEST_TO = 2_000  # characters
_LEAST_TO_GUESS = 12  # bytes: less tells little of its charset
_DEEPEST = 5  # mails in mails


class _Raw(Compat32):
    """Headers are given as they came. Python's way to give those with 8 bits loses them, and the names of files."""

    def header_fetch_parse(self, name: str, value: str) -> str:
        return value


_RAW = _Raw()


@dataclass(frozen=True)
class Mail:
    """A mail. `text` is what its sender wrote, as Markdown; `references` are the ids of those that it answers."""

    id: str
    subject: str
    sender: str
    address: str
    text: str
    at: str | None = None
    references: tuple[str, ...] = ()
    to: tuple[str, ...] = ()
    attachments: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    mailing_list: str = ""
    encrypted: bool = False  # or a part of it is


Record = Draft | DocumentDraft | Failure | ReadWarning | Restated


def drafts(mails: Iterable[Mail | Failure], path: Path, options: ReadOptions) -> Iterator[Record]:
    """The drafts of mails, each mail once: copies in several folders, or of a list, have the same id and words.

    A version of memkit that folded less away read more words in a mail: by its id and moment it is known as this one.
    """
    seen: set[bytes] = set()
    read_then: dict[bytes, tuple[str, ...]] = {}
    for mail in mails:
        if isinstance(mail, Failure):
            yield mail
            continue
        said = "\0".join((mail.sender, mail.at or "", mail.subject if not mail.id else "", mail.text))
        words = blake2b(said.encode("utf-8", "replace"), digest_size=8)
        key = blake2b(mail.id.encode("utf-8", "replace") + words.digest(), digest_size=8).digest()
        if key in seen:
            continue
        seen.add(key)
        yield from _drafts(mail, words.hexdigest(), path, options)
        if mail.id and mail.at:
            moment = "\0".join((mail.id, mail.sender, mail.at)).encode("utf-8", "replace")
            then = blake2b(moment, digest_size=8).digest()
            read_then[then] = (*read_then.get(then, ()), words.hexdigest())
            document = DocumentDraft(_source(mail, ""), kind="mail", whole=False, file=path.as_posix())
            for name in {_speaker(mail), chosen_name(mail.sender)}:  # which stood there as it was written, too
                yield Restated(document, name, mail.at, read_then[then])


def _drafts(mail: Mail, words: str, path: Path, options: ReadOptions) -> Iterator[Record]:
    """The drafts of a mail. Mails of several programs may have one id, so that none is the whole of its document.

    To whom it went are tags, too, so that words find it.
    """
    about = {
        "from": mail.address,
        "to": ", ".join(mail.to),
        "thread": (*mail.references, mail.id)[0],
        "reply_to": mail.references[-1] if mail.references else "",
        "list": mail.mailing_list,
        "attachments": list(mail.attachments),
    }
    chat = conversation(
        path,
        _source(mail, words),
        mail.subject,
        options,
        kind="mail",
        times=(mail.at, None),
        meta={key: short_name(value) if isinstance(value, str) else value for key, value in about.items()},
        tags=(*mail.labels, *(f"to {given_first(receiver)}" for receiver in mail.to)),
        whole=False,
    )
    if mail.encrypted:
        told = f"the mail {mail.subject!r}" if mail.subject else "a mail"
        yield ReadWarning(path.as_posix(), f"{told} is encrypted, or a part of it: that was not read")
    text = mail.text or ", ".join(mail.attachments) or mail.subject
    if not text.strip():
        yield chat.document
    yield from chat.turn(
        _speaker(mail),
        with_files(quoted_forward(text), mail.attachments),
        id=words,
        at=mail.at,
    )


def _source(mail: Mail, words: str) -> str:
    return clean(f"mail:{mail.id or words}")


def _speaker(mail: Mail) -> str:
    return chosen_name(given_first(mail.sender)) or "unknown"


def parsed(data: bytes, options: ReadOptions, *, source: str, labels: tuple[str, ...] = ()) -> Mail | Failure:
    """The mail in these bytes; a Failure if it cannot be read."""
    try:
        return _mail(BytesParser(policy=_RAW).parsebytes(_modern(data)), options, labels, _DEEPEST)
    except Exception as error:  # noqa: BLE001 (Python's parser raises many kinds of errors for broken mails)
        return Failure(source, f"a mail: {reason(error)}")


def _modern(data: bytes) -> bytes:
    """A mail without blanks before the colons of its headers, which old programs wrote: Python takes them for text."""
    end = data.find(b"\n\n")
    end = len(data) if end < 0 else end
    return _OLD_COLON.sub(rb"\1:", data[:end]) + data[end:] if _OLD_COLON.search(data, 0, end) else data


def _mail(message: Message, options: ReadOptions, labels: tuple[str, ...], depth: int) -> Mail:
    raw = {name.strip().lower(): _unescaped(value) for name, value in reversed([*message.raw_items()])}
    subject = header(raw.get("subject", ""))
    sender, address = person(raw.get("from", "") or raw.get("sender", ""))
    body = _Body(Folding(subject), options, depth)
    body.add(message)
    return Mail(
        id=next(iter(_ID.findall(raw.get("message-id", ""))), raw.get("message-id", "").strip()),
        subject=subject,
        sender=sender or address,
        address=address,
        text=body.text(),
        at=_sent(raw, options),
        references=_references(raw),
        to=tuple(dict.fromkeys(_receivers(raw))),
        attachments=tuple(dict.fromkeys(body.attachments)),
        labels=(*labels, *_labels(raw)),
        mailing_list=header(raw.get("list-id", "")),
        encrypted=body.encrypted,
    )


def _unescaped(value: object) -> str:
    """A header as it came; bytes that are no ASCII are UTF-8, or else those of Western Europe."""
    text = str(value)
    return text if text.isascii() else decoded(text.encode("utf-8", "surrogateescape"))


def header(text: str) -> str:
    """The text of a header, in one line, with its encoded words decoded."""
    with suppress(ValueError, LookupError):
        if "=?" not in text:
            return short_name(text)
        text = "".join(
            part if isinstance(part, str) else decoded(part, charset) if charset else part.decode("raw-unicode-escape")
            for part, charset in decode_header(text)
        )
    return short_name(text)


@lru_cache(maxsize=4096)  # Python's parser of addresses is slow, and a mailbox has few people in many mails
def person(text: str) -> tuple[str, str]:
    """The name and the address of somebody; each may be empty."""
    if archived := _AT.fullmatch(text.strip()):
        name = _unquoted(archived["name"] or "")
        return person(name)[0] if "@" in name or " at " in name else name, f"{archived['user']}@{archived['host']}"
    if unbracketed := _UNBRACKETED.fullmatch(text.strip()):
        return _unquoted(unbracketed["name"]), unbracketed["address"]
    name, address = parseaddr(text)
    if not address or "@" not in address:  # an address that Python does not take, or none
        name, _, address = text.rpartition("<")
        name, address = (name, address.rstrip("> ")) if name else ("", text)
    return _unquoted(name), short_name(address.strip("<>"))


def _unquoted(name: str) -> str:
    """A name without the quotation marks around it, which may also be encoded with it."""
    plain = header(name.strip(_QUOTES)).strip(_QUOTES)
    return plain[1:-1].strip() if len(plain) > 1 and plain[0] == plain[-1] == "'" else plain


def given_first(name: str) -> str:
    """`Lind, Rosa (Trees)`, as Exchange writes it, with the given name first: a comma would make it two people."""
    plain, bracket, department = name.partition(" (")
    return name if len(plain.rpartition(",")[2].split()) > 2 else turned(plain) + bracket + department


def _receivers(raw: dict[str, str]) -> Iterator[str]:
    for name in ("to", "cc"):
        for one in _ONE_OF_MANY.findall(raw.get(name, "")[:_LONGEST_TO]):
            if one.strip():
                known, address = person(one)
                yield known or address


def _references(raw: dict[str, str]) -> tuple[str, ...]:
    """The ids of the mails before this one in its thread, the first of them first."""
    known = _ID.findall(raw.get("references", ""))
    answered = _ID.findall(raw.get("in-reply-to", ""))[:1]
    return tuple(dict.fromkeys([*known, *answered] if not known or answered[:1] != known[-1:] else known))


def _labels(raw: dict[str, str]) -> Iterator[str]:
    """What Gmail calls labels."""
    for label in header(raw.get("x-gmail-labels", "")).split(","):
        if label.strip():
            yield short_name(label)


def _sent(raw: dict[str, str], options: ReadOptions) -> str | None:
    """When a mail was sent; if it does not say so, when it came. Without a zone it is the time of the clocks here."""
    for name in ("date", "delivery-date", "received"):
        text = raw.get(name, "").rpartition(";")[2].strip()
        if found := mail_date(text, options):
            return found
    return None


@dataclass
class _Body:
    """What a mail says: its texts in their order, and the names of what is attached."""

    folding: Folding
    options: ReadOptions
    depth: int
    texts: list[str] = field(default_factory=list)
    attachments: list[str] = field(default_factory=list)
    invitation: tuple[str, str] = ("", "")
    encrypted: bool = False

    def text(self) -> str:
        """All texts, and when and where what it invites to takes place: many invitations do not say it in words."""
        when, about = self.invitation
        return "\n\n".join(filter(None, [*(self.texts or [about]), when]))

    def add(self, part: Message) -> None:
        """One part, and those in it."""
        kind, inner = part.get_content_type(), part.get_payload()
        if kind in _ENCRYPTED and part.get_param("smime-type", "enveloped-data") == "enveloped-data":
            self.encrypted = True
        elif kind == "multipart/alternative" and isinstance(inner, list):
            self._best([one for one in inner if isinstance(one, Message)])
        elif kind == "message/rfc822" and isinstance(inner, list):
            for one in inner:
                if isinstance(one, Message):
                    self._forwarded(_unpacked(one, part))
        elif isinstance(inner, list):
            for one in inner:
                if isinstance(one, Message) and not kind.startswith("message/"):
                    self.add(one)
        elif kind in ("text/plain", "text/html") and not _is_file(part):
            self._text(part)
        elif kind not in _SIGNATURES:
            if kind == _CALENDAR and isinstance(data := part.get_payload(decode=True), bytes):
                self.invitation = self.invitation if any(self.invitation) else invitation(data, self.options.timezone)
            self._file(part)

    def _best(self, parts: list[Message]) -> None:
        """Of the same words in several forms: plain text, unless it is empty."""
        before = len(self.texts)
        for part in sorted(parts, key=lambda one: one.get_content_type() != "text/plain"):
            if len(self.texts) == before or part.get_content_type() == _CALENDAR:
                self.add(part)

    def _text(self, part: Message) -> None:
        payload = part.get_payload(decode=True)
        text = decoded(payload if isinstance(payload, bytes) else b"", part.get_content_charset())
        if part.get_content_type() == "text/html":
            text = html_markdown(text, skipped=self.folding.hides)
        elif str(part.get_param("format") or "").lower() == "flowed":
            text = unwrapped(text, str(part.get_param("delsp") or "").lower() == "yes")
        text, locked = _ENCRYPTED_TEXT.subn("", text)
        self.encrypted = self.encrypted or locked > 0
        text = unsigned(text)
        if text := self.folding.folded(text):
            self.texts.append(text)

    def _forwarded(self, inner: Message) -> None:
        """A mail in a mail: what it says, and who said it."""
        if not self.depth:
            return
        found = _mail(inner, self.options, (), self.depth - 1)
        told = f"Forwarded: {found.subject or 'a mail'} ({', '.join(filter(None, (found.sender, found.at)))})"
        self.texts.append(f"{told}\n\n{found.text}".strip())
        self.attachments += found.attachments

    def _file(self, part: Message) -> None:
        with suppress(ValueError, TypeError, LookupError):
            name = part.get_filename() or ""
            if name.lower() == _PACK or part.get_content_type() in _PACKS:
                data = part.get_payload(decode=True)
                self.attachments += names_in(data if isinstance(data, bytes) else b"")
            elif name:
                self.attachments.append(header(_unescaped(name)))


def _unpacked(inner: Message, part: Message) -> Message:
    """A mail in a part of a mail. Some programs encode it like a file, and Python takes these letters for its text."""
    if inner.keys() or part.get("content-transfer-encoding", "").strip().lower() != "base64":
        return inner
    inner["Content-Transfer-Encoding"] = "base64"
    data = inner.get_payload(decode=True)
    return BytesParser(policy=_RAW).parsebytes(_modern(data)) if isinstance(data, bytes) else inner


def _is_file(part: Message) -> bool:
    return part.get_content_disposition() == "attachment"


def decoded(data: bytes, charset: str | None = None) -> str:
    """Bytes as text in this charset; if it is unknown or wrong, in the one that they look like."""
    for one in ("utf-8", charset) if charset and _ONE_BYTE.match(charset) else (charset, "utf-8"):
        with suppress(LookupError, UnicodeError, ValueError):
            if one:
                return data.decode(one).replace("\0", "")
    if len(data) >= _LEAST_TO_GUESS:
        with suppress(ValueError):
            return encoding.decoded(data).replace("\0", "")
    return data.decode("cp1252", "replace").replace("\0", "")


def unsigned(text: str) -> str:
    """A text that PGP signed, without the signature; lines that begin with a hyphen have theirs back."""
    text = text.replace("\r\n", "\n")
    plain, signed = _SIGNED_TEXT.subn("", text)
    return re.sub(r"^- (?=-)", "", _SIGNATURE_BLOCK.sub("", plain), flags=re.MULTILINE) if signed else text


def unwrapped(text: str, glue: bool) -> str:
    """Text of `format=flowed`: a line that ends in a space goes on in the next. With `glue` the space goes, too."""
    found: list[tuple[int, list[str]]] = []  # how deep it is quoted, and the lines of a paragraph
    goes_on = False
    for line in text.replace("\r\n", "\n").split("\n"):
        deep = len(line) - len(line.lstrip(">"))
        words = line[deep:].removeprefix(" ")
        ends = not words.endswith(" ") or words == "-- "
        words = words[:-1] if glue and not ends else words
        if goes_on and found[-1][0] == deep:
            found[-1][1].append(words)
        else:
            found.append((deep, [words]))
        goes_on = not ends
    return "\n".join(f"{'>' * deep} {''.join(words)}" if deep else "".join(words) for deep, words in found)
