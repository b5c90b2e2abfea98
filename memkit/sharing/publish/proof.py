"""Leak proof: checks that no text that is only in the private database is in any byte of a published folder.

Every text in a table of the private database is private, unless it is also in the published memories (as they are now,
after redaction), or memkit itself writes it into every folder. The check searches in three ways. It searches the bytes
of every file for whole sentences and single words (UTF-8 and both UTF-16, in any case). It compares the words of every
text in the public database and in text files. It compares the terms of the full-text indexes: these are stems, stored
in pieces that no search of bytes finds. In a database's bytes, values are stored without separators; therefore single
words in UTF-8 are searched only in its values. Arrays of numbers in it read like short words of UTF-16; these are not
searched there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import chain
from mmap import ACCESS_READ, mmap
from pathlib import Path

from memkit.core.batches import batched
from memkit.sharing.publish.byte_search import LONG, Needles
from memkit.sharing.publish.forms import Forms
from memkit.sharing.publish.private_texts import Vocabulary, blobs, cells, private_terms, private_vocabulary, terms
from memkit.sharing.publish.public_texts import PublicTexts
from memkit.sharing.publish.text_tables import AT_ONCE, new_tables
from memkit.storage import driver
from memkit.storage.connection import Connection
from memkit.text.redact.whole_words import WholeWords
from memkit.text.words import words

COUNT_FREE = "select freelist_count from pragma_freelist_count"
PLAIN_KEY = "key, a plain word"  # the rule of what may stand elsewhere: it tells nobody that it is a key
LONGEST_MET = 40  # characters of a phrase that public words may make by chance
CELLS = 10_000  # whose words are compared at once
_WORD_BYTE = re.compile(rb"[0-9A-Za-z\x80-\xff]")


@dataclass(frozen=True, slots=True)
class Leak:
    """A private text found in a published file: the text, the file, its form there, and its origin."""

    text: str
    file: str
    form: str
    origin: str

    def __str__(self) -> str:
        return f"{self.text!r} ({self.origin}) is in {self.file} ({self.form})"


def leaks(
    conn: Connection, folder: Path, public: Iterable[str], own: Iterable[str], gone: Mapping[str, str]
) -> tuple[Leak, ...]:
    """The leaks in a folder, each private text once for each file.

    `public` are the texts that were published on purpose. `own` are memkit's own texts, as in an empty publication.
    `gone` are redacted texts with their rule; they must not appear anywhere, not even within a public text (with the
    rule PLAIN_KEY: unless one says them).

    Private and public texts are compared on the disk; of those to look for, hashes are held.
    """
    own = list(own)
    paths = {path: path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*"))}
    found: dict[str, dict[str, Leak]] = {name: {} for name in paths.values()}
    with closing(new_tables()) as tables:
        search = _Search(conn, PublicTexts(tables, chain(public, own)), own, gone)
        for leak in chain(_outward_links(folder, paths), search.in_bytes(paths), search.in_texts(paths)):
            found[leak.file].setdefault(leak.text, leak)
    return tuple(leak for each in found.values() for leak in each.values())


def _outward_links(folder: Path, paths: Mapping[Path, str]) -> Iterator[Leak]:
    """A link to outside the folder is a leak, because its target is not checked and may change at any time."""
    for path, name in paths.items():
        if path.is_symlink() and folder.resolve() not in path.resolve().parents:
            yield Leak(str(path.readlink()), name, "a link out of the folder", "unknown target")


class _Search:
    """Everything to search for: the private words, phrases and stems, and what was taken out."""

    def __init__(self, conn: Connection, public: PublicTexts, own: list[str], gone: Mapping[str, str]):
        self.private = private_vocabulary(conn, public)
        self.terms = private_terms(self.private.words, public)
        taken = {
            text: f"redacted: {rule}" for text, rule in gone.items() if rule != PLAIN_KEY or not public.has_words(text)
        }
        lower = {text.lower(): rule for text, rule in taken.items()}
        self.rules = {**lower, **taken}
        unsaid = {text: rule for text, rule in lower.items() if not public.has_words(text)}
        self.forms = _forms(self.private, public, unsaid)
        self.gone = WholeWords(taken)
        self.own = {text[start:end] for text in own for start, end in self.gone.spans(text)}

    def in_bytes(self, paths: Mapping[Path, str]) -> Iterator[Leak]:
        """The leaks in the content of files, whatever it means."""
        needles = self.forms.needles()
        for path, name in paths.items():
            if path.is_file() and not path.is_symlink():
                with _bytes_of(path) as data:
                    if not _is_database(path):
                        yield from self._in_bytes(needles, data, name)
                        continue
                    with closing(driver.connect(path, read_only=True, immutable=True)) as conn:
                        yield from self._in_pages(needles, data, name, conn)
                        for some in blobs(conn):
                            yield from self._in_bytes(needles, some, name, numbers=True)

    def _in_pages(self, needles: Needles, data: bytes | mmap, name: str, conn: Connection) -> Iterator[Leak]:
        """The leaks in the bytes of a database. In its pages values stand side by side, and the remains of values that
        were moved: a few public words may meet there as in a private phrase, which counts if a value has it.
        """
        met: dict[str, Leak] = {}
        for leak in self._in_bytes(needles, data, name, joined=True, numbers=True):
            if leak.form != "utf-8" or len(leak.text) > LONGEST_MET or self.private.words.among(words(leak.text)):
                yield leak
            else:
                met[leak.text] = leak
        for some in batched(cells(conn), CELLS) if met else ():
            values = "\0".join(cell.text.lower() for cell in some)
            yield from (leak for text, leak in met.items() if text in values)

    def _in_bytes(
        self, needles: Needles, data: bytes | mmap, name: str, *, joined: bool = False, numbers: bool = False
    ) -> Iterator[Leak]:
        """The leaks in some bytes. Where values are `joined` without separators, single words are ignored, and short
        forms of UTF-16 where arrays of `numbers` may be: 103, 111, 103, 104 are not Gogh.
        """
        for found in self.forms.found_in(needles, data):
            if found.encoding == "utf-8" and found.alone and (joined or not _alone(data, found.at, found.form)):
                continue  # part of another word, or the end of one value (turn) and the start of the next (Over)
            if found.encoding != "utf-8" and numbers and len(found.form) < LONG:
                continue
            yield Leak(found.text, name, found.encoding, found.origin)

    def in_texts(self, paths: Mapping[Path, str]) -> Iterator[Leak]:
        """The leaks in the names of files and folders, in the targets of links, and in texts."""
        for path, name in paths.items():
            yield from self._in([path.name], name, "a file's name")
            if path.is_symlink():
                yield from self._in([str(path.readlink())], name, "the target of a link")
            elif path.is_file() and _is_database(path):
                yield from self._in_database(path, name)
            elif path.is_file():
                # "Will" is also a word in the README.
                found = self._in([path.read_bytes().decode("utf-8", "replace")], name)
                yield from (leak for leak in found if leak.text not in self.own)

    def _in(self, texts: Iterable[str], name: str, form: str = "a text") -> Iterator[Leak]:
        found: dict[str, str] = {}
        for some in batched(texts, CELLS):
            for gone in (text[start:end] for text in some for start, end in self.gone.spans(text)):
                yield Leak(gone, name, form, self.rules[gone])
            found |= self.private.words.among({word for text in some for word in words(text)})
        for word, place in sorted(found.items()):
            yield Leak(word, name, form.replace("a text", "a word"), place)

    def _in_database(self, path: Path, name: str) -> Iterator[Leak]:
        with closing(driver.connect(path, read_only=True, immutable=True)) as conn:
            if conn.execute(COUNT_FREE).fetchone()[0]:
                yield Leak("free pages", name, "may contain deleted text", "deleted rows")
            yield from self._in((cell.text for cell in cells(conn)), name)
            for some in batched(terms(conn), AT_ONCE):
                for term, place in self.terms.among(some).items():
                    yield Leak(term, name, "a term of the full-text index", place)


def _forms(private: Vocabulary, public: PublicTexts, unsaid: Mapping[str, str]) -> Forms:
    """What to look for in bytes: what was taken out and no public text says, and everything private."""
    forms = Forms(public.tables)
    words = private.words.among(unsaid)
    forms.add({text: rule for text, rule in unsaid.items() if text in words}, alone=True)
    forms.add({text: rule for text, rule in unsaid.items() if text not in words}, alone=False)
    for some in private.phrases.parts():
        forms.add(some, alone=False)
    for some in private.words.parts():
        forms.add(some, alone=True)
    return forms


def _is_database(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(driver.MAGIC)) == driver.MAGIC


@contextmanager
def _bytes_of(path: Path) -> Iterator[bytes | mmap]:
    """The content of a file, read piece by piece when it is used."""
    with path.open("rb") as file:
        if not path.stat().st_size:  # nothing to map
            yield b""
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            yield data


def _alone(data: bytes | mmap, at: int, needle: bytes) -> bool:
    """Whether a word in bytes has no word character before or after it."""
    before, after = data[at - 1 : at] if at else b"", data[at + len(needle) : at + len(needle) + 1]
    return not _WORD_BYTE.match(before) and not _WORD_BYTE.match(after)
