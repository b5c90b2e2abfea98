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
