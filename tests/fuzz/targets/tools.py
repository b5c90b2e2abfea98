"""Tools for agents: any arguments that a model may make up get an answer in words, inside of memkit's marks."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import ValidationError

from fuzz import databases, soundness, values
from memkit import MemkitError
from memkit.frontends.agents.hook import advise, read_hook
from memkit.frontends.agents.mcp_server import server
from memkit.frontends.agents.tools import TOOLS, Tools
from memkit.frontends.llm.options import split
from memkit.frontends.llm.toolbox import Memory
from memkit.text.extract.guard import CONTEXT_CLOSE, CONTEXT_OPEN

BLOCK = 40
ARGUMENTS = {
    "memory_recall": (("query",), ("limit", "kind")),
    "memory_about": (("name",), ()),
    "memory_path": (("a", "b"), ()),
    "memory_remember": (("text",), ("kind",)),
    "memory_forget": (("id",), ()),
    "memory_feedback": (("id", "useful"), ("question",)),
}
NAMES = ("Rosa", "Otto", "the quince", "quince", "who planted the quince?")


def make(random: Random) -> Any:
    """A call of a tool through one of its doors, or the input of a hook."""
    door = random.choice(("tools", "tools", "llm", "mcp", "hook", "options"))
    if door == "hook":
        hook = {"prompt": values.text(random), "cwd": random.choice((None, "/garden", values.scalar(random)))}
        hook["transcript_path"] = random.choice((None, "/dev/zero", "/dev/tty", "~nobody-here/x", values.text(random)))
        return {
            "door": door,
            "input": json.dumps(values.changed(random, {**hook, "hook_event_name": "UserPromptSubmit"})),
        }
    if door == "options":
        pairs = [random.choice(("budget", "kinds", "since", "strategy", values.text(random, 1))) for _ in range(3)]
        return {
            "door": door,
            "input": f"{values.text(random)}?{'&'.join(f'{one}={values.text(random, 1)}' for one in pairs)}",
        }
    name = random.choice(list(TOOLS))
    must, may = ARGUMENTS[name]
    given = {one: _argument(random, one, door) for one in (*must, *(one for one in may if random.random() < 0.4))}
    return {"door": door, "name": name, "given": given, "project": random.choice((None, None, "garden", "hives"))}


def _argument(random: Random, name: str, door: str) -> Any:
    if name == "useful":
        return random.random() < 0.5
    if name == "limit":
        return random.choice((0, 1, 10, -5, 10**9, 2**70))
    if random.random() < 0.3:
        return random.choice(NAMES)
    if door == "mcp" and random.random() < 0.3:
        return values.scalar(random)
    return values.text(random)


class World:
    """A file that tools may write to."""

    def __init__(self, folder: Path):
        self.file = folder / "mem.db"
        databases.copy(self.file).close()
        self.loop = asyncio.new_event_loop()
        self.servers: dict[Any, Any] = {}

    def run(self, case: Any) -> None:
        """Calls it, and looks at the answer."""
        for answer in getattr(self, f"_by_{case['door']}")(case):
            soundness.must(isinstance(answer, str), f"an answer is text, not {type(answer).__name__}")
            for mark in (CONTEXT_OPEN, CONTEXT_CLOSE):
                soundness.must(answer.count(mark) <= 1, f"{answer.count(mark)} of {mark}")

    def _by_hook(self, case: Any) -> list[str]:
        with suppress(ValueError):
            return [advice.as_json() for advice in advise(read_hook(case["input"]), str(self.file))]
        return []

    def _by_options(self, case: Any) -> list[str]:
        with suppress(MemkitError):
            return [split(case["input"])[0]]
        return []

    def _by_tools(self, case: Any) -> list[str]:
        return [TOOLS[case["name"]].work(Tools(str(self.file), project=case["project"]), **case["given"])]

    def _by_llm(self, case: Any) -> list[str]:
        return [getattr(Memory(project=case["project"], database=str(self.file)), case["name"])(**case["given"])]

    def _by_mcp(self, case: Any) -> list[str]:
        if case["project"] not in self.servers:
            self.servers[case["project"]] = server(Tools(str(self.file), project=case["project"]))
        call = self.servers[case["project"]].call_tool(case["name"], case["given"])
        try:
            return [str(self.loop.run_until_complete(call))]
        except ToolError as error:  # memkit's own, or arguments that the server's schema refuses
            cause = error.__cause__.__cause__ if isinstance(error.__cause__, ToolError) else error.__cause__
            soundness.must(isinstance(cause, MemkitError | ValidationError | None), repr(error))
            return [str(error)]

    def check(self) -> None:
        """What was written is whole."""
        with databases.opened(self.file) as db:
            soundness.check(db.conn)

    def close(self) -> None:
        """Nothing is open."""
        self.loop.close()
