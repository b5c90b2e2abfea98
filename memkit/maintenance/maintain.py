"""Maintenance run: the steps that are due, in a fixed order. Each step is idempotent, and each change is logged.

Each step uses its own transactions. If a run is stopped, finished work stays, and the next run does the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadSource, Busy, MemkitError, ModelFailed, one_of
from memkit.core.formatting import SHOWN_ROWS, counted, html_table, more_note, notes_html
from memkit.core.frames import frame_of
from memkit.core.progress import phase
from memkit.graph import stored_arrays
from memkit.maintenance import (
    confidence,
    crystals,
    episodes,
    expire,
    fact_extraction,
    lock,
    log,
    log_lines,
    observe,
    policy,
    proposal_step,
    prune,
    reflect,
    slot_filling,
)
from memkit.maintenance.erase import UNSCRUBBED, scrub
from memkit.maintenance.log import HEADINGS, Change
from memkit.maintenance.policy import Policy
from memkit.maintenance.run_context import RunContext
from memkit.maintenance.summaries import Extractive
from memkit.storage import driver, schema, store, vectors
from memkit.storage.connection import Connection
from memkit.storage.info import file_size, size_text
from memkit.text.words import short_id

if TYPE_CHECKING:
    import pandas as pd

LAST_RUN = "maintained_at"  # setting: when maintenance last ran
RUNS = "maintenance_runs"  # setting: the number of runs so far
MEGABYTE = 1_000_000


@dataclass(frozen=True)
class MaintenanceStep:
    """A maintenance step: `run` makes its changes, `due` counts the memories that wait for it."""

    name: str
    run: Callable[[RunContext], list[Change]]
    due: Callable[[RunContext], int]


# The order matters: what a memory states is stored elsewhere before the memory is removed.
STEPS = (
    MaintenanceStep(policy.OBSERVE, observe.observe, observe.count_observe),
    MaintenanceStep(policy.REFLECT, reflect.reflect, reflect.count_reflect),
    MaintenanceStep(policy.FACTS, fact_extraction.read, fact_extraction.count_unread),
    MaintenanceStep(policy.SLOTS, slot_filling.fill, slot_filling.count_unread),
    MaintenanceStep(policy.COMPRESS, episodes.compress, episodes.count_compress),
    MaintenanceStep(policy.DISTIL, episodes.distil, episodes.count_distil),
    MaintenanceStep(policy.PROMOTE, confidence.promote, confidence.count_promote),
    MaintenanceStep(policy.CRYSTALS, crystals.build, crystals.count_crystals),
    MaintenanceStep(policy.PROPOSE, proposal_step.propose, proposal_step.count_propose),
    MaintenanceStep(policy.PRUNE, prune.prune, prune.count_prune),
    MaintenanceStep(policy.EXPIRE, expire.expire, expire.count_expired),
    MaintenanceStep(policy.PURGE, prune.purge, prune.count_purge),
)


@dataclass
class MaintenanceReport:
    """The result of a maintenance run: its id (`undo(run)` undoes all of it), the changes, and notes for the user.

    `failed` maps each step that could not be finished to the reason, such as a language model that does not answer.
    """

    run: str
    at: str
    changes: list[Change] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    dry_run: bool = False
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """The number of changes of each kind, for example `{"compress: made": 3, "expire: expired": 12}`."""
        return dict(Counter(f"{change.step}: {change.action}" for change in self.changes))

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        changes = [change.to_dict() for change in self.changes]
        return {
            "run": self.run,
            "at": self.at,
            "dry_run": self.dry_run,
            "counts": self.counts,
            "changes": changes,
            "notes": self.notes,
            "failed": self.failed,
        }

    def to_df(self) -> pd.DataFrame:
        """The changes as a pandas DataFrame, a row for each, with the fields of `Change` as columns.

        Raises NeedsPackage if pandas is not installed.
        """
        return frame_of(Change, self.changes)

    @property
    def summary(self) -> str:
        """One line: the run, its time, and how many changes of each kind it made."""
        head = f"Would be done at {self.at}" if self.dry_run else f"Run {self.run} at {self.at}"
        return f"{head}: {self.done}"

    def _notes(self) -> list[str]:
        return [*self.notes, *(f"The step {name} failed: {reason}" for name, reason in self.failed.items())]

    @property
    def done(self) -> str:
        """What was done, in words: `3 summaries made, 12 memories let go`, or that nothing was due."""
        return log_lines.tally(f"{change.step}: {change.action}" for change in self.changes) or "nothing was due"

    def __repr__(self) -> str:
        return "\n".join([self.summary, *self._notes()])

    def _repr_html_(self) -> str:
        shown = log.listed(self.changes)
        table = html_table(self.summary, HEADINGS, [change.cells() for change in shown[:SHOWN_ROWS]])
        return table + notes_html([*more_note(len(shown), "changes"), *self._notes()])


@dataclass(repr=False)
class VacuumReport(MaintenanceReport):
    """The result of a vacuum: how many memories can no longer be restored, and how many changes no longer undone."""

    restorable: int = 0
    undoable: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        return super().to_dict() | {"ended": {"restorable": self.restorable, "undoable": self.undoable}}

    @property
    def done(self) -> str:
        """How much can no longer be restored or undone, in words."""
        if not self.restorable and not self.undoable:
            return "there was nothing to restore or undo"
        memories, changes = counted(self.restorable, "memories"), counted(self.undoable, "changes")
        return f"{memories} can no longer be restored, and {changes} can no longer be undone"


def maintain(work: RunContext, only: Iterable[str] = ()) -> MaintenanceReport:
    """The report of a run of the policy's steps, or of `only` these.

    Raises Busy if another process maintains the database, MemkitError for an unknown step.
    """
    wanted = chosen_steps(work.policy, only)
    report = MaintenanceReport(work.run, work.now, notes=_clock_notes(work))
    with lock.turn(work.conn, work.run, work.clock):
        work = _within_size(work, report)
        for number, step in enumerate(wanted):
            phase(step.name, len(wanted), done=number, unit="steps")
            lock.acquire(work.conn, work.run, work.clock)
            try:
                report.changes += step.run(work)
            except (ModelFailed, BadSource) as error:  # of its language model or its prompt: the others need neither
                report.failed[step.name] = str(error)
        report.changes = log.with_texts(work.conn, report.changes)
        with work.writing():
            store.set_setting(work.conn, LAST_RUN, work.now)
        stored_arrays.store(work.conn)
        vectors.fill(work.conn, work.embedder, work.now)  # those of a run that was killed after its last commit
        vectors.fill_sentences(work.conn, work.embedder)
        limit = work.policy.file.size_limit_mb
        if (limit and _size(work) > limit) or store.setting(work.conn, UNSCRUBBED):
            _scrub(work, report)
    return report


def chosen_steps(policy: Policy, only: Iterable[str] = ()) -> list[MaintenanceStep]:
    """The steps to run, in order: `only` these, or those of the policy. Raises MemkitError for an unknown name."""
    names = {step.name for step in STEPS}
    for name in only:
        if name not in names:
            raise MemkitError(one_of("maintenance step", name, names))
    wanted = set(only) or set(policy.steps)
    return [step for step in STEPS if step.name in wanted]


def preview(work: RunContext, only: Iterable[str] = ()) -> MaintenanceReport:
    """The report of what `maintain` would do, found on a copy of the database. No model is called, no embedder either.

    Raises MemkitError for an unknown step.
    """
    with TemporaryDirectory(prefix="memkit-") as folder:
        copy = driver.connect(Path(folder) / "copy.db")
        try:
            work.conn.backup(copy)
            schema.ensure(copy, "the copy")
            store.set_setting(copy, lock.SETTING, None)
            report = maintain(replace(work, conn=copy, embedder=None, summariser=Extractive()), only)
        finally:
            copy.close()
    return replace(report, dry_run=True)


def vacuum(work: RunContext) -> VacuumReport:
    """Deletes everything that is kept for restore and undo, and removes its bytes from the file.

    Raises Busy if another process maintains the database, or still reads an older state of the file.
    """
    before = file_size(work.conn)
    with lock.turn(work.conn, work.run, work.clock):
        report = VacuumReport(work.run, work.now, undoable=log.count_undoable(work.conn))
        phase("deleting what was kept for undo")
        report.changes = prune.purge(work, everything=True)
        report.restorable = len(report.changes)
        phase("writing the file anew")
        scrub(work.conn)
    report.notes.append(f"The file size was {size_text(before)}, and is {size_text(file_size(work.conn))} now.")
    return report


def due(work: RunContext) -> Mapping[str, int]:
    """The number of memories that wait for each step of the policy now.

    Work that one step will create for a later one is not counted.
    """
    return {step.name: step.due(work) for step in chosen_steps(work.policy)}


def next_run(conn: Connection, now: str) -> str:
    """The id of a new run."""
    with driver.writing(conn):
        number = store.count_up(conn, RUNS)
    return short_id("run", now, str(number))


# ---------------------------------------------------------------------------------------------- clock and size


def _clock_notes(work: RunContext) -> list[str]:
    """A note if the clock was set back since the last run: fewer memories are due then."""
    last = store.setting(work.conn, LAST_RUN)
    if not isinstance(last, str) or last <= work.now:
        return []
    return [
        f"The clock shows {work.now}, but maintenance already ran at {last}. "
        "Memories that seem too new are not due yet. Check the clock."
    ]


def _within_size(work: RunContext, report: MaintenanceReport) -> RunContext:
    """The run with all ages of episodes halved if the file is larger than the policy's limit (K37)."""
    limit, ages = work.policy.file.size_limit_mb, work.policy.episodes
    if not limit or _size(work) <= limit:
        return work
    report.notes.append(f"The file is larger than {limit:g} MB, so the ages at which episodes are due are halved.")
    halved = replace(
        ages,
        compress_after_hours=ages.compress_after_hours / 2,
        raw_days=ages.raw_days / 2,
        distil_after_days=ages.distil_after_days / 2,
    )
    return replace(work, policy=replace(work.policy, episodes=halved))


def _size(work: RunContext) -> float:
    return file_size(work.conn) / MEGABYTE


def _scrub(work: RunContext, report: MaintenanceReport) -> None:
    try:
        scrub(work.conn)
    except Busy as error:
        report.notes.append(f"The file was not made smaller: {error}")
