"""Pages that write: only for those who may, only with a token of the form, and each write is one that can be seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import everything
from datasettes import SECRET, Browser, build_private, datasette, nobody, root

from memkit import MemoryDatabase
from memkit.frontends.datasette.compat import IS_1

ADA = {"id": "ada"}


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return build_private(tmp_path / "private.db")


@pytest.fixture
def owner(private: Path) -> Browser:
    return root(datasette(private))


def stone(private: Path) -> Any:
    with MemoryDatabase(private, read_only=True) as memory:
        return memory.recall("flagstone", 1)[0].memory


async def test_what_is_remembered_is_recalled(owner: Browser) -> None:
    response = await owner.post(
        "/private/-/remember", text="The ferry leaves at nine.", kind="procedure", tags="boat, day", importance="7"
    )
    assert response.status_code == 302
    made = await owner.json(response.headers["location"] + ".json")
    assert (made["text"], made["kind"], made["tags"], made["importance"]) == (
        "The ferry leaves at nine.",
        "procedure",
        ["boat", "day"],
        7.0,
    )
    found = await owner.json("/private/-/recall.json?q=when+does+the+ferry+leave")
    assert found["hits"][0]["id"] == made["id"]


async def test_a_correction_takes_the_place_of_what_it_corrects(owner: Browser, private: Path) -> None:
    old = stone(private)
    response = await owner.post(f"/private/-/correct/{old.id}", text=f"The {SECRET} lies under the fourth flagstone.")
    assert response.status_code == 302
    new = await owner.json(response.headers["location"] + ".json")
    found = await owner.json("/private/-/recall.json?q=flagstone")
    assert found["hits"][0]["id"] == new["id"]
    assert old.id not in {hit["id"] for hit in found["hits"]}
    assert new["title"] == old.title
    assert [link["label"] for link in new["links"] if link["id"] == old.id] == ["replaces"]
    assert (await owner.json(f"/private/-/memory/{old.id}.json"))["text"] == old.text


async def test_what_is_forgotten_is_not_recalled(owner: Browser, private: Path) -> None:
    old = stone(private)
    assert (await owner.post(f"/private/-/forget/{old.id}")).status_code == 302
    assert (await owner.json("/private/-/recall.json?q=flagstone"))["hits"] == []
    assert "forgotten" in await owner.page(f"/private/-/memory/{old.id}")


async def test_two_names_become_one(owner: Browser, private: Path) -> None:
    with MemoryDatabase(private, embed="none") as memory:
        memory.relate("Zeb", "lives in", "Malmö")
    response = await owner.post("/private/-/merge", kept="Zebediah", merged="Zeb")
    assert response.status_code == 302
    found = await owner.json("/private/-/entity/Zeb.json")
    assert found["name"] == "Zebediah"
    assert "Malmö" in {one["object"]["name"] for one in found["relations"]}


async def test_after_a_write_there_is_a_message(owner: Browser) -> None:
    response = await owner.post("/private/-/remember", text="A message for everybody.")
    cookies = {**owner.cookies, "ds_messages": response.cookies["ds_messages"]}
    page = await owner.served.client.get(response.headers["location"], cookies=cookies)
    assert "Remembered: A message for everybody." in page.text


@pytest.mark.parametrize(
    ("page", "fields", "says"),
    [
        ("remember", {"text": ""}, "nothing to remember"),
        ("remember", {"text": "   "}, "nothing to remember"),
        ("remember", {"text": "x" * 30_000}, "too long"),
        ("remember", {"text": "x", "importance": "very"}, "importance must be a number"),
        ("remember", {"text": "x", "importance": "99"}, "importance"),
        ("remember", {"text": "x", "happened_at": "never"}, "happened_at"),
        ("merge", {"kept": "Zebediah", "merged": ""}, "the two names"),
        ("merge", {"kept": "Zebediah", "merged": "nobody"}, "nobody"),
        ("merge", {"kept": "Zebediah", "merged": "Zebediah"}, ""),
    ],
)
async def test_what_cannot_be_written_is_said_and_what_was_typed_is_kept(
    owner: Browser, page: str, fields: dict[str, str], says: str
) -> None:
    response = await owner.post(f"/private/-/{page}", **fields)
    assert response.status_code == 400, response.text[:500]
    assert 'role="alert"' in response.text
    assert says in response.text
    assert fields.get("kept", "") in response.text


@pytest.mark.parametrize(
    ("text", "fields", "says"),
    [
        ("", {}, "nothing to remember"),
        ("{}", {}, "says this already"),
        ("{}\r\n", {}, "says this already"),
        ("It lies under the ninth flagstone.", {"why": "x" * 20_001}, "why is too long"),
        ("It lies under the ninth flagstone.", {"valid_from": "never"}, "valid_from"),
    ],
)
async def test_a_correction_that_is_refused_leaves_everything_as_it_was(
    owner: Browser, private: Path, text: str, fields: dict[str, str], says: str
) -> None:
    with MemoryDatabase(private, read_only=True) as memory:
        before, old = everything(memory), memory.recall("flagstone", 1)[0].memory
    response = await owner.post(f"/private/-/correct/{old.id}", text=text.format(old.text), **fields)
    assert response.status_code == 400
    assert says in response.text
    with MemoryDatabase(private, read_only=True) as memory:
        assert everything(memory) == before


async def test_harmful_text_stays_text_in_a_form_that_failed(owner: Browser) -> None:
    response = await owner.post("/private/-/merge", kept='"><script>alert(1)</script>', merged="")
    assert "<script>alert(1)" not in response.text


@pytest.mark.parametrize("actor", [None, ADA])
async def test_nobody_else_may_write(private: Path, actor: Any) -> None:
    served = datasette(private, config={"plugins": {"memkit": {"allow": True}}})
    other = Browser(served, actor)
    old = stone(private)
    for page in ("remember", "merge", f"correct/{old.id}", f"forget/{old.id}"):
        assert (await other.get(f"/private/-/{page}")).status_code == 403
        assert (await other.post(f"/private/-/{page}", text="x", kept="a", merged="b")).status_code == 403
    assert "Remember something" not in await other.page("/private/-/recall?q=flagstone")
    assert stone(private) == old


async def test_the_owner_names_who_may_write(private: Path) -> None:
    served = datasette(private, config={"plugins": {"memkit": {"allow": ADA, "write": ADA}}})
    response = await Browser(served, ADA).post("/private/-/remember", text="Ada was here.")
    assert response.status_code == 302
    assert (await nobody(served).get("/private/-/remember")).status_code == 403


async def test_another_site_cannot_write(owner: Browser) -> None:
    """0.65 wants the token of its form, 1.0 looks where the request is from."""
    fields = {"text": "Written by another site."}
    headers = {"sec-fetch-site": "cross-site", "origin": "https://example.org"}
    response = await owner.served.client.post(
        "/private/-/remember", data=fields, cookies=owner.cookies, headers=headers
    )
    assert response.status_code == 403
    if not IS_1:
        response = await owner.served.client.post("/private/-/remember", data=fields, cookies=owner.cookies)
        assert response.status_code == 403
    assert (await owner.json("/private/-/recall.json?q=written+by+another+site"))["count"] == 0


async def test_a_form_can_answer_in_json(owner: Browser) -> None:
    if not IS_1:
        pytest.skip("0.65 has no token in JSON pages")
    response = await owner.served.client.post(
        "/private/-/remember.json", data={"text": "Said by a program."}, cookies=owner.cookies
    )
    assert response.json()["ok"]
    assert response.json()["id"]


async def test_what_is_forgotten_can_be_brought_back_on_its_page(private: Path) -> None:
    owner = root(datasette(private))
    with MemoryDatabase(private) as memory:
        id = memory.recall("flagstone", 1).ids[0]
    page = f"/private/-/memory/{id}"
    assert "Bring back" not in await owner.page(page)
    response = await owner.post(f"/private/-/forget/{id}")
    assert response.headers["location"] == page
    assert "Bring back" in await owner.page(page)
    assert id not in [hit["id"] for hit in (await owner.json("/private/-/recall.json?q=flagstone"))["hits"]]
    response = await owner.post(f"/private/-/bring-back/{id}")
    assert response.headers["location"] == page
    assert "Bring back" not in await owner.page(page)
    assert (await owner.json("/private/-/recall.json?q=flagstone"))["hits"][0]["id"] == id
    assert (await nobody(datasette(private)).get(f"/private/-/bring-back/{id}")).status_code == 403


async def test_a_merge_shows_both_names_first_and_can_be_undone(private: Path) -> None:
    with MemoryDatabase(private) as memory:
        memory.relate("Zeb", "keeps", "bees")
    owner = root(datasette(private))
    asked = await owner.page("/private/-/merge?kept=Zebediah&merged=Zeb")
    assert "Are these two the same?" in asked
    assert "Zeb keeps bees" in asked
    assert 'method="post"' in asked
    assert (await owner.json("/private/-/entity/Zeb.json"))["name"] == "Zeb"  # nothing is done yet
    ends = [(await owner.json(f"/private/-/entity/{name}.json"))["id"] for name in ("Zebediah", "Zeb")]
    done = await owner.post("/private/-/merge", kept=ends[0], merged=ends[1])
    cookies = {**owner.cookies, "ds_messages": done.cookies["ds_messages"]}
    page = (await owner.served.client.get(f"/private/-/entity/{ends[0]}", cookies=cookies)).text
    assert "Zeb is Zebediah now." in page
    assert f"/private/-/unmerge/{ends[0]}" in page
    undo = await owner.page(f"/private/-/unmerge/{ends[0]}")
    assert "Make them two again" in undo
    assert "Zebediah and Zeb are two names again" in undo
    assert (await owner.post(f"/private/-/unmerge/{ends[0]}")).status_code == 302
    assert (await owner.json("/private/-/entity/Zeb.json"))["name"] == "Zeb"
    assert (await owner.post(f"/private/-/unmerge/{ends[0]}")).status_code in (400, 404)
    nothing = await owner.page(f"/private/-/unmerge/{ends[0]}")
    assert "nothing to undo" in nothing
    assert "Make them two again" not in nothing
    assert "unmerge" not in await owner.page(f"/private/-/entity/{ends[0]}")
