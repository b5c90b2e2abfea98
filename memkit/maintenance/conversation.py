"""Conversation compaction: messages as turns of the memory, summarised when they fill the budget (K38, K39).

Messages have the form that chat models take: dicts with `role` and `content` (text, or a list of parts with `text`).
Optional keys are `id`, `name`, and a time as `timestamp`, `created_at` or `at`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadSource
from memkit.core.roles import ASSISTANTS, USERS
from memkit.core.types import DocumentDraft, Draft, Failure, Memory
from memkit.ingestion.entity_linking import connect
from memkit.ingestion.writer import ingest
from memkit.maintenance import log, snapshots
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.summaries import Summary, Turn
from memkit.sources.chat import Conversation, time_or_none
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.store import dumps
from memkit.text.extract.guard import strip_context
from memkit.text.messages import Message, text_of, tokens
from memkit.text.sanitize import label
from memkit.text.words import short_id

if TYPE_CHECKING:
    from memkit.embedding import Embedder

STEP = "compact"
KIND = "episode"
OPEN, CLOSE = "[Conversation summary: ", "]"
AIM = 0.5  # of the budget, for a compacted conversation, so that the next compaction is not due soon
LEAST, LEAST_TOKENS = 0.1, 20  # least room for the summary: share of the budget, and tokens


SELECT_EPISODE = """
select e.key, e.id
from memories as e join memories as made on made.key = :made
where e.kind = 'episode' and e.text = :text and e.archived_at is null and e.key <> made.key
    and e.project in (made.project, 'global')
order by e.key desc limit 1
"""
SELECT_MADE = """
select m.key from memories as m join documents as d on d.key = m.document_key
where d.source = :source and m.source_id = :id
"""
COMPRESSED = "update memories set compression = 'compressed' where key = :key"


@dataclass(frozen=True)
class Compaction:
    """A conversation after compaction: its messages, and the episode that holds the summarised turns.

    `before`, `after` and `budget` are tokens. If nothing had to be done, the messages are the same and `episode` is
    None. `by` names who made the summary. `fits` is False if the kept turns alone are longer than the budget.
    """

    messages: list[Message]
    before: int
    after: int
    budget: int
    episode: Memory | None = None
    by: str = ""

    @property
    def fits(self) -> bool:
        """Whether the messages are within the budget."""
        return self.after <= self.budget

    def __repr__(self) -> str:
        if self.episode is None:
            return f"<Compaction {self.before:,} of {self.budget:,} tokens: nothing to do>"
        return f"<Compaction from {self.before:,} to {self.after:,} tokens, episode {self.episode.id} by {self.by}>"


# ---------------------------------------------------------------------------------------------- compaction


def compact(work: RunContext, messages: Sequence[Message], budget: int, *, project: str = "global") -> Compaction:
    """The conversation with its oldest turns as one summary, if it takes at least 75 % of the budget (K38).

    The last turns stay word for word: at most 10 and at most 30 % of them, but at least one, and never the answer of a
    tool without its call. System messages at the start stay, too. The summary is stored as an episode with the
    summarised turns in its `meta` (K39); an earlier summary becomes a part of the new one. If a summary would not be
    shorter, nothing changes. Raises BadSource for an invalid message, ValueError for a budget below 1.
    """
    if budget < 1:
        raise ValueError(f"The budget of a conversation must be at least 1 token, not {budget}.")
    given = [_checked(number, message) for number, message in enumerate(messages, 1)]
    before, rules = tokens(given), work.policy.conversation
    head, old, kept = split_for_summary(given, rules.keep_last, rules.keep_share)
    if before < rules.budget_share * budget or not old:
        return Compaction(given, before, before, budget)
    room = max(LEAST_TOKENS, int(LEAST * budget), int(AIM * budget) - tokens([*head, *kept]))
    room = min(room, tokens(old) - tokens([_summary_message("")]))  # the brackets count, too
    summary = work.summariser.summarise([_turn(message) for message in old], room) if room >= LEAST_TOKENS else None
    if summary is None or not summary.points:
        return Compaction(given, before, before, budget)
    points = tuple(replace(point, text=label(point.text)) for point in summary.points)  # none closes the brackets
    summary = replace(summary, points=points)
    made = [*head, _summary_message(summary.text), *kept]
    if tokens(made) >= before:
        return Compaction(given, before, before, budget)
    return Compaction(made, before, tokens(made), budget, _stored(work, summary, old, project), summary.told)


def split_for_summary(
    messages: Sequence[Message], most: int, share: float
) -> tuple[list[Message], list[Message], list[Message]]:
    """The system messages at the start, the turns to summarise, and the last turns: min(most, share of n) (K38).

    The published rule would keep none of fewer than four turns. Here the last turn always stays.
    """
    start = next((i for i, one in enumerate(messages) if one["role"] != "system" or is_summary(one)), len(messages))
    head, turns = list(messages[:start]), list(messages[start:])
    cut = len(turns) - max(1, min(most, int(share * len(turns))))
    while cut > 0 and turns[cut]["role"] in ("tool", "function"):
        cut -= 1
    return head, turns[: max(0, cut)], turns[max(0, cut) :]


def is_summary(message: Message) -> bool:
    """Whether this message is the summary of an earlier compaction."""
    return message["role"] == "system" and text_of(message).startswith(OPEN)


def _checked(number: int, message: Any) -> Message:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise BadSource(f"Message {number} has no role and content: {str(message)[:60]!r}.")
    if not isinstance(message.get("content", ""), str | list | tuple | None):
        raise BadSource(f"The content of message {number} is neither text nor a list of parts.")
    try:
        dumps([message["role"], message.get("name"), text_of(message)]).encode()
    except UnicodeEncodeError as error:
        raise BadSource(f"Message {number} is not valid UTF-8: it has half of a surrogate pair.") from error
    return message


def _turn(message: Message) -> Turn:
    """A message for the summariser. An earlier summary loses its brackets and has double weight."""
    if is_summary(message):
        return Turn(_inner(message), None, None, 2.0)
    return Turn(text_of(message), str(message.get("name") or message["role"]), _time(message))


def _summary_message(text: str) -> Message:
    return {"role": "system", "content": f"{OPEN}{text}{CLOSE}"}


def _inner(summary: Message) -> str:
    return text_of(summary)[len(OPEN) :].removesuffix(CLOSE)


def _time(message: Message) -> str | None:
    return next(
        (found for name in ("timestamp", "created_at", "at") if (found := time_or_none(message.get(name)))), None
    )


# ---------------------------------------------------------------------------------------------- the episode


def _stored(work: RunContext, summary: Summary, old: Sequence[Message], project: str) -> Memory:
    """The stored episode of a summary, with the summarised turns in its `meta`. Equal turns give the same episode."""
    conn, draft = work.conn, _draft(summary, old, project)
    known = {"source": draft.document.source, "id": draft.source_id}
    with writing(conn):
        was = conn.execute(SELECT_MADE, known).fetchone()
        before = snapshots.saved_rows(conn, [was["key"]]) if was else None
        report = ingest(conn, [draft], work.embedder, work.now)
        key = conn.execute(SELECT_MADE, known).fetchone()["key"]
        if not report.unchanged:
            _made_of(work, key, summary, old, before or {"made": {"memories": [key]}})
    connect(conn, work.now, embedder=work.embedder)
    return store.memories(conn, [key])[key]


def _draft(summary: Summary, old: Sequence[Message], project: str) -> Draft:
    details = json.loads(dumps([dict(message) for message in old]))
    return Draft(
        text=summary.text,
        document=DocumentDraft("conversations:compacted", kind="conversations", whole=False),
        source_id=short_id(STEP, project, dumps(details)),
        kind=KIND,
        category="conversation",
        speaker="system",
        tags=("auto-compaction",),
        project=project,
        importance=5.0,
        happened_at=max((_time(message) or "" for message in old), default="") or None,
        sequential=False,
        meta={"details": details, "by": summary.by},
    )


def _made_of(work: RunContext, key: int, summary: Summary, old: Sequence[Message], before: snapshots.Before) -> None:
    """Links a new or changed episode to the earlier summaries in it, and logs the change."""
    conn = work.conn
    conn.execute(COMPRESSED, {"key": key})
    earlier = [found for message in old if is_summary(message) and (found := _episode(conn, _inner(message), key))]
    for one in earlier:
        store.link(conn, key, one["key"], "derived_from", work.now, why=STEP)
        store.link(conn, one["key"], key, "summarized_by", work.now, why=STEP)
    log.record(
        conn,
        run=work.run,
        step=STEP,
        action="summarised",
        memory_id=store.memories(conn, [key])[key].id,
        why=f"{len(old)} messages, {summary.told}",
        at=work.now,
        sources=[one["id"] for one in earlier],
        before=before,
    )


def _episode(conn: Connection, text: str, made: int) -> Any:
    """An earlier episode with this text, in the project of the new one or in `global`; None if there is none."""
    return conn.execute(SELECT_EPISODE, {"text": text, "made": made}).fetchone()


# ---------------------------------------------------------------------------------------------- as turns


def store_messages(
    conn: Connection,
    messages: Iterable[Message],
    embedder: Embedder | None,
    now: str,
    *,
    session: str | None = None,
    title: str | None = None,
    project: str | None = None,
) -> tuple[str | None, list[Failure]]:
    """The source of the chat that was stored (None if it has no turns), and the failures of invalid messages.

    A chat is identified by its `session`, or else by its project and first message. If the same chat comes again with
    more messages, only the new ones are added. System messages, tool results and summaries are left out.
    """
    found = list(drafts(messages, session=session, title=title, project=project))
    report = ingest(conn, found, embedder, now)
    connect(conn, now, embedder=embedder)
    return next((one.document.source for one in found if isinstance(one, Draft)), None), report.failures


def drafts(
    messages: Iterable[Message], *, session: str | None = None, title: str | None = None, project: str | None = None
) -> Iterator[Draft | Failure]:
    """The messages of people and assistants as drafts of turns of one chat, and a failure for each invalid message."""
    chat: Conversation | None = None
    for number, message in enumerate(messages, 1):
        try:
            _checked(number, message)
        except BadSource as error:
            yield Failure("messages", str(error), line=number)
            continue
        if message["role"] not in USERS | ASSISTANTS or not strip_context(text_of(message)).strip():
            continue
        if chat is None:
            name = session or short_id("session", text_of(message), _time(message), *([project] if project else []))
            document = DocumentDraft(f"conversation:{name}", "chat", title, project, whole=False)
            chat = Conversation(Path(), document)
        speaker = str(message.get("name") or message["role"])
        yield from chat.turn(speaker, text_of(message), id=message.get("id"), at=_time(message))
