"""Maintenance commands: maintain, policy, prune, unprune, undo, expand, vacuum."""

from __future__ import annotations

import time
from dataclasses import asdict
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from memkit.core.formatting import counted
from memkit.frontends.cli import hints
from memkit.frontends.cli.hosting import command, existing
from memkit.frontends.cli.output import say, say_json, warn

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

SHOWN_CHANGES = 20
SHOWN_LOG = 100
as_json = click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")


@command("{run} maintain {db}--dry-run", existing)
@click.option("--dry-run", is_flag=True, help="Only say what would be done; it is tried on a copy.")
@click.option(
    "--only", "--step", "only", multiple=True, metavar="STEP", help="Only this step; may be given several times."
)
@click.option(
    "--model", metavar="MODEL", help="Let this llm model write the summaries, and find facts in what they summarise."
)
@click.option("--now", metavar="TIME", help="The time that counts as now.")
@click.option("--watch", is_flag=True, help="Keep running, and do what is due at intervals.")
@click.option(
    "--every", default=60, show_default=True, type=click.IntRange(min=1), metavar="MINUTES", help="How often."
)
@click.option("--log", is_flag=True, help="Only list what was done, run by run, the newest first.")
@as_json
def maintain(
    memory: MemoryDatabase,
    dry_run: bool,
    only: tuple[str, ...],
    model: str | None,
    now: str | None,
    watch: bool,
    every: int,
    log: bool,
    as_json: bool,
) -> None:
    """Run the maintenance that is due: summarise what is old, keep its facts, remove what the policy says.

    For cron: a second run finds nothing to do, a run that was stopped is finished by the next one. Every change is
    written down and can be undone.
    """
    if watch and now:
        raise click.UsageError("--watch uses the clock, so it cannot be combined with --now.")
    if log and (dry_run or model or now or watch):
        raise click.UsageError("--log only lists what was done: it can be combined only with --only and --json.")
    if log:
        _show_log(memory, only, as_json)
        return
    while True:
        _once(memory, watch=watch, as_json=as_json, dry_run=dry_run, only=only, model=model, now=now)
        if not watch:
            return
        time.sleep(every * 60)


def _once(memory: MemoryDatabase, *, watch: bool, as_json: bool, **how: Any) -> None:
    """One run of maintenance. With `watch`, if another process is busy, only a message is shown."""
    from memkit.core.errors import Busy

    try:
        show_report(memory.maintain(**how), as_json)
    except Busy as error:
        if not watch:
            raise
        warn(str(error))


def show_report(report: Any, as_json: bool) -> None:
    """Prints a report and its first changes; exit code 1 if a step failed."""
    if as_json:
        say_json(report.to_dict())
    else:
        _print_changes(report)
    if report.failed:
        click.get_current_context().exit(1)


def _print_changes(report: Any) -> None:
    from memkit.maintenance.log import listed

    say(repr(report))
    changes = listed(report.changes)
    for change in changes[:SHOWN_CHANGES]:
        say(f"  {change}")
    if len(changes) > SHOWN_CHANGES:
        where = "the same command with --json" if report.dry_run else hints.typed("maintain", "--log")
        say(f"  and {len(changes) - SHOWN_CHANGES:,} more: {where}")


def _show_log(memory: MemoryDatabase, only: tuple[str, ...], as_json: bool) -> None:
    """Prints the last changes, of all steps or of some; as JSON, all changes.

    What is gone for good says nothing any more: unless that step is asked for, it is one number below the others.
    """
    from memkit.maintenance.policy import LOGGED, PURGE

    told = only if only or as_json else tuple(name for name in LOGGED if name != PURGE)
    changes = memory.maintenance(step=told, limit=None if as_json else SHOWN_LOG + 1)
    if only and not changes and not as_json:
        say("These steps have changed nothing yet.")
        return
    _show_changes(changes if as_json else changes[:SHOWN_LOG], as_json)
    if not as_json and len(changes) > SHOWN_LOG:
        say(f"These are the last {SHOWN_LOG}. All of them: {hints.typed('maintain', '--log', '--json')}")
    gone = 0 if only or as_json else len(memory.maintenance(step=PURGE, limit=None))
    if gone:
        ids = hints.typed("maintain", "--log", "--only purge")
        say(f"Gone for good: {counted(gone, 'memories')}. Their ids: {ids}")


def _show_changes(changes: Any, as_json: bool) -> None:
    """Prints changes by run; the id of a run is above its changes, for `undo`."""
    if as_json:
        say_json([change.to_dict() for change in changes])
        return
    for run, made in groupby(changes[:SHOWN_LOG], key=attrgetter("run")):
        say("\n".join([f"Run {run}", *map(str, made)]))
    if len(changes) > SHOWN_LOG:
        say(f"and {len(changes) - SHOWN_LOG:,} more")
    if not changes:
        say("Nothing has been changed yet.")


@command("{run} policy {db}--set episodes.raw_days=10", existing)
@click.option("--preset", metavar="NAME", help="Use the policy of this design: memkit, or a published one.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Change a value; may be given several times."
)
@click.option(
    "--edit", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Take this TOML file as the policy."
)
def policy(memory: MemoryDatabase, preset: str | None, settings: tuple[str, ...], edit: Path | None) -> None:
    """Show or change the policy: what maintenance does, and with which numbers.

    It is printed as TOML, each value with its meaning: write it to a file, change it, and pass it with --edit. What
    changes it prints only what is other than before.
    """
    from memkit.maintenance import policy_toml

    values = dict(_setting(one) for one in settings)
    before = None
    if preset or values or edit:
        before = _policy_before(memory)
        memory.set_policy(preset, toml=_text(edit) if edit else None, settings=values)
    if before is None:
        say(policy_toml.write(memory.policy()).rstrip())
    else:
        lines = policy_toml.changed_settings(before, memory.policy())
        say("\n".join(lines) or "This is the policy already: nothing has changed.")


def _policy_before(memory: MemoryDatabase) -> Any:
    """The current policy; None if the stored one is invalid, so that it can still be replaced."""
    from memkit.core.errors import MemkitError

    try:
        return memory.policy()
    except MemkitError:
        return None


def _text(file: Path) -> str:
    """The text of a file without a byte order mark. Raises BadSource if it is not UTF-8."""
    from memkit.core.errors import BadSource

    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadSource(f"{file} is not text in UTF-8.") from error


def _setting(written: str) -> tuple[str, str]:
    name, sign, value = written.partition("=")
    if not sign:
        raise click.UsageError(f"--set {written} has no value: write it as NAME=VALUE.")
    return name.strip(), value.strip()


@command("{run} prune {db}--apply", existing)
@click.option("--apply", is_flag=True, help="Remove it. Without this option it is only shown.")
@click.option("--dry-run", is_flag=True, help="Only show it, as without any option.")
@as_json
def prune(memory: MemoryDatabase, apply: bool, dry_run: bool, as_json: bool) -> None:
    """Show what slots hold beyond their limits and nobody reads; with --apply, remove it.

    What was removed can be restored for some weeks.
    """
    if apply and dry_run:
        raise click.UsageError("Give either --apply or --dry-run, not both.")
    show_report(memory.prune(apply=apply), as_json)


@command("{run} unprune {db}c6h2z3v2re", existing)
@click.argument("id", required=False)
@click.option(
    "--source", "sources", multiple=True, metavar="PATH", help="What was forgotten of this source; may be repeated."
)
@click.option("--title", help="What was forgotten of notes and chats with this title.")
@as_json
def unprune(memory: MemoryDatabase, id: str | None, sources: tuple[str, ...], title: str | None, as_json: bool) -> None:
    """Bring a removed or forgotten memory (its id) back, or a forgotten source. Without either: list what can be.

    The list has the memories that upkeep removed or that were forgotten by their ids, and the sources that were
    forgotten.
    """
    by_source = bool(sources or title is not None)
    if by_source and id:
        raise click.UsageError("Name either the id of a memory, or a source.")
    if by_source:
        report = memory.bring_back(list(sources), title=title)
        told = f"{counted(report.memories, 'memories')} of {counted(report.documents, 'documents')} brought back."
        again = f"An ingest reads it again; for sync, add it: {hints.typed('sources', 'add PATH')}"
        say_json(asdict(report)) if as_json else say(f"{told} {again}")
        return
    if id:
        show_back(memory, id, json=as_json)
        return
    listed = [*memory.restorable(), *memory.forgotten_memories()]
    if as_json:
        say_json(listed)
    else:
        until = {row["memory_id"]: f"  until {row['kept_until'][:10]}" if row["kept_until"] else "" for row in listed}
        lines = [f"{(id := row['memory_id'])}{until[id]}  {row['text'][:80]}  ({row['why']})" for row in listed]
        lines += [f"{hints.typed('unprune', '--source')} {quote(name)}" for name in memory.forgotten_sources()]
        say("\n".join(lines) or "There is nothing to restore.")


def show_back(memory: MemoryDatabase, id: str, *, json: bool) -> None:
    """Brings a memory back, and prints it."""
    found = memory.unprune(id)
    say_json({"id": found.id, "text": found.text}) if json else say(f"{found.id}  {found.text}")


@command("{run} undo {db}k3v9d0a1zq", existing)
@click.argument("id")
@as_json
def undo(memory: MemoryDatabase, id: str, as_json: bool) -> None:
    """Undo a change that maintenance made, all changes of a run, or what was decided of a proposal, by its id."""
    undone = memory.undo(id)
    say("It is to decide again.") if not (undone or as_json) else _show_changes(undone, as_json)


@command("{run} expand {db}c6h2z3v2re", existing)
@click.argument("id")
@as_json
def expand(memory: MemoryDatabase, id: str, as_json: bool) -> None:
    """Show the memories that a summary (its id) was made from, as far as they still exist."""
    found = memory.expand_summary(id)
    if as_json:
        say_json([{"id": one.id, "when": one.when, "speaker": one.speaker, "text": one.text} for one in found])
    else:
        nothing = f"{id} was not made from other memories, or they no longer exist."
        say("\n".join(f"{one.id}  {one.when}  {one.text}" for one in found) or nothing)


@command("{run} vacuum {db}", existing)
@as_json
def vacuum(memory: MemoryDatabase, as_json: bool) -> None:
    """Remove every byte of what could still be restored or undone: afterwards it cannot."""
    show_report(memory.vacuum(), as_json)
