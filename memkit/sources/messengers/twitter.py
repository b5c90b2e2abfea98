"""X (Twitter) loader: the posts and direct messages of an account, as its archive has them, as a zip or unpacked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from html import unescape
from pathlib import Path, PurePosixPath
from typing import Any

from memkit.core.roles import chosen_name
from memkit.core.types import Draft, Failure
from memkit.sources.chat import Conversation, as_dict, as_list, conversation
from memkit.sources.contents import opened, whole
from memkit.sources.format import Format
from memkit.sources.json_file import BrokenJSON, load_json
from memkit.sources.options import ReadOptions
from memkit.sources.sample import Sample
from memkit.sources.zips import BrokenZip, opened_zip, unpacked

Record = dict[str, Any]

_PART = r"(?:-part\d+)?\.js"
_POSTS = re.compile(rf"(?:tweets?|community-tweets?){_PART}")
_LONG = re.compile(rf"note-tweets?{_PART}")
_MESSAGES = re.compile(rf"direct-messages?(?:-group)?{_PART}")
_ACCOUNT = "account.js"
_KNOWN_BY = frozenset((_ACCOUNT, "manifest.js"))  # both lie in the folder `data` of an archive
_OWN = r"(?:data|assets)/.*|[\w-]+\.js|[\w-]+_media/.*|README\.txt|[^/]+\.html"
_VALUE = re.compile(rb"\A\s*window\.YTD\.\w+\.part\d+\s*=\s*")
_CLOCK = "%a %b %d %H:%M:%S %z %Y"
_SHARED = "RT @"
_MOST_LINKS = 100  # in a post


def read(path: Path, options: ReadOptions, name: str) -> Iterator[Draft | Failure]:
    """Each post and each message. What was only shared or liked are the words of others, and left out."""
    with _archive(path, options) as archive:
        people = _People.of(archive.records(re.compile(re.escape(_ACCOUNT)), "account"))
        long = {str(one.get("createdAt"))[:19]: _long(one) for one in archive.records(_LONG, "noteTweet")}
        posts = conversation(
            path, f"twitter:{people.me or path.as_posix()}", people.title or path.stem, options, whole=False
        )
        for post in archive.records(_POSTS, "tweet"):
            people.learn(post)
            yield from _post(posts, post, people, long, options)
        for chat in archive.records(_MESSAGES, "dmConversation"):
            yield from _chat(path, chat, people, options)
        yield from archive.failures


@dataclass
class _Archive:
    """The files of an archive by their names, and how to read one."""

    source: str
    files: Mapping[str, Callable[[], bytes]]
    options: ReadOptions
    failures: list[Failure] = field(default_factory=list)

    def records(self, wanted: re.Pattern[str], key: str) -> Iterator[Record]:
        """The objects under a key in those files that fit; older archives have them without the key."""
        for name in sorted(filter(wanted.fullmatch, self.files)):
            try:
                found = as_list(load_json(_VALUE.sub(b"", self.files[name](), count=1), self.options.limits))
            except (BrokenJSON, BrokenZip, OSError) as error:
                self.failures.append(Failure(f"{self.source}/{name}", str(error), line=getattr(error, "line", None)))
                continue
            for one in map(as_dict, found):
                yield as_dict(one.get(key, one))


@contextmanager
def _archive(path: Path, options: ReadOptions) -> Iterator[_Archive]:
    if path.is_dir() or path.suffix.lower() == ".js":
        folder = path.parent if path.is_file() else path / "data" if (path / "data").is_dir() else path
        # Of a file that is given alone, what lies beside it only says whose it is, and the whole of long posts.
        beside = (
            one for one in folder.glob("*.js") if path.is_dir() or one.name == _ACCOUNT or _LONG.fullmatch(one.name)
        )
        files = {one.name: one for one in (*beside, *([path] if path.is_file() else []))}
        yield _Archive(path.as_posix(), {name: partial(whole, file, options) for name, file in files.items()}, options)
        return
    with opened(path, options) as stream, opened_zip(stream, options.limits) as archive:
        inner = {PurePosixPath(one.filename).name: one for one in archive.filelist if one.filename.endswith(".js")}
        readers = {name: partial(unpacked, archive, one, options.limits) for name, one in inner.items()}
        yield _Archive(path.as_posix(), readers, options)


@dataclass
class _People:
    """Who is who, by ids: the owner of the archive, and those whom posts mention. Messages only tell ids."""

    me: str = ""
    account: str = ""
    names: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, accounts: Iterator[Record]) -> _People:
        """The owner, from `account.js`."""
        own = next(accounts, {})
        me, account = str(own.get("accountId") or ""), str(own.get("username") or "")
        return cls(me, account, {me: chosen_name(str(own.get("accountDisplayName") or account))} if me else {})

    @property
    def title(self) -> str:
        return f"Posts of @{self.account}" if self.account else ""

    def learn(self, post: Record) -> None:
        """Remembers whom a post mentions."""
        for one in map(as_dict, as_list(as_dict(post.get("entities")).get("user_mentions"))):
            if one.get("id_str") and one.get("name"):
                self.names.setdefault(str(one["id_str"]), chosen_name(str(one["name"])))

    def name(self, id: object) -> str:
        """The name of an account; of one that no post mentions, its number."""
        return self.names.get(str(id)) or f"X account {id}"


def _post(
    posts: Conversation, post: Record, people: _People, long: Mapping[str, str], options: ReadOptions
) -> Iterator[Draft | Failure]:
    text, at, id = (
        str(post.get("full_text") or post.get("text") or ""),
        _time(post.get("created_at")),
        post.get("id_str"),
    )
    if text.startswith(_SHARED):
        options.skip("posts of others that were shared")
        return
    text, attached = _words(text, post), ", ".join(_media(post))
    note = long.get(str(at)[:19], "")
    if note.startswith(text.partition("…")[0].strip()):
        text = note
    yield from posts.turn(
        people.names.get(people.me, "user"),
        text or attached,
        id=id,
        at=at,
        url=f"https://x.com/{people.account or 'i'}/status/{id}" if id else None,
        reply_to=post.get("in_reply_to_status_id_str"),
        attachment=attached or None,
    )


def _words(text: str, record: Record) -> str:
    """What was written, with whole addresses in place of short ones; those of pictures are left out."""
    entities = as_dict(record.get("entities"))
    links, pictures = (*as_list(entities.get("urls")), *as_list(record.get("urls"))), as_list(entities.get("media"))
    for one in map(as_dict, links[:_MOST_LINKS]):
        if one.get("url"):
            text = text.replace(str(one["url"]), str(one.get("expanded_url") or one.get("expanded") or one["url"]))
    for one in map(as_dict, pictures[:_MOST_LINKS]):
        text = text.replace(str(one.get("url") or "\0"), "")
    return unescape(text).strip()


def _long(note: Record) -> str:
    return _words(str(as_dict(note.get("core")).get("text") or ""), as_dict(note.get("core")))


def _media(record: Record) -> Iterator[str]:
    shown = as_dict(record.get("extended_entities") or record.get("entities")).get("media")
    addresses = [as_dict(one).get("media_url_https") for one in as_list(shown)] + as_list(record.get("mediaUrls"))
    yield from (str(one).rpartition("/")[2] for one in addresses if one)


def _chat(path: Path, chat: Record, people: _People, options: ReadOptions) -> Iterator[Draft | Failure]:
    """The messages of a conversation, the oldest first. Who joined it is left out."""
    events = [(kind, as_dict(value)) for one in as_list(chat.get("messages")) for kind, value in as_dict(one).items()]
    said = sorted(
        (value for kind, value in events if kind == "messageCreate"), key=lambda one: str(one.get("createdAt"))
    )
    names = [str(value["name"]) for kind, value in events if kind == "conversationNameUpdate" and value.get("name")]
    ids = [one.get(key) for one in said for key in ("senderId", "recipientId")]
    others = dict.fromkeys(people.name(id) for id in ids if id and str(id) != people.me)
    id = chat.get("conversationId")
    title = names[0] if names else ", ".join(others)
    here = conversation(path, f"twitter:{id}", title, options, whole=False)
    for one in said:
        text, attached = _words(str(one.get("text") or ""), one), ", ".join(_media(one))
        yield from here.turn(
            people.name(one.get("senderId")),
            text or attached,
            id=one.get("id"),
            at=one.get("createdAt"),
            attachment=attached or None,
        )


def _time(told: object) -> str | None:
    """The time of a post: `Wed Oct 10 20:19:24 +0000 2018`."""
    with suppress(ValueError):
        return datetime.strptime(str(told), _CLOCK).isoformat()
    return None


def _matches(sample: Sample) -> bool:
    if sample.is_zip:
        return {PurePosixPath(name).name for name in sample.entries if "data/" in name} >= _KNOWN_BY
    named = _POSTS.fullmatch(sample.name) or _MESSAGES.fullmatch(sample.name)
    return named is not None and _VALUE.match(sample.head) is not None


def _is_archive(folder: Path, names: frozenset[str]) -> bool:
    return names >= _KNOWN_BY or ("data" in names and all((folder / "data" / name).is_file() for name in _KNOWN_BY))


FORMAT = Format(
    "twitter",
    "Posts and direct messages of X (Twitter): the archive of an account, unpacked or as the zip",
    read,
    _matches,
    ("tweet.js", "tweets.js", "tweets-part*.js", "direct-messages.js", "direct-messages-group.js", "*.zip"),
    folder=_is_archive,
    own=_OWN,
)
