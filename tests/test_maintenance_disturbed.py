"""Upkeep that is disturbed, step by step: killed, done by several at once, with somebody who writes beside it."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import check_indexes, environment
from maintenance_helpers import SAID, add_session, day

from memkit import MemoryDatabase
from memkit.core.errors import Busy
from memkit.maintenance import crystals
from memkit.maintenance.erase import UNSCRUBBED
from memkit.maintenance.policy import STEP_NAMES
from memkit.storage.store import setting

TESTS = Path(__file__).parent
SECRETS = tuple(f"Rosa moved to Zyzzyville {number}, where she is happy." for number in range(6))


def sessions(db: MemoryDatabase, count: int = 20) -> None:
    """Episodes to sum up, and slots that are too full."""
    db.set_policy(settings={"prune.user.cap": "5", "prune.user.min_age_days": "1"})
    said = [(number, n, text) for number in range(count) for n, text in enumerate(SAID)]
    db.ingest(
        [
            {"id": f"{s}.{n}", "session": f"s{s}", "kind": "episode", "text": f"{text} ({s})", "timestamp": day(n / 24)}
            for s, n, text in said
        ],
        now=day(0),
    )
    add_session(db, 0.5, SECRETS)
    for number in range(20):
        db.remember(f"value {number}", slot="user", key=f"key {number}", now=day(0))


def statements(db: MemoryDatabase) -> None:
    """What three sources say, what says nearly the same, and what contradicts itself."""
    for number in range(30):
        project = f"garden {number}"
        for _ in range(3):
            db.remember(f"Tree {number} bears in October.", confidence=0.7, project=project, now=day(0))
        db.remember(f"Tree {number} bears fruit in October, as it should.", project=project, now=day(0))
    for text in SECRETS:
        db.remember(text, category="decision", confidence=1, importance=9, now=day(0))
    for number in range(8):
        for place in ("Lisbon", "Porto"):
            db.relate(f"Otto {number}", "born in", place, valid_from="1980", now=day(0))


def conversations(db: MemoryDatabase) -> None:
    """Conversations to observe, and so many observations that they are condensed."""
    numbers = {"observer_tokens": "100", "batch_tokens": "100", "reflector_tokens": "300"}
    db.set_policy(settings={f"observe.{name}": number for name, number in numbers.items()})
    db.ingest(
        [
            {"id": f"{s}:{n}", "session": f"s{s}", "speaker": "AB"[n % 2], "text": f"{text} ({s})"}
            for s in range(12)
            for n, text in enumerate(SECRETS if s == 3 else SAID)
        ],
        now=day(0),
    )


def own_words(db: MemoryDatabase) -> None:
    """What the user says of himself, said again, changed and unsure; some of it is to be forgotten."""
    for n, text in enumerate(SECRETS):
        db.remember(f"{text} My favourite city is Zyzzyville {n}.", happened_at=day(n), now=day(0))
    for number in range(24):
        said = ("Call me Sam.", "Call me Samuel now.", "I prefer tea.", "I'm allergic to nuts.")[number % 4]
        db.remember(f"{said} I was in town {number}.", happened_at=day(number), now=day(0))


@dataclass(frozen=True)
class Life:
    """What is in a database, and what is done with it, when."""

    fill: Callable[[MemoryDatabase], None]
    steps: tuple[str, ...]
    times: tuple[str, ...]
    model: bool = False


LIVES = {
    "alone": Life(sessions, ("facts", "compress", "distil", "prune", "expire", "purge"), (day(2), day(8), day(60))),
    "model": Life(sessions, ("facts", "compress", "distil", "expire", "purge"), (day(2), day(8), day(60)), model=True),
    "slots": Life(own_words, ("slots",), (day(1),)),
    "statements": Life(statements, ("promote", "crystals", "propose"), (day(1),)),
    "conversations": Life(conversations, ("observe", "reflect"), (day(1),)),
}
each_life = pytest.mark.parametrize("life", LIVES.values(), ids=LIVES)


def start(path: Path, life: Life, *times: str, last: int = 0) -> subprocess.Popen[str]:
    """A process that maintains the database at these times, and is killed at a statement."""
    given = [str(path), ",".join(life.steps), "model" * life.model, str(last), *times]
    command = [sys.executable, str(TESTS / "maintenance_process.py"), *given]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(path: Path, life: Life, *times: str) -> int:
    """How many statements it took, undisturbed and without an error."""
    said, trouble = start(path, life, *times).communicate()
    assert trouble == ""
    return int(said.splitlines()[-1])


def filled(path: Path, life: Life) -> Path:
    with MemoryDatabase(path, embed="none") as db:
        life.fill(db)
    return path


def contents(path: Path) -> dict[str, list[str]]:
    """What a database holds, in words that do not depend on when a row was written; it is sound."""
    queries = {
        "memories": "select text, kind, compression, confidence, expires_at, archived_at is null from memories",
        "links": """
            select a.text, b.text, l.type
            from links as l join memories as a on a.key = l.from_key join memories as b on b.key = l.to_key
        """,
        "evidence": "select m.text, e.quote, e.said_at from evidence as e join memories as m on m.key = e.memory_key",
        "relations": "select subject, predicate, object, confidence from current_relations",
        "pruned": "select memory_id, kept_until from pruned",
        "proposals": "select kind, text, why, state from proposals",
        "read": "select m.text, x.extractor from extractions as x join memories as m on m.key = x.memory_key",
        "log": "select step, action, why, count(*) from maintenance group by 1, 2, 3",
    }
    with MemoryDatabase(path, embed="none") as db:
        check_indexes(db)
        assert db.conn.execute("select count(*) from index_paused").fetchone()[0] == 0
        return {name: sorted(repr(tuple(row)) for row in db.conn.execute(query)) for name, query in queries.items()}


def test_every_step_is_disturbed_here() -> None:
    assert {step for life in LIVES.values() for step in life.steps} == set(STEP_NAMES)


@pytest.mark.slow
@each_life
def test_killed_at_any_moment_it_is_sound_and_the_next_run_finishes(life: Life, tmp_path: Path) -> None:
    undisturbed, killed = filled(tmp_path / "undisturbed.db", life), filled(tmp_path / "killed.db", life)
    chance = random.Random(9)
    for now in life.times:
        takes = finish(undisturbed, life, now)
        for _ in range(4):
            start(killed, life, now, last=chance.randint(1, 7 * takes // 10)).communicate()
            contents(killed)
        finish(killed, life, now)
    wanted = contents(undisturbed)
    assert wanted["log"] or wanted["proposals"]
    assert contents(killed) == wanted


@pytest.mark.slow
@each_life
def test_several_at_once_do_what_one_does(life: Life, tmp_path: Path) -> None:
    alone, together = filled(tmp_path / "alone.db", life), filled(tmp_path / "together.db", life)
    for now in life.times:
        finish(alone, life, now)
        processes = [start(together, life, now) for _ in range(3)]
        assert [process.communicate()[1] for process in processes] == ["", "", ""]
    assert contents(together) == contents(alone)


@pytest.mark.slow
@each_life
def test_somebody_may_write_and_forget_beside_it(life: Life, tmp_path: Path) -> None:
    """What is written stays, what is forgotten for good is nowhere, and the next run does what is left."""
    path = filled(tmp_path / "m.db", life)
    written: list[str] = []
    with MemoryDatabase(path, embed="none") as db:
        secrets = [row[0] for row in db.conn.execute("select id from memories where text like '%zyzzyville%'")]
        assert len(secrets) == len(SECRETS)
        for now, left in zip(life.times, (len(SECRETS) // 2 if life.times[1:] else 0, 0, 0), strict=False):
            child = start(path, life, now)
            child.stdout.readline()  # type: ignore[union-attr]
            while child.poll() is None:
                number = len(written)
                written.append(db.remember(f"Note {number} of the sluice.", kind="note", now=now).id)
                if len(secrets) > left:
                    forget(db, secrets.pop(), now)
                time.sleep(0.01)
            assert child.communicate()[1] == ""
            while len(secrets) > left:
                forget(db, secrets.pop(), now)
    finish(path, life, life.times[-1])
    before = contents(path)
    finish(path, life, life.times[-1])
    assert contents(path) == before
    assert not secret_in(path)
    with MemoryDatabase(path, embed="none") as db:
        assert all(db.memory(id).text.endswith("of the sluice.") for id in written)


def forget(db: MemoryDatabase, id: str, now: str) -> None:
    """Forgets a memory for good. Where somebody still reads the file as it was, the bytes go with the next upkeep."""
    with suppress(Busy):
        db.forget(id, hard=True, now=now)


# ---------------------------------------------------------------------------------------------- forgotten for good

FORGETFUL = """
import sys
from memkit import MemoryDatabase
from moments import Moments
path, id, now, last = sys.argv[1:]
with MemoryDatabase(path, embed="none") as db:
    moments = Moments(int(last))
    db.conn.set_trace_callback(moments.note)
    db.forget(id, hard=True, now=now)
    print(moments.seen)
"""


def secret_in(path: Path, word: bytes = b"zyzzyville") -> bool:
    """Whether the word stands anywhere in the file, or in the log beside it."""
    files = [path, path.with_name(f"{path.name}-wal")]
    return any(word in file.read_bytes().lower() for file in files if file.exists())


@pytest.mark.slow
def test_forgetting_that_is_killed_is_done_or_not_and_upkeep_removes_the_bytes(tmp_path: Path) -> None:
    seen, takes = set(), 0
    for number in range(12):
        path = tmp_path / f"{number}.db"
        with MemoryDatabase(path, embed="none") as db:
            sessions(db, 4)
            id = add_session(db, 0, ("Rosa moved to Qwertzberg.", *SAID))[0]
            for now in (day(2), day(8)):
                db.maintain(now=now)
        command = [sys.executable, "-c", FORGETFUL, str(path), id, day(9), str(number * takes // 11)]
        said = subprocess.run(command, capture_output=True, text=True, check=False, env=environment()).stdout
        assert (said == "") is (number > 0)
        takes = takes or int(said)
        contents(path)
        with MemoryDatabase(path, embed="none") as db:
            there = any(one["memory_id"] == id for one in db.restorable())
            seen.add((there, bool(setting(db.conn, UNSCRUBBED))))
            if there:
                db.forget(id, hard=True, now=day(9))
            db.maintain(now=day(9))
        assert not secret_in(path, b"qwertzberg")
    assert {there for there, _ in seen} == {True, False}


def test_bytes_that_a_reader_held_are_removed_by_the_next_upkeep(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db, MemoryDatabase(path, embed="none") as reader:
        id = db.remember("Rosa moved to Zyzzyville.", now=day(0)).id
        reader.conn.execute("begin")
        reader.conn.execute("select * from memories").fetchall()
        db.conn.execute("pragma busy_timeout = 100")
        with pytest.raises(Busy, match="another connection still reads the file"):
            db.forget(id, hard=True, now=day(1))
        assert secret_in(path)
        reader.conn.execute("rollback")
        db.maintain(now=day(1))
        assert not secret_in(path)
        assert setting(db.conn, UNSCRUBBED) is None


@pytest.mark.parametrize("hard", [True, False])
@pytest.mark.parametrize("what", ["evidence", "crystal"])
def test_what_is_forgotten_while_crystals_are_made_is_in_none(tmp_path: Path, what: str, hard: bool) -> None:
    path = tmp_path / "m.db"
    with MemoryDatabase(path, embed="none") as db, MemoryDatabase(path, embed="none") as other:
        ids = [db.remember("The quince bears in October.", now=day(0)).id for _ in range(4)]
        db.maintain(only=["promote", "crystals"], now=day(0))
        crystal = db.recall("quince", kinds="crystal", now=day(0))[0].memory.id
        db.remember("The quince bears in October.", now=day(0))
        due = crystals._due

        def meanwhile(work: Any) -> Any:
            found = due(work)
            other.forget(ids[0] if what == "evidence" else crystal, hard=hard, now=day(0))
            return found

        crystals._due, before = meanwhile, crystals._due
        try:
            db.maintain(only=["crystals"], now=day(0))
        finally:
            crystals._due = before
        check_indexes(db)
        if what == "crystal":
            living = "select count(*) from memories where kind = 'crystal' and archived_at is null"
            assert db.conn.execute(living).fetchone()[0] == 0
        db.maintain(only=["promote", "crystals"], now=day(1))
        assert db.maintain(only=["promote", "crystals"], now=day(1)).changes == []
