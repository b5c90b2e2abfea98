"""Names in other grammatical forms: `Марину Петрову`, `z Kowalskim`, `Ayşe'yle`, in languages that decline names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memkit.text.extract.tokens import is_english
from memkit.text.forms import in_common
from memkit.text.redact.view import ReadText

LEAST = 3  # letters of a name whose forms are looked for
_FIRST = 2  # letters that all forms of a name share

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile("[a-z]", re.IGNORECASE)
# Letters of languages in Latin script that decline names: Polish, Czech, Slovak, Croatian, Lithuanian, Latvian,
# Hungarian, Turkish, and their neighbours. German and the Romance languages, which have none of these, do not.
_DECLINING = re.compile("[ąćčęłńśšźżžěřůľĺŕđőűğşİįųūāēģīķļņĄĆČĘŁŃŚŠŹŻŽĚŘŮĽĐŐŰĞŞĮŲŪĀĒĢĪĶĻŅ]")


class NameForms:
    """The single words of some people's names, by their first letters."""

    def __init__(self, names: Iterable[tuple[str, str]]):
        """`names` are pairs of a word in lower case, as it is read, and the label that replaces it."""
        self._names: dict[str, list[tuple[str, str]]] = {}
        for name, label in names:
            if len(name) >= LEAST:
                self._names.setdefault(name[:_FIRST], []).append((name, label))

    def find(self, text: str, view: ReadText) -> Iterator[tuple[int, int, str]]:
        """The words of a text that are other forms of these names, with their labels, as places in the text.

        Only words with a capital count; those in Latin letters only if the language of the text declines names.
        """
        if text.isascii():
            return
        latin = _DECLINING.search(text) is not None and not is_english(text)
        for match in _WORD.finditer(view.text):
            word = match[0]
            if not word[0].isupper() or not (latin or not _LATIN.search(word)):
                continue
            lower = word.lower()
            for name, label in self._names.get(lower[:_FIRST], ()):
                if lower != name and in_common(name, lower):
                    yield *view.place(*match.span()), label
                    break
