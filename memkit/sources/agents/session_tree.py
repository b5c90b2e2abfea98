"""The tree of a session of Claude Code: which record follows which, what was rewound, what a sub-agent said."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property


@dataclass
class SessionTree:
    """The records of one file by their ids, as their lines say it one after another."""

    parents: dict[str, str | None] = field(default_factory=dict)
    sessions: dict[str, str] = field(default_factory=dict)  # the session of each record
    branches: dict[str, str] = field(default_factory=dict)  # of a sub-agent's records: the first of them
    prompts: list[str] = field(default_factory=list)  # what a person typed
    titles: dict[str, str] = field(default_factory=dict)  # of sessions
    summaries: dict[str, str] = field(default_factory=dict)  # by the record at which they were made

    def add(self, id: str, parent: str | None, session: str, *, typed: bool, sidechain: bool) -> None:
        """Takes in one record. The same id again is the same record."""
        if id in self.parents:
            return
        self.parents[id] = parent
        self.sessions[id] = session
        if typed:
            self.prompts.append(id)
        if sidechain:
            self.branches[id] = self.branches.get(parent or "", id)

    @cached_property
    def rewound(self) -> set[str]:
        """Prompts that were typed anew at the same place, and all that followed them."""
        last = {self.parents[id]: id for id in self.prompts}
        found = {id for id in self.prompts if self.parents[id] is not None and last[self.parents[id]] != id}
        for id, parent in self.parents.items():  # in the order of the file: a record follows its parent
            if parent in found:
                found.add(id)
        return found

    def title(self, session: str) -> str | None:
        """The title that was given to a session, else the last summary that was made at one of its records."""
        return self.titles.get(session) or self._summarized.get(session)

    @cached_property
    def _summarized(self) -> dict[str, str]:
        return {self.sessions[leaf]: text for leaf, text in self.summaries.items() if leaf in self.sessions}
