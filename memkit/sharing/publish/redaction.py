"""Redaction while publishing: private text is replaced in every column, and each replacement is recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from memkit.core.batches import batched
from memkit.core.errors import BadQuestion, NotFound
from memkit.graph import entities
from memkit.sharing.publish.private_texts import named_secrets, secrets
from memkit.sharing.publish.proof import PLAIN_KEY
from memkit.storage.connection import Connection
from memkit.storage.json_columns import json_value
from memkit.storage.store import dumps, keys_json

if TYPE_CHECKING:
    from memkit.text.redact import Names, Redacted, Redactor, Replacement

SELECT_TEXTS = """
select text, title, speaker, category, kind, project, slot_key, tags, meta from memories
where key in (select value from json_each(:keys))
"""
SELECT_TITLES = """
select distinct d.title, d.source, d.meta from documents as d join memories as m on m.document_key = d.key
where m.key in (select value from json_each(:keys))
"""

LABEL = "Person {}"
AT_ONCE = 10_000  # memories
SHORTEST_KEY = 4  # characters; less may stand anywhere by chance
REMEMBERED = 4096  # texts
_ROLES = frozenset(
    "user assistant system human tool ai bot model".split()
)  # roles, not names, even if an entity has one as an alias


@dataclass(frozen=True, slots=True)
class Redaction:
    """What is redacted: people by name or id (they become "Person 1", "Person 2" ..., in this order), own `patterns`
    (name to regular expression), and `common` private data: addresses, numbers and keys.

    A name that is also a common word must be in `everywhere` (always redacted) or in `spare`. `spare` are texts that
    stay although a rule finds them. `regions` are countries (such as `SE`) whose telephone numbers are also found in
    their national form.
    """

    names: tuple[str, ...] = ()
    everywhere: tuple[str, ...] = ()
    spare: tuple[str, ...] = ()
    patterns: Mapping[str, str] = field(default_factory=dict)
    common: bool = True
    regions: tuple[str, ...] = ()

    @property
    def own(self) -> bool:
        """Whether there are rules beyond `common`, which only the owner can give again."""
        return bool(self.names or self.everywhere or self.patterns or self.regions)


class Ambiguous(BadQuestion):
    """A name to redact is also a common word. `names` are these words, in lower case."""

    def __init__(self, names: tuple[str, ...]):
        self.names = names
        super().__init__(
            f"{', '.join(map(repr, names))}: a name, but also a common word. Redact it everywhere "
            f"(--everywhere {names[0]}), or keep it where it is used alone (--spare {names[0]})."
        )


@dataclass(frozen=True, slots=True)
class Replaced:
    """One replacement, with the table, column and row (private id) in which it was made."""

    table: str
    column: str
    id: str
    replacement: Replacement


def cleaner(conn: Connection, asked: Redaction, keys: Iterable[int]) -> Cleaner:
    """The cleaner for these rules and memories. A key that one of these names goes from all of them, unless it is a
    plain word. Raises Ambiguous for a common word that is in neither `everywhere` nor `spare`.
    """
    return Cleaner(redactor(conn, asked, _named_in(conn, keys) if asked.common else ()), asked.spare)


def _named_in(conn: Connection, keys: Iterable[int]) -> set[str]:
    """What some memories and their documents call a password or a key, and nobody would call a plain word."""
    from memkit.text.redact.randomness import is_plain_word, without_edges

    found: set[str] = set()
    for some in batched(keys, AT_ONCE):
        for select in (SELECT_TEXTS, SELECT_TITLES):
            texts = (text for row in conn.execute(select, {"keys": keys_json(some)}) for text in row if text)
            found.update(without_edges(value) for text in texts for value in named_secrets(text))
    return {value for value in found if len(value) >= SHORTEST_KEY and not is_plain_word(value)}


def redactor(conn: Connection, asked: Redaction, secrets: Iterable[str] = ()) -> Redactor:
    """The redactor for these rules, to which some texts are keys wherever they stand. Raises Ambiguous."""
    from memkit.text.redact import Redactor

    numbers: dict[Any, int] = {}
    people = [_names(conn, name, n, asked, numbers) for n, name in enumerate(asked.names, 1)]
    made = Redactor(people, asked.patterns, asked.common, regions=asked.regions, secrets=secrets)
    if made.ambiguous:
        raise Ambiguous(made.ambiguous)
    return made


def _names(conn: Connection, name: str, number: int, asked: Redaction, numbers: dict[Any, int]) -> Names:
    """All names of one person from the graph; a name that the graph does not know is used alone.

    If two of the asked names mean the same person, both get the first one's number; `numbers` keeps track of this.
    """
    from memkit.text.redact import Names

    try:
        found = entities.find(conn, name)
        number = numbers.setdefault(found.key, number)
        forms = [found.name, *entities.aliases(conn, found.key)]
    except NotFound:
        forms = [name]
    each = tuple(dict.fromkeys(form for form in forms if form.lower() not in _ROLES)) or (name,)
    return Names(LABEL.format(number), each, certain=asked.everywhere, spared=asked.spare)


def owners(conn: Connection, asked: Redaction) -> Cleaner:
    """The cleaner for the owner's own texts: only names and patterns are redacted, addresses stay."""
    return Cleaner(redactor(conn, replace(asked, common=False, regions=())), asked.spare)


class Cleaner:
    """Redacts texts and records each replacement. Without a redactor, texts stay as they are."""

    def __init__(self, redactor: Redactor | None = None, spare: Iterable[str] = ()):
        self.redactor = redactor
        # A cache, because kinds, projects, speakers and titles repeat from memory to memory.
        self._redact = lru_cache(REMEMBERED)(redactor.redact) if redactor else None
        self.spare = frozenset(spare)
        self.replaced: list[Replaced] = []

    def text(self, text: str, table: str, column: str, id: str) -> str:
        """The redacted text; replacements are recorded for this table, column and row."""
        if self._redact is None or not text:
            return text
        done = self._spared(text, self._redact(text))
        self.replaced += [Replaced(table, column, id, each) for each in done.replacements]
        return done.text

    def name(self, text: str) -> str:
        """A redacted name or quote. Nothing is recorded, because it is also part of a text whose replacements are."""
        return self._spared(text, self._redact(text)).text if self._redact and text else text

    def maybe(self, text: str | None, table: str, column: str, id: str) -> str | None:
        """The redacted text of a column that may be empty."""
        return None if text is None else self.text(text, table, column, id)

    def json(self, text: str, table: str, column: str, id: str) -> str:
        """A JSON value with every text, number and field name redacted.

        The name of a field counts: a `password` is a secret, whatever its value looks like.
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

        return dumps(cleaned(json_value(text)))

    def _field(self, field: str, value: str, table: str, column: str, id: str) -> str:
        """A redacted value, checked by itself and then as `field: value`."""
        alone = self.text(value, table, column, id)
        if alone != value or not field:
            return alone
        before, both = self.name(f"{field}: "), self.name(f"{field}: {value}")
        if not both.startswith(before) or both == before + value:
            return value
        return self.text(f"{field}: {value}", table, column, id)[len(before) :]

    @property
    def originals(self) -> dict[str, str]:
        """Every replaced text, with the rule that found it."""
        return {each.replacement.original: each.replacement.rule for each in self.replaced}

    def gone(self, conn: Connection) -> dict[str, str]:
        """Every text that must not be in the publication, with the rule: what was replaced, and if common private data
        is redacted, the secrets that any other text of the database names."""
        if self.redactor is None or not self.redactor.common:
            return self.originals
        named = {secret: f"key, in {place}" for secret, place in secrets(conn).items() if not self._spares(secret)}
        return named | self.originals | dict.fromkeys(self.plain_keys, PLAIN_KEY)

    def _spares(self, secret: str) -> bool:
        """Whether a secret is spared, with or without the signs around it."""
        from memkit.text.redact.randomness import without_edges

        return secret in self.spare or without_edges(secret) in self.spare

    @property
    def plain_keys(self) -> list[str]:
        """What was taken out as a key, and not by a pattern of the owner, though it is a plain word."""
        from memkit.text.redact.randomness import is_plain_word

        if self.redactor is None or "key" in self.redactor.patterns:
            return []
        return [text for text, rule in self.originals.items() if rule == "key" and is_plain_word(text)]

    def _spared(self, text: str, done: Redacted) -> Redacted:
        """The redacted text, with spared texts put back."""
        if self.spare.isdisjoint(each.original for each in done.replacements):
            return done
        from memkit.text.redact import Redacted

        parts, at, kept = [], 0, []
        for each in done.replacements:
            end = each.start + len(each.original)
            if each.start < at or text[each.start : end] != each.original:
                return done  # one replacement is inside another: rather redact too much than too little
            spared = each.original in self.spare
            parts += [text[at : each.start], each.original if spared else each.replacement]
            at = end
            kept += [] if spared else [each]
        return Redacted("".join([*parts, text[at:]]), tuple(kept))
