"""Secrets and publishing: in every column that is published, in other memories, and of a shape that nobody knows."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
from made_secrets import shapes

from memkit import MemoryDatabase
from memkit.sharing.publish import Leaked
from memkit.sharing.publish.suspects import suspects
from memkit.sharing.selection import KEEPABLE

NOW = "2026-03-10T12:00:00Z"
UNKNOWN = "Zx81" + "kQ7vB2nR9tLm4Wp6"  # a key of no service


def published(db: MemoryDatabase, out: Path, **how: object) -> bytes:
    """All bytes of what is published of the project, with every detail."""
    db.publish(out, project="garden", embed="none", keep=list(KEEPABLE), now=NOW, **how)
    return b"\n".join(path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file())


FIELDS = (
    "text",
    "title",
    "speaker",
    "category",
    "tags",
    "meta",
    "meta field",
    "slot key",
    "heading",
    "source",
    "relation",
)


@pytest.mark.parametrize("field", FIELDS)
def test_a_secret_is_in_no_byte_of_a_publication_whatever_field_it_was_in(tmp_path: Path, field: str) -> None:
    secret = "geheim77x"
    said = f"**Passwort:** {secret}"
    with MemoryDatabase(embed="none") as db:
        plain = db.remember("Rosa planted the quince.", project="garden", now=NOW)
        given = {"text": said, "title": said, "speaker": said, "category": said, "tags": [said], "slot key": said}
        if field in given:
            name = {"slot key": "key"}.get(field, field)
            more = {"slot": "agent"} if field == "slot key" else {}
            fields = {"text": "The quince is old.", name: given[field], "project": "garden", **more}
            db.remember(fields.pop("text"), now=NOW, **fields)
        elif field == "meta":
            db.remember(
                "It is old.", project="garden", meta={"clientPassword": secret, "deep": [{"pw": secret}]}, now=NOW
            )
        elif field == "meta field":
            db.remember("It is old.", project="garden", meta={said: 1}, now=NOW)
        elif field == "relation":
            db.relate("Rosa", "planted", "quince", memory=plain.id, quote=said, now=NOW)
            db.relate("Rosa", "says", said, memory=plain.id, now=NOW)
        else:
            notes = tmp_path / "notes"
            notes.mkdir()
            name = f"pw={secret}.md" if field == "source" else "a.md"
            (notes / name).write_text(f"# {said if field == 'heading' else 'Old'}\n\nThe quince is old.\n")
            db.ingest(notes, project="garden", now=NOW)
        data = published(db, tmp_path / "out")
        assert secret.encode() not in data.lower()
        assert b"quince" in data


def test_a_secret_that_another_memory_names_is_not_published_where_it_stands_alone(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("The cellar's password: geheim77x", now=NOW)
        db.remember("Rosa says geheim77x whenever she comes.", project="garden", now=NOW)
        with pytest.raises(Leaked, match=r"'geheim77x' .*key, in memories\.text"):
            published(db, tmp_path / "out")
        assert not (tmp_path / "out").exists()
        assert b"geheim77x" not in published(db, tmp_path / "out", patterns={"word": "geheim77x"})
        assert b"geheim77x" in published(db, tmp_path / "spared", spare=["geheim77x"])


@pytest.mark.parametrize("said", ["contraseña: ", "Lösenord: ", "hasło: ", "κωδικός: ", "パスワード："])
def test_a_secret_is_named_in_many_languages(tmp_path: Path, said: str) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember(f"{said}geheim77x", now=NOW)
        db.remember("Rosa says geheim77x whenever she comes.", project="garden", now=NOW)
        with pytest.raises(Leaked, match=r"'geheim77x' .*key, in memories\.text"):
            published(db, tmp_path / "out")


def test_an_ordinary_word_after_password_may_be_published_elsewhere(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("password: blossom", now=NOW)
        db.remember("The quince has its first blossom.", project="garden", now=NOW)
        assert b"blossom" in published(db, tmp_path / "out")


@pytest.mark.parametrize("secret", ["geheim77x", "Hunter2!x", "kQzRtBv", "xkqzvbnw", "correct-horse-battery", "482913"])
def test_a_secret_that_a_public_memory_names_goes_from_all_of_them(tmp_path: Path, secret: str) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember(f"The cellar has the password: {secret}.", project="garden", now=NOW)
        db.remember(f"Rosa says {secret}, or {secret.upper()}.", title=f"On {secret}", project="garden", now=NOW)
        data = published(db, tmp_path / "out")
        assert secret.lower().encode() not in data.lower()
        assert b"Rosa says [key], or [key]." in data
        (tmp_path / "out" / "more.txt").write_text(f"By the way: {secret}", "utf-8")
        assert not db.check_published(tmp_path / "out").sound
        (tmp_path / "out" / "more.txt").unlink()
        assert secret.encode() in published(db, tmp_path / "spared", spare=[secret, f"{secret}."])


@pytest.mark.parametrize("word", ["blossom", "contraseña", "Blüte", "花見小路", "1234"])
def test_a_plain_word_that_is_taken_out_as_a_password_stays_elsewhere_and_is_reported(
    tmp_path: Path, word: str
) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember(f"The cellar: password: {word}", project="garden", now=NOW)
        db.remember(f"Rosa saw the {word} of the quince.", project="garden", now=NOW)
        report = db.publish(tmp_path / "out", project="garden", embed="none", now=NOW)
        texts = {row["text"] for row in MemoryDatabase(report.database, read_only=True).tables["memories"].rows}
        assert texts == {"The cellar: password: [key]", f"Rosa saw the {word} of the quince."}
        assert report.standing == (word,)
        assert "stays elsewhere" in repr(report)
        assert "stays elsewhere" in report._repr_html_()
        assert db.check_published(tmp_path / "out").sound
        report = db.publish(tmp_path / "out", project="garden", embed="none", patterns={"word": word}, now=NOW)
        assert report.standing == ()


def test_a_plain_word_that_is_taken_out_and_nowhere_else_must_be_gone(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("The cellar: password: blossom", project="garden", now=NOW)
        assert b"blossom" not in published(db, tmp_path / "out").lower()
        (tmp_path / "out" / "more.txt").write_text("By the way: blossom", "utf-8")
        assert {leak.text for leak in db.check_published(tmp_path / "out").leaks} == {"blossom"}


def test_a_pattern_of_the_owner_takes_plain_words_out_everywhere_though_it_is_called_key(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember("The quince has its first blossom.", project="garden", now=NOW)
        assert b"blossom" not in published(db, tmp_path / "out", patterns={"key": "blossom"}).lower()
        (tmp_path / "out" / "more.txt").write_text("The quince: blossom", "utf-8")
        assert not db.check_published(tmp_path / "out").sound


def test_a_key_that_no_rule_knows_is_named_in_the_report(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.remember(f"Rosa found {UNKNOWN} below the quince.", project="garden", now=NOW)
        report = db.publish(tmp_path / "out", project="garden", embed="none", now=NOW)
        assert report.suspects == (UNKNOWN,)
        assert UNKNOWN in repr(report)
        assert UNKNOWN in report._repr_html_()
        checked = db.check_published(tmp_path / "out")
        assert (checked.suspects, checked.sound) == ((UNKNOWN,), True)
        assert UNKNOWN in repr(checked)
        report = db.publish(tmp_path / "out", project="garden", embed="none", spare=[UNKNOWN], now=NOW)
        assert report.suspects == ()


@pytest.mark.parametrize(
    "text",
    [
        "Rosa planted the quince in 2019, and HarbourMill2019 was built.",
        "3f786850e387550fdab836ed7e6dc881de23001b and f1af56bb-db27-47ae-8406-61a98de6c78c",
        "/srv/garden/2019-05-03/notes_about_quinces.md, v1.22.333, ISBN 978-3-16-148410-0",
        "https://example.org/a-long-title-of-a-page-12345 and getElementsByClassName",
    ],
)
def test_words_names_paths_and_sums_are_not_suspicious(text: str) -> None:
    assert suspects([text]) == ()


def test_most_keys_are_found_without_knowing_their_service() -> None:
    each = [secret for seed in range(5) for secret in shapes(Random(seed)).values()]
    assert sum(bool(suspects([f"use {secret} here"])) for secret in each) > 0.65 * len(each)
