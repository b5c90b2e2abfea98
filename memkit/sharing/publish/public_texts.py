"""Public texts: whether words and phrases are in any of the texts that were published on purpose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from memkit.sharing.publish.byte_search import LONGEST, SHORTEST, Needles
from memkit.sharing.publish.text_tables import TextTable
from memkit.storage.connection import Connection
from memkit.text.composed import composed
from memkit.text.words import bigrams, characters, has_cjk, normal_name, words

CREATE_PIECES = "create table pieces (said blob)"
INSERT_PIECE = "insert into pieces (said) values (?)"
SELECT_PIECES = "select said from pieces"
PIECE = 1 << 20  # characters
SHORT = 4  # bytes; of `jusqu'à` this much is left when it is normalised, of some signs with a number it is not


class PublicTexts:
    """The words of some texts, and the texts themselves in lower case, as they are and normalised."""

    def __init__(self, tables: Connection, texts: Iterable[str]):
        """They are kept in `tables`, a connection of `text_tables`."""
        self.tables = tables
        self.words = TextTable(tables, "public words")
        tables.execute(CREATE_PIECES)
        for piece in _pieces(self._read(texts)):
            tables.execute(INSERT_PIECE, (encoded(piece),))

    def _read(self, texts: Iterable[str]) -> Iterator[str]:
        """Both forms of each text, whose words are added."""
        for text in texts:
            self.words.add(public_words(text))
            yield text.lower()
            yield normal_name(text)

    def has_words(self, text: str) -> bool:
        """Whether all words of a text are public."""
        asked = {*words(text)}
        return len(self.words.among(asked)) == len(asked)

    def unsaid_words(self, private: Mapping[str, str]) -> dict[str, str]:
        """Those of some words that no public text has. A word in a script without spaces may be part of another."""
        said = self.words.among(private)
        unsaid = {word: place for word, place in private.items() if word not in said}
        within = self._said({encoded(word) for word in unsaid if has_cjk(word)})
        return {word: place for word, place in unsaid.items() if encoded(word)[:LONGEST] not in within}

    def unsaid_phrases(self, private: Mapping[str, str]) -> dict[str, str]:
        """Those of some phrases that are in no public text, neither as they are nor normalised."""
        forms = {phrase: (encoded(phrase)[:LONGEST], encoded(normal_name(phrase))[:LONGEST]) for phrase in private}
        said = self._said({form for each in forms.values() for form in each})
        return {phrase: place for phrase, place in private.items() if said.isdisjoint(forms[phrase])}

    def _said(self, forms: set[bytes]) -> set[bytes]:
        """Those of some texts in lower case that are anywhere in a public text; of long ones, their first bytes."""
        if not forms:
            return set()
        needles, short = Needles(forms), [form for form in forms if SHORT <= len(form) < SHORTEST]
        found: set[bytes] = set()
        for (piece,) in self.tables.execute(SELECT_PIECES):
            found.update(needle for _, needle in needles.found_in(piece))
            found.update(form for form in short if form in piece)
        return found


def encoded(text: str, encoding: str = "utf-8") -> bytes:
    """The bytes of a text, in lower case where they are ASCII."""
    return text.encode(encoding, "surrogatepass").lower()


def public_words(text: str) -> set[str]:
    """The words of a text in every form that memkit stores: as written, normalised, and as CJK bigrams."""
    found = {*words(text), *normal_name(text).split()}
    if has_cjk(text):
        spread = composed(text)  # as the index has it
        found.update(words(bigrams(spread)), words(characters(spread)))
    return found


def _pieces(texts: Iterable[str]) -> Iterator[str]:
    """The texts in lines, many of them together."""
    lines: list[str] = []
    size = 0
    for text in texts:
        lines.append(text)
        size += len(text)
        if size >= PIECE:
            yield "\n".join(lines)
            lines, size = [], 0
    yield "\n".join(lines)
