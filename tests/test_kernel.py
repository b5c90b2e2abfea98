"""memkit in a real kernel of Jupyter, spoken to as a notebook does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
SECONDS = 120


class Kernel:
    """A running kernel, and what it answers."""

    def __init__(self, client: Any):
        self.client = client

    def run(self, code: str) -> list[dict[str, Any]]:
        """What a cell sends to its notebook: the messages of the kernel, of which none is an error."""
        sent: list[dict[str, Any]] = []
        answer = self.client.execute_interactive(code, output_hook=sent.append, timeout=SECONDS)
        assert answer["content"]["status"] == "ok", answer["content"]
        return sent

    def complete(self, code: str) -> list[str]:
        """What Tab offers at the end of this code."""
        self.client.complete(code, len(code))
        offered: list[str] = self.client.get_shell_msg(timeout=SECONDS)["content"]["matches"]
        return offered


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    manager = pytest.importorskip("jupyter_client.manager")
    pytest.importorskip("ipykernel")
    owner, client = manager.start_new_kernel(cwd=str(ROOT))
    try:
        yield Kernel(client)
    finally:
        client.stop_channels()
        owner.shutdown_kernel(now=True)


def test_tab_offers_the_strategies_where_one_is_named(kernel: Kernel) -> None:
    kernel.run("%load_ext memkit\nfrom memkit import MemoryDatabase\ndb = MemoryDatabase()")
    named = ["construct", "engram", "kira", "membox", "memkit", "slots"]
    assert kernel.complete('db.recall("figs", strategy="') == named
    assert kernel.complete("db.recall('figs', strategy = 'mem") == ["membox", "memkit"]
    assert kernel.complete('db.evaluate(asked, strategies=["memkit", "k') == ["kira"]
    assert "kira" not in kernel.complete('db.recall("figs", project="')
    assert "recall" in kernel.complete("db.rec")


def shown(messages: list[dict[str, Any]]) -> list[tuple[float, str, str]]:
    """What a notebook shows of a cell as it goes on: at which second, in which output, and the text."""
    told = [one for one in messages if one["msg_type"] in ("display_data", "update_display_data")]
    times = [one["header"]["date"].timestamp() for one in told]
    contents = [one["content"] for one in told]
    outputs = [one["transient"]["display_id"] for one in contents]
    return list(zip(times, outputs, [one["data"]["text/plain"] for one in contents], strict=True))


@pytest.mark.slow
def test_long_work_moves_a_bar_in_the_output_of_its_own_cell(kernel: Kernel) -> None:
    cell = """
from time import sleep
from memkit import MemoryDatabase
from memkit.core import progress
def rows():
    for n in range(1200):
        if n % 300 == 299:
            sleep(1.5)  # as a slow disk, or a model
        yield {"text": f"Rosa planted the quince number {n}.", "id": str(n)}
db = MemoryDatabase(embed="none")
progress.PATIENCE = 0.2
db.ingest(rows())"""
    messages = kernel.run(cell)
    steps = shown(messages)
    assert len({id for _, id, _ in steps}) == 1  # one output, replaced each time
    assert any("reading · " in text for _, _, text in steps)
    seconds = [second for second, _, _ in steps]
    assert len({round(second) for second in seconds}) >= 5  # it slept for six: it moves in each second of them
    assert steps[-1][2] == ""  # so that a saved notebook has nothing left of it
    assert len({one["parent_header"]["msg_id"] for one in messages}) == 1
    assert not any(one["msg_type"] == "stream" for one in messages)
