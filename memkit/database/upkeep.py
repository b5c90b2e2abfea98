"""Maintenance methods of MemoryDatabase: upkeep of stored memories, what a person decides about it, and undo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.arguments import AnyPaths, AnyText, checked
from memkit.core.clock import utc_now
from memkit.core.errors import BadArgument, EmbedderFailed
from memkit.core.files import user_templates
from memkit.core.frames import Rows
from memkit.core.progress import watched
from memkit.core.types import Memory
from memkit.storage import caches, store, vectors
from memkit.storage.connection import Connection
from memkit.storage.driver import writing

if TYPE_CHECKING:
    from llm import Model

    from memkit.embedding import Embedder
    from memkit.maintenance.contradictions import Side
    from memkit.maintenance.conversation import Compaction
    from memkit.maintenance.feedback import Tally
    from memkit.maintenance.forget import Hidden
    from memkit.maintenance.forget_source import ForgetReport
    from memkit.maintenance.log import Changes
    from memkit.maintenance.maintain import MaintenanceReport, VacuumReport
    from memkit.maintenance.policy import Policy
    from memkit.maintenance.proposals import Proposal, Proposals
    from memkit.maintenance.run_context import RunContext
    from memkit.maintenance.triggers import Triggers


def named_sources(call: str, source: AnyPaths, title: str | None) -> list[str]:
    """The names of sources. Raises BadArgument if nothing is named."""
    several = [source] if isinstance(source, str | PathLike) else list(source)
    names = [fspath(one) for one in several]
    if not names and title is None:
        raise BadArgument(f"{call}(): name a source or a title.")
    return names


@checked
class Upkeep:
    """The upkeep of a MemoryDatabase. Every change is written to a log, and most can be undone."""

    if TYPE_CHECKING:
        conn: Connection

        def _turn(self) -> AbstractContextManager[Connection]: ...
        def _embed_again(self, conn: Connection, keys: set[int]) -> None: ...
        def _question_embedder(self) -> Embedder | None: ...
        def _writing_embedder(self) -> Embedder | None: ...

    # ------------------------------------------------------------------------------------------ policy

    def policy(self) -> Policy:
        """The retention policy: which steps of upkeep run, and with which numbers. `set_policy` changes it."""
        from memkit.maintenance import policy_toml

        with self._turn() as conn:
            return policy_toml.stored_policy(conn)

    def set_policy(
        self, preset: str | None = None, *, toml: str | None = None, settings: Mapping[str, str] | None = None
    ) -> Policy:
        """Changes the retention policy, and returns the new one.

        First the policy is replaced by a `preset` or a `toml` text, if one is given; then `settings` change single
        values. The presets are memkit and the names of the published designs. Settings are written as in TOML:
        `{"episodes.raw_days": "10"}`; the setting `preset` is possible, too. Raises MemkitError for values that make
        no sense; then nothing is changed.
        """
        from memkit.maintenance import policy_toml

        with self._turn() as conn, writing(conn):
            if toml is not None:
                policy_toml.store_text(conn, toml)
            if preset is not None:
                policy_toml.store_text(conn, policy_toml.brief(policy_toml.policy_from_dict({"preset": preset})))
            if settings:
                now = policy_toml.with_settings(policy_toml.stored_policy(conn), settings)
                policy_toml.store_text(conn, policy_toml.brief(now))
            return policy_toml.stored_policy(conn)

    def due(self, *, now: str | None = None) -> Mapping[str, int]:
        """How many memories are due for each step of upkeep."""
        from memkit.maintenance import maintain

        with self._turn() as conn:
            return maintain.due(self._work(conn, now, "due"))

    # ------------------------------------------------------------------------------------------ running

    def maintain(
        self,
        *,
        only: Iterable[str] | str = (),
        dry_run: bool = False,
        model: str | Model | None = None,
        now: str | None = None,
    ) -> MaintenanceReport:
        """Runs the steps of upkeep that are due, or `only` some of them, and returns a report of every change.

        A second run right after it finds nothing to do. After an interruption, the next run does the rest. `dry_run`
        works on a copy, and only reports. `model` is an `llm` model that writes the summaries, and before that reads
        their sources for facts, in addition to memkit's rules. Without a model, summaries are sentences of their
        sources. Raises MemkitError for an unknown step, Busy if another process runs upkeep on this database.
        """
        from memkit.maintenance import maintain

        steps = (only,) if isinstance(only, str) else tuple(only)
        with watched(None, unit="steps"), self._turn() as conn:
            if dry_run:
                return maintain.preview(self._work(conn, now, "rehearsal"), steps)
            work = self._work(conn, now, None, model)
            report = maintain.maintain(work, steps)
            caches.forget(conn)
            return report

    def prune(self, *, apply: bool = False, now: str | None = None) -> MaintenanceReport:
        """A report of the memories that the slots' rules would prune; with `apply`, prunes them.

        `unprune` brings a pruned memory back, as long as the policy keeps it (30 days by default).
        """
        return self.maintain(only="prune", dry_run=not apply, now=now)

    def unprune(self, id: str, *, now: str | None = None) -> Memory:
        """Brings a pruned or forgotten memory back, with its mentions, evidence, links and access; returns the memory.

        Upkeep will not prune it again. What was made from a forgotten memory is made again by the next upkeep. Raises
        NotFound for an id that is neither pruned nor forgotten, or is deleted for good.
        """
        from memkit.maintenance import log, unforget

        now = now or utc_now()
        with self._turn() as conn:
            with writing(conn):
                bring = unforget.bring_back if unforget.is_forgotten(conn, id) else log.restore
                self._embed_again(conn, bring(conn, id, now))
                self._name_again(conn, [id], now)
            caches.forget(conn)
            return store.memory(conn, id)

    def restorable(self) -> list[dict[str, Any]]:
        """The pruned memories that `unprune` can bring back, newest first.

        They are dicts of memory_id, text, why, pruned_at, kept_until.
        """
        from memkit.maintenance import pruned

        with self._turn() as conn:
            return pruned.restorable(conn)

    def fill_slots(self, *, now: str | None = None) -> Rows[Memory]:
        """Fills slots from what the user says of himself; returns the new values, in order of their time.

        That is `my name is`, `call me`, how to answer, a telephone number, an allergy, `my favourite ... is` and the
        like for the slot `user`, and `we decided` for `project`, in plain sentences of the user's own, never from
        others' words. Each value is linked to the memory that says it, and ends the one before. What is unsure becomes
        a proposal, also everything if the policy has `slots.fill = "propose"`. It is a run of upkeep: `maintenance`
        lists it and `undo` takes it back. A text is read once.
        """
        from memkit.maintenance import slot_filling
        from memkit.maintenance.policy import OFF, WRITE
        from memkit.retrieval.sql_frames import OWN

        with watched(None, unit="texts"), self._turn() as conn:
            work = self._work(conn, now, None)
            how = work.policy.slots.fill
            made = slot_filling.fill(work, WRITE if how == OFF else how)
            filled = [one.memory_id for one in made if one.action == "filled"]
            caches.forget(conn)
            return Rows(Memory, [store.memory(conn, id) for id in filled], OWN)

    def vacuum(self, *, now: str | None = None) -> VacuumReport:
        """Deletes every byte that is kept for `unprune` and `undo`, and returns a report.

        After it, pruned memories cannot be restored and earlier changes cannot be undone. The report says how many
        memories were `restorable`, and how many changes were `undoable`. Raises Busy if another connection still
        reads an older state of the file, or another process runs upkeep on it.
        """
        from memkit.maintenance import maintain

        with watched(None), self._turn() as conn:
            report = maintain.vacuum(self._work(conn, now, None))
            caches.forget(conn)
            return report

    def expand_summary(self, id: str) -> Rows[Memory]:
        """The memories that a summary (by its id) was made from, as far as they still exist, earliest first.

        Raises NotFound for an unknown id.
        """
        from memkit.maintenance import episodes
        from memkit.retrieval.sql_frames import OWN

        with self._turn() as conn:
            return Rows(Memory, episodes.expand(conn, store.memory(conn, id)), OWN)

    def _work(self, conn: Connection, now: str | None, run: str | None, model: Any = None) -> RunContext:
        """The context of a run of upkeep: connection, policy, models. A run without a name gets one."""
        from memkit.maintenance import maintain, policy_toml
        from memkit.maintenance.run_context import RunContext
        from memkit.maintenance.summaries import summariser

        now = now or utc_now()
        writer = summariser(model, templates=self._prompts())  # before the run begins: an unknown model raises here
        embedder = None if run else self._maker()
        return RunContext(
            conn, policy_toml.stored_policy(conn), now, run or maintain.next_run(conn, now), embedder, writer
        )

    @staticmethod
    def _prompts() -> Path | None:
        """The folder of the user's own prompts: `life` in the folder of MEMKIT_TEMPLATES, or None."""
        folder = user_templates()
        own = folder / "life" if folder else None
        return own if own is not None and own.is_dir() else None

    def _forgotten(self, conn: Connection, id: str, now: str, hard: bool, project: str | None) -> Memory:
        """Hides a memory, or deletes every byte of it, together with what was made from it; returns the memory."""
        from memkit.maintenance import forget, maintain
        from memkit.maintenance.erase import scrub
        from memkit.maintenance.policy import Policy
        from memkit.maintenance.run_context import RunContext

        maker = self._maker()
        with writing(conn):
            work = RunContext(conn, Policy(), now, maintain.next_run(conn, now), maker)
            gone = forget.forget(work, [id]) if hard else forget.hide(work, [id], project)
            self._embed_again(conn, gone.around)
            self._forget_names(conn, gone, now)
        if hard:
            caches.forget(conn)
            scrub(conn)
        return gone.first

    @staticmethod
    def _forget_names(conn: Connection, gone: Hidden, now: str) -> None:
        """Takes the names back that only pages gave which are hidden or deleted now, and all that only deleted ones
        had. What they named is read again; what an older memkit has read waits for the next ingest.
        """
        from memkit.ingestion.entity_linking import connect
        from memkit.ingestion.former_page_names import are_pages
        from memkit.maintenance import forgotten_names

        if gone.said.memories or are_pages(conn, gone.keys):
            connect(conn, now, keys=(), whole=True)
        if gone.said.memories:
            forgotten_names.remove(conn, gone.said)

    @staticmethod
    def _name_again(conn: Connection, ids: Sequence[str], now: str) -> None:
        """Lets memories that came back (by their ids) name again what they named, as it was before."""
        from memkit.ingestion.entity_linking import connect
        from memkit.ingestion.former_page_names import are_pages
        from memkit.maintenance import forget

        keys = forget.keys_of(conn, ids)
        connect(conn, now, keys=keys, whole=are_pages(conn, keys))

    # ------------------------------------------------------------------------------------------ sources

    def forget_source(
        self,
        source: AnyPaths = (),
        *,
        title: str | None = None,
        hard: bool = False,
        dry_run: bool = False,
        now: str | None = None,
    ) -> ForgetReport:
        """Takes back what was read from a file, a folder or several, or from one document; returns a report.

        A `source` is a path, or the source or id of a document. With a `title`, only the notes and chats with that
        title are meant, of these sources or of all. Their memories are hidden from recall with all that was made of
        them, or with `hard` every byte of them is deleted. What another file says as well stays. An ingest leaves these
        sources out from now on, and sync no longer follows them. `undo(report.run)` and `bring_back` take it back,
        unless it was `hard`; `dry_run` only counts. Raises NotFound for a source that is unknown here.
        """
        from memkit.maintenance import forget_source
        from memkit.maintenance.erase import scrub

        names = named_sources("forget_source", source, title)
        with watched(None, unit="memories"), self._turn() as conn:
            work = self._work(conn, now, "rehearsal" if dry_run else None)
            with writing(conn):
                report, gone = forget_source.forget_source(work, names, title, hard=hard, dry_run=dry_run)
                if gone is not None:
                    self._embed_again(conn, gone.around)
                    self._forget_names(conn, gone, work.now)
            if not dry_run:
                caches.forget(conn)
            if hard and not dry_run:
                scrub(conn)
            return report

    def bring_back(
        self,
        source: AnyPaths = (),
        *,
        title: str | None = None,
        now: str | None = None,
    ) -> ForgetReport:
        """Brings back what `forget_source` has hidden, named in the same way, and lets an ingest read it again.

        What was deleted with `hard` is only read again. Raises NotFound for a source that was not forgotten, and
        MemkitError for a part of one that was forgotten as a whole.
        """
        from memkit.maintenance import forget_source

        names = named_sources("bring_back", source, title)
        with watched(None, unit="memories"), self._turn() as conn:
            with writing(conn):
                work = self._work(conn, now, None)
                report, back, around = forget_source.bring_back(work, names, title)
                self._embed_again(conn, around)
                self._name_again(conn, back, work.now)
            caches.forget(conn)
            return report

    def forgotten_sources(self) -> list[str]:
        """The sources that `bring_back` can bring back: paths and documents; not those that are deleted for good."""
        from memkit.maintenance import forget_source

        with self._turn() as conn:
            return forget_source.forgotten_names(conn)

    def forgotten_memories(self) -> list[dict[str, Any]]:
        """The memories that were forgotten by their ids, newest first, as `restorable` has those that were pruned.

        `unprune` brings them back at any time: their `kept_until` is None.
        """
        from memkit.maintenance import unforget

        with self._turn() as conn:
            return unforget.forgotten_by_id(conn)

    # ------------------------------------------------------------------------------------------ conversations

    def observe(
        self,
        messages: Iterable[Mapping[str, Any]] | None = None,
        *,
        session: str | None = None,
        title: str | None = None,
        project: str | None = None,
        document: str | None = None,
        threshold: int | None = None,
        model: str | Model | None = None,
        now: str | None = None,
    ) -> MaintenanceReport:
        """Stores what is worth remembering from conversations as observations, and returns a report of them.

        A conversation is observed once its new turns have `threshold` tokens in total (by default the policy's 3000).
        A second run finds nothing new. The call observes all ingested chats and logs, or one `document` (its id or
        source), or the given `messages`: dicts with `role` and `content`. Messages become turns of the chat `session`;
        without it, of the chat in this project that began with the same message. Invalid messages are skipped and
        listed in the report's notes. `model` is an `llm` model; without one, observations are sentences of the turns.
        """
        from memkit.maintenance import conversation, log, observe
        from memkit.maintenance.maintain import MaintenanceReport

        with watched(None, unit="turns"), self._turn() as conn:
            embedder = None if messages is None else self._writing_embedder()
            work, notes = self._work(conn, now, None, model), []
            if messages is not None:
                about = {"session": session, "title": title, "project": project}
                document, failures = conversation.store_messages(conn, messages, embedder, work.now, **about)
                notes = [str(failure) for failure in failures]
            if messages is not None and document is None:
                return MaintenanceReport(work.run, work.now, notes=notes)
            if threshold is not None:
                rules = replace(work.policy.observe, observer_tokens=threshold)
                work = replace(work, policy=replace(work.policy, observe=rules))
            made = log.with_texts(conn, observe.observe(work, document=document))
            return MaintenanceReport(work.run, work.now, made, notes)

    def reflect(
        self,
        project: str | None = None,
        *,
        threshold: int | None = None,
        model: str | Model | None = None,
        now: str | None = None,
    ) -> MaintenanceReport:
        """Condenses the observations of each project that has too many (or of one project), and returns a report.

        Observations with `threshold` tokens or more in total (by default the policy's 4000) are condensed to half of
        it. Condensed observations are archived, with a link to the observation that replaces them. `model` is an `llm`
        model; without one, memkit's rules condense.
        """
        from memkit.maintenance import log, reflect
        from memkit.maintenance.maintain import MaintenanceReport

        with watched(None, unit="projects"), self._turn() as conn:
            work = self._work(conn, now, None, model)
            if threshold is not None:
                rules = replace(work.policy.observe, reflector_tokens=threshold)
                work = replace(work, policy=replace(work.policy, observe=rules))
            made = log.with_texts(conn, reflect.reflect(work, project=project))
            return MaintenanceReport(work.run, work.now, made)

    def compact(
        self,
        messages: Sequence[Mapping[str, Any]],
        budget: int,
        *,
        project: str = "global",
        model: str | Model | None = None,
        now: str | None = None,
    ) -> Compaction:
        """The conversation; once it takes 75 % of its `budget` of tokens, a summary replaces its oldest turns.

        The last turns (at most 10, at most 30 %) and the system messages at the start stay word for word. The summary
        is stored as an episode, with the turns in its `meta`. Raises BadSource for invalid messages, ValueError for a
        budget below 1.
        """
        from memkit.maintenance import conversation

        with self._turn() as conn:
            return conversation.compact(self._work(conn, now, None, model), messages, budget, project=project)

    def triggers(
        self, message: AnyText, history: Sequence[str | Mapping[str, Any]] = (), *, budget: int | None = None
    ) -> Triggers:
        """The retrieval triggers of a message (K32), to be asked before it is answered.

            "compact" in db.triggers(message, history, budget=8000)

        The triggers: `session_start` (no history) or `message`, `topic_change`, `entity_mention` (with the names in
        `.entities`), `remember_when` (a `.scale` of 2: recall with twice the budget), and `compact` if the history
        takes 75 % of `budget`. Nothing is written.
        """
        from memkit.maintenance import policy_toml

        with self._turn() as conn:
            return self._triggers_of(conn, message, history, budget, policy_toml.stored_policy(conn))

    def _triggers_of(
        self,
        conn: Connection,
        message: str,
        history: Sequence[str | Mapping[str, Any]],
        budget: int | None,
        policy: Policy,
    ) -> Triggers:
        from memkit.graph.question_entities import named_in
        from memkit.maintenance.triggers import triggers
        from memkit.text.messages import text_of, tokens

        turns = [{"role": "user", "content": one} if isinstance(one, str) else one for one in history]
        said = [text_of(turn) for turn in turns if turn.get("role") != "system"]
        embedder = self._question_embedder()
        ask = partial(
            triggers,
            message,
            said,
            entities=[one.entity.name for one in named_in(conn, message)],
            tokens=tokens(turns),
            budget=budget,
            rules=policy.triggers,
            conversation=policy.conversation,
        )
        try:
            return ask(encode=embedder.encode if embedder else None)
        except EmbedderFailed:
            return ask()

    # ------------------------------------------------------------------------------------------ proposals and feedback

    def proposals(self, state: str | None = "open", *, kind: str | None = None) -> Proposals:
        """The proposals that a person should decide, oldest first. `kind` is `merge`, `contradiction`
        or `slot`.

        `state` is `open`, `accepted` or `refused`, or None for all. Raises BadQuestion for an unknown state or kind.
        """
        from memkit.maintenance import proposals

        with self._turn() as conn:
            return proposals.list_proposals(conn, state, kind)

    def proposed(self, id: str) -> list[Side]:
        """The sides of a proposal (by its id), oldest first: each a text, its time, and the memories that say it.

        Raises NotFound for an unknown id.
        """
        from memkit.maintenance import proposals
        from memkit.maintenance.contradictions import sides

        with self._turn() as conn:
            return sides(conn, proposals.proposal(conn, id).members)

    def accept(self, id: str, *, text: str | None = None, now: str | None = None) -> Proposal:
        """Accepts a proposal, and returns it. `text` replaces the proposed text. `undo(id)` makes it open again.

        A merge makes one memory and archives its members. A contradiction is decided for the side that says the text,
        or for a new memory if no side says it. For slots, each line of the text (`user.nickname = Sam`) becomes a
        value. Raises NotFound for an unknown id, BadQuestion for a proposal that was
        decided before.
        """
        from memkit.maintenance import decisions

        with self._turn() as conn:
            maker = self._maker()
            with writing(conn):
                found, around = decisions.accept(conn, id, now or utc_now(), text=text, embedder=maker)
                self._embed_again(conn, around)
            caches.forget(conn)
            return found

    def refuse(self, id: str, *, now: str | None = None) -> Proposal:
        """Refuses a proposal, and returns it. It is not proposed again, unless `undo` with its id takes that back.

        Raises NotFound for an unknown id, BadQuestion for a proposal that was decided before.
        """
        from memkit.maintenance import proposals

        with self._turn() as conn, writing(conn):
            return proposals.refuse(conn, id, now or utc_now())

    def feedback(self, id: str, useful: bool, question: str = "", *, now: str | None = None) -> Tally:
        """Stores whether a memory (by its id) was useful as an answer, and returns its counts.

        Of several calls for the same memory and question, the last one counts. The memory's importance changes only if
        the policy says so. Raises NotFound for an unknown id.
        """
        from memkit.maintenance import feedback, policy_toml

        with self._turn() as conn:
            rule = policy_toml.stored_policy(conn).feedback
            return feedback.record_feedback(conn, id, useful, now or utc_now(), question=question, rule=rule)

    def _maker(self) -> Embedder | None:
        """The embedding model of a database with vectors. If it fails, changed texts lose theirs, and `_turn` warns."""
        return self._writing_embedder() if vectors.active_model(self.conn) else None

    # ------------------------------------------------------------------------------------------ log and undo

    def maintenance(
        self,
        *,
        memory: str | None = None,
        run: str | None = None,
        step: Iterable[str] | str | None = None,
        limit: int | None = 100,
    ) -> Changes:
        """The log of changes that upkeep made, newest first; at most `limit` of them, or all for None.

        `memory` selects the changes of a memory (by its id) and of what was made from it, `run` those of one run,
        `step` those of one or several steps. Raises MemkitError for an unknown step.
        """
        from memkit.maintenance import log

        steps = (step,) if isinstance(step, str) else tuple(step or ())
        with self._turn() as conn:
            return log.changes(conn, memory=memory, run=run, steps=steps, limit=limit)

    def undo(self, id: str, *, now: str | None = None) -> Changes:
        """Undoes one change, or all changes of a run (by the id of either), and returns the undone changes.

        With the id of a refused proposal it is open again, and no change is returned.

        Raises NotFound for an unknown id, MemkitError if a later change has to be undone first or if the former state
        is no longer kept.
        """
        from memkit.ingestion.forgotten import FORGOTTEN
        from memkit.maintenance import unforget

        with self._turn() as conn:
            with writing(conn):
                now = now or utc_now()
                undone, around = unforget.undo(conn, id, now)
                self._embed_again(conn, around)
                if hidden := [change.memory_id for change in undone if change.action == FORGOTTEN]:
                    self._name_again(conn, hidden, now)
            caches.forget(conn)
            return undone
