"""Kira's budget and injected context, line by line (docs/behaviours.md)."""

from __future__ import annotations

import re

import pytest
from published_helpers import Concepts, say

from memkit import MemoryDatabase
from memkit.retrieval.published.kira import SHARES
from memkit.text.words import est_tokens

NOW = "2025-11-17T17:00:00Z"
DEPLOY = "Can you deploy the Kira app like we did last time?"


def database(rows: list[dict]) -> MemoryDatabase:
    """A database of these rows, taken in long before the question."""
    db = MemoryDatabase(embed=Concepts())
    db.ingest(rows, now="2025-01-01T00:00:00Z")
    return db


def ask(db: MemoryDatabase, message: str = DEPLOY, **how):
    return db.context(message, strategy="kira", now=how.pop("now", NOW), **how)


def small() -> MemoryDatabase:
    """A memory of each kind, and the graph of the published example."""
    db = database(
        [
            {"text": "dark roast", "kind": "preference", "category": "drinks", "key": "coffee"},
            {
                "id": "docker",
                "text": "Otto dislikes Docker.",
                "kind": "fact",
                "confidence": 0.95,
                "timestamp": "2025-02-10",
            },
            {"id": "plan", "text": "Kira runs on Vercel hobby plan", "kind": "fact", "confidence": 0.9},
            {"text": "Deployed Kira to Vercel", "kind": "episode", "timestamp": "2025-11-14T12:00:00Z"},
            {
                "text": "Check vercel.json → run tests → vercel --prod → verify URL",
                "kind": "procedure",
                "title": "Deploy to Vercel",
                "confidence": 0.8,
            },
        ]
    )
    say(db, "Kira", "deployed_on", "Vercel", confidence=0.85)
    db.conn.execute("update entities set kind = 'project', description = 'AI partner product' where name = 'Kira'")
    return db


def test_K28_to_K31_each_section_is_written_as_published() -> None:
    text = str(ask(small(), "deploy Kira with Docker on Vercel"))
    assert text.split("\n\n")[0] == "### Preferences\n- drinks.coffee: dark roast"
    known = text.split("### Known Context\n")[1].split("\n\n")[0].splitlines()
    assert set(known[:3]) == {
        "- **Kira** (project): AI partner product",
        "- **Docker** (thing): no description",
        "- **Vercel** (thing): no description",
    }
    assert {
        "- Otto dislikes Docker (confidence: 0.95)",
        "- Kira runs on Vercel hobby plan (confidence: 0.9)",
        "- Kira deployed on Vercel (confidence: 0.85)",
    } <= set(known)
    assert text.split("### Relevant History\n")[1].split("\n\n")[0] == "- [3 days ago] Deployed Kira to Vercel"
    assert text.split("### Learned Procedures\n")[1] == (
        "- **Deploy to Vercel** (confidence: 0.8): Check vercel.json → run tests → vercel --prod → verify URL"
    )


def test_K28_the_sections_have_their_order_and_empty_ones_are_left_out() -> None:
    titles = re.findall(r"^### (.*)$", str(ask(small(), "deploy Kira with Docker on Vercel")), re.MULTILINE)
    assert titles == ["Preferences", "Known Context", "Relevant History", "Learned Procedures"]
    only = database([{"text": "The ferry was late", "kind": "episode", "timestamp": "2025-11-14"}])
    assert str(ask(only, "the ferry")) == "### Relevant History\n- [3 days ago] The ferry was late"
    assert str(ask(MemoryDatabase())) == ""


@pytest.mark.parametrize(
    ("when", "age"),
    [("2025-11-14T16:00:00Z", "3 days ago"), ("2025-11-17T15:00:00Z", "2 hours ago"), ("2024-10-01", "1 year ago")],
)
def test_K30_history_shows_its_age(when, age) -> None:
    db = database([{"text": "The ferry was late", "kind": "episode", "timestamp": when}])
    assert f"- [{age}] The ferry was late" in str(ask(db, "the ferry"))


def test_K25_the_budget_is_what_the_conversation_and_the_answer_leave_of_the_window() -> None:
    history = ["x" * 400, "y" * 400]  # 100 tokens each
    found = ask(small(), "deploy", history=history, window=2000, reserve=500)
    assert found.budget == 2000 - 200 - 2 - 500 - 100
    assert ask(small(), "deploy", history=history, window=700, reserve=600).budget == 0


def test_K25_five_percent_are_kept_for_what_the_estimate_is_wrong_by(year) -> None:
    assert 0 < ask(year, budget=1000).used <= 950


def test_K26_one_too_long_is_compressed_or_passed_over_and_packing_goes_on() -> None:
    long = "The Kira deploy needs the secret. " + "Nothing here is about that at all. " * 200
    db = database(
        [
            {"id": "long", "text": long, "kind": "episode", "timestamp": "2025-11-16", "importance": 10},
            {"id": "short", "text": "Kira deploy went well", "kind": "episode", "timestamp": "2025-11-14"},
        ]
    )
    found = ask(db, budget=100)
    assert "The Kira deploy needs the secret." in str(found)
    assert "Kira deploy went well" in str(found)
    assert {item.shortened for item in found.sections["history"]} == {False, True}


def test_K27_no_category_takes_the_room_of_the_others() -> None:
    episodes = [
        {"text": f"Kira deploy number {n} took an hour", "kind": "episode", "timestamp": "2025-11-10"}
        for n in range(60)
    ]
    facts = [{"text": f"Kira deploy rule {n} is strict", "kind": "fact"} for n in range(60)]
    liked = [{"text": f"liked thing {n}", "kind": "preference", "category": "c", "key": str(n)} for n in range(60)]
    found = ask(database([*episodes, *facts, *liked]), budget=600)
    tokens = {name: sum(item.tokens for item in items) for name, items in found.sections.items()}
    room = 0.95 * 600
    assert tokens["preferences"] >= 0.8 * SHARES["profile"] * room
    assert sum(tokens.values()) <= room
    assert tokens["history"] >= 0.8 * SHARES["episodes"] * room
    assert tokens["known"] >= 0.8 * SHARES["referenced"] * room


def test_K27_a_category_has_no_more_than_its_share_where_the_others_want_nothing() -> None:
    episodes = [
        {"text": f"Kira deploy number {n} took an hour", "kind": "episode", "timestamp": "2025-11-10"}
        for n in range(60)
    ]
    found = ask(database(episodes), budget=600)
    tokens = sum(item.tokens for item in found.sections["history"])
    assert 0.8 * SHARES["episodes"] * 0.95 * 600 <= tokens <= SHARES["episodes"] * 0.95 * 600
    assert sum(SHARES.values()) == pytest.approx(1.0)


def test_K27_preferences_and_the_profile_are_always_there(year) -> None:
    text = str(ask(year, "the ferry"))
    assert "- user.name: Reed\n" in text
    assert "- drinks.coffee: Dark roast in the morning, black, never after three" in text
    assert "Europe/Stockholm" not in text  # superseded


def test_K43_the_deploy_example_on_the_samples(year) -> None:
    found = ask(year)
    text = str(found)
    known = text.split("### Known Context\n")[1].split("\n\n")[0].splitlines()
    history = text.split("### Relevant History\n")[1].split("\n\n")[0].splitlines()
    assert known[0] == "- **Kira** (project): AI study partner, deployed on Vercel"
    assert "- Otto dislikes Docker (confidence: 0.95)" in known
    assert "- Kira runs on the Vercel hobby plan (confidence: 0.9)" in known
    assert "- Kira deployed on Vercel (confidence: 0.95)" in known
    assert "- Kira uses edge_functions (confidence: 0.9)" in known
    done = "- [3 days ago] Deployed Kira to Vercel with edge functions; the build was green at the first attempt."
    wrote = (
        "- [3 days ago] Wrote the vercel.json for the edge runtime, so that the Kira deploy no longer starts a cold "
        "server."
    )
    assert history[0] == done
    assert wrote in history[:4]
    assert text.split("### Learned Procedures\n")[1].splitlines()[0] == (
        "- **Deploy to Vercel** (confidence: 0.8): Check vercel.json → run tests → vercel --prod → verify URL"
    )
    assert est_tokens(text) == found.used <= found.budget


def test_a_relation_that_a_shown_fact_says_already_is_not_shown_too(year) -> None:
    found = ask(year)
    assert "Otto prefers no_docker" not in str(found)
    assert "this layout does not show it" in {item.reason for item in found.left_out}
