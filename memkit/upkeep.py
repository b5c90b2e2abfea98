"""The upkeep of a MemoryDatabase: what is done with memories after they are stored, and how it is taken back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit import caches, store, vectors
from memkit.arguments import AnyText, checked
from memkit.clock import utc_now
from memkit.driver import writing

if TYPE_CHECKING:
    from llm import Model

    from memkit.life.contradictions import Side
    from memkit.life.conversation import Compaction
    from memkit.life.feedback import Tally
    from memkit.life.log import Changes
    from memkit.life.maintain import MaintenanceReport, VacuumReport
    from memkit.life.policy import Policy
    from memkit.life.proposals import Proposal, Proposals
    from memkit.life.triggers import Triggers
    from memkit.life.work import Work
    from memkit.types import Memory


@checked
class Upkeep:
    """What a MemoryDatabase does with its memories over time. Whatever it changes is written down and can be undone."""

    if TYPE_CHECKING:
        conn: Any

        def _turn(self) -> AbstractContextManager[Any]: ...
        def _embed_again(self, conn: Any, keys: set[int]) -> None: ...
        def _question_embedder(self) -> Any: ...
        def _writing_embedder(self) -> Any: ...

    # ------------------------------------------------------------------------------------------ what is to be done

    def policy(self) -> Policy:
        """What upkeep does with this database, and by which numbers. `set_policy` changes it."""
        from memkit.life import policy_toml

        with self._turn() as conn:
            return policy_toml.stored(conn)

    def set_policy(
        self, preset: str | None = None, *, toml: str | None = None, settings: Mapping[str, str] | None = None
    ) -> Policy:
        """The policy from now on: a preset, a TOML text, or the present one, and then some `settings` changed.

        The presets are memkit, kira, slots, construct, membox, engram; settings are written as in TOML:
        `{"episodes.raw_days": "10"}`; a `preset` among them is one. Raises MemkitError, with nothing changed, for
        values that make no sense.
        """
        from memkit.life import policy_toml

        with self._turn() as conn, writing(conn):
            if toml is not None:
                policy_toml.store_text(conn, toml)
            if preset is not None:
                policy_toml.store_text(conn, policy_toml.brief(policy_toml.of({"preset": preset})))
            if settings:
                now = policy_toml.changed(policy_toml.stored(conn), settings)
                policy_toml.store_text(conn, policy_toml.brief(now))
            return policy_toml.stored(conn)

    def due(self, *, now: str | None = None) -> Mapping[str, int]:
        """How many memories wait for each step of upkeep."""
        from memkit.life import maintain

        with self._turn() as conn:
            return maintain.due(self._work(conn, now, "due"))

    # ------------------------------------------------------------------------------------------ doing it

    def maintain(
        self,
        *,
        only: Iterable[str] | str = (),
        dry_run: bool = False,
        model: str | Model | None = None,
        now: str | None = None,
    ) -> MaintenanceReport:
        """What upkeep did: the steps of the policy that are due, or `only` some of them; a second run finds nothing.

        Stopped at any moment, what is done stays and the next run does the rest. `dry_run` tries it on a copy.
        `model`, an `llm` model, writes summaries, and before that reads what is summed up for facts, besides the rules
        that always do; without one, summaries are sentences of what they sum up. Raises Busy if another process
        maintains this database.
        """
        from memkit.life import maintain

        steps = (only,) if isinstance(only, str) else tuple(only)
        with self._turn() as conn:
            if dry_run:
                return maintain.rehearse(self._work(conn, now, "rehearsal"), steps)
            work = self._work(conn, now, None, model)
            report = maintain.maintain(work, steps)
            caches.forget(conn)
            return report

    def prune(self, *, apply: bool = False, now: str | None = None) -> MaintenanceReport:
        """What the slots' rules let go, or with `apply` have let go: `restore` brings it back for some weeks."""
        return self.maintain(only="prune", dry_run=not apply, now=now)

    def restore(self, id: str, *, now: str | None = None) -> Memory:
        """The memory with this id, brought back exactly: with its mentions, evidence, links and access.

        Upkeep will not let it go again. Raises NotFound for one that was not let go, or is gone for good.
        """
        from memkit.life import log

        with self._turn() as conn:
            with writing(conn):
                self._embed_again(conn, log.restore(conn, id, now or utc_now()))
            caches.forget(conn)
            return store.memory(conn, id)

    def restorable(self) -> list[dict[str, Any]]:
        """The memories that can be restored: memory_id, text, why, pruned_at, kept_until; the newest first."""
        from memkit.life import pruned

        with self._turn() as conn:
            return pruned.restorable(conn)

    def vacuum(self, *, now: str | None = None) -> VacuumReport:
        """Ends the time in which memories can be restored and changes undone, and removes every byte of them.

        The report says how many memories were `restorable` until then, and how many changes `undoable`. Raises Busy if
        somebody still reads an older state of the file, or maintains it.
        """
        from memkit.life import maintain

        with self._turn() as conn:
            report = maintain.vacuum(self._work(conn, now, None))
            caches.forget(conn)
            return report

    def expand_summary(self, id: str) -> list[Memory]:
        """The memories that a summary was made of and that are still there, in order of time. Raises NotFound."""
        from memkit.life import episodes

        with self._turn() as conn:
            return episodes.expand(conn, store.memory(conn, id))

    def _work(self, conn: Any, now: str | None, run: str | None, model: Any = None) -> Work:
        """What a step of upkeep works with; a run that has no name yet gets one."""
        from memkit.life import maintain, policy_toml
        from memkit.life.summaries import summariser
        from memkit.life.work import Work

        now = now or utc_now()
        writer = summariser(model, templates=self._prompts(conn))  # before a run is begun: there may be no such model
        return Work(conn, policy_toml.stored(conn), now, run or maintain.next_run(conn, now), self._maker(), writer)

    @staticmethod
    def _prompts(conn: Any) -> Path | None:
        """The user's own prompts: the folder `life` in the folder of templates that the database's setting names."""
        folder = store.setting(conn, "templates")
        own = Path(folder) / "life" if folder else None
        return own if own is not None and own.is_dir() else None

    def _forgotten(self, conn: Any, id: str, now: str, hard: bool) -> Memory:
        """The memory that is hidden now, or gone from every page of the file, with what was made of it."""
        from memkit.life import forget, maintain
        from memkit.life.policy import Policy
        from memkit.life.work import Work
        from memkit.lifecycle import scrub

        with writing(conn):
            work = Work(conn, Policy(), now, maintain.next_run(conn, now), self._maker())
            memory, around = (forget.forget if hard else forget.hide)(work, id)
            self._embed_again(conn, around)
        if hard:
            caches.forget(conn)
            scrub(conn)
        return memory

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
        """What is worth remembering of the conversations, noted as observations; a second run finds nothing new.

        Observed is what nobody has observed yet, once it comes to `threshold` tokens (the policy's 3000 if not given):
        of all chats and logs that were taken in, of one `document` (its id or source), or of `messages` handed in:
        dicts with `role` and `content`, which become turns of the chat `session`, or of the one in that project that
        began with the same message. Messages that are none are skipped and reported in the notes. `model` is an `llm`
        model; without one, observations are sentences of the turns.
        """
        from memkit.life import conversation, log, observe
        from memkit.life.maintain import MaintenanceReport

        with self._turn() as conn:
            embedder = None if messages is None else self._writing_embedder()
            work, notes = self._work(conn, now, None, model), []
            if messages is not None:
                about = {"session": session, "title": title, "project": project}
                document, failures = conversation.take_in(conn, messages, embedder, work.now, **about)
                notes = [str(failure) for failure in failures]
            if messages is not None and document is None:
                return MaintenanceReport(work.run, work.now, notes=notes)
            if threshold is not None:
                rules = replace(work.policy.observe, observer_tokens=threshold)
                work = replace(work, policy=replace(work.policy, observe=rules))
            made = log.telling(conn, observe.observe(work, document=document))
            return MaintenanceReport(work.run, work.now, made, notes)

    def reflect(
        self,
        project: str | None = None,
        *,
        threshold: int | None = None,
        model: str | Model | None = None,
        now: str | None = None,
    ) -> MaintenanceReport:
        """What became of the observations of projects (or of one) that had more than `threshold` tokens of them.

        They are condensed to half of the threshold (the policy's 4000 if not given) and stay as they are until the next
        reflection. What was condensed is archived, with a link to what says it now.
        """
        from memkit.life import log, reflect
        from memkit.life.maintain import MaintenanceReport

        with self._turn() as conn:
            work = self._work(conn, now, None, model)
            if threshold is not None:
                rules = replace(work.policy.observe, reflector_tokens=threshold)
                work = replace(work, policy=replace(work.policy, observe=rules))
            made = log.telling(conn, reflect.reflect(work, project=project))
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
        """The conversation, with its oldest turns as one summary once it takes 75 % of its `budget` of tokens.

        The last turns (at most 10, at most 30 %) and the system messages at the start stay word for word. The summary
        is kept as an episode, with the turns in its `meta`. Raises BadSource for messages that are none, ValueError for
        a budget below 1.
        """
        from memkit.life import conversation

        with self._turn() as conn:
            return conversation.compact(self._work(conn, now, None, model), messages, budget, project=project)

    def triggers(
        self, message: AnyText, history: Sequence[str | Mapping[str, Any]] = (), *, budget: int | None = None
    ) -> Triggers:
        """What a message calls for before it is answered (K32): `"compact" in db.triggers(message, history)`.

        `session_start` or `message`, `topic_change`, `entity_mention` (with the names), `remember_when` (with twice the
        budget), and `compact` where the history takes 75 % of `budget`. Nothing is written.
        """
        from memkit.graph.named import named_in
        from memkit.life import conversation, policy_toml
        from memkit.life.triggers import triggers

        turns = [{"role": "user", "content": one} if isinstance(one, str) else one for one in history]
        said = [conversation.text_of(turn) for turn in turns if turn.get("role") != "system"]
        with self._turn() as conn:
            embedder, policy = self._question_embedder(), policy_toml.stored(conn)
            return triggers(
                message,
                said,
                encode=embedder.encode if embedder else None,
                entities=[one.entity.name for one in named_in(conn, message)],
                tokens=conversation.tokens(turns),
                budget=budget,
                rules=policy.triggers,
                conversation=policy.conversation,
            )

    # ------------------------------------------------------------------------------------------ what people decide

    def proposals(self, state: str | None = "open", *, kind: str | None = None) -> Proposals:
        """What a person is asked to decide, oldest first: `merge` and `contradiction`; None is any state.

        Raises BadQuestion for a state that is not open, accepted or refused, and for an unknown kind.
        """
        from memkit.life import proposals

        with self._turn() as conn:
            return proposals.listed(conn, state, kind)

    def proposed(self, id: str) -> list[Side]:
        """What the members of a proposal (its id) say, the oldest first: a text, when, in which memories."""
        from memkit.life import proposals
        from memkit.life.contradictions import sides

        with self._turn() as conn:
            return sides(conn, proposals.proposal(conn, id).members)

    def accept(self, id: str, *, text: str | None = None, now: str | None = None) -> Proposal:
        """The accepted proposal; `text` takes the place of the proposed one. After `undo(id)` it is open again.

        A merge makes one memory and archives its members. A contradiction is settled by the side that says the text; if
        none does, by a new memory. Raises NotFound, and BadQuestion for a proposal that is decided already.
        """
        from memkit.life import decisions

        with self._turn() as conn:
            with writing(conn):
                found, around = decisions.accept(conn, id, now or utc_now(), text=text, embedder=self._maker())
                self._embed_again(conn, around)
            caches.forget(conn)
            return found

    def refuse(self, id: str, *, now: str | None = None) -> Proposal:
        """The refused proposal: it does not come back. Raises NotFound, and BadQuestion if it is decided already."""
        from memkit.life import proposals

        with self._turn() as conn, writing(conn):
            return proposals.refuse(conn, id, now or utc_now())

    def feedback(self, id: str, useful: bool, question: str = "", *, now: str | None = None) -> Tally:
        """How useful a memory (its id) has been, after this word on it; its importance follows if the policy says so.

        The last word on a memory and a question counts. Raises NotFound.
        """
        from memkit.life import feedback, policy_toml

        with self._turn() as conn:
            rule = policy_toml.stored(conn).feedback
            return feedback.give(conn, id, useful, now or utc_now(), question=question, rule=rule)

    def _maker(self) -> Any:
        """The model that makes the vectors of this database; None where it has none, or another one's."""
        row = vectors.active_model(self.conn)
        embedder = self._question_embedder() if row else None
        same = embedder is not None and (embedder.id, embedder.version) == (row["id"], row["version"])
        return embedder if same else None

    # ------------------------------------------------------------------------------------------ what was done

    def maintenance(
        self,
        *,
        memory: str | None = None,
        run: str | None = None,
        step: Iterable[str] | str | None = None,
        limit: int | None = 100,
    ) -> Changes:
        """What upkeep has changed, newest first: all of it, of a memory (its id) or what was made from it, of a run.

        Of a `step`, or of several. At most `limit` changes; None is all of them. Raises MemkitError for one unknown.
        """
        from memkit.life import log

        steps = (step,) if isinstance(step, str) else tuple(step or ())
        with self._turn() as conn:
            return log.changes(conn, memory=memory, run=run, steps=steps, limit=limit)

    def undo(self, id: str, *, now: str | None = None) -> Changes:
        """The changes that are undone now: the one with this id, or all of the run with this id.

        Raises NotFound for an id that is neither, MemkitError where a later change has to be undone first or what was
        before is no longer kept.
        """
        from memkit.life import log

        with self._turn() as conn:
            with writing(conn):
                undone, around = log.undo(conn, id, now or utc_now())
                self._embed_again(conn, around)
            caches.forget(conn)
            return undone
