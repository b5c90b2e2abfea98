"""Retention policy as TOML: reading explains every impossible value, writing explains every number in a comment."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from typing import Any

from memkit.core import validation
from memkit.core.errors import MemkitError, one_of
from memkit.core.validation import Refusal, field_types
from memkit.maintenance.policy import FILL, PRESETS, STEP_NAMES, Policy
from memkit.storage import sentences, store
from memkit.storage.connection import Connection

SETTING = "policy"


def read(text: str) -> Policy:
    """The policy that a TOML text describes. Raises MemkitError, which names the wrong value and the reason."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return policy_from_dict(tomllib.loads(text))
    except (ValueError, RecursionError) as error:  # also a number of 5,000 digits, and what is nested too deeply
        raise MemkitError(
            f"This policy is not TOML: {error}. `memkit policy DATABASE` shows what one looks like."
        ) from error


def policy_from_dict(values: Mapping[str, Any]) -> Policy:
    """The policy that nested values describe: its `preset`, and the differences from it.

    Raises MemkitError for an unknown preset or setting, and for an impossible value.
    """
    name = values.get("preset", "memkit")
    if not isinstance(name, str) or name not in PRESETS:
        raise MemkitError(one_of("preset of a policy", name, PRESETS))
    policy = validation.changed(Policy(preset=name), PRESETS[name], REFUSAL)
    return _checked(validation.changed(policy, values, REFUSAL))


def with_settings(policy: Policy, settings: Mapping[str, str]) -> Policy:
    """The policy with some values changed, for example `{"episodes.raw_days": "10"}`. Values are written as in TOML.

    If a `preset` is among them, it replaces the whole policy first. Raises MemkitError for an unknown setting or an
    impossible value.
    """
    values = {} if "preset" in settings else differences(policy)
    for name, written in settings.items():
        *sections, last = name.split(".")
        table = values
        for section in sections:
            table = table.setdefault(section, {})
            if not isinstance(table, dict):
                raise MemkitError(f"{name} is not a setting of a policy: {section} has no parts.")
        table[last] = _written(written)
    return policy_from_dict(values)


def _written(text: str) -> Any:
    """The value of a text that somebody typed: a number (also .5), true or false, a list, or words without quotes."""
    for reads in (json.loads, float):
        with suppress(ValueError, RecursionError):
            return reads(text)
    return [part.strip() for part in text.split(",")] if "," in text else text


def _no_setting(part: Any, name: str, path: str) -> MemkitError:
    """The error for a wrong name. If it is the last part of a setting elsewhere, the message gives the whole name."""
    kind = f"setting of {path[:-1] or 'a policy'}"
    whole = [one for one in validation.settings(Policy()) if one.rpartition(".")[2] == name]
    if not whole:
        return MemkitError(one_of(kind, name, field_types(type(part))))
    return MemkitError(f"{name!r} is not a {kind}. Did you mean {' or '.join(map(repr, whole))}?")


def _unfit(path: str, value: Any, wanted: str | type) -> MemkitError:
    if isinstance(wanted, type):
        return MemkitError(f"{path} is a section, not a value. Its settings are {', '.join(field_types(wanted))}.")
    return MemkitError(f"{path} = {value!r} is impossible: it is {wanted}.")


REFUSAL = Refusal(_no_setting, _unfit)


def _checked(policy: Policy) -> Policy:
    """The policy itself. Raises MemkitError for an unknown step, and for values that exclude each other."""
    for name in policy.steps:
        if name not in STEP_NAMES:
            raise MemkitError(one_of("maintenance step", name, STEP_NAMES))
    if policy.slots.fill not in FILL:
        known = f"{', '.join(FILL[:-1])} or {FILL[-1]}"
        raise MemkitError(f"slots.fill = {policy.slots.fill!r} is impossible: it is {known}.")
    ages = policy.episodes
    if ages.compressed_days < ages.distil_after_days:
        raise MemkitError(
            f"episodes.compressed_days = {ages.compressed_days:g} is impossible: summaries would expire before "
            f"they are distilled, which is after {ages.distil_after_days:g} days (episodes.distil_after_days)."
        )
    return policy


# ---------------------------------------------------------------------------------------------- writing


def differences(policy: Policy) -> dict[str, Any]:
    """The name of a policy's preset, and the values that differ from it."""
    return {"preset": policy.preset, **_differences(policy, policy_from_dict({"preset": policy.preset}))}


def _differences(part: Any, usual: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in fields(part):
        mine, theirs = getattr(part, each.name), getattr(usual, each.name)
        if mine != theirs:
            found[each.name] = _differences(mine, theirs) if is_dataclass(mine) else mine
    return found


def changed_settings(before: Policy, after: Policy) -> Iterator[str]:
    """The changed settings, each as a line of TOML with its whole name and its old value in a comment."""
    old = validation.settings(before)
    for name, now in validation.settings(after).items():
        if now != old[name]:
            yield f"{name} = {_toml(now)}  # was {_toml(old[name])}"


def write(policy: Policy) -> str:
    """The whole policy as TOML, with a comment on the meaning of each value."""
    return "\n".join(_lines(policy, "")).strip() + "\n"


def _lines(part: Any, path: str) -> Iterator[str]:
    if path:
        yield from ("", f"[{path[:-1]}]  # {(type(part).__doc__ or '').splitlines()[0]}")
    sections = []
    for each in fields(part):
        value = getattr(part, each.name)
        if is_dataclass(value):
            sections.append((each.name, value))
            continue
        words = each.metadata.get("words")
        yield f"{each.name} = {_toml(value)}" + (f"  # {words}" if words else "")
    for name, value in sections:
        yield from _lines(value, f"{path}{name}.")


def brief(policy: Policy) -> str:
    """The policy as TOML, without the values of its preset. This is the form that the database stores."""
    return "\n".join(_brief(differences(policy), "")).strip() + "\n"


def _brief(values: Mapping[str, Any], path: str) -> Iterator[str]:
    plain = {name: value for name, value in values.items() if not isinstance(value, dict)}
    if path and plain:
        yield from ("", f"[{path[:-1]}]")
    yield from (f"{name} = {_toml(value)}" for name, value in plain.items())
    for name, value in values.items():
        if isinstance(value, dict):
            yield from _brief(value, f"{path}{name}.")


def _toml(value: Any) -> str:
    """A value in TOML. Texts, lists of texts, numbers and booleans are written as in JSON."""
    written = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
    return written.replace("\x7f", "\\u007f")  # JSON allows this character unescaped, TOML does not


# ---------------------------------------------------------------------------------------------- in a database


def stored_policy(conn: Connection) -> Policy:
    """The policy of this database; memkit's if none was set. Raises MemkitError if the stored text is not valid."""
    text = store.setting(conn, SETTING)
    return Policy() if text is None else read(str(text))


def store_text(conn: Connection, text: str) -> None:
    """The policy that a TOML text describes; the text is stored unchanged.

    Raises MemkitError for a text that is not a valid policy; nothing is stored then.
    """
    policy = read(text)
    store.set_setting(conn, SETTING, text)
    sentences.switch(conn, policy.file.sentences)
