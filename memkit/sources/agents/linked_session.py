"""A session in which each entry names the one that it follows, so that one can go on from an earlier place."""

from __future__ import annotations

from dataclasses import dataclass, field

from memkit.sources.chat import Message


@dataclass
class LinkedSession:
    """The entries of one file by their ids, as its lines say them one after another."""

    parents: dict[str, str] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    last: str = ""  # the entry with which the session ends

    def add(self, id: str, parent: object) -> None:
        """Takes in an entry. The same id again is the same entry."""
        self.parents.setdefault(id, str(parent or ""))
        self.last = id

    def told(self) -> list[Message]:
        """The messages that say something, in the order of the file; what was taken back is marked as `rewound`."""
        back = self._rewound()
        return [
            one._replace(meta={**one.meta, "rewound": True}) if one.id in back else one
            for one in self.messages
            if one.text.strip()
        ]

    def _rewound(self) -> set[str]:
        """The entries that leave the way to the last one. One whose beginning is not in the file leaves nothing."""
        way: set[str] = set()
        at = self.last
        while at in self.parents and at not in way:
            way.add(at)
            at = self.parents[at]
        back: set[str] = set()
        for id, parent in self.parents.items():  # in the order of the file: an entry comes after what it follows
            if id not in way and (parent in way or parent in back):
                back.add(id)
        return back
