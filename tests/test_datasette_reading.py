"""Memories as they were written: Markdown on pages, whole documents, images beside a note, the way to the source."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from urllib.parse import quote

import pytest
from datasettes import SAMPLES, Browser, datasette, nobody, root

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError, NotFound
from memkit.frontends.datasette import reading, vault

pytest.importorskip("markdown_it", reason="the environment is older than the dependency")

PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
NOTE = """---
aliases: [jelly]
---
# Jelly

Of quinces, by [[Rosa]]. See [the list](Shopping.md) and [more](https://example.com/x).

![[tree.png]] ![pot](img/pot.png) ![far](https://example.com/far.png) ![out](../secret.png) ![[vector.svg]]

## Script

```python
if ripe:
    boil()
```
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A vault with images, one of which lies outside and one of which is none; a database; and a secret image."""
    notes = tmp_path / "vault"
    (notes / ".obsidian").mkdir(parents=True)
    (notes / "img").mkdir()
    (notes / "Jelly.md").write_text(NOTE)
    (notes / "Shopping.md").write_text("Sugar for the [[Jelly]].")
    (notes / "tree.png").write_bytes(PNG)
    (notes / "img" / "pot.png").write_bytes(PNG)
    (notes / "vector.svg").write_text("<svg onload='alert(1)'/>")
    (notes / "fake.png").write_text("<html><script>alert(1)</script>")
    (tmp_path / "secret.png").write_bytes(PNG)
    (notes / "link.png").symlink_to(tmp_path / "secret.png")
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        memory.add_source(notes)
        memory.sync()
        memory.ingest(SAMPLES / "chats")
        memory.remember("```\nlet quinces = 3\n```", now="2026-01-01T12:00:00Z")
    return tmp_path


@pytest.fixture
def owner(folder: Path) -> Browser:
    return root(datasette(folder / "notes.db"))


def first(folder: Path, words: str) -> tuple[str, str]:
    """The ids of a memory with these words, and of its document."""
    with MemoryDatabase(folder / "notes.db", read_only=True) as memory:
        one = memory.recall(words, 1)[0].memory
        document = memory.surroundings(one.id).document
        return one.id, document["id"] if document else ""


async def test_a_hit_is_shown_as_it_was_written(owner: Browser) -> None:
    page = await owner.page("/notes/-/recall?q=boil+if+ripe")
    assert '<pre tabindex="0"><code><mark>if</mark> <mark>ripe</mark>:\n    <mark>boil</mark>()' in page or (
        "    <mark>boil</mark>()</code></pre>" in page
    )
    assert "```" not in page
    assert "aliases:" not in page


async def test_the_images_beside_a_note_are_shown_to_its_owner_and_to_nobody_else(owner: Browser, folder: Path) -> None:
    id, document = first(folder, "Of quinces, by Rosa")
    for path in (f"/notes/-/memory/{id}", f"/notes/-/document/{document}"):
        page = await owner.page(path)
        assert page.count("<img") == 2
        assert f'src="/notes/-/image/{id}?name=tree.png"' in page
        assert '<a href="https://example.com/far.png" rel="nofollow noopener">far</a>' in page
    found = await owner.get(f"/notes/-/image/{id}?name=img/pot.png")
    assert found.content == PNG
    assert found.headers["content-type"] == "image/png"
    assert "default-src 'none'; sandbox" in found.headers["content-security-policy"]
    assert found.headers["x-content-type-options"] == "nosniff"
    everybody = datasette(folder / "notes.db", config={"plugins": {"memkit": {"allow": True}}})
    assert "<img" not in await nobody(everybody).page(f"/notes/-/memory/{id}")
    assert (await nobody(everybody).get(f"/notes/-/image/{id}?name=tree.png")).status_code == 403


async def test_the_images_of_a_vault_are_shown_wherever_in_it_they_lie(folder: Path) -> None:
    """A note in a folder of a vault that is no source; its images are named from the top of the vault."""
    (folder / "vault" / "Recipes").mkdir()
    (folder / "vault" / "Recipes" / "Paste.md").write_text(
        "![a pot](/img/pot.png) ![out](/../secret.png) Stir the paste."
    )
    with MemoryDatabase(folder / "once.db", embed="none") as memory:
        memory.ingest(folder / "vault" / "Recipes")
        id = memory.recall("stir the paste", 1)[0].memory.id
    reader = root(datasette(folder / "once.db"))
    page = await reader.page(f"/once/-/memory/{id}")
    assert page.count("<img") == 1
    assert (await reader.get(f"/once/-/image/{id}?name=/img/pot.png")).content == PNG
    assert (await reader.get(f"/once/-/image/{id}?name=/../secret.png")).status_code == 404


async def test_the_images_of_an_ingested_folder_are_named_from_its_top_where_it_is_no_vault(folder: Path) -> None:
    garden = folder / "garden"
    (garden / "thoughts" / "pictures").mkdir(parents=True)
    (garden / "thoughts" / "pictures" / "A pot.png").write_bytes(PNG)
    (garden / "thoughts" / "Paste.md").write_text(
        "![a pot](thoughts/pictures/A%20pot.png) ![out](../secret.png) Stir the paste."
    )
    with MemoryDatabase(folder / "once.db", embed="none") as memory:
        memory.ingest(garden)
        id = memory.recall("stir the paste", 1)[0].memory.id
    reader = root(datasette(folder / "once.db"))
    page = await reader.page("/once/-/recall?q=stir+the+paste")
    assert page.count("<img") == 1
    assert (await reader.get(f"/once/-/image/{id}?name=thoughts/pictures/A%20pot.png")).content == PNG
    assert (await reader.get(f"/once/-/image/{id}?name=../secret.png")).status_code == 404


async def test_headings_and_beginnings_are_words_without_marks(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        kept = memory.remember(
            "## 1. A *plan* for [the shed](Shed.md)\n\nSee `roof()` and [felt](https://example.com)."
        )
        memory.relate("Otto", "mentions", "the shed")
        memory.relate("the shed", "mentions", "Otto")
        memory.remember("Otto likes _the shed_.", happened_at="2025-03-01")
    reader = root(datasette(tmp_path / "notes.db"))
    page = await reader.page(f"/notes/-/memory/{kept.id}")
    assert "<h1>1. A plan for the shed</h1>" in page
    assert reading.begins(kept.text, 99) == "1. A plan for the shed: See roof() and felt."
    assert "Otto likes the shed." in await reader.page("/notes")
    linked = (await reader.json("/notes/-/entity/Otto.json"))["linked"]
    assert [one["name"] for one in linked] == ["the shed"]


@pytest.mark.parametrize(
    "name",
    [
        *"../secret.png link.png fake.png vector.svg Jelly.md ..%2fsecret.png /etc/passwd img C:\\x.png".split(),
        "",
        "\0",
    ],
)
async def test_no_other_file_is_served_as_an_image(owner: Browser, folder: Path, name: str) -> None:
    id, _ = first(folder, "Of quinces, by Rosa")
    assert (await owner.get(f"/notes/-/image/{id}?name={quote(name)}")).status_code in (400, 404)
    assert vault.image(str(folder / "vault" / "Jelly.md"), name, [str(folder / "vault")]) is None


async def test_a_whole_note_has_its_hit_marked_and_its_links_lead_to_names(owner: Browser, folder: Path) -> None:
    id, document = first(folder, "boil if ripe")
    page = await owner.page(f"/notes/-/document/{document}?memory={id}")
    assert page.index("Of quinces") < page.index('id="here"') < page.index("boil()")
    assert "<h1>Jelly</h1>" in page
    assert page.count(">Jelly<") == 2  # the title of the page and the heading, which the note does not repeat
    assert 'href="/notes/-/entity/' in page
    assert f"obsidian://open?path={quote(str(folder / 'vault' / 'Jelly.md'), safe='')}" in page
    assert f'/notes/-/document/{document}?memory={id}#here"' in await owner.page(f"/notes/-/memory/{id}")


async def test_a_whole_conversation_is_shown_as_turns_with_the_way_back(owner: Browser, folder: Path) -> None:
    id, document = first(folder, "How much pectin do I need for the paste?")
    found = await owner.json(f"/notes/-/document/{document}.json?memory={id}")
    assert [one["speaker"] for one in found["parts"]] == ["user", "assistant"] * 3
    assert [one["marked"] for one in found["parts"]] == [True] + 5 * [False]
    assert "https://chatgpt.com/c/5004d3de" in await owner.page(f"/notes/-/document/{document}")
    everybody = datasette(folder / "notes.db", config={"plugins": {"memkit": {"allow": True}}})
    seen = await nobody(everybody).page(f"/notes/-/document/{document}.json")
    assert "5004d3de" not in seen


async def test_a_long_document_opens_at_the_memory_that_was_asked_for(tmp_path: Path) -> None:
    rows = "\n".join(f'{{"id": "r{n}", "text": "Row number {n} of the log."}}' for n in range(250))
    (tmp_path / "log.jsonl").write_text(rows)
    with MemoryDatabase(tmp_path / "long.db", embed="none") as memory:
        memory.ingest(tmp_path / "log.jsonl")
        one = memory.recall("Row number 170", 1)[0].memory
        id = (memory.surroundings(one.id).document or {})["id"]
        found = memory.document(id, memory=one.id)
        assert (found.page, found.pages, len(found.memories)) == (2, 3, 100)
        assert one in found.memories
        everything = [m.text for n in (1, 2, 3) for m in memory.document(id, page=n).memories]
        assert everything == [f"Row number {n} of the log." for n in range(250)]
        with pytest.raises(MemkitError, match="page must be 1 or more"):
            memory.document(id, page=0)
        with pytest.raises(NotFound, match="no document with the id 'nosuch'"):
            memory.document("nosuch")
    reader = root(datasette(tmp_path / "long.db"))
    page = await reader.page(f"/long/-/document/{id}?page=2")
    assert f"/long/-/document/{id}?page=1" in page
    assert f"/long/-/document/{id}?page=3" in page
    assert (await reader.get("/long/-/document/nosuch")).status_code == 404


async def test_no_memory_is_called_after_its_kind(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "facts.db", embed="none") as memory:
        long = "The ladder, **which Otto lent us** in March, leans against the shed behind the quince and must go back."
        memory.remember("The quince is ripe.")
        memory.remember(long)
    reader = root(datasette(tmp_path / "facts.db"))
    hits = (await reader.json("/facts/-/recall.json?q=quince"))["hits"]
    assert {hit["heading"] for hit in hits} == {
        "The quince is ripe.",
        "The ladder, which Otto lent us in March, leans against the shed behind the…",
    }
    assert {bool(hit["html"]) for hit in hits if hit["heading"] == "The quince is ripe."} == {False}
    page = await reader.page("/facts/-/recall?q=quince")
    assert "The <mark>quince</mark> is ripe." in page
    assert "Fact<" not in page


def test_a_cell_of_code_is_a_block_with_its_output_in_another() -> None:
    with MemoryDatabase(":memory:", embed="none") as memory:
        one = memory.remember("x = `1`\nprint(x)\n\nOutput:\n1", meta={"cell_type": "code"})
    assert reading.text(one, reading.Around()).count("<pre") == 2


async def test_what_may_no_longer_hold_leads_to_what_was_said_later(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "clara.db", embed="none") as memory:
        memory.remember("Clara lives in Lisbon.", happened_at="2024-03-01")
        later = memory.remember("Clara has moved to Ghent.", happened_at="2025-02-01").id
    page = await root(datasette(tmp_path / "clara.db")).page("/clara/-/recall?q=Where+does+Clara+live%3F")
    assert page.count("Perhaps until 2025-02-01: see") == 1
    said, _, rest = page.partition("Perhaps until 2025-02-01")
    assert "Lisbon" in said.rpartition("mk-hit")[2]
    assert later in rest.partition("</a>")[0]


async def test_the_headings_of_a_whole_note_leave_out_no_level(tmp_path: Path) -> None:
    """They went from h1 to h4 or h5, as deep as they happened to be in the note."""
    words = "Rosa cooks the quinces slowly, and she stirs them all the time until they are red. " * 12
    parts = ("#### Fruit", "##### Quinces", "## Pots", "#### Copper")
    (tmp_path / "Jelly.md").write_text("# Jelly\n\n" + "\n\n".join(f"{part}\n\n{words}" for part in parts))
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        memory.ingest(tmp_path / "Jelly.md")
    _, document = first(tmp_path, "copper")
    page = await root(datasette(tmp_path / "notes.db")).page(f"/notes/-/document/{document}")
    assert re.findall(r"<(h\d)>([^<]+)", page) == [
        ("h1", "Jelly"),
        ("h2", "Fruit"),
        ("h3", "Quinces"),
        ("h2", "Pots"),
        ("h3", "Copper"),
    ]
