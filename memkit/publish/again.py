"""How a folder was published, so that it can be published and checked again without saying it all once more.

Who was taken out is nothing to write into the folder. What was asked for is kept at home, in the settings of the
private database; the folder holds the number under which it is kept, which nobody can make without that database.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from memkit import store
from memkit.driver import writing
from memkit.errors import BadQuestion, ReadOnly
from memkit.publish.about import About
from memkit.publish.ids import Ids
from memkit.publish.options import KNOWN, REDACTED, SELECTED
from memkit.store import dumps

SETTING = "published"  # a number to what was asked for
OWN_NAMES = f"{SETTING} {' '.join(sorted(KNOWN))}"

_ADDED = ("names", "everywhere", "spare", "regions")


def joined(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked for now on top of what was asked for before.

    A choice of memories is one thing, and replaced as a whole; so is a licence with its address. Names, patterns and
    regions are added to: who was taken out stays out, under the same number.
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


def before(conn: Any, folder: Path, said: Mapping[str, Any] | None, now: Mapping[str, Any]) -> dict[str, Any]:
    """What the folder was published with, as far as that is known; `said` is what it says of itself.

    Raises BadQuestion where something was taken out, nobody knows what, and nothing of that kind is asked for now.
    """
    if said is None:
        return {}
    known = store.setting(conn, SETTING, {}).get(said.get("asked"))
    if known is not None:
        return dict(known)
    if said.get("redacted") and not REDACTED & now.keys():
        raise BadQuestion(
            f"Something was taken out of {folder} when it was published, and this database does not know what any "
            "more. Say it again, as in --redact NAME, or publish it anew (--anew)."
        )
    with suppress(LookupError, TypeError, AttributeError, BadQuestion):
        return {name: value for name, value in asdict(About(**said["about"])).items() if value != ""}
    return {}


def number(ids: Ids, folder: Path, asked: Mapping[str, Any]) -> str:
    """Under what this is kept."""
    return ids.new("asked", f"{folder} {dumps(dict(sorted(asked.items())))}")


def keep(conn: Any, number: str, asked: Mapping[str, Any]) -> bool:
    """Writes down what was asked for; whether that could be done, which it cannot in a database only to be read."""
    if store.setting(conn, SETTING, {}).get(number) == asked:
        return True
    try:
        with writing(conn):
            store.set_setting(conn, SETTING, {**store.setting(conn, SETTING, {}), number: asked})
    except ReadOnly:
        return False
    return True


def drop(conn: Any, number: str | None) -> None:
    """Forgets what was asked for of a folder that has been replaced."""
    if number not in store.setting(conn, SETTING, {}):
        return
    with suppress(ReadOnly), writing(conn):
        known = store.setting(conn, SETTING, {})
        store.set_setting(conn, SETTING, {name: asked for name, asked in known.items() if name != number})
