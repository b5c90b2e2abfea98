"""The page of the graph: the way found is drawn in full, filters, and names that are offered for merging."""

from __future__ import annotations

from pathlib import Path

import pytest
from datasettes import Browser, build_demo, datasette, nobody, root

from memkit import MemoryDatabase

GRAPH = "/demo/-/graph"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = build_demo(tmp_path_factory.mktemp("graph") / "demo.db")
    with MemoryDatabase(path) as memory:
        memory.remember("Nobody but the lighthouse keeper knows Zebulon Quill.", title="Zebulon Quill")
        memory.relate("Zebulon Quill", "cousin of", "Alice")
        memory.relate("Kingsfery", "near", "Alice", now="2026-01-01T12:00:00Z")
        memory.remember("[[Kingsfery]] is open again, says [[Alice]].", now="2026-01-01T12:00:00Z")
    return path


@pytest.fixture
def reader(demo: Path) -> Browser:
    return root(datasette(demo))


async def test_the_way_is_drawn_in_full_though_its_names_are_rare(reader: Browser) -> None:
    assert "Zebulon Quill" not in await names(reader, "nodes=5")
    found = await reader.json(f"{GRAPH}.json?nodes=5&from=Zebulon+Quill&to=Marmelada")
    steps = found["path"]["steps"]
    wanted = {steps[0]["source"]["name"], *(step["target"]["name"] for step in steps)}
    assert len(wanted) == len(steps) + 1
    marked = [node for node in found["drawing"]["nodes"] if node["way"]]
    assert {node["full"] for node in marked} == wanted
    assert found["drawing"]["way"].count("M") == len(steps)
    for node in marked:
        assert f"{node['x']} {node['y']}" in found["drawing"]["way"]
    page = await reader.page(f"{GRAPH}?nodes=5&from=Zebulon+Quill&to=Marmelada")
    assert 'class="mk-line w"' in page
    assert 'class="mk-line w"' not in await reader.page(GRAPH)


async def names(reader: Browser, query: str) -> set[str]:
    """The names that are drawn."""
    return {node["full"] for node in (await reader.json(f"{GRAPH}.json?{query}"))["drawing"]["nodes"]}


async def test_names_are_filtered_by_kind_by_time_by_project_and_dates_are_left_out(reader: Browser) -> None:
    people = await reader.json(f"{GRAPH}.json?kind=person&nodes=150")
    assert {node["kind"] for node in people["drawing"]["nodes"]} == {"person"}
    with MemoryDatabase(reader.served.databases["demo"].path, read_only=True) as memory:
        spring = memory.neighborhood(since="2025-03-01", until="2025-06-01")
        kinds = {node.entity.kind for node in spring.nodes}
        assert "person" in kinds
        own = [row["name"] for row in memory.tables.query(IN_SPRING)]
        assert {node.entity.name for node in spring.nodes} == set(own)
        every = {node.entity.name for node in memory.neighborhood().nodes}
        assert every - {node.entity.name for node in memory.neighborhood(dates=False).nodes} == {"1985-03-29"}
        of_kira = {node.entity.name for node in memory.neighborhood(project="Kira").nodes}
        assert "Kira" in of_kira
        assert len(of_kira) < len(every)
    assert await names(reader, "kind=nosuch") == set()
    assert "No name fits these limits" in await reader.page(f"{GRAPH}?kind=nosuch")
    assert (await reader.get(f"{GRAPH}?since=never")).status_code == 400


IN_SPRING = """
select distinct e.name from entities e join mentions x on x.entity_key = e.key join memories m on m.key = x.memory_key
where m.happened_at >= '2025-03-01' and m.happened_at < '2025-06-01' and m.archived_at is null
    and e.merged_into is null
"""


async def test_what_is_drawn_stays_in_the_links_of_the_page(reader: Browser) -> None:
    page = await reader.page(f"{GRAPH}?kind=person&undated=1&since=2025&from=Alice&to=Otto")
    assert f'href="{GRAPH}?nodes=100&amp;kind=person&amp;since=2025&amp;start=' not in page
    assert "nodes=100&amp;kind=person&amp;since=2025&amp;undated=1&amp;from=Alice&amp;to=Otto" in page
    assert 'value="person" checked' in page


async def test_names_that_may_be_the_same_are_offered_to_those_who_may_merge(reader: Browser, demo: Path) -> None:
    page = await reader.page(GRAPH)
    assert "Kingsferry and Kingsfery" in page
    at = page.index("/demo/-/merge?kept=")
    assert "They are one" in await reader.page(page[at : page.index('"', at)].replace("&amp;", "&"))
    everybody = datasette(demo, config={"plugins": {"memkit": {"allow": True}}})
    assert "Maybe the same" not in await nobody(everybody).page(GRAPH)
