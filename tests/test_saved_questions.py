"""Saved questions: kept under a name with all that narrows them, asked again by a link, a feed and a query."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from datasettes import Browser, build_demo, build_private, datasette, nobody, root

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, NotFound
from memkit.retrieval.saved_questions import LONGEST_NAME, MOST, SETTING, is_saved
from memkit.storage import store

ADDRESS = "q=quince&since=2000&has=kind%3Apassage"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("saved") / "demo.db")


@pytest.fixture
def db() -> MemoryDatabase:
    db = MemoryDatabase(embed="none")
    db.remember("Rosa planted the quince.", project="garden")
    return db


def test_what_is_saved_is_kept_in_the_file_the_latest_first(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        db.save_question("who planted the quince?")
        db.save_question(
            "frost", name="  The   cold ", project="garden", since=date(2025, 1, 1), has={"year": ("2025",)}
        )
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        cold, quince = db.saved_questions()
    assert (quince.name, quince.question, quince.options) == ("who planted the quince?", "who planted the quince?", {})
    assert (cold.name, cold.question) == ("The cold", "frost")
    assert cold.options == {"project": "garden", "since": "2025-01-01"}
    assert cold.has == {"year": ["2025"]}


def test_a_name_is_one_question_and_can_be_given_up(db: MemoryDatabase) -> None:
    db.save_question("quince", name="trees")
    db.save_question("pear", name="roots")
    db.save_question("plum", name="trees")
    assert [(one.name, one.question) for one in db.saved_questions()] == [("trees", "plum"), ("roots", "pear")]
    assert db.unsave_question("trees").question == "plum"
    assert [one.name for one in db.saved_questions()] == ["roots"]
    with pytest.raises(NotFound, match="Did you mean 'roots'"):
        db.unsave_question("root")


def test_what_makes_no_sense_is_not_saved(db: MemoryDatabase) -> None:
    with pytest.raises(BadQuestion, match="no question"):
        db.save_question("  ")
    with pytest.raises(BadQuestion, match=f"at most {LONGEST_NAME}"):
        db.save_question("quince", name="x" * (LONGEST_NAME + 1))
    with pytest.raises(NotFound, match="kirra"):
        db.save_question("quince", strategy="kirra")
    with pytest.raises(BadQuestion, match="never"):
        db.save_question("quince", since="never")
    assert db.saved_questions() == []


def test_a_table_of_none_has_its_columns(db: MemoryDatabase) -> None:
    pytest.importorskip("pandas")
    assert list(db.saved_questions().to_df().columns) == ["name", "question", "options", "has"]


def test_there_is_an_end_to_them(db: MemoryDatabase) -> None:
    many = {str(n): {"question": "quince", "options": {}, "has": {}} for n in range(MOST)}
    store.set_setting(db.conn, SETTING, many)
    with pytest.raises(BadQuestion, match="Remove one first"):
        db.save_question("pear")
    assert db.save_question("pear", name="7").question == "pear"


@pytest.mark.parametrize(
    "stored",
    [
        [],
        "x",
        {"a": "b"},
        {"a": {"question": 1}},
        {"a": {"question": "q", "has": {"kind": 3}}},
        {"a": {"question": "q", "options": {"kinds": [3]}}},
        {"a": {"question": "q", "options": []}},
        {"a" * (LONGEST_NAME + 1): {"question": "q"}},
        {str(n): {"question": "q"} for n in range(MOST + 1)},
    ],
    ids=lambda stored: ascii(stored)[:40],
)
def test_a_setting_that_memkit_did_not_write_is_none(db: MemoryDatabase, stored: object) -> None:
    assert not is_saved(stored) or stored == {}
    db.conn.execute("insert into settings (name, value) values (?, ?)", (SETTING, json.dumps(stored)))
    assert db.saved_questions() == []


@pytest.mark.parametrize(
    "stored",
    [
        {"\ud800": {"question": "q"}},
        {"a": {"question": "\udfff"}},
        {"a": {"question": "q", "options": {"project": "\udfff"}}},
    ],
    ids=ascii,
)
async def test_half_a_character_in_a_copied_database_breaks_no_page(tmp_path: Path, stored: object) -> None:
    path = build_private(tmp_path / "demo.db")
    with MemoryDatabase(path) as db:
        db.conn.execute("insert into settings (name, value) values (?, ?)", (SETTING, json.dumps(stored)))
        db.conn.commit()
        assert db.saved_questions() == []
    for page in ("/", "/demo", "/demo/-/recall"):
        await root(datasette(path)).page(page)


def test_a_restore_takes_them_if_it_is_asked_to(db: MemoryDatabase, tmp_path: Path) -> None:
    db.save_question("quince", name="trees", project="garden")
    db.export(tmp_path / "m.jsonl")
    with MemoryDatabase(embed="none") as other:
        other.restore(tmp_path / "m.jsonl")
        assert other.saved_questions() == []
    with MemoryDatabase(embed="none") as other:
        other.restore(tmp_path / "m.jsonl", take=[SETTING])
        assert [(one.name, one.options) for one in other.saved_questions()] == [("trees", {"project": "garden"})]


# ---------------------------------------------------------------------------------------------- pages


async def _post(who: Browser, path: str, **fields: str) -> "tuple[int, str]":
    """Status and text of a form that was sent from the page of recall."""
    cookies = dict(who.cookies)
    form = await who.served.client.get("/demo/-/recall?q=quince", cookies=cookies)
    if token := form.cookies.get("ds_csrftoken"):
        cookies["ds_csrftoken"] = fields["csrftoken"] = token
    response = await who.served.client.post(path, data=fields, cookies=cookies)
    return response.status_code, response.headers.get("location") or response.text


async def test_a_question_is_saved_found_on_the_first_page_and_given_up(demo: Path) -> None:
    owner = root(datasette(demo))
    assert "Save this question as" in await owner.page(f"/demo/-/recall?{ADDRESS}")
    status, where = await _post(owner, "/demo/-/save-question", asked=ADDRESS, name="<b>Trees</b>")
    assert (status, where) == (302, f"/demo/-/recall?{ADDRESS}")
    page = await owner.page(f"/demo/-/recall?{ADDRESS}")
    assert "Saved as <b>&lt;b&gt;Trees&lt;/b&gt;</b>" in page
    assert "Save this question as" not in page
    link = f'<a href="/demo/-/recall?{ADDRESS.replace("&", "&amp;")}">&lt;b&gt;Trees&lt;/b&gt;</a>'
    for first in ("/", "/demo", "/demo/-/recall"):
        assert link in await owner.page(first), first
    assert "Save this question as" in await owner.page("/demo/-/recall?q=pear")
    assert (await _post(owner, "/demo/-/unsave-question", asked=ADDRESS, name="<b>Trees</b>"))[0] == 302
    assert "Saved questions" not in await owner.page("/demo/-/recall")
    status, said = await _post(owner, "/demo/-/unsave-question", asked=ADDRESS, name="Trees")
    assert status == 404
    assert "is not a saved question" in said


async def test_the_query_and_the_feed_of_a_saved_question_find_what_its_page_finds(demo: Path) -> None:
    with MemoryDatabase(demo) as db:
        db.save_question("who planted the quince?", name="a year", has={"year": ["2025"], "kind": ["turn"]})
        db.save_question("a frost", name="cold", kinds=["passage"])
    owner = root(datasette(demo))
    for name, address in (
        ("a year", "q=who+planted+the+quince%3F&has=kind%3Aturn&has=year%3A2025&k=20"),
        ("cold", "q=a+frost&kind=passage&k=20"),
    ):
        shown = [hit["id"] for hit in (await owner.json(f"/demo/-/recall.json?{address}"))["hits"]]
        rows = (await owner.json(f"/demo/saved.json?{urlencode({'name': name, '_shape': 'objects'})}"))["rows"]
        assert [row["id"] for row in rows] == shown
        assert shown
        assert f"<title>{'a frost' if name == 'cold' else 'who planted'}" in await owner.page(
            f"/demo/-/recall.atom?{address}"
        )
    rows = (await owner.json("/demo/saved.json?name=&_shape=objects"))["rows"]
    assert {row["saved_question"] for row in rows} == {"cold"}


async def test_a_question_of_the_first_page_is_saved_where_there_is_one_database(demo: Path, tmp_path: Path) -> None:
    page = await root(datasette(demo)).page("/recall?q=medlar")
    assert "Save this question as" in page
    assert 'action="/demo/-/save-question"' in page
    other = build_private(tmp_path / "other.db")
    assert "save-question" not in await root(datasette(demo, other)).page("/recall?q=medlar")
    denied = {"databases": {"demo": {"tables": {"settings": {"allow": False}}}}}
    assert "save-question" not in await root(datasette(demo, config=denied)).page("/recall?q=medlar")


async def test_visitors_save_nothing_and_see_no_saved_question(demo: Path) -> None:
    with MemoryDatabase(demo) as db:
        db.save_question("the letter of the notary", name="mine")
    visitor = nobody(datasette(demo, config={"plugins": {"memkit": {"allow": True}}}))
    for path in ("/", "/demo", "/demo/-/recall", "/demo/-/recall?q=quince"):
        page = await visitor.page(path)
        assert "the letter of the notary" not in page
        assert ">mine<" not in page
        assert "save-question" not in page
    assert (await _post(visitor, "/demo/-/save-question", asked=ADDRESS, name="x"))[0] == 403
    assert (await _post(visitor, "/demo/-/unsave-question", asked=ADDRESS, name="mine"))[0] == 403
    denied = {"databases": {"demo": {"tables": {"settings": {"allow": False}}}}}
    owner = root(datasette(demo, config=denied))
    assert "the letter of the notary" not in await owner.page("/demo/-/recall")
    assert (await _post(owner, "/demo/-/save-question", asked=ADDRESS, name="x"))[0] == 403


NARROWED = "q=quince&project=garden&only=1&k=20"


@pytest.fixture
def projects(tmp_path: Path) -> Path:
    """Memories of two projects and of none, and a saved question that asks one of the projects alone."""
    path = tmp_path / "demo.db"
    with MemoryDatabase(path, embed="none") as db:
        db.remember("Rosa planted the quince.", project="garden", happened_at="2025-01-01")
        db.remember("Otto planted the quince for Brandwurz.", project="work", happened_at="2025-01-02")
        db.remember("The quince is a tree of everybody.", happened_at="2025-01-03")
        db.save_question("quince", name="mine", project="garden", only_project=True)
    return path


async def test_a_question_of_one_project_is_answered_from_it_by_its_page_its_feed_and_its_query(projects: Path) -> None:
    for who in (
        root(datasette(projects)),
        nobody(datasette(projects, config={"plugins": {"memkit": {"allow": True}}})),
    ):
        for path in (
            f"-/recall?{NARROWED}",
            f"-/recall.json?{NARROWED}",
            f"-/recall.atom?{NARROWED}",
            "saved.json?name=mine",
        ):
            said = await who.page(f"/demo/{path}")
            assert "planted the" in re.sub("<[^>]*>|&lt;/?mark&gt;", "", said), path
            assert "of everybody" in said, path
            assert "Brandwurz" not in said, path
    stranger = nobody(datasette(projects))
    for path in (f"-/recall.json?{NARROWED}", f"-/recall.atom?{NARROWED}", "saved.json?name=mine"):
        assert (await stranger.get(f"/demo/{path}")).status_code == 403, path


@pytest.mark.parametrize("table", ["memories", "entities", "documents", "relations", "settings"])
@pytest.mark.parametrize("allow", [None, True])
async def test_who_may_not_see_a_table_gets_no_saved_question_that_reads_it(
    projects: Path, table: str, allow: bool | None
) -> None:
    config: dict[str, Any] = {"databases": {"demo": {"tables": {table: {"allow": False}}}}}
    served = datasette(projects, config=config | {"plugins": {"memkit": {"allow": allow}}})
    who = nobody(served) if allow else root(served)
    answers = [await who.get(f"/demo/{path}") for path in (f"-/recall.json?{NARROWED}", f"-/recall.atom?{NARROWED}")]
    assert [answer.status_code for answer in answers] == [200 if table == "settings" else 403] * 2
    assert (await who.get("/demo/saved.json?name=mine")).status_code == 403
    for path in ("/", "/demo"):
        assert ">mine<" not in (await who.get(path)).text


async def test_a_strange_saved_question_breaks_no_page(tmp_path: Path) -> None:
    path = build_private(tmp_path / "demo.db")
    strange = {"x": {"question": "flag", "options": {"since": 3, "strategy": {"name": "y"}}, "has": {"nose": ["red"]}}}
    with MemoryDatabase(path) as db:
        store.set_setting(db.conn, SETTING, strange)
    owner = root(datasette(path))
    assert "Saved questions" in await owner.page("/")
    assert (await owner.json("/demo/saved.json?name=x&_shape=objects"))["ok"] in (True, None) or json
