"""The feed of a question: well-formed whatever memories say, the newest first, and closed where the page is."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from datasettes import NASTY, Browser, datasette, nobody, root

from memkit import MemoryDatabase
from memkit.frontends.datasette.feed import EMPTY

ATOM = "{http://www.w3.org/2005/Atom}"
ELEMENTS = "feed title id link updated author name entry content".split()


@pytest.fixture
def reader(tmp_path: Path) -> Browser:
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        for day, text in (("03", "Rosa pruned the quince."), ("05", f"Otto says the quince bears {NASTY}\x0c.")):
            memory.remember(text, now=f"2026-01-{day}T12:00:00Z")
        longer = "It was planted in 2019 as a whip no thicker than a pencil, and carried its first fruits in 2023."
        memory.remember(f"The quince stands by the well. {longer}", now="2026-01-04T12:00:00Z")
    return root(datasette(tmp_path / "notes.db"))


async def test_the_newest_answer_comes_first_and_all_is_text(reader: Browser) -> None:
    response = await reader.get("/notes/-/recall.atom?q=quince")
    assert response.headers["content-type"].startswith("application/atom+xml")
    found = ElementTree.fromstring(response.content)
    times = [one.text for one in found.iter(f"{ATOM}updated")]
    assert times == [f"2026-01-{day}T12:00:00Z" for day in ("05", "05", "04", "03")]
    first, second, _ = found.findall(f"{ATOM}entry")
    assert "<script>" in str(first.findtext(f"{ATOM}title"))  # as text, of which a reader makes no tag
    assert "<script>" not in str(first.findtext(f"{ATOM}content"))
    assert "<mark>quince</mark>" in str(second.findtext(f"{ATOM}content"))
    link = second.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href", "").startswith("http://localhost/notes/-/memory/")
    assert "/notes/-/recall.atom?q=quince" in await reader.page("/notes/-/recall?q=quince")


async def test_a_new_answer_is_told_however_many_better_ones_there_are(tmp_path: Path) -> None:
    """Of forty answers the page shows the ten best; a subscriber waits for the one that came last."""
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        for day in range(1, 41):
            text = f"Quince tree {day}: the quince has {day} quinces."
            memory.remember(text, importance=9, now=f"2026-01-{day % 28 + 1:02}T12:{day:02}:00Z")
        for one in range(30):
            memory.remember(f"Shelf {one} holds nails and a jar of paint.", now="2026-02-01T12:00:00Z")
        last = memory.remember(
            "Hana found a bowl that was full of wasps under the old quince.", now="2026-02-03T12:00:00Z"
        )
        best = [hit.memory.id for hit in memory.recall("quince")]
    reader = root(datasette(tmp_path / "notes.db"))
    assert last.id not in best
    found = ElementTree.fromstring((await reader.get("/notes/-/recall.atom?q=quince")).content)
    ids = [str(one.findtext(f"{ATOM}id")).rpartition("/")[2] for one in found.iter(f"{ATOM}entry")]
    assert ids[0] == last.id
    assert len(ids) == 41
    assert "Shelf" not in ElementTree.tostring(found, "unicode")  # what has nothing of the question is no answer


async def test_a_feed_ends_with_the_fifty_newest(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        for n in range(60):
            memory.remember(f"Quince tree {n} bears.", now=f"2026-01-01T12:{n:02}:00Z")
    response = await root(datasette(tmp_path / "notes.db")).get("/notes/-/recall.atom?q=quince")
    times = [one.text for one in ElementTree.fromstring(response.content).iter(f"{ATOM}updated")][1:]
    assert times == [f"2026-01-01T12:{n:02}:00Z" for n in range(59, 9, -1)]


async def test_a_memory_that_is_its_own_heading_is_text_too(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        memory.remember("Quince <img src=x onerror=alert(1)> jelly.")
    response = await root(datasette(tmp_path / "notes.db")).get("/notes/-/recall.atom?q=quince")
    found = ElementTree.fromstring(response.content)
    assert "&lt;img src=x" in str(found.findtext(f"{ATOM}entry/{ATOM}content"))


async def test_limits_hold_in_a_feed_and_one_without_answers_is_empty(reader: Browser) -> None:
    for query in ("q=xylophone", "q=quince&has=kind:turn"):
        found = ElementTree.fromstring((await reader.get(f"/notes/-/recall.atom?{query}")).content)
        assert found.findall(f"{ATOM}entry") == []
    assert (await reader.get("/notes/-/recall.atom")).status_code == 400
    assert (await reader.get("/notes/-/recall.atom?q=quince&k=many")).status_code == 400
    assert (await nobody(reader.served).get("/notes/-/recall.atom?q=quince")).status_code == 403


async def test_no_value_of_a_copied_database_is_markup_of_a_feed(tmp_path: Path) -> None:
    """A browser runs a script of XHTML in any XML, in the name of the owner who looks at the feed."""
    script = '<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>'
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        for text in ("Rosa pruned the quince.", "Otto waters the quince."):
            memory.remember(text)
        for name in ("created_at", "id", "title", "text"):
            value = f"2026</updated>{script} {name} quince"
            memory.conn.execute(f"update memories set {name} = ? where text like 'Rosa%'", (value,))
        memory.conn.execute("update memories set created_at = '2026-03-10' where text like 'Otto%'")
        memory.conn.commit()
    response = await root(datasette(tmp_path / "notes.db")).get("/notes/-/recall.atom?q=quince")
    found = ElementTree.fromstring(response.content)
    assert {one.tag for one in found.iter()} == {f"{ATOM}{name}" for name in ELEMENTS}
    times = {one.text for one in found.iter(f"{ATOM}updated")}
    assert times == {"2026-03-10T00:00:00Z", EMPTY}
    assert "default-src 'none'" in response.headers["content-security-policy"]
