"""The project's own questions: what harms a strategy, or puts the default behind a published one, fails here."""

from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.frontends import demo
from memkit.retrieval.registry import STRATEGIES

QUESTIONS = Path(__file__).parent.parent / "samples" / "questions.jsonl"
# As measured (docs/recall.md). Whoever lowers one says why; whoever raises one writes it here.
MEASURED = {"R@5": 0.755, "R@10": 0.857, "nDCG@10": 0.745, "MRR": 0.748}
OF_DESIGNS = {"construct": 0.702, "kira": 0.577, "slots": 0.688, "membox": 0.704, "engram": 0.758}  # R@5
SLACK = 0.02
# Engram finds one memory more within the first five, and has the first one a place higher in one question (the lengths
# of neighbours are estimated since they are no longer indexed: a near tie went the other way). No more than that.
AHEAD = {"R@5": 0.01, "R@10": 0.0, "nDCG@10": 0.0, "MRR": 0.002}


@pytest.mark.slow
def test_each_strategy_on_the_projects_own_questions():
    with MemoryDatabase() as db:
        demo.build(db)
        report = db.evaluate(QUESTIONS, list(STRATEGIES), bootstrap=False)
    default = report["memkit"].figures
    for measure, figure in MEASURED.items():
        assert default[measure] >= figure - SLACK, measure
        best = max(report[name].figures[measure] for name in STRATEGIES if name != "memkit")
        assert default[measure] >= best - AHEAD[measure], measure
    for name, figure in OF_DESIGNS.items():
        assert report[name].figures["R@5"] >= figure - SLACK, name
