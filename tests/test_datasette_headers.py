"""What browsers are told: no other site frames a page of memories, no script reads the login, a link logs in once."""

from __future__ import annotations

import os
import re
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
from datasettes import Browser, build_private, datasette, nobody, root

from memkit.frontends.datasette.compat import IS_1
from memkit.frontends.datasette.headers import with_scripts_of_the_frame

GUARDS = ("content-security-policy", "x-frame-options", "referrer-policy", "x-content-type-options")
DATASETTES = [
    "",
    "/memories",
    "/memories.json",
    "/memories.csv?_stream=on",
    "/nothing",
    "/memories/nothing",
    ".db",
    "/-/query?sql=select+1" if IS_1 else "?sql=select+1",
    *(["/-/execute-write", "/-/create", "/-/queries/store"] if IS_1 else []),
]


@pytest.fixture
def private(tmp_path: Path) -> Path:
    return build_private(tmp_path / "my private.db")


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A database of something else."""
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as conn:
        conn.execute("create table birds (name text)")
    conn.close()
    return path


async def guards(browser: Browser, path: str) -> set[str]:
    """Those of GUARDS that a page sends."""
    return set(GUARDS) & set((await browser.get(path)).headers)


def is_guarded(headers: dict[str, str]) -> bool:
    """Whether a page stays out of frames, and its address out of other sites' logs."""
    return (
        headers["x-frame-options"] == "DENY"
        and "frame-ancestors 'none'" in headers["content-security-policy"]
        and headers["referrer-policy"] in ("same-origin", "no-referrer")
        and headers["x-content-type-options"] == "nosniff"
    )


@pytest.mark.parametrize("page", ["remember", "merge", "maintenance", "recall", "graph", "recall.json"])
async def test_no_other_site_can_put_a_page_into_a_frame(private: Path, page: str) -> None:
    headers = (await root(datasette(private)).get(f"/my~20private/-/{page}")).headers
    assert is_guarded(headers)
    assert headers["cache-control"] == "private, no-store"


@pytest.mark.parametrize("page", ["remember", "merge", "maintenance", "recall", "graph", "nothing/at/all"])
async def test_only_the_scripts_around_the_content_of_a_page_may_run(private: Path, page: str) -> None:
    seen = set()
    for _ in range(2):
        answer = await root(datasette(private)).get(f"/my~20private/-/{page}")
        if answer.status_code == 404 and 'class="mk' not in answer.text:
            return  # a page of Datasette's
        nonce = re.search(r"script-src 'nonce-([^']{20,})' 'strict-dynamic'", answer.headers[GUARDS[0]])
        assert nonce
        scripts = re.findall(r"<script[^>]*>", answer.text)
        assert len(scripts) > 1
        assert all(f'nonce="{nonce[1]}"' in script for script in scripts)
        seen.add(nonce[1])
    assert len(seen) == 2


def test_a_script_in_the_content_gets_no_nonce() -> None:
    page = "<script src=a></script><!--e--><script>bad</script><!--e--><script>b</script>"
    html, headers = with_scripts_of_the_frame(page, "<!--e-->", "N")
    assert html == '<script nonce="N" src=a></script><script>bad</script><script nonce="N">b</script>'
    assert "frame-ancestors 'none'" in headers[GUARDS[0]]
    assert with_scripts_of_the_frame("<script>", "<!--e-->", "N") == ("<script>", {})


@pytest.mark.parametrize("page", DATASETTES)
@pytest.mark.parametrize("base", ["/", "/under/"])
async def test_nor_one_of_datasettes_own_pages(private: Path, other: Path, page: str, base: str) -> None:
    served = datasette(private, other, settings={"base_url": base})
    headers = (await root(served).get(f"/my~20private{page}")).headers
    assert is_guarded(headers)
    assert headers["cache-control"] == "private, no-store"
    assert is_guarded((await nobody(served).get(f"/my~20private{page}")).headers)
    assert len(headers.get_list("x-frame-options")) == 1


async def test_every_header_is_sent_once(private: Path) -> None:
    owner = root(datasette(private))
    for path in ("/my~20private/-/recall", "/recall", "/my~20private/memories", "/", "/-/logout"):
        headers = (await owner.get(path)).headers
        assert [len(headers.get_list(name)) for name in GUARDS] == [1] * len(GUARDS)


async def test_pages_of_another_database_and_those_of_no_database_beside_it_stay_as_they_are(
    private: Path, other: Path
) -> None:
    owner = root(datasette(private, other))
    alone = root(datasette(other))
    for path in ("/other", "/other/birds.json", "/", "/-/logout", "/-/static/app.css"):
        assert await guards(owner, path) == await guards(alone, path)


async def test_where_only_memories_are_served_the_front_page_is_guarded_and_style_sheets_are_kept(
    private: Path,
) -> None:
    owner = root(datasette(private))
    for path in ("/", "/-/logout", "/-/permissions", "/nothing"):
        assert is_guarded((await owner.get(path)).headers)
    plain = await root(datasette()).get("/-/static/app.css")
    assert (await owner.get("/-/static/app.css")).headers.get("cache-control") == plain.headers.get("cache-control")


async def test_a_database_that_reads_all_others_is_guarded(private: Path) -> None:
    served = datasette(private, crossdb=True)
    assert is_guarded((await root(served).get("/_memory")).headers)


async def test_a_published_file_can_be_framed_and_one_that_can_change_cannot(private: Path, other: Path) -> None:
    everybody = {"plugins": {"memkit": {"allow": True}}}
    fixed = nobody(datasette(other, immutables=[str(private)], config=everybody))
    assert (await fixed.get("/my~20private/memories")).status_code == 200
    assert not {"x-frame-options", "content-security-policy"} & await guards(fixed, "/my~20private/memories")
    assert is_guarded((await nobody(datasette(other, private, config=everybody)).get("/my~20private/memories")).headers)


# ---------------------------------------------------------------------------------------------- logging in


@pytest.fixture
def served(private: Path) -> Iterator[str]:
    """The link that `memkit serve` prints, while it runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "memkit", "serve", str(private), "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent.parent)},
    )
    try:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if "Uvicorn running" in line:
                break
        link = re.search(r"http://\S+/-/auth-token\?token=\w+", said)
        assert link, said
        yield link[0]
    finally:
        process.terminate()
        process.communicate()


def get(url: str, **headers: str) -> HTTPResponse:
    """The answer to a request, whose redirect is not followed."""
    host, _, path = url.removeprefix("http://").partition("/")
    connection = HTTPConnection(host, timeout=60)
    connection.request("GET", f"/{path}", headers=headers)
    answer = connection.getresponse()
    answer.read()
    return answer


@pytest.mark.slow
def test_the_link_of_serve_logs_in_once_by_a_cookie_that_no_script_reads(served: str) -> None:
    site = served.partition("/-/")[0]
    assert get(f"{site}/my~20private").status == 403
    assert get(f"{served}0").status == 403  # a wrong one does not use it up
    first = get(served)
    assert first.status == 302
    cookie = first.headers["set-cookie"]
    assert cookie.startswith("ds_actor=")
    assert {"httponly", "samesite=lax", "path=/"} <= {part.strip().lower() for part in cookie.split(";")}
    assert get(f"{site}/my~20private", cookie=cookie.partition(";")[0]).status == 200
    second = get(served)
    assert (second.status, second.headers["set-cookie"]) == (403, None)
    assert get(f"{site}/my~20private").status == 403


@pytest.mark.parametrize("memories", [True, False])
async def test_the_cookie_changes_only_where_memories_are_served(private: Path, other: Path, memories: bool) -> None:
    served = datasette(private if memories else other)
    served._root_token = "once"
    answer = await served.client.get("/-/auth-token?token=once")
    assert ("httponly" in answer.headers["set-cookie"].lower()) is memories
