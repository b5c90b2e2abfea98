"""A policy as TOML: read with every impossible value refused in words, written with the meaning of every number."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import Field, fields, is_dataclass, replace
from typing import Any

from memkit import store
from memkit.errors import MemkitError, one_of
from memkit.life.policy import PRESETS, STEP_NAMES, Policy

SETTING = "policy"


def read(text: str) -> Policy:
    """The policy that a TOML text describes. Raises MemkitError, which says what is wrong with which value."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        return of(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise MemkitError(
            f"This policy is not TOML: {error}. `memkit policy DATABASE` shows what one looks like."
        ) from error


def of(values: Mapping[str, Any]) -> Policy:
    """The policy of these values: its preset, and what differs from that. Raises MemkitError."""
    name = values.get("preset", "memkit")
    if not isinstance(name, str) or name not in PRESETS:
        raise MemkitError(one_of("preset of a policy", name, PRESETS))
    policy = _with(Policy(preset=name), PRESETS[name], "")
    return _checked(_with(policy, {key: value for key, value in values.items() if key != "preset"}, ""))


def changed(policy: Policy, settings: Mapping[str, str]) -> Policy:
    """The policy with some values changed: `{"episodes.raw_days": "10"}`, written as in TOML. Raises MemkitError.

    A `preset` among them comes first, and nothing of before stays.
    """
    values = {} if "preset" in settings else differences(policy)
    for name, written in settings.items():
        *sections, last = name.split(".")
        table = values
        for section in sections:
            table = table.setdefault(section, {})
            if not isinstance(table, dict):
                raise MemkitError(f"{name} is no value of a policy: {section} has no parts.")
        table[last] = _written(written)
    return of(values)


def _written(text: str) -> Any:
    """A value as somebody types it: a number (.5 is one), true, a list, or words, which then need no quotes."""
    for reads in (json.loads, float):
        with suppress(ValueError):
            return reads(text)
    return [part.strip() for part in text.split(",")] if "," in text else text


def _with(part: Any, values: Mapping[str, Any], path: str) -> Any:
    """A section with these values in place of its own."""
    known = {each.name: each for each in fields(part) if each.name != "preset"}
    new = {}
    for name, value in values.items():
        if name not in known:
            raise MemkitError(_no_setting(name, path, known))
        new[name] = _value(part, known[name], value, f"{path}{name}")
    return replace(part, **new)


def _no_setting(name: str, path: str, known: Iterable[str]) -> str:
    """A sentence for a wrong name; the last part of another section's is told the whole one."""
    kind = f"setting of {path[:-1] or 'a policy'}"
    whole = [one for one in _names_in(Policy()) if one.rpartition(".")[2] == name]
    if not whole:
        return one_of(kind, name, known)
    return f"{name!r} is not a {kind}. Did you mean {' or '.join(map(repr, whole))}?"


def _names_in(part: Any, path: str = "") -> Iterator[str]:
    """Every setting by its whole name."""
    for each in fields(part):
        value = getattr(part, each.name)
        if is_dataclass(value):
            yield from _names_in(value, f"{path}{each.name}.")
        else:
            yield f"{path}{each.name}"


def _value(part: Any, each: Field[Any], value: Any, path: str) -> Any:
    now = getattr(part, each.name)
    if is_dataclass(now):
        if not isinstance(value, Mapping):
            raise MemkitError(f"{path} is a section, not a value: it has {', '.join(f.name for f in fields(now))}.")
        return _with(now, value, f"{path}.")
    if isinstance(now, bool):
        if not isinstance(value, bool):
            raise MemkitError(f"{path} = {value!r} is impossible: it is true or false.")
        return value
    if isinstance(now, tuple):
        return _names(value, path)
    return _number(each, isinstance(now, int), value, path)


def _names(value: Any, path: str) -> tuple[str, ...]:
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(one, str) and one.strip() for one in found):
        raise MemkitError(f"{path} = {value!r} is impossible: it is a list of names.")
    return tuple(found)


def _number(each: Field[Any], whole: bool, value: Any, path: str) -> float:
    low, high = each.metadata["low"], each.metadata["high"]
    sound = isinstance(value, int | float) and not isinstance(value, bool) and low <= value <= high
    if not sound or (whole and value != int(value)):
        kind = "a whole number" if whole else "a number"
        raise MemkitError(f"{path} = {value!r} is impossible: it is {kind} from {low:g} to {high:g}.")
    return int(value) if whole else float(value)


def _checked(policy: Policy) -> Policy:
    """Raises MemkitError for values that cannot stand together."""
    for name in policy.steps:
        if name not in STEP_NAMES:
            raise MemkitError(one_of("step of upkeep", name, STEP_NAMES))
    ages = policy.episodes
    if ages.compressed_days < ages.distil_after_days:
        raise MemkitError(
            f"episodes.compressed_days = {ages.compressed_days:g} is impossible: summaries would go before they are "
            f"distilled, which is after {ages.distil_after_days:g} days (episodes.distil_after_days)."
        )
    return policy


# ---------------------------------------------------------------------------------------------- writing


def differences(policy: Policy) -> dict[str, Any]:
    """What a policy says beyond its preset; the preset with it."""
    return {"preset": policy.preset, **_differences(policy, of({"preset": policy.preset}))}


def _differences(part: Any, usual: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for each in fields(part):
        mine, theirs = getattr(part, each.name), getattr(usual, each.name)
        if mine != theirs:
            found[each.name] = _differences(mine, theirs) if is_dataclass(mine) else mine
    return found


def compared(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """What is other than before, as lines of TOML: each value by its whole name, and what it was."""
    for each in fields(after):
        was, now = getattr(before, each.name), getattr(after, each.name)
        if is_dataclass(now):
            yield from compared(was, now, f"{path}{each.name}.")
        elif was != now:
            yield f"{path}{each.name} = {_toml(now)}  # was {_toml(was)}"


def write(policy: Policy) -> str:
    """The whole policy as TOML, each value with a word on what it means."""
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
    """The policy as TOML, without what its preset says already: what the database keeps."""
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
    """A value in TOML: text and lists of text are written as in JSON, numbers and truth values too."""
    written = json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)
    return written.replace("\x7f", "\\u007f")  # the one character that only JSON allows


# ---------------------------------------------------------------------------------------------- in a database


def stored(conn: Any) -> Policy:
    """The policy of this database, memkit's where none was set. Raises MemkitError for one that makes no sense."""
    text = store.setting(conn, SETTING)
    return Policy() if text is None else read(text)


def store_text(conn: Any, text: str) -> Policy:
    """The policy that a text says, kept as it is written. Raises MemkitError, with nothing changed, if it is none."""
    policy = read(text)
    store.set_setting(conn, SETTING, text)
    return policy
