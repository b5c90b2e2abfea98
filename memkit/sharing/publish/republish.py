"""Republishing: the options of earlier publications, so that a folder can be published and checked again.

The names of redacted people must not be written into the folder. So the options are stored in the settings of the
private database. The folder holds only the number under which they are stored; it cannot be computed without that
database.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memkit.core.errors import BadQuestion, ReadOnly
from memkit.sharing.publish.files import about_of
from memkit.sharing.publish.ids import Ids
from memkit.sharing.publish.manifest import About
from memkit.sharing.publish.options import KNOWN, REDACTED, SELECTED
from memkit.storage import store
from memkit.storage.connection import Connection
from memkit.storage.driver import writing
from memkit.storage.store import dumps

SETTING = "published"  # setting: number to options
OWN_NAMES = f"{SETTING} {' '.join(sorted(KNOWN))}"

_ADDED = ("names", "everywhere", "spare", "regions")


def merged_request(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """The options of now, merged into those of before.

    A selection of memories is replaced as a whole, and so is a licence with its address. Names, patterns and regions
    are added to the old ones: a redacted person stays redacted, under the same number.
    """
    kept = dict(before)
    if SELECTED & now.keys():
        kept = {name: value for name, value in kept.items() if name not in SELECTED}
    if "license" in now:
        kept.pop("license_url", None)
    both = {**kept, **now}
    for name in _ADDED:
        other = {"everywhere": "spare", "spare": "everywhere"}.get(name, "")
        both[name] = _added(_without(kept.get(name, []), now.get(other, [])), now.get(name, []))
    both["patterns"] = {**kept.get("patterns", {}), **now.get("patterns", {})}
    return {name: value for name, value in both.items() if value not in ([], {})}


def _added(some: list[str], more: list[str]) -> list[str]:
    return list(dict.fromkeys([*some, *more]))


def _without(some: list[str], others: list[str]) -> list[str]:
    unwanted = {one.lower() for one in others}
    return [one for one in some if one.lower() not in unwanted]


def previous_request(
    conn: Connection, folder: Path, said: Mapping[str, Any] | None, now: Mapping[str, Any]
) -> dict[str, Any]:
    """The options with which the folder was published, as far as they are known. `said` is its marker.

    Raises BadQuestion if names or patterns were redacted, this database does not know which, and `now` gives none.
    """
    if said is None:
        return {}
    known = store.setting(conn, SETTING, {}).get(said.get("asked"))
    if known is not None:
        return dict(known)
    if said.get("redacted") and not REDACTED & now.keys():
        raise BadQuestion(
            f"Names or patterns were redacted when {folder} was published, but this database does not know which. "
            "Give them again, for example --redact NAME, or publish without the old options (--anew)."
        )
    about = previous_about(said)
    return {name: value for name, value in asdict(about).items() if value != ""} if about else {}


def previous_about(said: Mapping[str, Any] | None) -> About | None:
    """What a folder says of itself in its marker; None without one, and if it is damaged."""
    with suppress(LookupError, TypeError, AttributeError, BadQuestion):
        return about_of(said) if said else None
    return None


def number(ids: Ids, folder: Path, asked: Mapping[str, Any]) -> str:
    """The number under which these options are stored."""
    return ids.new("asked", f"{folder} {dumps(dict(sorted(asked.items())))}")


def save_request(conn: Connection, number: str, asked: Mapping[str, Any]) -> bool:
    """Stores the options; False if the database is read-only."""
    if store.setting(conn, SETTING, {}).get(number) == asked:
        return True
    try:
        with writing(conn):
            store.set_setting(conn, SETTING, {**store.setting(conn, SETTING, {}), number: asked})
    except ReadOnly:
        return False
    return True


def drop(conn: Connection, number: str | None) -> None:
    """Deletes the options of a folder that has been replaced."""
    if number not in store.setting(conn, SETTING, {}):
        return
    with suppress(ReadOnly), writing(conn):
        known = store.setting(conn, SETTING, {})
        store.set_setting(conn, SETTING, {name: asked for name, asked in known.items() if name != number})
