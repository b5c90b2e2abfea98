"""Leak proof: checks that no text that is only in the private database is in any byte of a published folder.

Every text in a table of the private database is private, unless it is also in the published memories (as they are now,
after redaction), or memkit itself writes it into every folder. The check searches in three ways. It searches the bytes
of every file for whole sentences and single words (UTF-8 and both UTF-16, in any case). It compares the words of every
text in the public database and in text files. It compares the terms of the full-text indexes: these are stems, stored
in pieces that no search of bytes finds. In a database's bytes, values are stored without separators; therefore single
words in UTF-8 are searched only in its values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path

from memkit.sharing.publish.byte_search import LONGEST, SHORTEST, Needles
from memkit.sharing.publish.private_texts import (
    Vocabulary,
    blobs,
    cells,
    is_telling,
    public_words,
    stems,
    terms,
    vocabulary,
)
from memkit.storage import driver
from memkit.storage.connection import Connection
from memkit.text.words import has_cjk, normal_name, words

COUNT_FREE = "select freelist_count from pragma_freelist_count"
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")
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
    `gone` are redacted texts with their rule; they must not appear anywhere, not even within a public text.
    """
    own = list(own)
    said = list(dict.fromkeys([*public, *own]))
    known = public_words(said)
    taken = {text: f"redacted: {rule}" for text, rule in gone.items()}
    search = _Search(_less(vocabulary(conn), said, known), taken, known, own)
    found: dict[tuple[str, str], Leak] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        for leak in (*_outward_links(folder, path, name), *search.path(path, name)):
            found.setdefault((leak.text, leak.file), leak)
    return tuple(found.values())


def _outward_links(folder: Path, path: Path, name: str) -> Iterator[Leak]:
    """A link to outside the folder is a leak, because its target is not checked and may change at any time."""
    if path.is_symlink() and folder.resolve() not in path.resolve().parents:
        yield Leak(str(path.readlink()), name, "a link out of the folder", "unknown target")


def _less(private: Vocabulary, said: list[str], known: set[str]) -> Vocabulary:
    """The private words and phrases that are not in the public texts `said`, in original or normalised form.

    `known` are the words of the public texts.
    """
    blob = "\n".join(each.lower() for text in said for each in (text, normal_name(text)))
    compared = {phrase: normal_name(phrase) for phrase in private.phrases}
    spellings = {*private.phrases, *compared.values()}
    common = {needle for _, needle in Needles(_bytes(spellings)).found_in(_encoded(blob))}

    def unsaid(phrase: str) -> bool:
        each = (phrase, compared[phrase])
        return len(_encoded(phrase)) >= SHORTEST and not any(_encoded(one)[:LONGEST] in common for one in each)

    return Vocabulary(
        {
            word: place
            for word, place in private.words.items()
            if word not in known and not (has_cjk(word) and word in blob)
        },
        {phrase: place for phrase, place in private.phrases.items() if unsaid(phrase)},
    )


def _encoded(text: str, encoding: str = "utf-8") -> bytes:
    return text.encode(encoding, "surrogatepass").lower()


def _bytes(texts: Iterable[str]) -> Iterator[bytes]:
    return map(_encoded, texts)


class _Search:
    """Everything to search for, prepared once for all files."""

    def __init__(self, private: Vocabulary, gone: Mapping[str, str], known: set[str], own: list[str]):
        lower = {text.lower(): rule for text, rule in gone.items()}
        unsaid = {text: rule for text, rule in lower.items() if not known.issuperset(words(text))}
        self.words = private.words
        self.origins = {**private.words, **private.phrases, **lower, **gone}
        self.terms = self._terms(known)
        self.gone = _alternatives(gone)
        self.own = {match[0] for text in own for match in self.gone.finditer(text)} if self.gone else set()
        self.meaning: dict[bytes, tuple[str, str]] = {}  # bytes -> their text and encoding
        for encoding in ENCODINGS:
            for text in {**private.words, **private.phrases, **unsaid}:
                self.meaning.setdefault(_encoded(text, encoding)[:LONGEST], (text, encoding))
        self.needles = Needles(self.meaning)

    def _terms(self, known: set[str]) -> dict[str, str]:
        """Private words and their stems, with the origin of each, without public words and their stems."""
        theirs = stems(known).keys() | known
        each = {**self.words, **{stem: self.words[word] for stem, word in stems(self.words).items()}}
        return {term: place for term, place in each.items() if term not in theirs and is_telling(term)}

    def path(self, path: Path, name: str) -> Iterator[Leak]:
        """The leaks in the name of a file or folder, in the target of a link, and in the content of a file."""
        yield from self._in_texts([path.name], name, "a file's name")
        if path.is_symlink():
            yield from self._in_texts([str(path.readlink())], name, "the target of a link")
        elif path.is_file():
            yield from self._in_file(path, name)

    def _in_file(self, path: Path, name: str) -> Iterator[Leak]:
        with _bytes_of(path) as data:
            if data[: len(driver.MAGIC)] == driver.MAGIC:
                yield from self._in_database(path, name, data)
                return
            yield from self._in_bytes(data, name)
            leaks = self._in_texts([data[:].decode("utf-8", "replace")], name)
            yield from (leak for leak in leaks if leak.text not in self.own)  # "Will" is also a word in the README

    def _in_bytes(self, data: bytes | mmap, name: str, *, joined: bool = False) -> Iterator[Leak]:
        """The leaks in some bytes. Where values are `joined` without separators, single words are ignored."""
        for at, needle in self.needles.found_in(data):
            text, encoding = self.meaning[needle]
            if encoding == "utf-8" and text in self.words and (joined or not _alone(data, at, needle)):
                continue  # part of another word, or the end of one value (turn) and the start of the next (Over)
            yield Leak(text, name, encoding, self.origins[text])

    def _in_database(self, path: Path, name: str, data: bytes | mmap) -> Iterator[Leak]:
        conn = driver.connect(path, read_only=True, immutable=True)
        try:
            if conn.execute(COUNT_FREE).fetchone()[0]:
                yield Leak("free pages", name, "may contain deleted text", "deleted rows")
            yield from self._in_bytes(data, name, joined=True)
            yield from self._in_bytes(blobs(conn), name)
            yield from self._in_texts((cell.text for cell in cells(conn)), name)
            for term in sorted(terms(conn) & self.terms.keys()):
                yield Leak(term, name, "a term of the full-text index", self.terms[term])
        finally:
            conn.close()

    def _in_texts(self, texts: Iterable[str], name: str, form: str = "a text") -> Iterator[Leak]:
        said: set[str] = set()
        for text in texts:
            said.update(words(text))
            for match in self.gone.finditer(text) if self.gone else ():
                yield Leak(match[0], name, form, self.origins[match[0]])
        for word in sorted(said & self.words.keys()):
            yield Leak(word, name, form.replace("a text", "a word"), self.words[word])


@contextmanager
def _bytes_of(path: Path) -> Iterator[bytes | mmap]:
    """The content of a file, read piece by piece when it is used."""
    with path.open("rb") as file:
        if not path.stat().st_size:  # nothing to map
            yield b""
            return
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            yield data


def _alternatives(gone: Iterable[str]) -> re.Pattern[str] | None:
    """A pattern for the redacted texts as whole words, as they were written; None if there are none."""
    each = [
        ("" if has_cjk(text[0]) else r"(?<!\w)") + re.escape(text) + ("" if has_cjk(text[-1]) else r"(?!\w)")
        for text in sorted(filter(str.strip, gone), key=len, reverse=True)
    ]
    return re.compile("|".join(each)) if each else None


def _alone(data: bytes | mmap, at: int, needle: bytes) -> bool:
    """Whether a word in bytes has no word character before or after it."""
    before, after = data[at - 1 : at] if at else b"", data[at + len(needle) : at + len(needle) + 1]
    return not _WORD_BYTE.match(before) and not _WORD_BYTE.match(after)
