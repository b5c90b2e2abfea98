"""A file packed with gzip is read by the format of what is in it, under the limits of a zip."""

from __future__ import annotations

import gzip
import io
import os
import sqlite3
import zipfile
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources import ReadOptions, detect, read
from memkit.sources.limits import LIMITS, ReadLimits

MAIL = "From rosa@example.org Mon Nov  7 18:44:27 2016\nFrom: Rosa <rosa@example.org>\nSubject: Jam\n\nIt is done.\n\n"
FILES = {
    "quince.md": "---\ntags: [tree]\n---\n# Quince\n\nIt blooms in [[May]].",
    "2024-May.txt": MAIL,
    "chat.txt": "01/12/2024, 18:15 - Rosa: It blooms\n13/12/2024, 18:16 - Ben: Where?\n",
    "rows.csv": "text,id\nWater daily.,1\n",
    "rows.jsonl": '{"text": "Otto keeps bees.", "id": 7}\n',
    "letter.eml": "From: Rosa <rosa@example.org>\nSubject: Pears\nMessage-ID: <1@example.org>\n\nThey are ripe.\n",
}


def packed(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, mtime=0))
    return path


def drafts(path: Path, **options: object) -> list[Draft]:
    found = read(path, options=ReadOptions(timezone="UTC", **options))  # type: ignore[arg-type]
    return sorted((one for one in found if isinstance(one, Draft)), key=lambda one: one.text)


@pytest.mark.parametrize("name", FILES)
def test_a_packed_file_gives_what_the_file_gives(tmp_path: Path, name: str) -> None:
    (plain := tmp_path / "plain" / name).parent.mkdir()
    plain.write_text(FILES[name])
    path = packed(tmp_path / "packed" / f"{name}.gz", FILES[name].encode())
    assert detect(path) == detect(plain)
    facts = [
        [(one.text, one.source_id, one.title, one.speaker, one.tags, one.happened_at) for one in drafts(file)]
        for file in (path, plain)
    ]
    assert facts[0] == facts[1] != []


def test_packed_files_of_a_folder_are_read_and_kept_up_with(tmp_path: Path) -> None:
    for name, text in FILES.items():
        packed(tmp_path / "all" / f"{name}.gz", text.encode())
    with MemoryDatabase(embed="none") as db:
        db.add_source(tmp_path / "all")
        reports = [db.sync(), db.sync(), db.sync(again=True)]
        packed(tmp_path / "all" / "quince.md.gz", b"# Quince\n\nIt has bloomed.")
        edited = db.sync()
        (tmp_path / "all" / "quince.md.gz").unlink()
        gone = db.sync()
    totals = [one for run in (*reports, edited, gone) for one in run.reports.values()]
    assert [(one.added, one.updated, one.removed) for one in totals] == [
        (7, 0, 0), (0, 0, 0), (0, 0, 0), (0, 1, 0), (0, 0, 1),
    ]  # fmt: skip


def test_a_packed_copy_of_what_lies_beside_it_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "quince.md").write_text("It blooms.")
    packed(tmp_path / "quince.md.gz", b"It blooms.")
    packed(tmp_path / "trace.log.gz", b"nothing that a person wrote")
    found = list(read(tmp_path))
    assert [one.text for one in found if isinstance(one, Draft)] == ["It blooms."]
    assert {Path(one.source).name: one.reason for one in found if isinstance(one, LeftOut)} == {
        "quince.md.gz": "a packed copy of what lies beside it",
        "trace.log.gz": "no format that memkit reads",
    }


def _zip() -> bytes:
    with zipfile.ZipFile(made := io.BytesIO(), "w") as archive:
        archive.writestr("a.md", "It blooms.")
    return made.getvalue()


def _database() -> bytes:
    with sqlite3.connect(":memory:") as conn:
        conn.execute("create table a (text)")
        return conn.serialize() if hasattr(conn, "serialize") else b"SQLite format 3\0" + bytes(100)


@pytest.mark.parametrize("made", [_zip, _database, lambda: gzip.compress(b"It blooms.")])
def test_an_archive_in_a_gzip_is_named_and_not_read(tmp_path: Path, made: object) -> None:
    path = packed(tmp_path / "a.md.gz", made())  # type: ignore[operator]
    for format in (None, "markdown"):
        with pytest.raises(BadSource, match="packed in a gzip; to read it, unpack that first"):
            list(read(path, format=format))
    assert [type(one) for one in read(tmp_path)] == [LeftOut]


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        (ReadLimits(ratio=5), "more than 5 times its size when it is unpacked"),
        (ReadLimits(file_size=1_000_000), "more than 1,000,000 bytes when it is unpacked"),
        (LIMITS, "times its size when it is unpacked"),
    ],
)
def test_a_bomb_fails_alone(tmp_path: Path, limits: ReadLimits, said: str) -> None:
    packed(tmp_path / "bomb.md.gz", b"It blooms.\n" + b" " * 20_000_000)
    packed(tmp_path / "quince.md.gz", b"It blooms.")
    found = list(read(tmp_path, options=ReadOptions(limits=limits)))
    assert [one.text for one in found if isinstance(one, Draft)] == ["It blooms."]
    (failure,) = [one for one in found if isinstance(one, Failure)]
    assert said in failure.reason
    assert failure.source.endswith("bomb.md.gz/bomb.md")


@pytest.mark.parametrize("end", [12, 40, -4])
def test_a_gzip_that_is_cut_off_or_spoiled_is_said(tmp_path: Path, end: int) -> None:
    whole = gzip.compress(FILES["quince.md"].encode(), mtime=0)
    (tmp_path / "quince.md.gz").write_bytes(whole[:end])
    (tmp_path / "pear.md.gz").write_bytes(whole[:-8] + bytes(8))
    found = list(read(tmp_path))
    assert [isinstance(one, Failure) and "gzip" in one.reason for one in found] == [True, True]


def test_a_link_that_leads_out_of_the_folder_is_not_unpacked(tmp_path: Path) -> None:
    secret = packed(tmp_path / "secret.md.gz", b"The key is under the stone.")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "link.md.gz").symlink_to(secret)
    assert [type(one) for one in read(tmp_path / "notes")] == [Failure]


def test_a_packed_file_without_dates_has_that_of_its_last_change_if_that_is_asked(tmp_path: Path) -> None:
    path = packed(tmp_path / "quince.md.gz", b"It blooms.")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert [one.happened_at for one in drafts(path, mtime=True)] == ["2023-11-14T22:13:20Z"]
