"""What is private, taken out of every text on its way to the public file, with a note of each thing that went."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memkit.errors import BadQuestion, NotFound
from memkit.graph import entities
from memkit.store import dumps

if TYPE_CHECKING:
    from memkit.redact import Names, Redacted, Redactor, Replacement

LABEL = "Person {}"
REMEMBERED = 4096  # texts
_ROLES = frozenset(
    "user assistant system human tool ai bot model".split()
)  # nobody's name, though somebody may bear it


@dataclass(frozen=True, slots=True)
class Redaction:
    """What is taken out: people by name or id (each becomes "Person 1", "Person 2" ..., in this order), patterns of
    one's own (name to regular expression), and what is `common`: addresses, numbers and keys.

    A name that is also a common word must be said to go `everywhere`, or be spared. `spare` are texts that stay
    although a rule finds them. `regions` are countries (`SE`) whose telephone numbers are found as they
    are written at home.
    """

    names: tuple[str, ...] = ()
    everywhere: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict)
    common: bool = True
    regions: tuple[str, ...] = ()

    @property
    def own(self) -> bool:
        """Whether anything goes that is not common, which only the owner can say again."""
        return bool(self.names or self.everywhere or self.patterns or self.regions)


class Ambiguous(BadQuestion):
    """A name to be taken out is also a common word; `names` are these, in lower case."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        super().__init__(
            f"{', '.join(map(repr, names))}: a name, and a common word too. Should it go wherever it stands "
            f"(--everywhere {names[0]}), or stay where it stands alone (--spare {names[0]})?"
        )


@dataclass(frozen=True, slots=True)
class Replaced:
    """One thing that went: out of which column of which row (its private id), and how."""

    table: str
    column: str
    id: str
    replacement: Replacement


def redactor(conn: Any, asked: Redaction) -> Redactor:
    """The redactor that is asked for. Raises Ambiguous for a name that is a common word and undecided."""
    from memkit.redact import Redactor

    numbers: dict[Any, int] = {}
    people = [_names(conn, name, n, asked, numbers) for n, name in enumerate(asked.names, 1)]
    made = Redactor(people, asked.patterns, asked.common, regions=asked.regions)
    if made.ambiguous:
        raise Ambiguous(made.ambiguous)
    return made


def _names(conn: Any, name: str, number: int, asked: Redaction, numbers: dict[Any, int]) -> Names:
    """Everything that somebody is called; a name that the graph does not know stands for itself.

    Whoever is asked for by two names is one person, under the first one's number, which `numbers` keeps.
    """
    from memkit.redact import Names

    try:
        found = entities.find(conn, name)
        number = numbers.setdefault(found.key, number)
        forms = [found.name, *entities.aliases(conn, found.key)]
    except NotFound:
        forms = [name]
    each = tuple(dict.fromkeys(form for form in forms if form.lower() not in _ROLES)) or (name,)
    return Names(LABEL.format(number), each, certain=asked.everywhere, spared=asked.spare)


def owners(conn: Any, asked: Redaction) -> Cleaner:
    """For what the owner says of a publication: without the names and patterns; a given address is meant to be read."""
    return Cleaner(redactor(conn, replace(asked, common=False, regions=())), asked.spare)


class Cleaner:
    """Takes out of texts what a redactor finds; without one, texts stay as they are."""

    def __init__(self, redactor: Redactor | None = None, spare: Iterable[str] = ()):
        self.redactor = redactor
        # Kinds, projects, speakers and titles are the same in one memory after the other.
        self._redact = lru_cache(REMEMBERED)(redactor.redact) if redactor else None
        self.spare = frozenset(spare)
        self.replaced: list[Replaced] = []

    def text(self, text: str, table: str, column: str, id: str) -> str:
        """The text as it may be read by others."""
        if self._redact is None or not text:
            return text
        done = self._spared(text, self._redact(text))
        self.replaced += [Replaced(table, column, id, each) for each in done.replacements]
        return done.text

    def name(self, text: str) -> str:
        """The same for a name or a quote: it stands in a text as well, whose replacements are noted."""
        return self._spared(text, self._redact(text)).text if self._redact and text else text

    def maybe(self, text: str | None, table: str, column: str, id: str) -> str | None:
        """The same for a column that may be empty."""
        return None if text is None else self.text(text, table, column, id)

    def json(self, text: str, table: str, column: str, id: str) -> str:
        """The same for every text and number in a JSON value, names of fields too.

        What a field is called says what its value is: a `password` is one, whatever it looks like.
        """

        def cleaned(value: Any, field: str = "") -> Any:
            if isinstance(value, list):
                return [cleaned(each, field) for each in value]
            if isinstance(value, dict):
                return {cleaned(name): cleaned(each, name) for name, each in value.items()}
            if value is None or isinstance(value, bool):
                return value
            done = self._field(field, str(value), table, column, id)
            return value if done == str(value) else done

        return dumps(cleaned(json.loads(text)))

    def _field(self, field: str, value: str, table: str, column: str, id: str) -> str:
        """A value as it may be read by others: by itself, or else as `field: value`."""
        alone = self.text(value, table, column, id)
        if alone != value or not field:
            return alone
        before, both = self.name(f"{field}: "), self.name(f"{field}: {value}")
        if not both.startswith(before) or both == before + value:
            return value
        return self.text(f"{field}: {value}", table, column, id)[len(before) :]

    @property
    def originals(self) -> dict[str, str]:
        """Every text that went, and the rule by which."""
        return {each.replacement.original: each.replacement.rule for each in self.replaced}

    def _spared(self, text: str, done: Redacted) -> Redacted:
        """The same, with what is to be spared put back."""
        if self.spare.isdisjoint(each.original for each in done.replacements):
            return done
        from memkit.redact import Redacted

        parts, at, kept = [], 0, []
        for each in done.replacements:
            end = each.start + len(each.original)
            if each.start < at or text[each.start : end] != each.original:
                return done  # one replacement within another: rather too much taken out than too little
            spared = each.original in self.spare
            parts += [text[at : each.start], each.original if spared else each.replacement]
            at = end
            kept += [] if spared else [each]
        return Redacted("".join([*parts, text[at:]]), tuple(kept))
