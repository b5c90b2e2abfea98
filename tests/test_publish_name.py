"""A published database is named after its site, keeps that name when it is published again, and never says a name that
was taken out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion
from memkit.sharing.publish.files import MARKER
from memkit.sharing.publish.manifest import TAKEN, database_name, first_usable

NOW = "2026-03-10T12:00:00Z"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[MemoryDatabase]:
    """A garden with people in it."""
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as made:
        made.remember("Rosa Tamsin planted the quince with Élise.", project="garden", now=NOW)
        made.remember("The cellar is locked, says elise.", now=NOW)
        yield made


def databases(folder: Path) -> list[str]:
    """The names of the databases in a folder."""
    return sorted(path.stem for path in folder.glob("*.db"))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("A year of a garden", "a-year-of-a-garden"),
        ("Élises Gärten, Teil 2", "elises-garten-teil-2"),
        ("庭の一年", "folder"),
        ("About", "about-memories"),
        ("Recall!", "recall-memories"),
        ("con", "con-memories"),
        ("word " * 40, "-".join(["word"] * 10)),
    ],
)
def test_the_database_is_named_after_the_site(db: MemoryDatabase, tmp_path: Path, title: str, name: str) -> None:
    out = tmp_path / "folder"
    report = db.publish(out, project="garden", title=title, now=NOW)
    assert databases(out) == [name]
    assert report.database == str(out / f"{name}.db")
    assert list(json.loads((out / "inspect-data.json").read_text("utf-8"))) == [name]
    written = [(out / file).read_text("utf-8") for file in ("metadata.yml", "datasette.yml", "README.md")]
    written += [path.read_text("utf-8") for path in (out / "templates").rglob("*.html")]
    assert [text for text in written if "public.db" in text or "public:" in text or "public/" in text] == []
    assert sum(name in text for text in written) >= 5
    assert db.check_published(out).sound


def test_another_title_leaves_the_addresses_as_they_are(db: MemoryDatabase, tmp_path: Path) -> None:
    out = tmp_path / "out"
    db.publish(out, project="garden", title="A garden", now=NOW)
    for title in ("The orchard", "The last orchard"):
        report = db.publish(out, title=title, now=NOW)
        assert databases(out) == ["a-garden"]
        assert (report.new, report.gone) == ((), ())
    db.publish(out, name="Orchard", now=NOW)
    db.publish(out, title="Trees", now=NOW)
    assert databases(out) == ["orchard"]
    db.publish(out, project="garden", title="Trees", anew=True, now=NOW)
    assert databases(out) == ["trees"]


@pytest.mark.parametrize(
    ("title", "who"), [("The trees of Rosa Tamsin", "Rosa Tamsin"), ("Élises trees: Élise", "Élise")]
)
def test_a_name_that_is_taken_out_later_leaves_the_address_too(
    db: MemoryDatabase, tmp_path: Path, title: str, who: str
) -> None:
    out = tmp_path / "out"
    db.publish(out, project="garden", title=title, now=NOW)
    db.publish(out, title="Trees", now=NOW)
    before = databases(out)
    db.publish(out, redact=[who], now=NOW)
    assert databases(out) != before
    assert "person-1" in databases(out)[0]
    assert db.check_published(out).sound


def test_a_site_that_was_published_before_databases_had_names_keeps_its_addresses(
    db: MemoryDatabase, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    db.publish(out, project="garden", title="A garden", now=NOW)
    said = json.loads((out / MARKER).read_text("utf-8"))
    del said["about"]["name"]
    said["files"] = [file.replace("a-garden.db", "public.db") for file in said["files"]]
    (out / MARKER).write_text(json.dumps(said), encoding="utf-8")
    (out / "a-garden.db").rename(out / "public.db")
    assert db.check_published(out).memories == 1
    assert db.publish(out, now=NOW).new == ()
    assert databases(out) == ["public"]


def test_a_name_without_a_letter_that_an_address_has_is_refused(db: MemoryDatabase, tmp_path: Path) -> None:
    with pytest.raises(BadQuestion, match="letters or digits"):
        db.publish(tmp_path / "out", project="garden", name="庭", now=NOW)


@given(st.text())
def test_a_name_is_a_file_and_an_address_as_it_stands(words: str) -> None:
    name = database_name(first_usable(words))
    assert 0 < len(name) <= 60
    assert name.strip("-") == name
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")
    assert name not in TAKEN
