"""Posts of Bluesky, in the repository of an account."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from chat_files import ingests
from fuzz.samples import BLUESKY, car

from memkit import MemoryDatabase
from memkit.sources import ReadOptions, detect, read
from memkit.sources.car import blocks
from memkit.sources.messengers import bluesky


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two posts, and the block of one that was deleted."""
    path = tmp_path / "repo.car"
    path.write_bytes(car(BLUESKY))
    return path


def test_a_post_has_its_author_time_and_address(repository: Path) -> None:
    first, second = read(repository)
    assert detect(repository) == "bluesky"
    assert first.text == "See é https://a.org/pear-tree\n\n[a pear]"
    assert (first.speaker, first.happened_at) == ("Rosa", "2024-03-01T10:00:00Z")
    assert (first.source_id, first.document.source) == (
        "at://did:plc:rosa/app.bsky.feed.post/3k2",
        "bluesky:did:plc:rosa",
    )
    assert first.meta["url"] == "https://bsky.app/profile/did:plc:rosa/post/3k2"
    assert second.text == "Yes.\n\n[Trees](https://b.org)"
    assert second.meta["reply_to"] == "at://did:plc:ben/app.bsky.feed.post/3k0"


def test_what_is_no_post_is_counted(repository: Path) -> None:
    skipped = Counter[str]()
    list(bluesky.read(repository, replace(ReadOptions(), skipped=skipped), repository.name))
    assert skipped == {"likes, reposts, follows and settings": 2}


def test_a_later_export_adds_what_is_new(repository: Path) -> None:
    before, later = repository.read_bytes(), car([*BLUESKY[:4], {**BLUESKY[4], "text": "Another."}, *BLUESKY[5:]])
    assert ingests(repository, before, before, later) == [(2, 0, 0), (0, 0, 0), (0, 1, 0)]


@pytest.mark.parametrize("cut", [60, 200, -3])
def test_a_repository_that_is_cut_off_fails_alone(repository: Path, cut: int) -> None:
    repository.write_bytes(repository.read_bytes()[:cut])
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(repository.parent)
    assert (report.added, report.failed) == (0, 1)
    assert "the repository cannot be read" in report.failures[0].reason


@pytest.mark.parametrize("value", [None, True, 0, 23, 300, -5, "é", b"\x00", [1, [2]], {"a": {"b": []}}])
def test_a_value_is_read_as_it_was_written(value: object) -> None:
    assert [one for _, one in blocks(car([value]))] == [value]


@pytest.mark.parametrize("data", [b"\x81" * 200, b"\x9b" + b"\xff" * 8, b"\x7b" + b"\xff" * 8, b"\xff", b"\x1c"])
def test_what_asks_for_everything_is_refused(data: bytes) -> None:
    whole = car([0])
    block = b"\x01\x71\x12\x04aaaa" + data
    with pytest.raises(ValueError, match=r"deep|cut off|unknown|broken"):
        list(blocks(whole + bytes([len(block) & 127 | 128, len(block) >> 7]) + block))
