"""Query syntax: what a question says of where to look, such as `"exact phrase"`, `-without`, `project:garden`.

    "planted the quince"    only memories with these words in this order; before a `?` it is a title
    -rosa, -"sour cherry"   only memories without this word or phrase; at least three letters, and not a flag of code
    project: kind: speaker: only memories of this project, kind or speaker, if there is one of this name
    before:2025 after:2024-03  only what happened before that time, or since its beginning

Everything else keeps its plain meaning: a hyphen inside a word, `10:30`, `-5 degrees`, an unbalanced quote, quotes of
other scripts, several lines, and code. What is read here only narrows: the keys that it allows are one more condition
beside the filters of the caller, so a question cannot leave a project that it is asked in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from memkit.core.errors import BadQuestion
from memkit.core.instants import first_moment
from memkit.core.patterns import pattern
from memkit.storage.connection import Connection
from memkit.storage.filters import SINCE, UNTIL, Scope
from memkit.storage.store import dumps, keys_json
from memkit.text.stems import stem
from memkit.text.words import has_cjk, is_question, normal_name, says_anything, words

LONGEST = 500  # characters of a question with syntax; a longer text is a message

_OPERATOR = pattern(
    r"""(?<!\S)(?:
        (?P<minus>-)?"(?P<phrase>[^"]{2,200})"(?=[\s,.;!?]|\Z)
        | -(?P<without>[^\W\d_][\w'’-]+\w)(?=[\s,.;!?]|\Z)
        | (?P<name>project|kind|speaker|before|after):(?:"(?P<long>[^"]+)"|(?P<short>[^\s":/]+))
    )""",
    re.VERBOSE | re.IGNORECASE,
)
_CODE = pattern(r"[`\n{}$=;|<>\\]|(?<!\S)--?\w{1,2}(?!\w)|(?<!\S)--\w|\w-(?!\S)")

SELECT_PROJECTS = "select distinct project from memories where :only is null or project in (:only, 'global')"
SELECT_KINDS = "select distinct kind from memories where :only is null or project in (:only, 'global')"
SELECT_SPEAKERS = """
select distinct speaker from memories where speaker is not null and (:only is null or project in (:only, 'global'))
"""
SELECT_WRITTEN = f"""
select m.key from memories as m
where (:projects is null or m.project in (select value from json_each(:projects)))
    and (:kinds is null or m.kind in (select value from json_each(:kinds)))
    and (:speakers is null or m.speaker in (select value from json_each(:speakers)))
    and (:since is null or {SINCE})
    and (:until is null or {UNTIL})
    and not exists (
        select 1 from json_each(:phrases) where instr(lower(replace(m.text, char(10), ' ')), lower(value)) = 0
    )
order by m.key
"""
SELECT_HAVING = """
select key, coalesce(title, '') || ' ' || coalesce(speaker, '') || ' ' || tags || ' ' || text as said from memories
where key in (select value from json_each(:keys)) and exists (
    select 1 from json_each(:without)
    where instr(lower(coalesce(title, '') || coalesce(speaker, '') || tags || text), substr(lower(value), 1, 3)) > 0
)
"""
NAMES = {"project": SELECT_PROJECTS, "kind": SELECT_KINDS, "speaker": SELECT_SPEAKERS}


class Operators(NamedTuple):
    """What a text says of where to look, and the `rest` of it, by which memories are found."""

    rest: str
    phrases: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    filters: tuple[tuple[str, str], ...] = ()


def operators(text: str) -> Operators:
    """The operators in a text; none in a text that is code, a message, or nothing else."""
    if len(text) > LONGEST or _CODE.search(text) or text.count('"') % 2:
        return Operators(text)
    phrases: list[str] = []
    without: list[str] = []
    filters: list[tuple[str, str]] = []

    def taken(found: re.Match[str]) -> str:
        phrase = " ".join((found["phrase"] or "").split())
        if found["name"]:
            filters.append((found["name"].lower(), found["long"] or found["short"].rstrip(",.;!?")))
        elif found["without"] or found["minus"]:
            without.append(found["without"] or phrase)
        elif is_question(text) or not phrase:
            return found[0]
        else:
            phrases.append(phrase)
            return phrase
        return ""

    rest = " ".join(_OPERATOR.sub(taken, text).split())
    return Operators(rest, tuple(phrases), tuple(without), tuple(filters)) if says_anything(rest) else Operators(text)


def narrowed(conn: Connection, text: str, scope: Scope) -> tuple[str, Scope, tuple[str, ...]]:
    """The question without its operators, the scope narrowed by them, and sentences that say what was read.

    A filter that names no project, kind, speaker or time is searched as words, and a sentence says so.
    """
    if not isinstance(text, str):
        return text, scope, ()
    found = operators(text)
    rest, said = found.rest, []
    limits: dict[str, Any] = dict.fromkeys(("projects", "kinds", "speakers", "since", "until"))
    for name, value in found.filters:
        if name in NAMES:
            names = _known(conn, name, value, scope)
            limits[f"{name}s"] = _both(limits[f"{name}s"], names) if names else limits[f"{name}s"]
        else:
            names = [value] if _is_time(value) else []
            limits |= {("until" if name == "before" else "since"): value} if names else {}
        if names:
            said.append(f"{name} {value}")
        else:
            rest = f"{rest} {value}"
            said.append(f"{name}:{value} is none here, so searched as words")
    said += [f'with "{one}"' for one in found.phrases] + [f"without {one!r}" for one in found.without]
    if not said:
        return text, scope, ()
    note = f"Read in the question: {'; '.join(said)}."
    if not (found.phrases or found.without or any(limit is not None for limit in limits.values())):
        return rest, scope, (note,)
    return rest, replace(scope, among=_keys(conn, found, limits)), (note,)


def _known(conn: Connection, name: str, value: str, scope: Scope) -> list[str]:
    """The existing names that are this one, whatever its case; within a narrowing, only those inside it."""
    only = {"only": scope.project if scope.only_project else None}
    return [row[0] for row in conn.execute(NAMES[name], only) if normal_name(row[0]) == normal_name(value)]


def _both(before: Sequence[str] | None, names: Iterable[str]) -> list[str]:
    return [name for name in names if before is None or name in before]


def _is_time(value: str) -> bool:
    try:
        return bool(Scope.of(since=value).since) and value[:4].isdigit()
    except BadQuestion:
        return False


def _keys(conn: Connection, found: Operators, limits: dict[str, Any]) -> tuple[int, ...]:
    """The memories that the operators allow."""
    lists = {name: None if limits[name] is None else dumps(limits[name]) for name in ("projects", "kinds", "speakers")}
    until = limits["until"]
    asked = {
        **lists,
        "since": limits["since"],
        "until": first_moment(until) if until else None,
        "phrases": dumps(found.phrases),
    }
    keys = [row[0] for row in conn.execute(SELECT_WRITTEN, asked)]
    if not found.without:
        return tuple(keys)
    maybe = conn.execute(SELECT_HAVING, {"keys": keys_json(keys), "without": dumps(found.without)})
    unwanted = {row[0] for row in maybe if any(_has(row[1], one) for one in found.without)}
    return tuple(key for key in keys if key not in unwanted)


def _has(text: str, unwanted: str) -> bool:
    """Whether a text has these words one after the other, other forms of a word included; of CJK, these characters."""
    if has_cjk(unwanted):
        return unwanted in text
    wanted, there = [stem(word) for word in words(unwanted)], [stem(word) for word in words(text)]
    return any(there[at : at + len(wanted)] == wanted for at in range(len(there)))
