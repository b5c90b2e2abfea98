"""Review commands: proposals, feedback. With them people decide about their memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memkit.frontends.cli import hints
from memkit.frontends.cli.hosting import command, existing
from memkit.frontends.cli.output import output, say, say_json

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

STATES = ("open", "accepted", "refused", "all")


@command('{run} proposals {db}accept k3v9d0a1zq --text "Rosa planted the quince in 2019."', existing)
@click.argument("decision", required=False, type=click.Choice(["accept", "refuse"]))
@click.argument("id", required=False)
@click.option("--text", help="Accept with this text instead of the proposed one.")
@click.option("--state", type=click.Choice(STATES), default="open", show_default=True, help="Which ones to list.")
@output("table", "json")
def proposals(
    memory: MemoryDatabase, decision: str | None, id: str | None, text: str | None, state: str, format: str
) -> None:
    """List what a person should decide, accept a proposal (its id), or refuse it.

    Memories that may be one, what contradicts each other, and what you may have said of yourself. Nothing is merged
    before it is accepted. What is refused is not asked again. `memkit undo` with the proposal's id takes either back,
    and it is open again.
    """
    if text is not None and decision != "accept":
        raise click.UsageError("--text can only be used with accept.")
    if decision:
        if not id:
            raise click.UsageError(f"Give the id of the proposal to {decision}. Without arguments, the ids are listed.")
        found = memory.accept(id, text=text) if decision == "accept" else memory.refuse(id)
        say_json(found.to_dict()) if format == "json" else say(f"{found.id} {found.state}: {found.text}")
        return
    listed = memory.proposals(None if state == "all" else state)
    if format == "json":
        say_json([{**one.to_dict(), "sides": _sides(memory, one)} for one in listed])
    else:
        say("\n\n".join(_lines(memory, one) for one in listed) or _nothing(state))


def _nothing(state: str) -> str:
    if state != "open":
        return "There are none."
    return "There is nothing to decide. To look for proposals, run: " + hints.typed("maintain", "--only propose")


def _sides(memory: MemoryDatabase, proposal: Any) -> list[dict[str, Any]]:
    return [{"id": one.id, "text": one.text, "at": one.at} for one in memory.proposed(proposal.id)]


def _lines(memory: MemoryDatabase, proposal: Any) -> str:
    """A proposal as text: its members, and the text that would replace them."""
    from memkit.core.formatting import short

    members = [f"    {one['id']}  {one['at'][:10]}  {short(one['text'], 160)}" for one in _sides(memory, proposal)]
    state = "" if proposal.state == "open" else f" ({proposal.state})"
    head = f"{proposal.id}  {proposal.kind}{state}: {proposal.why}"
    return "\n".join([head, *members, f"  ->  {short(proposal.text, 400)}"])


@command('{run} feedback {db}c6h2z3v2re --useful --question "who planted the quince?"', existing)
@click.argument("id")
@click.option("--useful/--not-useful", default=True, help="Whether it was of use.  [default: useful]")
@click.option("--question", default="", help="What was asked.")
@output("table", "json")
def feedback(memory: MemoryDatabase, id: str, useful: bool, question: str, format: str) -> None:
    """Say whether a memory (its id) that was recalled was of use.

    The answer is recorded. It changes the importance of the memory only if the policy says so (feedback.adjust).
    """
    found = memory.feedback(id, useful, question)
    say_json(found.to_dict()) if format == "json" else say(str(found))
