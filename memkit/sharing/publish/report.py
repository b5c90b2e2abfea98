"""Publishing reports: what was published, and what a check found, for notebooks and terminals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from memkit.core.errors import MemkitError
from memkit.core.formatting import counted, html_table, short
from memkit.core.frames import OneRow
from memkit.sharing.publish.proof import Leak
from memkit.sharing.publish.redaction import Replaced

SHOWN = 20
SUSPICIOUS = "Looks like a key (if it is one: --pattern; if not: --spare)"
STANDING = "Taken out as a key, but also a plain word, which stays elsewhere (if it must not: --pattern)"


def _listed(head: str, words: Sequence[str]) -> list[str]:
    """The lines about some words."""
    lines = [f"  {head}: {', '.join(short(word, 60) for word in words[:SHOWN])}"] if words else []
    return lines + ([f"    and {len(words) - SHOWN:,} more"] if len(words) > SHOWN else [])


class Leaked(MemkitError):
    """The folder contained private text, so nothing was published. `leaks` lists the findings."""

    def __init__(self, leaks: Sequence[Leak]):
        self.leaks = tuple(leaks)
        first = "; ".join(f"{short(str(leak), 160)}" for leak in self.leaks[:3])
        more = f" And {len(leaks) - 3:,} more." if len(leaks) > 3 else ""
        super().__init__(f"Nothing was published, because private text was found: {first}.{more}")


@dataclass(frozen=True)
class PublishReport(OneRow):
    """What was published: the folder, its SQLite file, counts, the public ids of new, changed and removed memories, and
    every replacement.

    In a dry run, `entities`, `relations` and `bytes` are 0, because no file is made. `kept` tells whether the options
    were stored in the private database for the next publication. `suspects` are words in the published texts that look
    like keys, though no rule of redaction knows them. `standing` are plain words that were taken out as keys, and stand
    elsewhere in the published texts.
    """

    folder: str
    database: str
    memories: int
    documents: int
    entities: int
    relations: int
    bytes: int
    new: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    replaced: tuple[Replaced, ...] = ()
    dry_run: bool = False
    kept: bool = True
    suspects: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The counts in one line."""
        head = f"{self.folder}: {counted(self.memories, 'memories')}, {counted(self.documents, 'documents')}"
        if self.dry_run:  # names, relations and bytes are only known after the file was made
            return head
        counts = {"names": self.entities, "relations": self.relations, "bytes": self.bytes}
        return ", ".join([head, *(counted(count, name) for name, count in counts.items())])

    @property
    def changes(self) -> str:
        """The numbers of new, changed and removed memories, compared with the folder before."""
        return f"{len(self.new):,} new, {len(self.changed):,} changed, {len(self.gone):,} gone"

    def to_dict(self) -> dict[str, Any]:
        """Everything in here, for JSON."""
        return asdict(self)

    def __repr__(self) -> str:
        lines = [f"{'Would publish' if self.dry_run else 'Published'} {self.summary}", f"  {self.changes}"]
        rules = Counter(each.replacement.rule for each in self.replaced)
        lines += [f"  replaced: {', '.join(f'{count} {rule}' for rule, count in rules.items())}"] if rules else []
        for each in self.replaced[:SHOWN]:
            one = each.replacement
            lines.append(f"    {one.original!r} -> {one.replacement} in {each.column}: {short(one.context, 90)}")
        if len(self.replaced) > SHOWN:
            lines.append(f"    and {len(self.replaced) - SHOWN:,} more")
        lines += _listed(SUSPICIOUS, self.suspects) + _listed(STANDING, self.standing)
        lines += [] if self.kept else ["  The database is read-only: the options of this publication were not stored."]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        cells = {"memories": self.memories, "documents": self.documents}
        if not self.dry_run:
            cells |= {"names": self.entities, "relations": self.relations, "bytes": self.bytes}
        cells |= {"new": len(self.new), "changed": len(self.changed), "gone": len(self.gone)}
        caption = f"{'Would be published' if self.dry_run else 'Published'} in {self.folder}"
        shown = html_table(caption, tuple(cells), [[f"{cell:,}" for cell in cells.values()]])
        for head, words in ((SUSPICIOUS, self.suspects), (STANDING, self.standing)):
            shown += html_table(head, ("what",), [[short(one, 120)] for one in words[:SHOWN]]) if words else ""
        if not self.replaced:
            return shown
        rows = [
            (
                one.replacement.rule,
                one.replacement.original,
                one.replacement.replacement,
                short(one.replacement.context, 120),
            )
            for one in self.replaced[:SHOWN]
        ]
        more = len(self.replaced) - SHOWN
        shown += html_table("Replaced", ("rule", "what", "by", "where"), rows)
        return shown + (f"<p>{escape(f'and {more:,} more')}</p>" if more > 0 else "")


@dataclass(frozen=True)
class CheckReport(OneRow):
    """What a check of a published folder found: leaks, and memories (public ids) that are no longer visible.

    `changed` are memories (public ids) whose text has changed since; publishing again updates them. `suspects` are
    words that look like keys, though no rule of redaction knows them.
    """

    folder: str
    database: str
    memories: int
    leaks: tuple[Leak, ...] = ()
    gone: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    suspects: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether there are no leaks and no memories that should be gone."""
        return not self.leaks and not self.gone

    def to_dict(self) -> dict[str, Any]:
        """Everything in here, for JSON."""
        return {"sound": self.sound, **asdict(self)}

    def __repr__(self) -> str:
        lines = [f"{self.folder}: {counted(self.memories, 'memories')}, " + self._verdict]
        lines += [f"  {short(str(leak), 200)}" for leak in self.leaks[:SHOWN]]
        lines += [f"  and {len(self.leaks) - SHOWN:,} more"] if len(self.leaks) > SHOWN else []
        lines += [f"  {id} is in the folder, but no longer in the database" for id in self.gone[:SHOWN]]
        if self.changed:
            lines.append(f"  {counted(len(self.changed), 'memories')} changed since then: publish again")
        lines += _listed(SUSPICIOUS, self.suspects)
        return "\n".join(lines)

    @property
    def _verdict(self) -> str:
        return "nothing private in it" if self.sound else counted(len(self.leaks) + len(self.gone), "findings")

    def _repr_html_(self) -> str:
        rows = [(short(leak.text, 80), leak.origin, leak.file, leak.form) for leak in self.leaks[:SHOWN]]
        rows += [(id, "no longer in the database", Path(self.database).name, "a memory") for id in self.gone[:SHOWN]]
        return html_table(f"{self.folder}: {self._verdict}", ("what", "from", "file", "form"), rows)
