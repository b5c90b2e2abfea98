"""Names that only a forgotten memory gave are none any more, in whichever way it was forgotten, until it is back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import check_indexes

from memkit import MemoryDatabase
from memkit.ingestion.entity_linking import EXTRACTOR
from memkit.storage.doctor import BROKEN, doctor

OTHER = "Rosa Lindqvist is a cook, and she likes it. Hanno Grell lives in Berlin. We saw [[Metz]] today."
NAMES = """
select e.name, a.alias, coalesce(e.description, '') from entities as e join aliases as a on a.entity_key = e.key
where exists (
    select 1 from mentions as x join memories as m on m.key = x.memory_key
    where x.entity_key = e.key and m.archived_at is null
)
"""
Way = Callable[[MemoryDatabase, Path], object]


def names(db: MemoryDatabase) -> list[tuple[str, ...]]:
    """What is named now, with its names and descriptions."""
    return sorted(map(tuple, db.conn.execute(NAMES)))


def id_of(db: MemoryDatabase, path: Path) -> str:
    query = "select m.id from memories as m join documents as d on d.key = m.document_key where d.source = ?"
    (row,) = db.conn.execute(query, [path.as_posix()]).fetchall()
    return str(row[0])


def unprune(db: MemoryDatabase, path: Path) -> object:
    return db.unprune(id_of(db, path))


def undo(db: MemoryDatabase, path: Path) -> object:
    return db.undo(db.maintenance(memory=id_of(db, path), step="forget")[0].run)


WAYS: dict[str, tuple[Way, Way]] = {
    "an id, unpruned": (lambda db, path: db.forget(id_of(db, path)), unprune),
    "an id, undone": (lambda db, path: db.forget(id_of(db, path)), undo),
    "a source, undone": (lambda db, path: db.forget_source(path), undo),
    "a source, brought back": (lambda db, path: db.forget_source(path), lambda db, path: db.bring_back(path)),
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A page with names of its own, and a note that speaks of it by them."""
    folder = tmp_path / "notes"
    folder.mkdir()
    page = "---\naliases: [Zibby]\ntype: person\ndescription: A potter.\n---\n# Zorba Falk\n\nIt stands by the river."
    (folder / "falk.md").write_text(page)
    (folder / "other.md").write_text("# Other\n\nSee [[Zorba Falk]] and [[Zibby]]. We saw Zibby today.")
    return folder


@pytest.mark.parametrize(("forget", "back"), WAYS.values(), ids=WAYS)
def test_a_page_takes_its_names_along_at_once_and_brings_them_back(notes: Path, forget: Way, back: Way) -> None:
    with MemoryDatabase(embed="none") as db, MemoryDatabase(embed="none") as without:
        db.ingest(notes)
        before = names(db)
        without.ingest(notes / "other.md")
        forget(db, notes / "falk.md")
        assert names(db) == names(without) != before
        back(db, notes / "falk.md")
        assert names(db) == before
        assert db.ingest(notes).unchanged == 2
        assert names(db) == before
        check_indexes(db)


def test_it_reads_nothing_that_waits_for_an_ingest(notes: Path) -> None:
    """What an older memkit has read is read anew once, by an ingest that says so: in a large file it takes minutes."""
    (notes / "old.md").write_text("# Old\n\nIda Moss lives in Metz.")
    with MemoryDatabase(embed="none") as db:
        db.ingest(notes)
        db.conn.execute("update extractions set extractor = 'text 1' where extractor = ?", [EXTRACTOR])
        db.conn.commit()
        db.forget(id_of(db, notes / "falk.md"))
        unprune(db, notes / "falk.md")
        query = "select m.id from extractions as x join memories as m on m.key = x.memory_key where x.extractor = ?"
        read = {row[0] for row in db.conn.execute(query, [EXTRACTOR])}
        assert read == {id_of(db, notes / name) for name in ("falk.md", "other.md")}


# ---------------------------------------------------------------------------------------------- for good

SAID = {
    "what a link shows": "We saw [[Rosa Lindqvist|Zyzzyk]] today. Zyzzyk was well.",
    "whose dentist somebody is": "Hanno Grell is Zyzzyk's dentist. Rosa Lindqvist is Zyzzyk's sister.",
    "another spelling": "Rosa Lindqvizt Zyzzyk came. Rosa Zyzzykk came. Rosa Lindqvist-Zyzzyk came.",
    "a longer name": "Metz (Zyzzyk) is here. We saw Metz (Zyzzyk) and [[Metz (Zyzzyk)]].",
    "a page": "---\naliases: [Zyzzyk]\nzyzzyk: Zyzzyk Falk\nauthor: Zyzzyk Moss\n---\n# Zyzzyk Page\n\nSee Metz.",
    "a call": "My name is Zyzzyk. Call me Zyzzyk. I prefer zyzzyk tea.",
    "a speaker": "Zyzzyk: hello Rosa\n\nRosa: hello Zyzzyk Grell, how are you?\n\nZyzzyk: fine.",
}
HOW: dict[str, Way] = {
    "an id": lambda db, path: db.forget(id_of(db, path), hard=True),
    "an id that is hidden": lambda db, path: (db.forget(id_of(db, path)), db.forget(id_of(db, path), hard=True)),
    "a source": lambda db, path: db.forget_source(path, hard=True),
}


def in_file(path: Path, *said: str) -> list[str]:
    """Which of these words are still in a database, or in a file beside it."""
    raw = b"".join(file.read_bytes() for file in path.parent.glob(f"{path.name}*")).lower()
    return [one for one in said if one.lower().encode() in raw]


@pytest.mark.parametrize("first", [True, False], ids=["read first", "read last"])
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
@pytest.mark.parametrize("text", SAID.values(), ids=SAID)
def test_no_name_is_left_in_the_file(tmp_path: Path, text: str, how: Way, first: bool) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    secret, other = (folder / name for name in (("a.md", "b.md") if first else ("b.md", "a.md")))
    secret.write_text(text)
    other.write_text(f"{OTHER}\n")
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db, MemoryDatabase(embed="none") as without:
        db.ingest(folder)
        db.fill_slots()
        assert in_file(tmp_path / "m.db", "Zyzzyk")
        how(db, secret)
        assert in_file(tmp_path / "m.db", "Zyzzyk") == []
        without.ingest(other)
        assert names(db) == names(without)
        check_indexes(db)


def test_a_name_that_another_memory_has_stays(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        db.remember("[[Rosa Lindqvist|Rosie]] met [[Hanno Grell|Hanni]].")
        gone = db.remember("Then [[Rosa Lindqvist|Rosie]] met [[Hanno Grell|Zyzzyk]].").id
        db.forget(gone, hard=True)
        assert {row[1] for row in names(db)} == {"Rosa Lindqvist", "Rosie", "Hanno Grell", "Hanni"}


def test_what_was_only_a_part_of_a_name_is_gone(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        db.remember("We saw Metz. We saw [[Metz]] today.")
        gone = db.remember("Metz (Zyzzyk) is here. We saw Metz (Zyzzyk) and [[Metz (Zyzzyk)]].").id
        db.forget(gone, hard=True)
        assert in_file(tmp_path / "m.db", "Zyzzyk") == []


def test_who_was_called_by_it_is_called_as_the_others_say(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        gone = db.remember("Dr. Hanno Grell lives in Berlin.").id
        db.remember("Hanno Grell likes tea, and she does, too.")
        assert db.about("Hanno Grell").name == "Dr. Hanno Grell"
        db.forget(gone, hard=True)
        assert db.about("Hanno Grell").name == "Hanno Grell"
        assert in_file(tmp_path / "m.db", "Dr. Hanno") == []
        check_indexes(db)


def test_a_name_of_two_characters_is_counted_no_more(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        db.remember("Rosa is a cook, and she likes it.")
        db.forget(db.remember("昨天王芳和李伟去了北京。王芳说她喜欢茶。").id, hard=True)
        assert in_file(tmp_path / "m.db", "北京", "王芳", "李伟") == []


def test_what_undoing_a_merge_needs_does_not_keep_it(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        for name in ("Ida Moss", "Hanno Grell"):
            db.remember(f"{name} works in Berlin, and likes it there.")
        gone = db.remember("Hanno Grell lives in Zyzzyville.").id
        db.merge("Hanno Grell", "Ida Moss")
        assert b"Zyzzyville" in str(db.conn.execute("select moved from merges").fetchone()[0]).encode()
        db.forget(gone, hard=True)
        assert in_file(tmp_path / "m.db", "Zyzzyville") == []
        assert [check for check in doctor(db.file).checks if check.state == BROKEN] == []
        db.unmerge("Ida Moss")
        assert {row[0] for row in names(db)} >= {"Hanno Grell", "Ida Moss"}
        check_indexes(db)


# ---------------------------------------------------------------------------------------------- descriptions


def described(db: MemoryDatabase) -> str | None:
    """How Hanno Grell is described."""
    found: str | None = db.conn.execute("select description from entities where name = 'Hanno Grell'").fetchone()[0]
    return found


def test_a_description_lasts_as_long_as_a_sentence_gives_it() -> None:
    with MemoryDatabase(embed="none") as db:
        rows = [
            {"id": n, "text": text} for n, text in enumerate(("Hanno Grell is Rosa's dentist.", "Hanno Grell came."))
        ]
        db.ingest(rows)
        brother = db.remember("Hanno Grell is Ida's brother.").id
        assert described(db) == "Rosa's dentist"
        db.ingest([{**rows[0], "text": "Hanno Grell is here."}])
        assert described(db) == "Ida's brother"
        db.forget(brother)
        assert described(db) is None
        db.unprune(brother)
        assert described(db) == "Ida's brother"


def test_the_first_memory_that_says_what_somebody_is_describes_them() -> None:
    """As it does in a first reading, also if it says so since it was edited."""
    with MemoryDatabase(embed="none") as db:
        rows = [
            {"id": n, "text": text} for n, text in enumerate(("Hanno Grell came.", "Hanno Grell is Ida's brother."))
        ]
        db.ingest(rows)
        assert described(db) == "Ida's brother"
        db.ingest([{**rows[0], "text": "Hanno Grell is Rosa's dentist."}])
        assert described(db) == "Rosa's dentist"
