"""Whole words: many texts are found in one pass, each by how it begins, however many there are.

An expression of all of them would try each at each character. Here a text is split once, and its parts are looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memkit.core.patterns import pattern
from memkit.text.words import CJK_CLASS, has_cjk

_RUN = rf"(?:(?!{CJK_CLASS})\w)+"  # letters and digits; of scripts without spaces each character is a part
_PART = pattern(rf"\W?{_RUN}|.", re.DOTALL)
_LETTER = pattern(r"\w")


class WholeWords:
    """Finds some texts as they are written, or in `any_case`: the longest at each place, and none within another.

    Where one begins or ends with a letter or digit, no other letter or digit stands beside it, but in scripts
    without spaces, where that says nothing.
    """

    def __init__(self, texts: Iterable[str], *, any_case: bool = False):
        self._any_case = any_case
        self._by_start: dict[str, list[str]] = {}
        for text in sorted(filter(str.strip, texts), key=len, reverse=True):
            _, start = next(self._places(text))
            self._by_start.setdefault(start, []).append(text)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where they are, in order: the place of the first character, and the one after the last."""
        end = 0
        for at, start in self._places(text) if self._by_start else ():
            for found in self._by_start.get(start, ()) if at >= end else ():
                if self._is_at(found, text, at):
                    end = at + len(found)
                    yield at, end
                    break

    def _places(self, text: str) -> Iterator[tuple[int, str]]:
        """Each place where one may begin, with what it would begin with: `+49` is looked up itself, and as `49`."""
        for part in _PART.finditer(text):
            start = part[0].lower() if self._any_case else part[0]
            yield part.start(), start
            if len(start) > 1 and not _LETTER.match(start):
                yield part.start() + 1, start[1:]

    def _is_at(self, found: str, text: str, at: int) -> bool:
        end = at + len(found)
        here = text[at:end]
        return (
            (here.lower() == found.lower() if self._any_case else here == found)
            and not (_LETTER.match(text[at - 1 : at]) and not has_cjk(found[0]))
            and not (_LETTER.match(text[end : end + 1]) and not has_cjk(found[-1]))
        )
