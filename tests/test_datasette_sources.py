"""The page of sources: when each was read and what was left out, for those alone who may write."""

from __future__ import annotations

from pathlib import Path

import pytest
from datasettes import Browser, datasette, nobody, root

from memkit import MemoryDatabase

PAGE = "/kept/-/sources"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """A database with a garden that was read, of which something was left out, and one that was not read yet."""
    garden, later = tmp_path / "<b>garden", tmp_path / "later"
    for folder in (garden, later):
        folder.mkdir()
        (folder / "quince.md").write_text("Rosa planted the quince.")
    (garden / "tree.jpg").write_bytes(b"\xff\xd8")
    path = tmp_path / "kept.db"
    with MemoryDatabase(path, embed="none") as memory:
        memory.add_source(garden, project="garden")
        memory.sync()
        memory.add_source(later)
    return path


async def test_each_source_says_when_it_was_read_what_it_gave_and_what_was_left_out(kept: Path) -> None:
    owner = root(datasette(kept))
    read, unread = (await owner.json(f"{PAGE}.json"))["sources"]
    assert (Path(read["path"]).name, read["project"], read["files"], read["failed"]) == ("<b>garden", "garden", 1, 0)
    assert read["left_out"] == "1 .jpg (no format that memkit reads)"
    assert (Path(unread["path"]).name, unread["read"], unread["files"]) == ("later", "", 0)
    page = await owner.page(PAGE)
    assert "&lt;b&gt;garden" in page
    assert "<b>garden" not in page
    assert read["read"] in page
    assert "Left out:</b> 1 .jpg (no format that memkit reads)" in page
    assert page.count("never read yet") == 1


async def test_a_database_without_sources_says_how_to_add_one(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    with MemoryDatabase(path, embed="none") as memory:
        memory.remember("It rains.")
    assert "memkit sources kept.db add PATH" in await root(datasette(path)).page(PAGE)


async def test_paths_are_for_those_who_may_write(kept: Path) -> None:
    everybody = {"plugins": {"memkit": {"allow": True, "write": {"id": "ada"}}}}
    served = datasette(kept, config=everybody)
    for path in (PAGE, f"{PAGE}.json"):
        assert "garden" not in await nobody(served).page(path, 403)
        assert "garden" in await Browser(served, {"id": "ada"}).page(path)
    assert PAGE not in await nobody(served).page("/kept")
    assert PAGE in await Browser(served, {"id": "ada"}).page("/kept")


async def test_who_may_not_see_the_settings_sees_no_sources(kept: Path) -> None:
    rule = {
        "plugins": {"memkit": {"write": {"id": "ada"}, "allow": {"id": "ada"}}},
        "databases": {"kept": {"tables": {"settings": {"allow": False}}}},
    }
    assert "garden" not in await Browser(datasette(kept, config=rule), {"id": "ada"}).page(PAGE, 403)
    assert PAGE not in await Browser(datasette(kept, config=rule), {"id": "ada"}).page("/kept")
