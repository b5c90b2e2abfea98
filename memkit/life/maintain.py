"""What is due, done: the steps of upkeep in their order, each idempotent, each change in the log.

A step works in transactions of its own: stopped at any moment, what is done stays, and the next run does the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memkit import driver, schema, store
from memkit.errors import Busy, MemkitError, one_of
from memkit.info import file_size, size_text
from memkit.life import crystals, episodes, expire, facts, log, observe, policy, promote, propose, prune, reflect, turns
from memkit.life.log import Change
from memkit.life.policy import Policy
from memkit.life.summaries import Extractive
from memkit.life.work import Work
from memkit.lifecycle import UNSCRUBBED, scrub
from memkit.render import counted
from memkit.text import short_id

LAST_RUN = "maintained_at"  # setting: when upkeep last ran
NEXT_RUN = """
insert into settings (name, value) values ('maintenance_runs', '1')
on conflict (name) do update set value = cast(value + 1 as text)
returning value
"""
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class Step:
    """A step of upkeep: what it does, and how many memories wait for it."""

    name: str
    run: Callable[[Work], list[Change]]
    due: Callable[[Work], int]


# In this order: nothing goes before what follows from it is kept.
STEPS = (
    Step(policy.OBSERVE, observe.observe, observe.count_observe),
    Step(policy.REFLECT, reflect.reflect, reflect.count_reflect),
    Step(policy.FACTS, facts.read, facts.count_unread),
    Step(policy.COMPRESS, episodes.compress, episodes.count_compress),
    Step(policy.DISTIL, episodes.distil, episodes.count_distil),
    Step(policy.PROMOTE, promote.promote, promote.count_promote),
    Step(policy.CRYSTALS, crystals.build, crystals.count_crystals),
    Step(policy.PROPOSE, propose.propose, propose.count_propose),
    Step(policy.PRUNE, prune.prune, prune.count_prune),
    Step(policy.EXPIRE, expire.expire, expire.count_expired),
    Step(policy.PURGE, prune.purge, prune.count_purge),
)


@dataclass
class MaintenanceReport:
    """What a run of upkeep did: its id (`undo` takes all of it back), every change, and what should be known."""

    run: str
    at: str
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    dry_run: bool = False

    @property
    def counts(self) -> dict[str, int]:
        """How many memories each step changed, and how: `compress: made`, `expire: expired` ..."""
        return dict(Counter(f"{change.step}: {change.action}" for change in self.changes))

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        changes = [change.to_dict() for change in self.changes]
        return {
            "run": self.run,
            "at": self.at,
            "dry_run": self.dry_run,
            "counts": self.counts,
            "changes": changes,
            "notes": self.notes,
        }

    @property
    def summary(self) -> str:
        """When it was, and how much was done, in a line."""
        head = f"Would be done at {self.at}" if self.dry_run else f"Run {self.run} at {self.at}"
        return f"{head}: {self._done()}"

    def _done(self) -> str:
        return ", ".join(f"{name} {count:,}" for name, count in self.counts.items()) or "nothing was due"

    def __repr__(self) -> str:
        return "\n".join([self.summary, *self.notes])

    def _repr_html_(self) -> str:
        from memkit.render_life import run_html

        return run_html(self)


@dataclass(repr=False)
class VacuumReport(MaintenanceReport):
    """What a vacuum ended: how many memories could be restored until then, and how many changes be undone."""

    restorable: int = 0
    undoable: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The same as JSON-able values."""
        return super().to_dict() | {"ended": {"restorable": self.restorable, "undoable": self.undoable}}

    def _done(self) -> str:
        if not self.restorable and not self.undoable:
            return "there was nothing to restore or to undo"
        memories, changes = counted(self.restorable, "memories"), counted(self.undoable, "changes")
        return f"{memories} can be restored no more, and {changes} can be undone no more"


def maintain(work: Work, only: Iterable[str] = ()) -> MaintenanceReport:
    """Runs the policy's steps, or `only` these, and says what that did. Raises Busy if somebody else does."""
    wanted = chosen(work.policy, only)
    report = MaintenanceReport(work.run, work.now, notes=_clock_notes(work))
    with turns.turn(work.conn, work.run, work.clock):
        work = _within_size(work, report)
        for step in wanted:
            turns.take(work.conn, work.run, work.clock)
            report.changes += step.run(work)
        report.changes = log.telling(work.conn, report.changes)
        with work.writing():
            store.set_setting(work.conn, LAST_RUN, work.now)
        limit = work.policy.file.size_limit_mb
        if (limit and _size(work) > limit) or store.setting(work.conn, UNSCRUBBED):
            _scrub(work, report)
    return report


def chosen(policy: Policy, only: Iterable[str] = ()) -> list[Step]:
    """The steps that are to run, in order. Raises MemkitError for a name that is none."""
    names = {step.name for step in STEPS}
    for name in only:
        if name not in names:
            raise MemkitError(one_of("step of upkeep", name, names))
    wanted = set(only) or set(policy.steps)
    return [step for step in STEPS if step.name in wanted]


def rehearse(work: Work, only: Iterable[str] = ()) -> MaintenanceReport:
    """What `maintain` would do, found out on a copy of the database; no model is asked, not even for vectors."""
    with TemporaryDirectory(prefix="memkit-") as folder:
        copy = driver.connect(Path(folder) / "copy.db")
        try:
            work.conn.backup(copy)
            schema.ensure(copy, "the copy")
            store.set_setting(copy, turns.SETTING, None)
            report = maintain(replace(work, conn=copy, embedder=None, summariser=Extractive()), only)
        finally:
            copy.close()
    return replace(report, dry_run=True)


def vacuum(work: Work) -> VacuumReport:
    """Ends the time of all that could be restored or undone, and removes its bytes. Raises Busy."""
    before = file_size(work.conn)
    with turns.turn(work.conn, work.run, work.clock):
        report = VacuumReport(work.run, work.now, undoable=log.count_undoable(work.conn))
        report.changes = prune.purge(work, everything=True)
        report.restorable = len(report.changes)
        scrub(work.conn)
    report.notes.append(f"The file had {size_text(before)}, and has {size_text(file_size(work.conn))} now.")
    return report


def due(work: Work) -> Mapping[str, int]:
    """How many memories wait for each of the policy's steps now; what a step leads to in the next is not counted."""
    return {step.name: step.due(work) for step in chosen(work.policy)}


def next_run(conn: Any, now: str) -> str:
    """The id of a new run."""
    with driver.writing(conn):
        number = conn.execute(NEXT_RUN).fetchone()[0]
    return short_id("run", now, str(number))


# ---------------------------------------------------------------------------------------------- clock and size


def _clock_notes(work: Work) -> list[str]:
    """Says so where the clock was set back: less is due then, and nothing goes that would not have gone."""
    last = store.setting(work.conn, LAST_RUN)
    if last is None or last <= work.now:
        return []
    return [f"The clock says {work.now}, but upkeep ran at {last} already: what is younger than that waits."]


def _within_size(work: Work, report: MaintenanceReport) -> Work:
    """The work with its ages halved, where the file is larger than the policy wants it (K37)."""
    limit, ages = work.policy.file.size_limit_mb, work.policy.episodes
    if not limit or _size(work) <= limit:
        return work
    report.notes.append(f"The file is larger than {limit:g} MB: episodes grow older twice as fast.")
    halved = replace(
        ages,
        compress_after_hours=ages.compress_after_hours / 2,
        raw_days=ages.raw_days / 2,
        distil_after_days=ages.distil_after_days / 2,
    )
    return replace(work, policy=replace(work.policy, episodes=halved))


def _size(work: Work) -> float:
    return file_size(work.conn) / MEGABYTE


def _scrub(work: Work, report: MaintenanceReport) -> None:
    try:
        scrub(work.conn)
    except Busy as error:
        report.notes.append(f"The file was not made smaller: {error}")
