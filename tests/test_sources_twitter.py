"""Archives of X (Twitter): posts and direct messages, as a zip, unpacked, and file by file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure
from memkit.sources import ReadOptions, detect, read

UTC = ReadOptions(timezone="UTC")
ACCOUNT = {"accountId": "1", "username": "rosa", "accountDisplayName": "Rosa Marsh"}


def post(id: str, text: str, at: str = "Wed Oct 10 20:19:24 +0000 2018", **more: Any) -> dict[str, Any]:
    return {"tweet": {"id_str": id, "full_text": text, "created_at": at, **more}}


POSTS = [
    post(
        "11",
        "@ben It blooms &amp; smells: https://t.co/a https://t.co/p",
        entities={
            "urls": [{"url": "https://t.co/a", "expanded_url": "https://example.org/quince"}],
            "user_mentions": [{"name": "Ben Ek", "screen_name": "ben", "id_str": "2"}],
            "media": [{"url": "https://t.co/p", "media_url_https": "https://pbs.example/F3wZ.jpg"}],
        },
        in_reply_to_status_id_str="10",
    ),
    post("12", "RT @ben: words of another"),
    post("13", "A long one that goes on…", at="Thu Oct 11 08:00:00 +0000 2018"),
    post("14", "https://t.co/q", entities={"media": [{"url": "https://t.co/q", "media_url_https": "https://x/G.jpg"}]}),
    None,
]
LONG = [
    {
        "noteTweet": {
            "createdAt": "2018-10-11T08:00:00.000Z",
            "core": {"text": "A long one that goes on and on, to the end of the garden."},
        }
    }
]


def said(who: str, text: str, at: str, **more: Any) -> dict[str, Any]:
    return {"messageCreate": {"senderId": who, "recipientId": "1", "id": at, "text": text, "createdAt": at, **more}}


CHATS = [
    {
        "dmConversation": {
            "conversationId": "1-2",
            "messages": [
                said("2", "Later", "2019-01-02T10:00:01.000Z", mediaUrls=["https://ton.example/dm/1/pic.jpg"]),
                said("1", "First", "2019-01-02T10:00:00.000Z"),
                {"joinConversation": {"initiatingUserId": "2"}},
            ],
        }
    },
    {
        "dmConversation": {
            "conversationId": "77",
            "messages": [
                said("3", "Hi all", "2019-01-03T10:00:00.000Z"),
                {"conversationNameUpdate": {"name": "Gardeners"}},
            ],
        }
    },
]


def js(name: str, value: object) -> str:
    return f"window.YTD.{name}.part0 = {json.dumps(value)}"


FILES = {
    "account.js": js("account", [{"account": ACCOUNT}]),
    "manifest.js": "window.__THAR_CONFIG = {}",
    "tweets.js": js("tweets", POSTS),
    "note-tweet.js": js("note_tweet", LONG),
    "direct-messages.js": js("direct_messages", CHATS[:1]),
    "direct-messages-group.js": js("direct_messages_group", CHATS[1:]),
    "deleted-tweets.js": js("deleted_tweets", [post("15", "what I took back")]),
    "like.js": js("like", [{"like": {"tweetId": "9", "fullText": "what another said"}}]),
    "ip-audit.js": js("ip_audit", [{"ipAudit": {"loginIp": "10.0.0.1"}}]),
}
TOLD = [
    ("Posts of @rosa", "Rosa Marsh", "@ben It blooms & smells: https://example.org/quince"),
    ("Posts of @rosa", "Rosa Marsh", "A long one that goes on and on, to the end of the garden."),
    ("Posts of @rosa", "Rosa Marsh", "G.jpg"),
    ("Gardeners", "X account 3", "Hi all"),
    ("Ben Ek", "Rosa Marsh", "First"),
    ("Ben Ek", "Ben Ek", "Later"),
]


def unpacked(folder: Path) -> Path:
    (folder / "data/tweets_media").mkdir(parents=True)
    (folder / "assets/js").mkdir(parents=True)
    (folder / "Your archive.html").write_text("<p>You need to view this on a desktop browser.</p>")
    (folder / "data/README.txt").write_text("What the files mean, at length.")
    (folder / "data/tweets_media/notes.txt").write_text("of the archive")
    for name, text in FILES.items():
        (folder / "data" / name).write_text(text, "utf-8")
    return folder


def zipped(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("Your archive.html", "<p>You need to view this on a desktop browser.</p>")
        for name, text in FILES.items():
            archive.writestr(f"data/{name}", text)
    return path


def told(path: Path) -> list[tuple[str | None, str | None, str]]:
    return [(one.title, one.speaker, one.text) for one in drafts(path)]


def test_an_archive_has_posts_and_messages_and_nothing_of_others(tmp_path: Path) -> None:
    for path in (unpacked(tmp_path / "archive"), tmp_path / "archive/data", zipped(tmp_path / "archive.zip")):
        assert detect(path) == "twitter"
        assert told(path) == TOLD


def test_a_post_knows_its_time_address_and_picture(tmp_path: Path) -> None:
    first = drafts(zipped(tmp_path / "archive.zip"))[0]
    assert (first.source_id, first.happened_at) == ("11", "2018-10-10T20:19:24Z")
    assert dict(first.meta) == {
        "url": "https://x.com/rosa/status/11",
        "reply_to": "10",
        "attachment": "F3wZ.jpg",
    }


def test_a_file_that_is_given_alone_is_read_alone(tmp_path: Path) -> None:
    folder = unpacked(tmp_path / "archive")
    assert told(folder / "data/tweets.js") == TOLD[:3]
    (tmp_path / "tweets.js").write_text(FILES["tweets.js"])
    assert {one.speaker for one in drafts(tmp_path / "tweets.js")} == {"user"}  # nothing tells the name
    (tmp_path / "tweets-part1.js").write_text("export const tweets = []")
    with pytest.raises(BadSource):
        detect(tmp_path / "tweets-part1.js")


def test_an_archive_among_other_files_is_read_once_and_they_are_read(tmp_path: Path) -> None:
    unpacked(tmp_path / "archive")
    (tmp_path / "garden.md").write_text("The quince blooms late.")
    (tmp_path / "archive" / "my notes.md").write_text("Pears are ripe.")
    with MemoryDatabase(embed="none") as db:
        for added in (len(TOLD) + 2, 0):
            report = db.ingest(tmp_path, timezone="UTC")
            assert (report.added, report.updated, report.removed, report.failures) == (added, 0, 0, [])
        texts = {row[0] for row in db.conn.execute("select text from memories")}
    assert texts == {text for *_, text in TOLD} | {"The quince blooms late.", "Pears are ripe."}


def test_a_later_archive_adds_what_is_new(tmp_path: Path) -> None:
    folder = unpacked(tmp_path / "archive")
    with MemoryDatabase(embed="none") as db:
        db.ingest(zipped(tmp_path / "archive.zip"))
        newer = [*POSTS, post("16", "Later")]
        (folder / "data/tweets.js").write_text(js("tweets", newer))
        report = db.ingest(folder)
        assert (report.added, report.updated, report.removed) == (1, 0, 0)


def test_a_broken_file_is_said_and_the_others_are_read(tmp_path: Path) -> None:
    folder = unpacked(tmp_path / "archive")
    (folder / "data/tweets.js").write_text(FILES["tweets.js"][:-20])
    found = list(read(folder, options=UTC))
    assert [one.source for one in found if isinstance(one, Failure)] == [f"{folder.as_posix()}/tweets.js"]
    assert len([one for one in found if isinstance(one, Draft)]) == 3


values = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["tweet", "entities", "urls", "media", "messages", "messageCreate", "id_str", "core", "url"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", ["tweets.js", "direct-messages.js", "note-tweet.js", "account.js"])
@given(value=values)
def test_an_archive_of_another_shape_ends_no_reading(tmp_path_factory: Any, name: str, value: object) -> None:
    folder = tmp_path_factory.mktemp("archive")
    for file, text in {**FILES, name: js("any", value)}.items():
        (folder / file).write_text(text, "utf-8")
    for one in read(folder, options=UTC):
        assert isinstance(one, Draft | Failure)
