"""A database's own strategy, and weights fitted to a person's questions: kept only if they win on others of them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import NOW, LetterEmbedder

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion, MemkitError, NotFound
from memkit.frontends.agents.tools import Tools
from memkit.frontends.cli.main import cli
from memkit.retrieval.evaluation.tuning import LEAST, candidates, tuned
from memkit.retrieval.strategies import MEMKIT
from memkit.storage import store

# ---------------------------------------------------------------------------------------------- the database's own


def test_a_database_answers_with_its_own_strategy_until_it_is_reset(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db:
        db.remember("Rosa planted the quince.", now=NOW)
        assert db.strategy() == MEMKIT
        db.set_strategy("kira")
    with MemoryDatabase(path, embed="none") as db:
        assert db.strategy().name == "kira"
        assert db.recall("quince", now=NOW).strategy.name == "kira"
        assert db.context("quince", now=NOW).layout == "kira"
        assert db.recall("quince", strategy="memkit", now=NOW).strategy == MEMKIT  # named, it is that one
        db.set_strategy({"name": "mine", "vector": {"weight": 0.9}})
        assert db.strategy() == MEMKIT.replace(name="mine", vector={"weight": 0.9})
        assert db.set_strategy() == MEMKIT
        assert store.setting(db.conn, "strategy") is None
        assert db.recall("quince", now=NOW).strategy == MEMKIT


@pytest.mark.parametrize(
    "value", ['"kira"', "[1]", '{"vector": {"weight": "much"}}', '{"nothing": 1}', '{"graph": 7}', "null"]
)
def test_a_stored_value_that_is_no_strategy_counts_as_none(value: str) -> None:
    with MemoryDatabase(embed="none") as db:
        db.conn.execute("insert into settings (name, value) values ('strategy', ?)", [value])
        db.remember("Rosa planted the quince.", now=NOW)
        assert db.recall("quince", now=NOW).strategy == MEMKIT


def test_what_is_no_strategy_is_not_kept() -> None:
    with MemoryDatabase(embed="none") as db:
        for wrong, error in (
            ("kiira", NotFound),
            ({"vector": {"weight": "much"}}, BadQuestion),
            ({"no": 1}, BadQuestion),
        ):
            with pytest.raises(error):
                db.set_strategy(wrong)  # type: ignore[arg-type]
        assert db.strategy() == MEMKIT


def test_agents_tools_and_the_command_line_use_it(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    with MemoryDatabase(path, embed="none") as db:
        db.remember("Rosa planted the quince.", now=NOW)

    def run(*asked: str) -> Any:
        done = CliRunner().invoke(cli, [asked[0], str(path), *asked[1:]])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert run("strategy").startswith("memkit: {")
    assert run("strategy", "engram").startswith("engram: {")
    assert json.loads(run("strategy", "--format", "json"))["name"] == "engram"
    assert json.loads(run("context", "quince", "--format", "json"))["layout"] == "engram"
    with MemoryDatabase(path, embed="none") as db:
        assert Tools(str(path))._deep(db, "quince").name == "engram"
    assert run("strategy", "--reset").startswith("memkit: {")
    done = CliRunner().invoke(cli, ["strategy", str(path), "engramm"])
    assert done.exit_code == 1
    assert "engram" in done.output


def test_a_restore_takes_it_only_if_asked(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.set_strategy("kira")
        db.export(tmp_path / "out.jsonl")
    for take, name in (([], "memkit"), (["strategy"], "kira")):
        with MemoryDatabase(embed="none") as db:
            db.restore(tmp_path / "out.jsonl", take=take)
            assert db.strategy().name == name


# ---------------------------------------------------------------------------------------------- the fit


def worth(better: str, by: float, questions: int, seed: int = 1) -> Any:
    """Values of answers that a larger weight of one channel raises by so much, on top of chance."""
    chance = random.Random(seed)
    base = [chance.uniform(0.2, 0.8) for _ in range(questions)]

    def value(strategy: Any) -> list[float]:
        weight, usual = getattr(strategy, better).weight, getattr(MEMKIT, better).weight
        return [one + by * (weight > usual) - by * (weight < usual) for one in base]

    return value


def test_weights_that_win_on_questions_left_out_are_taken() -> None:
    found = tuned(MEMKIT, worth("graph", 0.2, 40), 40)
    assert found.wins
    assert found.changes == {"name": "tuned", "graph": {"weight": 2 * MEMKIT.graph.weight}}  # type: ignore[union-attr]
    assert found.gain.low > 0.15
    assert "graph 5" in found.sentence


def by_chance(seed: int) -> Any:
    """Values that no weight has anything to do with."""
    chance = random.Random(seed)
    return lambda _: [chance.random() for _ in range(LEAST)]


def test_chance_hardly_ever_changes_anything() -> None:
    """Each candidate has luck of its own; what looks best on some questions is not so on the others."""
    found = [tuned(MEMKIT, by_chance(seed), LEAST) for seed in range(80)]
    assert sum(one.wins for one in found) <= 4
    assert all("Nothing was changed" in one.sentence for one in found if not one.wins)


def test_too_few_questions_are_refused() -> None:
    with pytest.raises(BadQuestion, match="30 questions"):
        tuned(MEMKIT, worth("graph", 0.2, 29), 29)


def test_the_first_candidate_changes_nothing_and_all_differ() -> None:
    found = [MEMKIT.replace(**changes) for changes in candidates(MEMKIT)]
    assert found[0] == MEMKIT
    assert len({strategy.to_json() for strategy in found}) == len(found) == 27
    only_words = MEMKIT.replace(vector=None, sentence=None, graph=None, bridge=None)
    assert candidates(only_words) == [{}]


ENDS = ("ra", "no", "mi", "lu", "te", "sk")
NAMES = [f"{first}{last}" for first in ("Ada", "Bo", "Cy", "Di", "Ed", "Flo") for last in ENDS]
MISLED = {"name": "mine", "vector": {"weight": 2.0}, "sentence": None, "graph": None, "bridge": None}


def test_evaluate_tunes_keeps_and_undoes(letters: LetterEmbedder) -> None:
    """The vectors of letters lead to texts with the letters of the question; its words are in others."""
    questions = [
        {"text": f"what did {name} settle about the budget?", "relevant": [f"right{n}"]} for n, name in enumerate(NAMES)
    ]
    with MemoryDatabase(embed=letters) as db:
        right = [{"id": f"right{n}", "text": f"zzz {name} budget {'xqj' * (n % 7)}"} for n, name in enumerate(NAMES)]
        alike = [f"what did someone settle about the {name[:2]} gadget {n}?" for n, name in enumerate(NAMES)]
        db.ingest([*right, *({"text": text} for text in alike)], now=NOW)
        db.set_strategy(MISLED)
        before = db.evaluate(questions, k=10)
        assert before.tuning is None
        report = db.evaluate(questions, k=10, tune=True)
        assert report.tuning is not None
        assert report.tuning.wins
        assert report.tuning.changes == {"name": "tuned", "vector": {"weight": 1.0}}
        assert report.tuning.sentence in str(report)
        assert report.to_dict()["tuning"]["questions"] == len(NAMES)
        assert report.runs[0].figures["R@5"] > before.runs[0].figures["R@5"] + 0.3
        assert db.strategy() == MEMKIT.replace(**{**MISLED, **report.tuning.changes})
        assert db.recall(questions[0]["text"], now=NOW).strategy.name == "tuned"
        db.set_strategy()
        assert db.strategy() == MEMKIT


def test_questions_may_come_from_feedback() -> None:
    with MemoryDatabase(embed="none") as db:
        ids = [db.remember(f"Plum tree {n} stands by gate {n}.", now=NOW).id for n in range(LEAST)]
        for n, id in enumerate(ids):
            db.feedback(id, True, f"where does plum tree {n} stand?")
            db.feedback(ids[n - 1], False, f"where does plum tree {n} stand?")
        report = db.evaluate(None, tune=True)
        assert report.tuning is not None
        assert report.tuning.questions == LEAST
        with pytest.raises(MemkitError):
            db.evaluate(None)
