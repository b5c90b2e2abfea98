"""Narrowed to one project, no answer of Datasette says a word of another one: page, JSON, feed, query, saved question.

The database is that of tests/test_narrowed.py, in which each project has words of its own.
"""

from __future__ import annotations

import json
from random import Random
from urllib.parse import urlencode

import pytest
from datasettes import Browser, datasette, root
from test_narrowed import PROJECTS, Planted

from memkit import MemoryDatabase
from memkit.retrieval.registry import STRATEGIES

pytestmark = pytest.mark.slow

QUESTIONS = ("Rosa and Theo in Lund: Harbour Mill, Porto?", "What happened in April 2025?", "the password", "{word}")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Planted:
    """The database, made once, with saved questions that narrow."""
    made = Planted(tmp_path_factory.mktemp("narrowed"))
    random = Random(5)
    with MemoryDatabase(made.path) as db:
        for project in PROJECTS:
            for number, strategy in enumerate((None, *STRATEGIES)):
                question = random.choice(QUESTIONS).format(word=random.choice(made.others(project)))
                how = {"strategy": strategy} if strategy else {}
                db.save_question(question, name=f"{project} {number}", project=project, only_project=True, **how)
    return made


@pytest.fixture
def owner(planted: Planted) -> Browser:
    return root(datasette(planted.path))


def asked(planted: Planted, project: str) -> list[dict[str, str]]:
    """The saved questions of a project, as the query string of its page has them."""
    with MemoryDatabase(planted.path, read_only=True) as db:
        saved = [one for one in db.saved_questions() if one.name.startswith(f"{project} ")]
    assert len(saved) == 1 + len(STRATEGIES)
    return [
        {"name": one.name, "q": one.question, "project": project, "only": "1", "budget": "2000"}
        | {name: value for name, value in one.options.items() if name == "strategy"}
        for one in saved
    ]


@pytest.mark.parametrize("project", PROJECTS)
async def test_no_saved_question_its_page_or_its_feed_tells_of_another_project(
    planted: Planted, owner: Browser, project: str
) -> None:
    base = f"/{planted.path.stem}"
    answered = 0
    for one in asked(planted, project):
        query = urlencode(one)
        for path in (f"{base}/-/recall.json", f"{base}/-/recall.atom", f"{base}/saved.json", "/recall.json"):
            said = await owner.page(f"{path}?{query}")
            assert planted.said_of_others(project, said, one) == set(), path
            answered += any(word in said.lower() for word in planted.words[project])
        shown = await owner.page(f"{base}/-/recall?{query}")
        cards = shown[shown.index('class="mk-hits"') :] if 'class="mk-hits"' in shown else ""
        assert planted.said_of_others(project, cards, one) == set()
    assert answered > len(STRATEGIES)


@pytest.mark.parametrize("project", PROJECTS)
async def test_no_canned_query_that_is_narrowed_tells_of_another_project(
    planted: Planted, owner: Browser, project: str
) -> None:
    options = json.dumps({"project": project, "only_project": True})
    asked = urlencode({"question": "Rosa and Theo in Lund", "k": "20", "options": options})
    said = await owner.page(f"/{planted.path.stem}/recall.json?{asked}")
    assert any(word in said.lower() for word in planted.words[project])
    assert planted.said_of_others(project, said, asked) == set()
