"""The page of upkeep: what is due, what was done, what to decide; buttons only for those who may write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from datasettes import NASTY, Browser, datasette, nobody, root

from memkit import MemoryDatabase

NOW = "2026-01-01T12:00:00Z"
QUINCE = "The quince by the wall bears yellow fruit in October every single year."
PAGE = "/kept/-/maintenance"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Two memories that may be one, two relations that cannot both hold, and what is due."""
    path = tmp_path / "kept.db"
    with MemoryDatabase(path, embed="none") as memory:
        for text in (QUINCE, QUINCE, f"{NASTY} {QUINCE}"):
            memory.remember(text, confidence=0.7, now=NOW)
        for place in ("Lund", "Oslo"):
            memory.relate("Otto", "born in", place, valid_from="1980", now=NOW)
        memory.maintain(now=NOW, only=["propose", "promote"])
    return path


@pytest.fixture
def owner(kept: Path) -> Browser:
    return root(datasette(kept))


async def proposals(browser: Browser) -> dict[str, Any]:
    return {one["kind"]: one for one in (await browser.json(f"{PAGE}.json"))["proposals"]}


async def test_the_page_says_what_is_due_what_was_done_and_what_to_decide(owner: Browser) -> None:
    page = await owner.page(PAGE)
    found = await owner.json(f"{PAGE}.json")
    assert {one["step"] for one in found["due"]} >= {"compress", "expire"}
    assert {one["kind"] for one in found["proposals"]} == {"merge", "contradiction"}
    assert {one["action"] for one in found["changes"]} == {"promoted"}
    shown = ("What is due", "Are these the same?", "They are the same", "Which is true?", "Surer now")
    assert all(words in page for words in shown)


async def test_each_run_is_named_once_where_its_changes_begin(owner: Browser, kept: Path) -> None:
    with MemoryDatabase(kept, embed="none") as memory:
        for text in ("It rains.", "It snows."):
            memory.remember(text, expires_at=NOW, now=NOW)
        memory.maintain(now="2026-01-02T12:00:00Z")
    runs = {one["run"] for one in (await owner.json(f"{PAGE}.json"))["changes"]}
    page = await owner.page(PAGE)
    assert len(runs) == 2
    assert [page.count(run) for run in runs] == [1, 1]


async def test_every_memory_that_a_change_leads_to_has_a_page_and_those_that_went_are_named(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    with MemoryDatabase(path, embed="none") as memory:
        settings = {"compact_kinds": "episode, turn", "least_tokens": "1", "single_tokens": "1", "compress_share": "1"}
        memory.set_policy(settings={f"episodes.{name}": value for name, value in settings.items()})
        memory.remember(QUINCE, kind="episode", now=NOW)
        memory.ingest([{"id": "t", "session": "s", "kind": "turn", "text": QUINCE, "timestamp": NOW}], now=NOW)
        for day in ("03", "12"):
            memory.maintain(now=f"2026-01-{day}T12:00:00Z")
    owner = root(datasette(path))
    changes = (await owner.json(f"{PAGE}.json"))["changes"]
    assert {one["action"] for one in changes} == {"made", "expired", "distilled"}
    page = await owner.page(PAGE)
    gone = [one for one in changes if one["instead"]]
    assert {one["told"] for one in gone} == {"Let go"}
    assert all(one["says"].startswith("The quince") for one in gone)
    assert page.count(">what stands in its place</a>") == len(gone)
    for one in changes:
        assert one["url"].endswith(one["sources"][0] if one["instead"] else one["memory"])
        assert (await owner.get(one["url"])).status_code == 200, one


async def test_a_memory_that_went_without_a_summary_is_quoted_without_a_link_or_named(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    with MemoryDatabase(path, embed="none") as memory:
        memory.remember("a note for <one> day", expires_at=NOW, now=NOW)
        memory.maintain(now="2026-01-02T12:00:00Z")
    owner = root(datasette(path))
    (change,) = (await owner.json(f"{PAGE}.json"))["changes"]
    assert change["url"] is None
    assert "<b>Let go</b>: <q>a note for &lt;one&gt; day</q>" in await owner.page(PAGE)
    with MemoryDatabase(path, embed="none") as memory:
        memory.vacuum()
    assert f"<b>Let go</b>: <code>{change['memory']}</code>" in await owner.page(PAGE)


async def test_what_is_accepted_is_one_memory_and_can_be_undone(owner: Browser, kept: Path) -> None:
    merge = (await proposals(owner))["merge"]
    response = await owner.post(PAGE, do="accept", id=merge["id"], text="The quince bears in October.")
    assert response.status_code == 302
    with MemoryDatabase(kept, read_only=True) as memory:
        assert memory.recall("quince October", 1)[0].memory.text == "The quince bears in October."
    change = (await owner.json(f"{PAGE}.json"))["changes"][0]
    assert (change["action"], change["undoable"]) == ("merged", True)
    assert (await owner.post(PAGE, do="undo", id=change["id"])).status_code == 302
    with MemoryDatabase(kept, read_only=True) as memory:
        assert QUINCE in {hit.memory.text for hit in memory.recall("quince October", 5)}
    assert (await proposals(owner))["merge"] == merge  # open again, as it was proposed


async def test_what_is_refused_is_asked_no_more(owner: Browser, kept: Path) -> None:
    merge = (await proposals(owner))["merge"]
    assert (await owner.post(PAGE, do="refuse", id=merge["id"])).status_code == 302
    with MemoryDatabase(kept, embed="none") as memory:
        memory.maintain(now=NOW, only=["propose"])
    assert "merge" not in await proposals(owner)
    refused = (await owner.json(f"{PAGE}.json"))["refused"]
    assert [one["id"] for one in refused] == [merge["id"]]
    assert (await owner.post(PAGE, do="undo", id=merge["id"])).status_code == 302
    assert (await proposals(owner))["merge"] == merge
    assert (await owner.json(f"{PAGE}.json"))["refused"] == []


async def test_what_the_user_may_have_said_of_himself_is_kept_with_one_click(owner: Browser, kept: Path) -> None:
    with MemoryDatabase(kept, embed="none") as memory:
        memory.remember(f"I prefer tea, {NASTY}", now=NOW)
        memory.maintain(now=NOW, only=["slots"])
    asked = (await proposals(owner))["slot"]
    assert asked["text"] == "user.prefers: tea = tea"
    assert "Keep it" in await owner.page(PAGE)
    assert (await owner.post(PAGE, do="accept", id=asked["id"], text=asked["text"])).status_code == 302
    with MemoryDatabase(kept, read_only=True) as memory:
        assert memory.context("tea", strategy="slots").text.startswith("## User\n- prefers: tea")


async def test_who_the_user_is_is_offered_and_confirmed_with_one_click(owner: Browser, kept: Path) -> None:
    with MemoryDatabase(kept, embed="none") as memory:
        rows = [
            {"text": "I live in Bern.", "session": f"s{n}", "speaker": who, "timestamp": f"2023-01-1{n}T10:00:00Z"}
            for n in range(3)
            for who in (("Sam Reed", "Mia") if n else ("Sam Reed", "Bo"))
        ]
        memory.ingest([{**row, "id": str(n)} for n, row in enumerate(rows)])
    found = await owner.json(f"{PAGE}.json")
    assert (found["me"], found["likely"]) == (None, "Sam Reed")
    assert "That is me" in await owner.page(PAGE)
    assert (await owner.post(PAGE, do="me", name="Sam Reed")).status_code == 302
    assert (await owner.json(f"{PAGE}.json"))["me"] == "Sam Reed"
    assert "That is me" not in await owner.page(PAGE)
    assert (await owner.post(PAGE, do="me", name="!!")).status_code == 400
    reader = nobody(datasette(kept))
    assert (await reader.post(PAGE, do="me", name="Eve Ek")).status_code == 403
    with MemoryDatabase(kept, read_only=True) as memory:
        assert memory.me() == "Sam Reed"


async def test_upkeep_can_be_run_from_the_page(owner: Browser) -> None:
    assert (await owner.post(PAGE, do="maintain")).status_code == 302


async def test_whether_a_memory_was_of_use_is_kept(owner: Browser, kept: Path) -> None:
    with MemoryDatabase(kept, read_only=True) as memory:
        id = memory.recall("quince", 1)[0].memory.id
    assert "Not useful" in await owner.page(f"/kept/-/memory/{id}")
    page = await owner.served.client.get(f"/kept/-/memory/{id}", cookies=owner.cookies)
    cookies, fields = dict(owner.cookies), {"useful": "1", "question": "quince?"}
    if "ds_csrftoken" in page.cookies:
        cookies["ds_csrftoken"] = fields["csrftoken"] = page.cookies["ds_csrftoken"]
    response = await owner.served.client.post(f"/kept/-/feedback/{id}", data=fields, cookies=cookies)
    assert response.status_code == 302
    with MemoryDatabase(kept, read_only=True) as memory:
        assert tuple(memory.conn.execute("select question, useful from feedback").fetchone()) == ("quince?", 1)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"do": "accept", "id": "nothing"}, "There is no proposal"),
        ({"do": "undo", "id": "nothing"}, "There is no change"),
        ({"do": "explode"}, "is not a command of this page"),
        ({}, "is not a command of this page"),
    ],
)
async def test_what_cannot_be_done_is_said(owner: Browser, fields: dict[str, str], says: str) -> None:
    response = await owner.post(PAGE, **fields)
    assert response.status_code == 400
    assert 'role="alert"' in response.text
    assert says in response.text


async def test_an_empty_or_endless_text_is_refused_and_the_proposal_stays_open(owner: Browser) -> None:
    merge = (await proposals(owner))["merge"]
    for text in ("  ", "x" * 30_000):
        assert (await owner.post(PAGE, do="accept", id=merge["id"], text=text)).status_code == 400
    assert (await proposals(owner))["merge"] == merge


async def test_text_from_memories_stays_text(owner: Browser) -> None:
    page = await owner.page(PAGE)
    assert "<script>alert(1)" not in page
    assert "<svg onload" not in page


@pytest.mark.parametrize("actor", [None, {"id": "ada"}])
async def test_others_see_no_buttons_and_may_do_nothing(kept: Path, actor: Any) -> None:
    reader = Browser(datasette(kept, config={"plugins": {"memkit": {"allow": True}}}), actor)
    page = await reader.page(PAGE)
    assert "Do it now" not in page
    assert "They are the same" not in page
    merge = (await proposals(reader))["merge"]
    for fields in ({"do": "accept", "id": merge["id"]}, {"do": "maintain"}):
        assert (await reader.post(PAGE, **fields)).status_code == 403
    assert (await reader.post("/kept/-/feedback/x", useful="1")).status_code == 403
    assert (await proposals(reader))["merge"] == merge


async def test_nobody_sees_private_upkeep(kept: Path) -> None:
    assert (await nobody(datasette(kept)).get(PAGE)).status_code == 403


async def test_another_site_cannot_decide(owner: Browser) -> None:
    merge = (await proposals(owner))["merge"]
    headers = {"sec-fetch-site": "cross-site", "origin": "https://example.org"}
    fields = {"do": "refuse", "id": merge["id"]}
    response = await owner.served.client.post(PAGE, data=fields, cookies=owner.cookies, headers=headers)
    assert response.status_code == 403
    assert (await proposals(owner))["merge"] == merge


async def test_upkeep_shows_what_it_would_do_before_it_does_it(owner: Browser) -> None:
    assert "Do it now" not in await owner.page(PAGE)
    before = (await owner.json(PAGE + ".json"))["changes"]
    page = await owner.page(PAGE + "?preview=1")
    assert "What would be done" in page
    assert "Do it now" in page
    assert (await owner.json(PAGE + ".json"))["changes"] == before
