"""A process that maintains a database: its path, the steps (with commas), `model` or nothing, and the times."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from life_models import Scripted, extracts, points, stated

from memkit import MemoryDatabase
from memkit.errors import Busy
from memkit.life.maintain import maintain
from memkit.life.summaries import WithModel

UMBRELLA = ("umbrella", "left in", "the hall", "Somebody had left an umbrella in the hall")


def answer(prompt: str) -> str:
    """What a model says that thinks for a moment."""
    time.sleep(0.01)
    return stated(prompt, UMBRELLA) if extracts(prompt) else points(("It was a day like others.", "medium", [1]))


def say(told: object) -> None:
    """Tells whoever has started this process."""
    sys.stdout.write(f"{told}\n")
    sys.stdout.flush()


def main(path: str, steps: str, model: str, *times: str) -> None:
    """Maintains the database at these times, and says what came of it."""
    with MemoryDatabase(path, embed="none") as db:
        say("ready")
        for now in times:
            try:
                work = db._work(db.conn, now, None)
                if model:
                    work = replace(work, summariser=WithModel(Scripted(answer)))
                say(maintain(work, steps.split(",")))
            except Busy:
                say("busy")


if __name__ == "__main__":
    main(*sys.argv[1:])
