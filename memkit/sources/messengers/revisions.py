"""Revised moments: what stands in a chat without ids, at a time at which a message was edited or deleted."""

from __future__ import annotations

from collections.abc import Iterator

from memkit.core.types import DocumentDraft, Restated


class Revisions:
    """The messages of the moment that is being read.

    A message without an id is known by its time, speaker and text, so one that was edited is another message. What
    tells which one it was is that nothing else of its moment is missing. So each moment at which something was revised
    is told as a whole. The first one of a file is not: an export may begin in the middle of a minute.
    """

    def __init__(self, document: DocumentDraft):
        self.at: object = None
        self._document = document
        self._said: list[tuple[str, str]] = []  # speakers and ids
        self._revised: dict[str, str] = {}  # the time, by speaker
        self._is_first = False

    def moment(self, at: object) -> Iterator[Restated]:
        """Messages of another moment follow: what was revised at the one before is complete."""
        yield from self.end()
        self._is_first = self.at is None
        self.at = at
        self._said.clear()
        self._revised.clear()

    def said(self, speaker: str, id: str) -> None:
        """A message of the moment."""
        self._said.append((speaker, id))

    def revised(self, speaker: str, happened_at: str) -> None:
        """A message of the moment was edited, or deleted."""
        self._revised[speaker] = happened_at

    def end(self) -> Iterator[Restated]:
        """What was revised at the moment that has ended."""
        if not self._is_first:
            for speaker, at in self._revised.items():
                ids = dict.fromkeys(id for name, id in self._said if name == speaker)
                yield Restated(self._document, speaker, at, tuple(ids))
