"""A running conversation: its messages as turns of the memory, and its compaction when it fills its budget (K38, K39).

Messages are what chat models take: dicts with `role` and `content` (text, or a list of parts with `text`). `id`, `name`
and a time under `timestamp`, `created_at` or `at` are read where they are there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import store
from memkit.connect import connect
from memkit.driver import writing
from memkit.errors import BadSource
from memkit.extract.guard import strip_context
from memkit.ingest import ingest
from memkit.life import log, rows
from memkit.life.summaries import Summary, Turn
from memkit.life.work import Work
from memkit.sources.chat import Conversation, time_or_none
from memkit.store import dumps
from memkit.text import est_tokens, short_id
from memkit.types import DocumentDraft, Draft, Failure, Memory

if TYPE_CHECKING:
    from memkit.embed import Embedder

STEP = "compact"
KIND = "episode"
OPEN, CLOSE = "[Conversation summary: ", "]"
PER_MESSAGE = 4  # tokens around a message (Construct)
AIM = 0.5  # of the budget is what a compacted conversation may take, so that the next time is a while off
LEAST, LEAST_TOKENS = 0.1, 20  # of the budget, or tokens, are left for the summary; one with less room is none
SAID_BY_PEOPLE = ("user", "assistant", "human", "model", "ai")

Message = Mapping[str, Any]

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
    """A conversation after compaction: its messages, and the episode that holds what is no longer among them.

    `before` and `after` are tokens. Where nothing had to be done, the messages are the same and there is no episode.
    `by` says who made the summary; `fits` is False where the kept turns alone are longer than the budget.
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


def compact(work: Work, messages: Sequence[Message], budget: int, *, project: str = "global") -> Compaction:
    """The conversation with its oldest turns as one summary, once it takes 75 % of the budget; before that, as it is.

    The last turns stay word for word: at most 10 and at most 30 % of them, at least one, and no answer of a tool
    without its question. What a system message says at the start stays, too. The summary is stored as an episode with
    the summarised turns in its `meta` (K39); an earlier summary goes into the new one. Raises BadSource for messages
    that are none, ValueError for a budget below 1. Turns that no summary is shorter than stay as they are.
    """
    if budget < 1:
        raise ValueError(f"The budget of a conversation is at least 1 token, not {budget}.")
    given = [_checked(number, message) for number, message in enumerate(messages, 1)]
    before, rules = tokens(given), work.policy.conversation
    head, old, kept = parted(given, rules.keep_last, rules.keep_share)
    if before < rules.budget_share * budget or not old:
        return Compaction(given, before, before, budget)
    room = max(LEAST_TOKENS, int(LEAST * budget), int(AIM * budget) - tokens([*head, *kept]))
    room = min(room, tokens(old) - tokens([_summary_message("")]))  # the brackets count, too
    summary = work.summariser.summarise([_turn(message) for message in old], room) if room >= LEAST_TOKENS else None
    if summary is None or not summary.points:
        return Compaction(given, before, before, budget)
    made = [*head, _summary_message(summary.text), *kept]
    if tokens(made) >= before:
        return Compaction(given, before, before, budget)
    return Compaction(made, before, tokens(made), budget, _stored(work, summary, old, project), summary.told)


def parted(
    messages: Sequence[Message], most: int = 10, share: float = 0.3
) -> tuple[list[Message], list[Message], list[Message]]:
    """The system messages at the start, the turns to summarise, and the last ones to keep: min(most, share of n) (K38).

    As published, fewer than four turns would keep none; the last one stays in any case.
    """
    start = next((i for i, one in enumerate(messages) if one["role"] != "system" or is_summary(one)), len(messages))
    head, turns = list(messages[:start]), list(messages[start:])
    cut = len(turns) - max(1, min(most, int(share * len(turns))))
    while cut > 0 and turns[cut]["role"] in ("tool", "function"):
        cut -= 1
    return head, turns[: max(0, cut)], turns[max(0, cut) :]


def tokens(messages: Iterable[Message]) -> int:
    """The tokens that messages take, about, with the calls of tools in them."""
    return sum(est_tokens(text_of(message)) + _called(message) + PER_MESSAGE for message in messages)


def _called(message: Message) -> int:
    return est_tokens(dumps(message["tool_calls"])) if message.get("tool_calls") else 0


def is_summary(message: Message) -> bool:
    """Whether this message is what a compaction left of earlier ones."""
    return message["role"] == "system" and text_of(message).startswith(OPEN)


def text_of(message: Message) -> str:
    """What a message says; of one in parts, all its texts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(str(part["text"]) for part in content if isinstance(part, Mapping) and part.get("text"))


def _checked(number: int, message: Any) -> Message:
    if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
        raise BadSource(f"Message {number} has no role and content: {str(message)[:60]!r}.")
    if not isinstance(message.get("content", ""), str | list | tuple | None):
        raise BadSource(f"The content of message {number} is neither text nor a list of parts.")
    return message


def _turn(message: Message) -> Turn:
    """A message as a summariser reads it; an earlier summary without its brackets, and counting double."""
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


def _stored(work: Work, summary: Summary, old: Sequence[Message], project: str) -> Memory:
    """The episode of a summary, with what it summarises in its `meta`; the same again is the same episode."""
    conn, draft = work.conn, _draft(summary, old, project)
    known = {"source": draft.document.source, "id": draft.source_id}
    with writing(conn):
        was = conn.execute(SELECT_MADE, known).fetchone()
        before = rows.as_they_are(conn, [was["key"]]) if was else None
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


def _made_of(work: Work, key: int, summary: Summary, old: Sequence[Message], before: rows.Before) -> None:
    """Links an episode that is new, or has other words now, to those that went into it, and writes that down."""
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


def _episode(conn: Any, text: str, made: int) -> Any:
    """An earlier episode of these words that may go into the one that is made: of its project, or of none."""
    return conn.execute(SELECT_EPISODE, {"text": text, "made": made}).fetchone()


# ---------------------------------------------------------------------------------------------- as turns


def take_in(
    conn: Any,
    messages: Iterable[Message],
    embedder: Embedder | None,
    now: str,
    *,
    session: str | None = None,
    title: str | None = None,
    project: str | None = None,
) -> tuple[str | None, list[Failure]]:
    """The source of the chat that these messages are now (None if nobody says anything), and those that are none.

    The chat is known by its `session`, or else by its project and first message: handed in again, longer, it is the
    same chat, and what it had already is not stored twice. System messages, answers of tools and summaries are left
    out.
    """
    found = list(drafts(messages, session=session, title=title, project=project))
    report = ingest(conn, found, embedder, now)
    connect(conn, now, embedder=embedder)
    return next((one.document.source for one in found if isinstance(one, Draft)), None), report.failures


def drafts(
    messages: Iterable[Message], *, session: str | None = None, title: str | None = None, project: str | None = None
) -> Iterator[Draft | Failure]:
    """What people and their assistant say in these messages, as turns of one chat."""
    chat: Conversation | None = None
    for number, message in enumerate(messages, 1):
        try:
            _checked(number, message)
        except BadSource as error:
            yield Failure("messages", str(error), line=number)
            continue
        if message["role"] not in SAID_BY_PEOPLE or not strip_context(text_of(message)).strip():
            continue
        if chat is None:
            name = session or short_id("session", text_of(message), _time(message), *([project] if project else []))
            document = DocumentDraft(f"conversation:{name}", "chat", title, project, whole=False)
            chat = Conversation(Path(), document)
        speaker = str(message.get("name") or message["role"])
        yield from chat.turn(speaker, text_of(message), id=message.get("id"), at=_time(message))
