"""Reaction notices: messages that only say that somebody reacted, which Facebook writes in the language of the account.

No list has all languages. But who reacted to which message, and in newer exports at which second, stands beside it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from memkit.sources.chat import as_dict

Said = tuple[str, str, float, list[Any]]  # who, a text, when (ms), and the records of reactions to it
Form = tuple[str, str]  # what stands before the reaction and behind it: `Reacted `, ` to your message`

_ENOUGH = 3  # what stands there less often, a person may have said
_LONGEST, _REACTION = 100, 20  # characters of a notice, and of the reaction in it
_VARIATION = "\ufe0f"  # a heart has it or not


class ReactionNotices:
    """What the notices of reactions in a chat say, by what its messages tell of reactions.

    - A text that is sent, at least three times, in the second in which its sender reacted: `Liked a message`.
    - A text with words on both sides of a reaction that its sender has given, at least three times: `Reacted 😂 to your
      message`.
    """

    def __init__(self, messages: Iterable[Said]):
        said = [(who, _plain(text), at // 1000, reactions) for who, text, at, reactions in messages]
        given = [as_dict(one) for *_, reactions in said for one in reactions]
        self._given: dict[str, set[str]] = defaultdict(set)
        for one in given:
            self._given[str(one.get("actor"))].add(_plain(one.get("reaction")))
        moments = {(str(one.get("actor")), at) for one in given if isinstance(at := one.get("timestamp"), int | float)}
        texts = Counter(text for who, text, second, _ in said if text and (who, second) in moments)
        forms = Counter(form for who, text, *_ in said if (form := self._form(who, text)))
        self._texts = {text for text, n in texts.items() if n >= _ENOUGH}
        self._forms = {form for form, n in forms.items() if n >= _ENOUGH}

    def has(self, text: str) -> bool:
        """Whether a text is such a notice."""
        text = _plain(text)
        if len(text) > _LONGEST:
            return False
        return text in self._texts or any(
            text.startswith(before) and text.endswith(after) and 0 < len(text) - len(before + after) <= _REACTION
            for before, after in self._forms
        )

    def _form(self, who: str, text: str) -> Form | None:
        """What stands around a reaction of the sender, if it is in the text, between words."""
        for reaction in filter(None, self._given.get(who, ())) if len(text) <= _LONGEST else ():
            before, found, after = text.partition(reaction)
            if found and _has_word(before) and _has_word(after):
                return before, after
        return None


def _plain(text: object) -> str:
    return str(text or "").replace(_VARIATION, "").strip()


def _has_word(text: str) -> bool:
    return any(map(str.isalpha, text))
