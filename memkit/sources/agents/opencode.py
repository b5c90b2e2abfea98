"""OpenCode loader: its folder `storage` (a file for each session, message and part), and its newer database."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from memkit.core.types import Draft, Failure
from memkit.sources.agents.entries import Entry
from memkit.sources.chat import Message, as_dict, told, whole_records
from memkit.sources.contents import whole
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, json_within, load_json
from memkit.sources.limits import OverLimit
from memkit.sources.options import ReadOptions
from memkit.sources.read_only import read_only
from memkit.sources.sample import Sample

SELECT_SESSIONS = "select id, title, directory, time_created, time_updated from session order by time_created, id"
SELECT_MESSAGES = "select id, time_created, data from message where session_id = :id order by time_created, id"
SELECT_PARTS = "select message_id, id, data from part where session_id = :id order by id"
_TABLES = {"session": {"id", "title"}, "message": {"session_id", "data"}, "part": {"message_id", "data"}}


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """The messages of all sessions, in the order of their times; only parts with text are said."""
    yield from _folder(path, options) if path.is_dir() else _database(path, options)


# ------------------------------------------------------------------------------------------------------ the folder


def _folder(root: Path, options: ReadOptions) -> Iterator[Draft | Failure]:
    """The sessions of a folder. Parts lie in a folder for each message, or in old versions all together."""
    loose: defaultdict[str, list[Entry]] = defaultdict(list)
    for part in (yield from whole_records(_files(root / "part", options, deep=False))):
        loose[str(part.get("messageID"))].append(part)
    sessions = yield from whole_records(_files(root / "session", options))
    for session in sorted((one for one in sessions if "id" in one), key=_order):
        messages = yield from whole_records(_files(root / "message" / _name(session["id"]), options))
        parts: dict[str, list[Entry]] = {}
        for id in (str(message.get("id")) for message in messages):
            said = parts.setdefault(id, [*loose.get(id, ())])
            said += yield from whole_records(_files(root / "part" / _name(id), options))
        yield from _session(root, session, messages, parts, options)


def _name(id: object) -> str:
    """An id as the name of a folder; one that would lead elsewhere is no name."""
    return str(id) if str(id) not in (".", "..") and os.sep not in str(id) and "\0" not in str(id) else "-"


def _files(folder: Path, options: ReadOptions, *, deep: bool = True) -> Iterator[Entry | Failure]:
    """The objects in the JSON files of a folder, by name. Links are not followed."""
    number = 0
    for here, inner, names in os.walk(folder):
        inner[:] = sorted(inner) if deep else []
        for file in (Path(here, name) for name in sorted(names) if name.endswith(".json")):
            if file.is_symlink():
                continue
            number += 1
            if number > options.limits.entries:
                raise OverLimit("entries", options.limits, "files in a folder")
            try:
                found = load_json(whole(file, options), options.limits)
            except (BrokenJSON, OSError) as error:
                yield Failure(file.as_posix(), str(error))
            else:
                yield as_dict(found)


# ---------------------------------------------------------------------------------------------------- the database


def _database(path: Path, options: ReadOptions) -> Iterator[Draft | Failure]:
    with read_only(path, options) as conn:
        for id, title, directory, created, updated in conn.execute(SELECT_SESSIONS).fetchall():
            session = {"id": id, "title": title, "directory": directory}
            session["time"] = {"created": created, "updated": updated}
            parts: defaultdict[str, list[Entry]] = defaultdict(list)
            for message, part, data in conn.execute(SELECT_PARTS, {"id": id}):
                parts[str(message)].append({**as_dict(json_within(data, options.limits)), "id": part})
            messages = [
                {"time": {"created": at}, **as_dict(json_within(data, options.limits)), "id": message}
                for message, at, data in conn.execute(SELECT_MESSAGES, {"id": id})
            ]
            yield from _session(path, session, messages, parts, options)


# -------------------------------------------------------------------------------------------------------- in both


def _session(
    path: Path, session: Entry, messages: list[Entry], parts: dict[str, list[Entry]], options: ReadOptions
) -> Iterator[Draft | Failure]:
    time = as_dict(session.get("time"))
    told_of = [_message(one, parts.get(str(one.get("id")), []), options) for one in sorted(messages, key=_order)]
    yield from told(
        path, f"opencode:{session['id']}", told_of, options, session.get("title"),
        times=(time.get("created"), time.get("updated")), meta={"cwd": session.get("directory")},
    )  # fmt: skip


def _order(one: Entry) -> tuple[float, str]:
    created = as_dict(one.get("time")).get("created")
    return float(created) if isinstance(created, int | float) and abs(created) < 1e300 else 0.0, str(one.get("id"))


def _message(one: Entry, parts: list[Entry], options: ReadOptions) -> Message:
    role = str(one.get("role"))
    texts = [_text(part, role, options) for part in sorted(parts, key=lambda part: str(part.get("id")))]
    about = as_dict(one.get("summary"))
    if not parts and role == "user":  # of old messages only this is left
        texts = [about.get("body") or about.get("title")]
    text = "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())
    return Message(role, text, one.get("id"), as_dict(one.get("time")).get("created"))


def _text(part: Entry, role: str, options: ReadOptions) -> object:
    """The text of a part. What the program adds to a prompt is marked as synthetic."""
    kind = part.get("type")
    if kind == "text" and (options.include_system or role != "user" or not part.get("synthetic")):
        return part.get("text")
    if kind == "reasoning" and options.include_thinking:
        return part.get("text")
    if kind == "tool" and options.include_tools:
        return f"{part.get('tool')}: {as_dict(part.get('state')).get('input')}"
    return None


def _matches(sample: Sample) -> bool:
    return all(columns <= sample.tables.get(table, frozenset()) for table, columns in _TABLES.items())


def _is_storage(path: Path, names: frozenset[str]) -> bool:
    return {"session", "message", "part"} <= names and not (path / "session").is_file()


FORMAT = Format(
    "opencode",
    "Sessions of OpenCode: its folder `storage`, or its database",
    read,
    _matches,
    ("*.db",),
    folder=_is_storage,
)
