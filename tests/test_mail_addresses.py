"""Whoever writes from one address under several names is one person, where nothing speaks against it."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.ingestion.mail_addresses import is_form_of


def box(path: Path, *senders: str) -> Path:
    """A folder with a mail of each of these senders."""
    path.mkdir(exist_ok=True)
    for n, sender in enumerate(senders):
        mail = EmailMessage()
        mail["From"], mail["Subject"], mail["Message-ID"] = sender, f"Quince {n}", f"<{path.name}{n}@example.org>"
        mail["Date"] = f"Mon, {n + 1} Jun 2026 10:00:00 +0000"
        mail.set_content(f"The tree number {n} blooms.")
        (path / f"{n}.eml").write_bytes(mail.as_bytes())
    return path


def people(db: MemoryDatabase) -> set[str]:
    known = "select name from entities where kind = 'person' and merged_into is null"
    return {row[0] for row in db.conn.execute(known)}


@pytest.mark.parametrize(
    ("name", "fullest", "address", "is_form"),
    [
        ("Rosa", "Rosa Lind", "rl@example.org", True),
        ("Rosa Lind", "Rosa Maria Lind", "rl@example.org", True),
        ("Rosa L.", "Rosa L. Lind", "rl@example.org", True),
        ("RL@example.org", "Rosa Lind", "rl@example.org", True),
        ("quince", "Rosa Lind", "quince7@example.org", True),
        ("Quince", "Rosa", "quince7@example.org", False),  # two nicknames, of whom?
        ("Ben", "Rosa Lind", "rl@example.org", False),
        ("Ben Lind", "Rosa Lind", "lind@example.org", False),
        ("rl", "Rosa Lind", "rl@example.org", False),  # as many are
    ],
)
def test_a_form_of_a_name_has_some_of_its_words_or_those_of_the_address(
    name: str, fullest: str, address: str, is_form: bool
) -> None:
    assert is_form_of(name, fullest, address) is is_form


def test_all_names_of_an_address_are_one_person_however_the_mails_come(db: MemoryDatabase, tmp_path: Path) -> None:
    db.ingest(box(tmp_path / "a", "quince <quince7@example.org>", "QUINCE7@example.org", "Ben Ek <ben@example.org>"))
    assert people(db) == {"quince", "Ben Ek"}
    db.ingest(
        box(
            tmp_path / "b",
            "Rosa Lind <Quince7@example.org>",
            "Rosa <quince7@example.org>",
            "rosa <quince7@example.org>",
        )
    )
    assert people(db) == {"Rosa Lind", "Ben Ek"}
    card = db.about("quince")
    assert card.name == "Rosa Lind"
    assert len(card.memories) == 5
    db.ingest(box(tmp_path / "c", "quince <quince7@example.org>"))
    assert len(db.about("Rosa Lind").memories) == 6


@pytest.mark.parametrize(
    "senders",
    [
        ("Rosa Lind <lind@example.org>", "Ben Lind <lind@example.org>", "Rosa <lind@example.org>"),  # a family
        ("Rosa <notifications@example.org>", "Rosa Lind <notifications@example.org>"),
        ("Rosa via Trees <trees@example.org>", "Rosa Lind via Trees <trees@example.org>"),
        ("Rosa <rl@example.org>", "Rosa Lind <rl@example.org>", "Rosa Holm <holm@example.org>"),  # which of them?
        ("Rosa <rl@example.org>", "Rosa Lind <rl@example.org>", "Rosa <holm@example.org>"),
    ],
)
def test_names_that_may_be_several_peoples_stay_apart(db: MemoryDatabase, tmp_path: Path, senders: tuple) -> None:
    db.ingest(box(tmp_path / "a", *senders))
    assert people(db) == {sender.partition(" <")[0] for sender in senders}


def test_who_speaks_elsewhere_under_a_short_name_may_be_another(db: MemoryDatabase, tmp_path: Path) -> None:
    db.ingest([{"text": "The pears are ripe.", "speaker": "Rosa", "session": "s"}])
    db.ingest(box(tmp_path / "a", "Rosa <rl@example.org>", "Rosa Lind <rl@example.org>"))
    assert people(db) == {"Rosa", "Rosa Lind"}


def test_whom_a_person_took_apart_the_next_mail_does_not_make_one(db: MemoryDatabase, tmp_path: Path) -> None:
    db.ingest(box(tmp_path / "a", "Rosa <rl@example.org>", "Rosa Lind <rl@example.org>"))
    assert people(db) == {"Rosa Lind"}
    db.unmerge("Rosa")
    db.ingest(box(tmp_path / "b", "Rosa <rl@example.org>", "Rosa Lind <rl@example.org>"))
    assert people(db) == {"Rosa", "Rosa Lind"}
    db.merge("Rosa Lind", "Rosa")
    assert people(db) == {"Rosa Lind"}
