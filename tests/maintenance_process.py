"""A process that maintains a database, and says at the end how many statements that took.

It is given the path, the steps (with commas), `model` or nothing, the statement at which it is killed (0: none), and
the times.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace

from maintenance_models import Scripted, extracts, points, stated
from moments import Moments

from memkit import MemoryDatabase
from memkit.core.errors import Busy
from memkit.maintenance.maintain import maintain
from memkit.maintenance.summaries import WithModel

UMBRELLA = ("umbrella", "left in", "the hall", "Somebody had left an umbrella in the hall")


def answer(prompt: str) -> str:
    """What a model says that thinks for a moment."""
    time.sleep(0.01)
    return stated(prompt, UMBRELLA) if extracts(prompt) else points(("It was a day like others.", "medium", [1]))


def say(told: object) -> None:
    """Tells whoever has started this process."""
    sys.stdout.write(f"{told}\n")
    sys.stdout.flush()


def main(path: str, steps: str, model: str, last: str, *times: str) -> None:
    """Maintains the database at these times, and says what came of it."""
    moments = Moments(int(last)).of_statements()
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
    say(moments.seen)


if __name__ == "__main__":
    main(*sys.argv[1:])
