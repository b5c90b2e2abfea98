"""maintain, policy, prune, restore, undo, expand, vacuum: what becomes of memories after they are stored."""

from __future__ import annotations

import time
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import click

from memkit.commands.hosting import command, existing
from memkit.commands.printing import say, say_json
from memkit.render import short

PRESETS = ("memkit", "kira", "slots", "construct", "membox", "engram")
SHOWN_CHANGES = 20
SHOWN_LOG = 100
as_json = click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")


@command("{run} maintain {db}--dry-run", existing)
@click.option("--dry-run", is_flag=True, help="Only say what would be done; it is tried on a copy.")
@click.option(
    "--only", "--step", "only", multiple=True, metavar="STEP", help="Only this step; may be given several times."
)
@click.option(
    "--model", metavar="MODEL", help="Let this llm model write the summaries, and read for facts what they sum up."
)
@click.option("--now", metavar="TIME", help="When it is done, if not now.")
@click.option("--watch", is_flag=True, help="Go on, and do what is due every so often.")
@click.option(
    "--every", default=60, show_default=True, type=click.IntRange(min=1), metavar="MINUTES", help="How often."
)
@click.option("--log", is_flag=True, help="Only list what was done last, newest first, run by run.")
@as_json
def maintain(
    memory: Any,
    dry_run: bool,
    only: tuple[str, ...],
    model: str | None,
    now: str | None,
    watch: bool,
    every: int,
    log: bool,
    as_json: bool,
) -> None:
    """Do what is due: summarise what is old, keep its facts, let go what the policy says.

    For cron: a second run finds nothing to do, a run that was stopped is finished by the next one. Every change is
    written down and can be undone.
    """
    if watch and now:
        raise click.UsageError("--watch goes by the clock, and not by --now.")
    if log and (dry_run or model or now or watch):
        raise click.UsageError("--log only lists what was done. Beside it there may be --only and --json.")
    if log:
        _show_log(memory, only, as_json)
        return
    while True:
        _once(memory, watch=watch, as_json=as_json, dry_run=dry_run, only=only, model=model, now=now)
        if not watch:
            return
        time.sleep(every * 60)


def _once(memory: Any, *, watch: bool, as_json: bool, **how: Any) -> None:
    """One run; one that watches lets another maintainer finish, and tries again later."""
    from memkit.errors import Busy

    try:
        show_report(memory.maintain(**how), as_json)
    except Busy as error:
        if not watch:
            raise
        say(str(error), err=True)


def show_report(report: Any, as_json: bool) -> None:
    """What was done, and the first changes."""
    if as_json:
        say_json(report.to_dict())
        return
    say(repr(report))
    for line in map(_told, report.changes[:SHOWN_CHANGES]):
        say(f"  {line}")
    if len(report.changes) > SHOWN_CHANGES:
        where = "the same command with --json" if report.dry_run else "memkit maintain DATABASE --log"
        say(f"  and {len(report.changes) - SHOWN_CHANGES:,} more: {where}")


def _show_log(memory: Any, only: tuple[str, ...], as_json: bool) -> None:
    """The last changes, of all steps or only some; all of them as JSON."""
    changes = memory.maintenance(step=only, limit=None if as_json else SHOWN_LOG + 1)
    if only and not changes and not as_json:
        say("Nothing of that has been changed yet.")
        return
    _show_changes(changes if as_json else changes[:SHOWN_LOG], as_json)
    if not as_json and len(changes) > SHOWN_LOG:
        say(f"These are the last {SHOWN_LOG}. All of them: memkit maintain DATABASE --log --json")


def _show_changes(changes: Any, as_json: bool) -> None:
    """The changes, and above those of a run its id, which `undo` takes."""
    if as_json:
        say_json([change.to_dict() for change in changes])
        return
    for run, made in groupby(changes, key=attrgetter("run")):
        say("\n".join([f"Run {run}", *map(_told, made)]))
    if not changes:
        say("Nothing has been changed yet.")


def _told(change: Any) -> str:
    """A change, and below it the beginning of what the memory says, where that is kept."""
    return f"{change}\n    {short(change.says, 70)}" if change.says else str(change)


@command("{run} policy {db}--set episodes.raw_days=10", existing)
@click.option("--preset", type=click.Choice(PRESETS), help="Do as this design does.")
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Change a value; may be given several times."
)
@click.option(
    "--edit", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Take this TOML file as the policy."
)
def policy(memory: Any, preset: str | None, settings: tuple[str, ...], edit: Path | None) -> None:
    """Show or change what upkeep does by itself, and by which numbers.

    Printed as TOML, each value with its meaning: write it to a file, change it, and give it back with --edit. What
    changes it prints only what is other than before.
    """
    from memkit.life import policy_toml

    values = dict(_setting(one) for one in settings)
    before = None
    if preset or values or edit:
        before = _policy_before(memory)
        memory.set_policy(preset, toml=_text(edit) if edit else None, settings=values)
    if before is None:
        say(policy_toml.write(memory.policy()).rstrip())
    else:
        lines = policy_toml.compared(before, memory.policy())
        say("\n".join(lines) or "This is the policy already: nothing has changed.")


def _policy_before(memory: Any) -> Any:
    """The policy that is to be changed; None if what is stored makes no sense, which is no reason not to mend it."""
    from memkit.errors import MemkitError

    try:
        return memory.policy()
    except MemkitError:
        return None


def _text(file: Path) -> str:
    """What the file says, without the mark that some editors put in front. Raises BadSource."""
    from memkit.errors import BadSource

    try:
        return file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadSource(f"{file} is not text in UTF-8.") from error


def _setting(written: str) -> tuple[str, str]:
    name, sign, value = written.partition("=")
    if not sign:
        raise click.UsageError(f"--set {written} says no value: write it as NAME=VALUE.")
    return name.strip(), value.strip()


@command("{run} prune {db}--apply", existing)
@click.option("--apply", is_flag=True, help="Do it. Without this it is only shown.")
@click.option("--dry-run", is_flag=True, help="Only show it, as without any option.")
@as_json
def prune(memory: Any, apply: bool, dry_run: bool, as_json: bool) -> None:
    """Show, or with --apply let go, what slots hold beyond their caps and nobody reads.

    What was let go can be restored for some weeks.
    """
    if apply and dry_run:
        raise click.UsageError("Either --apply or --dry-run.")
    show_report(memory.prune(apply=apply), as_json)


@command("{run} restore {db}c6h2z3v2re", existing)
@click.argument("id", required=False)
@as_json
def restore(memory: Any, id: str | None, as_json: bool) -> None:
    """Bring back a memory (its id) that was let go, exactly. Without an id: list those that can be."""
    if id:
        found = memory.restore(id)
        say_json({"id": found.id, "text": found.text}) if as_json else say(f"{found.id}  {found.text}")
        return
    listed = memory.restorable()
    if as_json:
        say_json(listed)
    else:
        lines = [
            f"{row['memory_id']}  until {row['kept_until'][:10]}  {row['text'][:80]}  ({row['why']})" for row in listed
        ]
        say("\n".join(lines) or "There is nothing to restore.")


@command("{run} undo {db}k3v9d0a1zq", existing)
@click.argument("id")
@as_json
def undo(memory: Any, id: str, as_json: bool) -> None:
    """Take back a change that upkeep made, or all changes of a run (its id)."""
    _show_changes(memory.undo(id), as_json)


@command("{run} expand {db}c6h2z3v2re", existing)
@click.argument("id")
@as_json
def expand(memory: Any, id: str, as_json: bool) -> None:
    """Show the memories that a summary (its id) was made of, as far as they are still there."""
    found = memory.expand_summary(id)
    if as_json:
        say_json([{"id": one.id, "when": one.when, "speaker": one.speaker, "text": one.text} for one in found])
    else:
        nothing = f"{id} was made of no other memories, or none of them is there any more."
        say("\n".join(f"{one.id}  {one.when}  {one.text}" for one in found) or nothing)


@command("{run} vacuum {db}", existing)
@as_json
def vacuum(memory: Any, as_json: bool) -> None:
    """End the time in which memories can be restored and changes undone, and remove every byte of them."""
    show_report(memory.vacuum(), as_json)
