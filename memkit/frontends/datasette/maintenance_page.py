"""Maintenance page: due steps, past changes and open proposals; with buttons for users who may write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from datasette import Forbidden
from datasette.utils.asgi import Response

from memkit.core.errors import BadQuestion, Busy, MemkitError, one_of
from memkit.core.formatting import counted, short, when_text
from memkit.frontends.datasette import compat, urls
from memkit.frontends.datasette.access import (
    check_may_write,
    database_of,
    is_owner,
    may_write,
    read,
    unwritable,
    written,
)
from memkit.frontends.datasette.parameters import number, text
from memkit.frontends.datasette.responses import answer, done, page
from memkit.frontends.datasette.tables import FEEDBACK, UPKEEP
from memkit.maintenance.policy import LOGGED, PURGE

if TYPE_CHECKING:
    from memkit.database.memory_database import MemoryDatabase

TEMPLATE = "memkit_maintenance.html"
MOST_CHANGES, MOST_JSON_CHANGES = 50, 1000
MOST_PROPOSALS = 20  # open proposals on a page
NOBODY = "user"  # the name of a user who has not said it
TOLD = tuple(name for name in LOGGED if name != PURGE)  # what is gone for good is one number below the others
LONGEST = 20_000  # characters of an accepted text


@page
async def maintenance(datasette: Any, request: Any) -> Response:
    """/<database>/-/maintenance, and its forms. Visitors of what cannot change, as of a published site, see none."""
    database = await database_of(datasette, request, UPKEEP)
    if not datasette.databases[database].is_mutable and not await is_owner(datasette, request.actor, [database]):
        raise Forbidden("Nothing is kept up here: these memories do not change.")
    if request.method == "POST":
        return await _decided(datasette, request, database)
    return await _shown(datasette, request, database)


async def _shown(datasette: Any, request: Any, database: str, status: int = 200, **more: Any) -> Response:
    url = urls.within(datasette, database)
    memory = text(request.args, "memory")
    limit = number(request.args, "limit", MOST_CHANGES, 1, MOST_JSON_CHANGES)
    values = await read(datasette, database, lambda db: _values(db, memory, limit, url))
    allowed = await may_write(datasette, request.actor, database)
    if allowed and text(request.args, "preview"):
        more["preview"] = await read(datasette, database, _preview)
    here = {
        "database": database,
        "memory": memory,
        "_here": url("maintenance"),
        "_recall": url("recall"),
        "_unwritable": unwritable(datasette, database),
    }
    return await answer(datasette, request, TEMPLATE, {**values, **here, "_may_write": allowed, **more}, status=status)


def _values(db: MemoryDatabase, memory: str, limit: int, url: Any) -> dict[str, Any]:
    waiting = db.proposals()
    changes = db.maintenance(memory=memory or None, step=() if memory else TOLD, limit=limit)
    stands = {id: db.get(id) is not None for one in changes for id in (one.memory_id, *one.sources[:1])}
    name = db.me()
    return {
        "me": None if name == NOBODY else name,
        "likely": db.likely_me() if name == NOBODY else None,
        "policy": db.policy().preset,
        "due": [{"step": step, "count": count} for step, count in db.due().items()],
        "waiting": len(waiting),
        "proposals": [_proposal(db, one, url) for one in waiting[:MOST_PROPOSALS]],
        "refused": [
            {"id": one.id, "kind": one.kind, "text": short(one.text, 240), "decided": when_text(one.decided_at)}
            for one in reversed(db.proposals("refused")[-MOST_PROPOSALS:])
        ],
        "changes": [_change(one, stands, url) for one in changes],
        "gone": 0 if memory else len(db.maintenance(step=PURGE, limit=None)),
    }


def _preview(db: MemoryDatabase) -> dict[str, Any]:
    """What a run of upkeep would do now."""
    report = db.maintain(dry_run=True)
    return {"counts": dict(report.counts), "text": repr(report)[:LONGEST]}


def _proposal(db: MemoryDatabase, one: Any, url: Any) -> dict[str, Any]:
    return {
        "id": one.id,
        "kind": one.kind,
        "why": one.why,
        "text": one.text[:LONGEST],
        "created": when_text(one.created_at),
        "sides": [_side(side, url) for side in db.proposed(one.id)],
    }


def _side(side: Any, url: Any) -> dict[str, Any]:
    """A member of a proposal; for a relation, the link leads to the first memory that states it."""
    said_by = side.sources[0] if side.sources else None
    shown = {"text": side.text[:LONGEST], "quote": short(side.quote, 240), "when": when_text(side.at)}
    return {"id": side.id, **shown, "url": url("memory", said_by) if said_by else None}


def _change(one: Any, stands: Mapping[str, bool], url: Any) -> dict[str, Any]:
    """A change with the words of its memory, and a link to that, or to what stands in its place if it went."""
    linked = next((id for id in (one.memory_id, *one.sources[:1]) if stands[id]), None)
    return {
        "id": one.id,
        "run": one.run,
        "step": one.step,
        "action": one.action,
        "memory": one.memory_id,
        "told": one.told,
        "says": short(one.says, 80),
        "when": when_text(one.at),
        "why": short(one.why, 240),
        "sources": list(one.sources),
        "undone": when_text(one.undone_at),
        "undoable": one.undoable,
        "url": url("memory", linked) if linked else None,
        "instead": linked != one.memory_id,
    }


# ---------------------------------------------------------------------------------------------- decisions


def _accept(db: MemoryDatabase, fields: Mapping[str, str]) -> str:
    given = fields.get("text")
    if given is not None and len(given) > LONGEST:
        raise BadQuestion(f"The text is too long: it has {len(given):,} characters, at most {LONGEST:,} are allowed.")
    return f"Accepted: {short(db.accept(_id(fields), text=given).text, 80)} Undo, below, takes it back."


def _refuse(db: MemoryDatabase, fields: Mapping[str, str]) -> str:
    db.refuse(_id(fields))
    return "Refused. It will not be asked again, unless you take that back below: What you refused."


def _undo(db: MemoryDatabase, fields: Mapping[str, str]) -> str:
    undone = db.undo(_id(fields))
    return f"Undone: {counted(len(undone), 'changes')}." if undone else "It is to decide again."


def _me(db: MemoryDatabase, fields: Mapping[str, str]) -> str:
    return f"You are {short(db.me((fields.get('name') or '').strip()), 80)}."


def _maintain(db: MemoryDatabase, fields: Mapping[str, str]) -> str:
    report = db.maintain()
    return f"Done: {report.done}." + (" Undo, below, takes back a change." if report.changes else "")


DOINGS: dict[str, Callable[[Any, Mapping[str, str]], str]] = {
    "accept": _accept,
    "refuse": _refuse,
    "undo": _undo,
    "me": _me,
    "maintain": _maintain,
}


def _id(fields: Mapping[str, str]) -> str:
    return (fields.get("id") or "")[:300]


async def _decided(datasette: Any, request: Any, database: str) -> Response:
    """The response to a form: a message on the page, or the page with an error."""
    await check_may_write(datasette, request.actor, database)
    fields = await compat.form(request)
    doing = fields.get("do") or ""
    try:
        if doing not in DOINGS:
            raise BadQuestion(one_of("command of this page", doing[:40], DOINGS))
        message, warnings = await written(datasette, database, lambda db: DOINGS[doing](db, fields))
    except MemkitError as error:
        status = 503 if isinstance(error, Busy) else 400
        given = {"id": _id(fields), "text": (fields.get("text") or "")[:LONGEST]}
        return await _shown(datasette, request, database, status, error=str(error), given=given)
    said = {"message": message, "warnings": warnings}
    return await done(datasette, request, TEMPLATE, said, urls.page(datasette, database, "maintenance"))


# ---------------------------------------------------------------------------------------------- feedback


@page
async def feedback(datasette: Any, request: Any) -> Response:
    """/<database>/-/feedback/<id>: the form that says whether a memory was useful; leads back to the memory's page."""
    database = await database_of(datasette, request, FEEDBACK)
    await check_may_write(datasette, request.actor, database)
    id = urls.id_of(request)
    where = urls.page(datasette, database, "memory", id)
    if request.method != "POST":
        return Response.redirect(where)
    fields = await compat.form(request)
    if fields.get("useful") not in ("0", "1"):
        raise BadQuestion("useful must be 1 or 0.")
    said = fields["useful"] == "1", (fields.get("question") or "")
    tally, warnings = await written(datasette, database, lambda db: db.feedback(id, *said))
    message = f"Noted: useful {tally.useful}, not useful {tally.useless}."
    return await done(datasette, request, TEMPLATE, {"message": message, "warnings": warnings}, where)
