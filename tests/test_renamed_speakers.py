"""A chat that is exported again after somebody in it was saved under another name."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import MemoryDatabase

UNKNOWN, KNOWN = "+49 170 1234567", "Rosa Marsh"
CURRENT = "select speaker, text from memories where archived_at is null order by happened_at, text"


def chat(path: Path, name: str, last: int = 6, ben: str = "Ben") -> Path:
    """Messages of every minute, of somebody with this name and of Ben in turn."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        f"13/06/2018, 21:{minute:02} - {name if minute % 2 else ben}: message {minute // 3}" for minute in range(last)
    ]
    path.write_text("\n".join(lines), "utf-8")
    return path


def current(db: MemoryDatabase) -> set[tuple[str, str]]:
    return {(row[0], row[1]) for row in db.conn.execute(CURRENT)}


@pytest.mark.parametrize("last", [6, 9])
def test_who_was_saved_as_a_contact_has_said_each_message_once(tmp_path: Path, last: int) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(chat(tmp_path / "1/WhatsApp Chat with Garden.txt", UNKNOWN))
        db.ingest(newer := chat(tmp_path / "2/WhatsApp Chat with Garden.txt", KNOWN, last))
        assert db.conn.execute(f"select count(*) from ({CURRENT})").fetchone()[0] == last
        assert {speaker for speaker, _ in current(db)} == {KNOWN, "Ben"}
        for path in (newer, tmp_path / "1", newer, tmp_path):  # again, the older one too, and both
            db.ingest(path)
            assert {speaker for speaker, _ in current(db)} == {KNOWN, "Ben"}
        assert db.conn.execute(f"select count(*) from ({CURRENT})").fetchone()[0] == last


def test_the_exports_of_a_folder_have_the_name_of_the_latest(tmp_path: Path) -> None:
    chat(tmp_path / "2/WhatsApp Chat with Garden.txt", KNOWN, 9)
    chat(tmp_path / "3/WhatsApp Chat with Garden.txt", UNKNOWN, 6)
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path)
        assert {speaker for speaker, _ in current(db)} == {KNOWN, "Ben"}
        assert db.conn.execute(f"select count(*) from ({CURRENT})").fetchone()[0] == 9


def test_an_older_export_that_is_read_later_takes_no_name_back(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(chat(tmp_path / "2/WhatsApp Chat with Garden.txt", KNOWN, 9))
        db.ingest(chat(tmp_path / "1/WhatsApp Chat with Garden.txt", UNKNOWN, 6))
        assert {speaker for speaker, _ in current(db)} == {KNOWN, "Ben"}


def test_what_was_deleted_or_edited_since_does_not_keep_the_rest_twice(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(older := chat(tmp_path / "1/WhatsApp Chat with Garden.txt", UNKNOWN))
        newer = chat(tmp_path / "2/WhatsApp Chat with Garden.txt", KNOWN)
        newer.write_text(newer.read_text().replace(f"21:03 - {KNOWN}: message 1", f"21:03 - {KNOWN}: words"), "utf-8")
        for path in (newer, newer, older, newer):
            db.ingest(path)
            rows = [tuple(row) for row in db.conn.execute(CURRENT)]
            assert [row for row in rows if row[0] != "Ben"] == [
                (KNOWN, "message 0"), (UNKNOWN, "message 1"), (KNOWN, "words"), (KNOWN, "message 1"),
            ]  # fmt: skip


def test_the_same_words_of_one_minute_are_counted(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        for folder, name, again in (("1", UNKNOWN, 3), ("2", KNOWN, 2)):
            path = chat(tmp_path / folder / "WhatsApp Chat with Garden.txt", name)
            path.write_text(path.read_text() + f"\n13/06/2018, 21:05 - {name}: ok" * again, "utf-8")
            db.ingest(path)
        said = [tuple(row) for row in db.conn.execute(CURRENT)]
        assert [said.count((name, "ok")) for name in (KNOWN, UNKNOWN)] == [2, 1]


def test_who_says_other_things_is_somebody_else(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(chat(tmp_path / "1/WhatsApp Chat with Garden.txt", "Otto", 12))
        path = chat(tmp_path / "2/WhatsApp Chat with Garden.txt", KNOWN, 12)
        path.write_text(path.read_text().replace("message 1", "words").replace("message 2", "words"), "utf-8")
        db.ingest(path)  # three of six are others
        assert {speaker for speaker, _ in current(db)} == {KNOWN, "Otto", "Ben"}
        assert db.conn.execute(f"select count(*) from ({CURRENT}) where speaker = 'Otto'").fetchone()[0] == 6


def test_who_only_said_one_thing_at_the_same_minute_is_somebody_else(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(chat(tmp_path / "1/WhatsApp Chat with Garden.txt", "Otto", 2))
        db.ingest(chat(tmp_path / "2/WhatsApp Chat with Garden.txt", KNOWN, 2))
        assert {speaker for speaker, _ in current(db)} == {KNOWN, "Otto", "Ben"}
