"""The three slots as bullets, line by line (docs/behaviours.md)."""

from __future__ import annotations

from memkit import MemoryDatabase

NOW = "2025-12-31T12:00:00Z"


def ask(db: MemoryDatabase, message: str, **how):
    return db.context(message, strategy="slots", now=NOW, **how)


def filled(each: int = 3) -> MemoryDatabase:
    """`each` facts about tea in every slot."""
    db = MemoryDatabase(embed="none")
    for slot in ("user", "project", "agent"):
        for n in range(each):
            db.remember(f"{slot} tea {'x' * n}", slot=slot, key=f"tea_{n:02}", now=NOW)
    return db


def test_S02_each_slot_is_a_list_of_markdown_bullets() -> None:
    text = str(ask(filled(1), "tea"))
    assert text == ("## User\n- tea_00: user tea\n\n## Project\n- tea_00: project tea\n\n## Agent\n- tea_00: agent tea")


def test_S02_ten_of_each_slot_at_most() -> None:
    found = ask(filled(12), "tea")
    assert {name: len(items) for name, items in found.sections.items()} == {"user": 10, "project": 10, "agent": 10}


def test_S14_the_user_comes_first_and_the_others_compete_for_what_is_left() -> None:
    db = filled(10)
    user = str(ask(db, "tea")).split("\n\n")[0]
    found = ask(db, "tea", budget=len(user) // 4 + 12)
    assert len(found.sections["user"]) == 10
    assert len(found.sections.get("agent", ())) < 10
    assert {item.section for item in found.left_out} == {"project", "agent"}


def test_S14_a_long_fact_of_the_user_is_not_dropped_for_a_short_one_of_the_agent() -> None:
    db = MemoryDatabase(embed="none")
    db.remember("tea", slot="agent", key="short", now=NOW)
    db.remember("tea " + "is what I drink each morning with my aunt " * 3, slot="user", key="long", now=NOW)
    shown = [ask(db, "tea", budget=budget).sections for budget in range(60)]
    assert {"agent"} not in [set(sections) for sections in shown]
    assert {"user"} in [set(sections) for sections in shown]
    assert set(shown[-1]) == {"user", "agent"}


def test_S14_a_slot_without_results_is_not_there() -> None:
    db = MemoryDatabase(embed="none")
    db.remember("green tea", slot="agent", key="tea")
    assert str(ask(db, "tea")) == "## Agent\n- tea: green tea"
    assert str(ask(db, "coffee")) == ""


def test_S16_what_else_is_the_next_page() -> None:
    db = filled(12)
    first, second = ask(db, "tea"), ask(db, "tea", offset=10)
    assert first.more == {"user": 2, "project": 2, "agent": 2}
    assert "(2 more; offset 10 shows them)" in str(first)
    assert {name: len(items) for name, items in second.sections.items()} == {"user": 2, "project": 2, "agent": 2}
    assert not {item.id for item in first.shown} & {item.id for item in second.shown}
    assert second.more == {}
    assert str(ask(db, "tea", offset=20)) == ""


def test_S16_a_page_counts_the_next_ninety_and_says_nothing_of_none() -> None:
    db = MemoryDatabase(embed="none")
    db.ingest([{"id": f"a{n}", "text": f"tea {n}", "slot": "agent", "key": f"k{n}"} for n in range(10)], now=NOW)
    assert ask(db, "tea").more == {}
    db.ingest([{"id": f"u{n}", "text": f"tea {n}", "slot": "user", "key": f"k{n}"} for n in range(120)], now=NOW)
    assert ask(db, "tea").more == {"user": 90}
    for offset in (10, 20):
        assert ask(db, "tea", offset=offset).more == {"user": 90}
    assert ask(db, "tea", offset=30).more == {"user": 80}
    assert len(db.recall("tea", k=300, strategy="slots", now=NOW)) == 20, "ten of each slot, as published"


def test_S16_the_twelve_beds_of_the_samples_are_on_two_pages(year) -> None:
    pages = [str(ask(year, "what does each bed hold?", offset=offset)) for offset in (0, 10, 20)]
    beds = year.conn.execute("select text from memories where source_id like 'bed-%'").fetchall()
    assert len(beds) == 12
    assert sum(row["text"] in pages[0] for row in beds) < 12
    assert all(any(row["text"] in page for page in pages) for row in beds)
