"""Episodes grow older (K37, K40-K42): raw, compressed, distilled, gone; nothing twice, and no fact is lost."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import check_indexes
from maintenance_helpers import SAID, add_session, day, facts, links, of_compression, rows
from maintenance_models import Scripted, Silent, points

from memkit import MemoryDatabase
from memkit.core.errors import MemkitError, NotFound
from memkit.maintenance import episodes, expire
from memkit.maintenance.episodes import compress
from memkit.maintenance.maintain import maintain
from memkit.maintenance.policy import EpisodePolicy
from memkit.maintenance.summaries import WithModel
from memkit.retrieval.channels import neighbours
from memkit.text.words import est_tokens


def test_k40_what_is_older_than_a_day_becomes_one_summary_per_session(mem: MemoryDatabase) -> None:
    first, second, today = add_session(mem, 0), add_session(mem, 1), add_session(mem, 4)
    report = mem.maintain(now=day(4.5))
    made = of_compression(mem, "compressed")
    assert report.counts["compress: made"] == len(made) == 2
    for row, raw in zip(made, (first, second), strict=True):
        assert (row["kind"], row["expires_at"]) == ("episode", day(4.5 + 90))
        assert [one.id for one in mem.expand_summary(row["id"])] == raw
        assert {one for one in links(mem, "summarized_by") if one[1] == row["id"]} == {(id, row["id"]) for id in raw}
    assert [row["expires_at"] for row in of_compression(mem, "raw") if row["id"] in today] == [None] * len(SAID)
    check_indexes(mem)


@pytest.mark.parametrize("in_a_document", [True, False])
def test_k40_a_session_of_several_projects_has_a_summary_in_each_and_nothing_of_one_in_another(
    mem: MemoryDatabase, in_a_document: bool
) -> None:
    """A summary of all would be global, and tell everybody what was said in private."""
    mem.set_policy(settings={"episodes.compact_kinds": "episode, turn", "episodes.least_tokens": "1"})
    projects = ("private", "work", "global")
    if in_a_document:
        turns = [
            {
                "id": n,
                "session": "s",
                "text": text,
                "kind": "turn",
                "project": projects[n % 3],
                "timestamp": day(n / 24),
            }
            for n, text in enumerate(SAID)
        ]
        mem.ingest(turns, now=day(0))
    else:
        for n in range(3):
            add_session(mem, 0, SAID[n::3], project=projects[n])
    assert mem.maintain(now=day(3)).counts == {"compress: made": 3}
    for row in of_compression(mem, "compressed"):
        raw = mem.expand_summary(row["id"])
        assert [one.text for one in raw] == list(SAID[projects.index(row["project"]) :: 3])
        assert {one.project for one in raw} == {row["project"]}
    before = rows(mem)
    assert mem.maintain(now=day(3)).changes == []
    assert rows(mem) == before
    check_indexes(mem)


def test_k40_a_summary_is_shorter_and_made_of_what_was_said(mem: MemoryDatabase) -> None:
    raw = add_session(mem, 0)
    mem.maintain(now=day(2))
    (summary,) = of_compression(mem, "compressed")
    assert summary["tokens"] < sum(mem.memory(id).tokens for id in raw) * 0.65
    assert set(summary["text"].splitlines()) < set(SAID)


def test_k40_raw_ones_below_importance_8_expire_in_six_days_and_others_stay(mem: MemoryDatabase) -> None:
    ids = [*add_session(mem, 0, SAID[:2], importance=7.9), *add_session(mem, 0, SAID[2:4], importance=8)]
    mem.maintain(now=day(2))
    assert [mem.memory(id).expires_at for id in ids] == [day(8), day(8), None, None]
    mem.maintain(now=day(8))
    assert [row["id"] for row in of_compression(mem, "raw")] == ids[2:]


def test_k40_sessions_stay_as_they_are_that_a_summary_would_only_say_again(mem: MemoryDatabase) -> None:
    """Because all of it stays for its importance, or because it is no longer than a summary may be."""
    add_session(mem, 0, importance=8)
    add_session(mem, 0, SAID[:1], project="short")
    assert mem.due(now=day(30))["compress"] == 0
    assert mem.maintain(now=day(30)).changes == []


def test_k40_what_holds_for_a_time_only_is_not_summed_up_and_ends_when_it_says(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    for text, end in (("The code of the door is 4711.", "expires_at"), ("Dinner at Ramiro's costs 12.", "valid_until")):
        mem.remember(text, kind="episode", happened_at=day(0), now=day(0), **{end: day(20)})
    for number in (2, 9, 19):
        mem.maintain(now=day(number))
        assert {"4711", "Ramiro"} <= set(re.findall(r"4711|Ramiro", str(mem.recall("code dinner", now=day(number)))))
    mem.maintain(now=day(21))
    assert re.findall(r"4711|Ramiro", str(mem.recall("code dinner", now=day(21)))) == []


def test_k40_a_summary_is_filed_like_what_it_sums_up(mem: MemoryDatabase) -> None:
    add_session(mem, 0, SAID[:3], category="home", tags=["rosa", "tree"])
    add_session(mem, 0, SAID[3:], category="home", tags=["rosa"])
    mem.maintain(now=day(2))
    (summary,) = (mem.memory(row["id"]) for row in of_compression(mem, "compressed"))
    assert (summary.category, summary.tags) == ("home", ("rosa", "tree"))


def test_k40_a_summary_answers_for_times_before_it_was_made(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    for number in (2, 9):
        mem.maintain(now=day(number))
    (summary,) = of_compression(mem, "compressed")
    assert summary["id"] in {hit.memory.id for hit in mem.recall("Rosa", as_of=day(5), now=day(30))}
    assert list(mem.recall("Rosa", as_of=day(-1), now=day(30))) == []


def test_k40_nothing_is_summarised_twice(mem: MemoryDatabase) -> None:
    """The published code has no mark, and would summarise the same episodes every day until they expire."""
    add_session(mem, 0)
    mem.maintain(now=day(2))
    before = rows(mem)
    for number in range(3, 8):
        assert mem.maintain(now=day(number), only="compress").changes == []
    assert rows(mem) == before


def test_k40_facts_are_read_before_a_raw_episode_may_expire(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    mem.conn.execute("delete from extractions")
    assert mem.maintain(now=day(2), only="compress").changes == []
    assert mem.maintain(now=day(2)).counts == {"compress: made": 1}


def test_k40_an_episode_that_changed_since_it_was_read_does_not_expire(mem: MemoryDatabase) -> None:
    ids = add_session(mem, 0)
    mem.maintain(now=day(2))
    mem.conn.execute("update memories set hash = 'another' where id = ?", (ids[0],))
    mem.maintain(now=day(9), only="expire")
    assert [row["id"] for row in of_compression(mem, "raw")] == ids[:1]


def test_k41_summaries_older_than_a_week_are_distilled_in_place_and_never_expire(mem: MemoryDatabase) -> None:
    mem.set_policy(settings={"episodes.part_tokens": "8000", "episodes.distil_share": "0.9"})
    add_session(mem, 0, SAID * 2)
    mem.maintain(now=day(2))
    (before,) = of_compression(mem, "compressed")
    mem.conn.execute("update memories set meta = json_set(meta, '$.details', 'x') where id = ?", (before["id"],))
    assert "distil: distilled" not in mem.maintain(now=day(9)).counts
    assert mem.maintain(now=day(9.5)).counts["distil: distilled"] == 1
    (after,) = (row for row in of_compression(mem, "distilled") if row["kind"] == "episode")
    assert (after["id"], after["expires_at"]) == (before["id"], None)
    assert after["tokens"] < before["tokens"]
    assert "details" not in mem.memory(after["id"]).meta
    assert mem.maintain(now=day(9.6), only="distil").changes == []
    assert mem.recall(after["text"][:40], k=3, now=day(9.6))
    check_indexes(mem)


def test_k42_what_has_expired_goes_and_is_counted(mem: MemoryDatabase) -> None:
    kept, gone = mem.remember("kept", now=day(0)), mem.remember("gone", expires_at=day(1), now=day(0))
    assert mem.maintain(now=day(0.9)).counts == {}
    assert mem.maintain(now=day(1)).counts == {"expire: expired": 1}
    assert mem.memory(kept.id)
    with pytest.raises(NotFound):
        mem.memory(gone.id)
    check_indexes(mem)


def test_k42_all_that_has_expired_goes_however_much_it_is(mem: MemoryDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    for n in range(7):
        mem.remember(f"gone {n}", expires_at=day(1), now=day(0))
    monkeypatch.setattr(expire, "AT_ONCE", 3)
    report = mem.maintain(now=day(1), only=["expire"])
    assert report.counts == {"expire: expired": 7}
    assert {(change.why, change.sources) for change in report.changes} == {("its expires_at has passed", ())}
    assert mem.conn.execute("select count(*) from memories").fetchone()[0] == 0


def test_k42_what_was_put_off_or_put_away_meanwhile_does_not_go(mem: MemoryDatabase) -> None:
    ends = {"later": day(3), "never": None, "past": day(1), "now": day(2)}
    keys = {name: mem.remember(name, expires_at=end, now=day(0)).key for name, end in ends.items()}
    keys["archived"] = mem.remember("archived", expires_at=day(1), now=day(0)).key
    mem.conn.execute("update memories set archived_at = ? where key = ?", (day(1), keys["archived"]))
    with (work := mem._work(mem.conn, day(2), "r")).writing():
        gone = expire._expire(work, dict.fromkeys(keys.values()))
    assert len(gone) == 2
    assert {row["text"] for row in mem.restorable()} == {"past", "now"}


def test_k42_what_was_summarised_waits_until_its_present_text_was_read(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    mem.maintain(now=day(2))
    first, second = (row["id"] for row in of_compression(mem, "raw")[:2])
    mem.conn.execute("update memories set hash = 'another' where id = ?", [first])
    assert first not in {change.memory_id for change in mem.maintain(now=day(9), only=["expire"]).changes}
    mem.conn.execute("update memories set importance = 8 where id = ?", [first])
    (kept,) = mem.maintain(now=day(9), only=["expire"]).changes
    assert (kept.memory_id, kept.action, kept.why) == (first, "kept", "its importance is 8")
    assert mem.memory(first).expires_at is None
    assert second in {row["memory_id"] for row in mem.restorable()}


def test_k37_a_year_of_days_leaves_distilled_summaries_and_every_fact(file: MemoryDatabase) -> None:
    for number in range(3):
        add_session(file, number, tuple(f"{text} ({number})" for text in SAID))
    known = facts(file)
    assert {(subject, predicate) for _, subject, predicate, *_ in known} == {("Rosa", "lives_in"), ("Hana", "works_at")}
    for number in range(3, 40):
        file.maintain(now=day(number))
        assert facts(file) == known
    assert of_compression(file, "compressed") == []
    assert [row["kind"] for row in of_compression(file, "distilled")].count("episode") == 3
    assert of_compression(file, "raw") == []
    assert all(relation.evidence[0].quote for relation in file.about("Rosa", now=day(40)).relations)
    check_indexes(file)


def test_a_fact_outlives_its_episode_in_its_own_words_where_the_summary_lacks_them(mem: MemoryDatabase) -> None:
    mem.set_policy(settings={"episodes.compress_share": "0.01", "episodes.least_tokens": "20"})
    raw = add_session(mem, 0)
    mem.maintain(now=day(2))
    mem.maintain(now=day(8))
    kept = [row for row in of_compression(mem, "distilled") if row["kind"] == "fact"]
    assert {row["text"] for row in kept} <= set(SAID)
    assert {mem.memory(row["id"]).meta["kept_from"] for row in kept} <= set(raw)
    assert {relation.object for name in ("Rosa", "Hana") for relation in mem.about(name, now=day(9)).relations} == {
        "Lisbon",
        "Nightshade",
    }
    (summary,) = of_compression(mem, "compressed")
    assert links(mem, "derived_from") >= {(row["id"], summary["id"]) for row in kept}


def test_kept_facts_grow_older_no_more_even_where_facts_do(mem: MemoryDatabase) -> None:
    mem.set_policy(
        settings={
            "episodes.compact_kinds": "episode, fact",
            "episodes.compress_share": "0.01",
            "episodes.least_tokens": "20",
        }
    )
    add_session(mem, 0)
    for number in (2, 8):
        mem.maintain(now=day(number))
    kept = {row["id"] for row in of_compression(mem, "distilled") if row["kind"] == "fact"}
    assert kept
    for number in (10, 20, 40):
        mem.maintain(now=day(number))
    assert {row["id"] for row in of_compression(mem, "distilled") if row["kind"] == "fact"} >= kept


def test_reading_everything_again_finds_the_kept_facts_again(file: MemoryDatabase) -> None:
    add_session(file, 0)
    for number in (2, 8, 16):
        file.maintain(now=day(number))
    known = [row[1:4] for row in facts(file)]
    file.conn.execute("delete from extractions where extractor not like 'case%'")
    file.extract(now=day(17))
    assert [row[1:4] for row in facts(file)] == known


def test_relations_have_as_many_sources_as_before(mem: MemoryDatabase) -> None:
    told = ("Rosa lives in Lisbon, as I said. Rosa lives in Lisbon.", "It is so: Rosa lives in Lisbon.", *SAID[1:])
    add_session(mem, 0, told)
    mem.set_policy(settings={"episodes.compress_share": "1"})
    before = {one.memory_id for one in mem.about("Rosa", now=day(1)).relations[0].evidence}
    for number in (2, 8, 16):
        mem.maintain(now=day(number))
    after = {one.memory_id for one in mem.about("Rosa", now=day(17)).relations[0].evidence}
    assert (len(after), after & before) == (len(before), set()) == (2, set())


def test_a_summary_does_not_count_as_one_more_source_of_what_it_sums_up(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    before = facts(mem)
    mem.maintain(now=day(2))
    mem.extract(now=day(2))
    assert facts(mem) == before


def test_a_session_too_long_for_one_summary_is_summarised_in_parts(mem: MemoryDatabase) -> None:
    mem.set_policy(settings={"episodes.part_tokens": "100"})
    add_session(mem, 0, SAID * 3)
    mem.maintain(now=day(3))
    assert len(of_compression(mem, "compressed")) > 2


NEWS = (
    "I sold the house in Porto for 210,000 euros.",
    "My sister Hana works at Nightshade as a cook now.",
    "I have booked the train to Lisbon for the 4th of May.",
)
SMALL_TALK = ("What a nice day it is!", "Oh yes, how very nice.", "I see what you mean.", "That is so true, isn't it?")


def test_news_gets_the_room_that_small_talk_does_not_need(mem: MemoryDatabase) -> None:
    """The parts of a session share one budget: half of each would be half of the news, and half of the small talk."""
    mem.set_policy(settings={"episodes.compress_share": "0.6", "episodes.part_tokens": "50"})
    add_session(mem, 0, (*SMALL_TALK, *SMALL_TALK, *NEWS))
    mem.maintain(now=day(3))
    told = "\n".join(row["text"] for row in of_compression(mem, "compressed"))
    assert [text for text in NEWS if text not in told] == []


def test_the_summaries_of_a_session_are_neighbours_and_follow_each_other_in_time(mem: MemoryDatabase) -> None:
    """So that one is found by what was said just before and after it, as a turn is."""
    mem.set_policy(settings={"episodes.part_tokens": "50", "episodes.compress_share": "1"})
    for number in (0, 1):
        add_session(mem, number)
    mem.maintain(now=day(3))
    made = of_compression(mem, "compressed")
    of_one = [row for row in made if row["text"].startswith(SAID[0]) or row["document_key"] == made[0]["document_key"]]
    assert len({row["document_key"] for row in made}) == 2
    assert [row["position"] for row in made] == [*range(len(made) // 2)] * 2
    assert [row["happened_at"] for row in of_one] == sorted(row["happened_at"] for row in of_one)
    assert made[1]["key"] in neighbours.build(mem.conn, None).beside()[made[0]["key"]]
    check_indexes(mem)


def test_what_a_distilled_summary_no_longer_says_is_not_beside_its_neighbours_either(mem: MemoryDatabase) -> None:
    mem.set_policy(
        settings={"episodes.part_tokens": "60", "episodes.compress_share": "1", "episodes.distil_share": "0.8"}
    )
    add_session(mem, 0)
    for number in (3, 9, 11):
        mem.maintain(now=day(number))
    made = [row for row in of_compression(mem, "distilled") if row["kind"] == "episode"]
    told = {row["key"]: row["text"] for row in made}
    assert any(text not in "\n".join(told.values()) for text in SAID)
    for key, others in neighbours.build(mem.conn, None).beside().items():
        assert told.keys() - {key} >= set(others)
    check_indexes(mem)


def test_turns_of_conversations_are_left_alone_unless_the_policy_says_so(mem: MemoryDatabase) -> None:
    turns = [
        {"id": n, "session": "s", "speaker": "AB"[n % 2], "text": text, "kind": "turn", "timestamp": day(n / 24)}
        for n, text in enumerate(SAID)
    ]
    mem.ingest(turns, now=day(0))
    assert mem.maintain(now=day(3)).changes == []
    mem.set_policy(settings={"episodes.compact_kinds": "episode, turn"})
    assert mem.maintain(now=day(3)).counts == {"compress: made": 1}
    mem.maintain(now=day(9))
    assert of_compression(mem, "raw") == []
    check_indexes(mem)


def test_what_went_does_not_come_again_when_its_source_is_read_again(mem: MemoryDatabase) -> None:
    mem.set_policy(settings={"episodes.compact_kinds": "turn"})
    turns = [
        {"id": n, "session": "s", "text": text, "kind": "turn", "timestamp": day(0)} for n, text in enumerate(SAID)
    ]
    mem.ingest(turns, now=day(0))
    mem.maintain(now=day(2))
    mem.maintain(now=day(8))
    report = mem.ingest(turns, now=day(9))
    assert (report.added, report.updated, report.unchanged) == (0, 0, len(SAID))
    assert of_compression(mem, "raw") == []
    gone = mem.conn.execute("select key, text from memories where archived_at is not null").fetchall()
    assert [row["text"] for row in gone] == [""] * len(SAID)
    # BM25 compares a text's length with the mean of all that are indexed.
    indexed = {row[0] for row in mem.conn.execute("select rowid from memories_fts")}
    assert indexed
    assert indexed.isdisjoint(row["key"] for row in gone)


def test_an_episode_that_became_important_stays_after_all(mem: MemoryDatabase) -> None:
    ids = add_session(mem, 0)
    mem.maintain(now=day(2))
    mem.conn.execute("update memories set importance = 9 where id = ?", (ids[0],))
    assert mem.maintain(now=day(8)).counts == {"expire: kept": 1, "expire: expired": len(SAID) - 1}
    assert mem.memory(ids[0]).expires_at is None


def test_a_summary_can_be_expanded_while_its_raw_ones_live(mem: MemoryDatabase) -> None:
    ids = add_session(mem, 0)
    mem.maintain(now=day(2))
    (summary,) = of_compression(mem, "compressed")
    assert [one.id for one in mem.expand_summary(summary["id"])] == ids
    mem.maintain(now=day(8))
    assert mem.expand_summary(summary["id"]) == []
    mem.unprune(ids[2], now=day(9))
    assert [one.id for one in mem.expand_summary(summary["id"])] == [ids[2]]


def scripted(db: MemoryDatabase, answer: Callable[[str], Any]) -> Any:
    """What upkeep works with when this model writes the summaries."""
    return replace(db._work(db.conn, day(2), None), summariser=WithModel(Scripted(answer)))


def test_k40_a_model_may_write_the_summary_and_the_log_says_which(file: MemoryDatabase) -> None:
    ids = add_session(file, 0)
    report = maintain(scripted(file, lambda prompt: points(("Rosa lives in Lisbon now.", "high", [1]))), ["compress"])
    (summary,) = of_compression(file, "compressed")
    assert summary["text"] == "Rosa lives in Lisbon now."
    assert report.changes[0].why.endswith("by llm scripted")
    known = [row[1:4] for row in facts(file)]
    file.maintain(now=day(8))
    assert [row[1:4] for row in facts(file)] == known
    kept = of_compression(file, "distilled")
    assert {row["text"] for row in kept} == {SAID[0], SAID[2]}
    assert {file.memory(row["id"]).meta["kept_from"] for row in kept} == {ids[0], ids[2]}


@pytest.mark.parametrize("answer", ["", "I cannot do that.", '{"points": []}'])
def test_k40_a_model_that_answers_nonsense_costs_no_summary(file: MemoryDatabase, answer: Any) -> None:
    add_session(file, 0)
    report = maintain(scripted(file, lambda prompt: answer), ["compress"])
    assert report.counts == {"compress: made": 1}
    assert "in whole sentences (the answer of llm scripted could not be used" in report.changes[0].why


def test_what_another_maintainer_did_while_a_model_thought_is_not_done_again(tmp_path: Path) -> None:
    with (
        MemoryDatabase(tmp_path / "m.db", embed="none") as db,
        MemoryDatabase(tmp_path / "m.db", embed="none") as other,
    ):
        add_session(db, 0)

        def answer(_prompt: str) -> str:
            compress(other._work(other.conn, day(2), "theirs"))
            return points(("Rosa lives in Lisbon now.", "high", [1]))

        assert compress(scripted(db, answer)) == []
        assert len(of_compression(db, "compressed")) == 1


def test_what_moved_to_another_project_while_a_model_thought_is_summarised_there(file: MemoryDatabase) -> None:
    add_session(file, 0, project="private")

    def answer(_prompt: str) -> str:
        file.conn.execute("update memories set project = 'work'")
        return points(("Rosa lives in Lisbon now.", "high", [1]))

    assert compress(scripted(file, answer)) == []
    assert file.maintain(now=day(2)).counts == {"compress: made": 1}
    assert [row["project"] for row in of_compression(file, "compressed")] == ["work"]


def test_recall_passes_over_nothing_but_what_has_expired(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    before = [hit.memory.text for hit in mem.recall("Where does Rosa live?", k=3, now=day(2))]
    mem.maintain(now=day(2))
    after = [hit.memory.text for hit in mem.recall("Where does Rosa live?", k=3, now=day(2))]
    assert before[0] in after
    mem.maintain(now=day(8))
    assert any("Lisbon" in hit.memory.text for hit in mem.recall("Where does Rosa live?", k=3, now=day(8)))


def test_empty_and_odd_texts_do_no_harm(mem: MemoryDatabase) -> None:
    for text in ("ok", "!!!", "🙂", "木" * 300, "x" * 5000, "a\n\n\nb", "</s><script>alert(1)</script>"):
        mem.remember(text, kind="episode", now=day(0))
    mem.maintain(now=day(2))
    mem.maintain(now=day(20))
    check_indexes(mem)


def test_a_change_that_was_undone_is_not_made_again(mem: MemoryDatabase) -> None:
    ids = add_session(mem, 0)
    before = rows(mem)
    run = mem.maintain(now=day(2)).run
    mem.undo(run, now=day(2))
    assert rows(mem) == before
    assert mem.maintain(now=day(3)).changes == []
    with pytest.raises(MemkitError, match=r"no change or run .* that can be undone"):
        mem.undo(run, now=day(3))
    assert len(ids) == len(of_compression(mem, "raw"))


def test_a_summary_answers_once_the_raw_ones_have_gone_and_takes_no_place_before(mem: MemoryDatabase) -> None:
    raw = set(add_session(mem, 0))
    mem.maintain(now=day(2))
    (summary,) = of_compression(mem, "compressed")
    assert {hit.memory.id for hit in mem.recall("Hana cook Lisbon train", 20, now=day(3))} <= raw
    mem.maintain(now=day(8))
    assert summary["id"] in {hit.memory.id for hit in mem.recall("Hana cook Lisbon train", 20, now=day(8.1))}


def test_what_was_taken_back_is_not_due_any_more(mem: MemoryDatabase) -> None:
    add_session(mem, 0)
    for step, now in (("compress", day(2)), ("expire", day(9)), ("distil", day(10))):
        assert mem.due(now=now)[step] > 0
        report = mem.maintain(now=now, only=step)
        mem.undo(report.run, now=now)
        assert mem.due(now=now)[step] == 0
        assert mem.maintain(now=now, only=step).changes == []
        if step == "compress":
            add_session(mem, 1)
            mem.maintain(now=day(2.5), only=step)


@pytest.mark.parametrize(
    ("tokens", "importance", "worth"),
    [
        ([20, 20], [5, 5], False),
        ([20, 21], [5, 5], True),
        ([80], [5], False),
        ([81], [5], True),
        ([99, 99], [8, 7.9], True),
        ([99, 99], [8, 9], False),
    ],
)
def test_k40_a_session_has_a_summary_where_it_is_longer_than_one_may_be(
    tokens: list[int], importance: list[float], worth: bool
) -> None:
    session = [{"tokens": one, "importance": other} for one, other in zip(tokens, importance, strict=True)]
    assert episodes._worth_it(EpisodePolicy(), session) is worth


def test_k40_what_matters_and_what_facts_hang_on_has_more_weight_in_a_summary_of_three_fifths(
    mem: MemoryDatabase,
) -> None:
    ids = add_session(mem, 0, SAID[:3], speaker="Rosa")
    mem.conn.execute("update memories set importance = 7 where id = ?", [ids[0]])
    mem.conn.execute("update memories set tokens = 100")
    mem.conn.execute("update memories set speaker = 'Rosa, Otto' where id = ?", [ids[2]])
    mem.maintain(now=day(0.1), only=["facts"])
    facts = dict(mem.conn.execute("select memory_key, count(*) from evidence group by memory_key").fetchall())
    work = replace(mem._work(mem.conn, day(2), None), summariser=(silent := Silent()))
    assert compress(work) == []
    ((turns, budget),) = silent.asked
    keys = [mem.memory(id).key for id in ids]
    expected = [importance / 5 * (1 + facts.get(key, 0)) for importance, key in zip((7, 5, 5), keys, strict=True)]
    assert [turn.weight for turn in turns] == expected
    assert max(expected) > 1.4, "one states a fact"
    assert budget == round(0.567 * (300 + 2 * est_tokens("Rosa: "))), "whoever speaks for several is not named again"


def test_k41_summaries_are_made_shorter_together_and_by_a_model_each_alone() -> None:
    for name in ("a model", "extractive"):
        with MemoryDatabase(embed="none") as db:
            for number in range(2):
                add_session(db, number, SAID + SAID)
            db.set_policy(settings={"episodes.part_tokens": "50"})
            db.maintain(now=day(3), only=["facts", "compress"])
            old = of_compression(db, "compressed")
            of_documents = Counter(row["document_key"] for row in old)
            assert min(of_documents.values()) >= 2, "each session has several summaries"
            silent = Silent()
            silent.name = name
            episodes.distil(replace(db._work(db.conn, day(20), None), summariser=silent))
            together = list(of_documents.values()) if name == "extractive" else [1] * len(old)
            assert [len(turns) for turns, _ in silent.asked] == together
            texts = iter(row["tokens"] for row in old)
            assert [budget for _, budget in silent.asked] == [
                max(40, round(0.97 * sum(next(texts) for _ in range(many)))) for many in together
            ]


def test_what_all_have_in_common() -> None:
    assert episodes._common(["a", "a"]) == "a"
    assert [episodes._common(some) for some in (["a", "b"], ["a", None], [], [None])] == [None] * 4
