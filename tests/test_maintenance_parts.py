"""Parts of a session's summary: each can be read without the others."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from maintenance_helpers import day

from memkit import MemoryDatabase
from memkit.maintenance.parts import LARGEST, parts_of
from memkit.maintenance.summaries import Point
from memkit.text.words import est_tokens


def texts(points: list[Point], ties: list[int], most: int) -> list[list[str]]:
    """The parts as the texts of their points."""
    return [[point.text for point in held] for *_, held in parts_of(points, ties, most)]


def test_a_part_ends_before_what_belongs_together() -> None:
    """It is closed before the question, so that the answer is in the part of that."""
    said = [
        "We met at six by the harbour.",
        "Do you still eat pork and beef?",
        "Never since March.",
        "I sold the boat.",
    ]
    points = [Point(text, (place,)) for place, text in enumerate(said)]
    points[2] = Point(said[2], (2,), needs=((1, 0, said[1]),))
    sizes = [est_tokens(text) for text in said]
    assert texts(points, [0] * 4, sizes[0] + sizes[1]) == [said[:1], said[1:3], said[3:]]


def test_what_is_needed_of_an_earlier_part_is_said_again() -> None:
    said = ["Ada: My brother came home.", "Ada: " + "He told me of the sea. " * 4, "Otto: Did he bring the boat?"]
    line = (0, 0, said[0])
    points = [Point(said[0], (0,)), *(Point(text, (place,), needs=(line,)) for place, text in enumerate(said[1:], 1))]
    most = est_tokens(said[0])
    assert texts(points, [0] * 3, most) == [said[:1], [said[0], said[1]], [said[0], said[2]]]


def test_a_long_line_is_not_said_again() -> None:
    said = ["Ada: My brother came home" + " from the wide, cold sea" * 8, "Otto: " + "He told me of Kiel. " * 4]
    points = [Point(said[0], (0,)), Point(said[1], (1,), needs=((0, 0, said[0]),))]
    assert texts(points, [0, 0], est_tokens(said[0])) == [said[:1], said[1:]]


def test_a_part_begins_where_least_is_torn_apart() -> None:
    said = [f"We sold boat number {n} in Kiel." for n in range(3)]
    points = [Point(text, (place,)) for place, text in enumerate(said)]
    most = sum(map(est_tokens, said[:2]))
    assert texts(points, [0, 9, 0], most) == [said[:2], said[2:]]
    assert texts(points, [0, 0, 9], most) == [said[:1], said[1:]]


@given(st.data())
def test_every_turn_is_in_one_part_and_no_point_is_divided(data: st.DataObject) -> None:
    turns = data.draw(st.integers(1, 30))
    some = st.lists(st.integers(0, turns - 1), min_size=1, max_size=4).map(lambda them: tuple(sorted(set(them))))
    lines = st.tuples(st.integers(0, turns - 1), st.just(0), st.sampled_from("xyz"))
    needs = st.lists(lines, max_size=2).map(tuple)
    points = st.builds(Point, st.text("ab ", min_size=1, max_size=200), some, needs=needs)
    told = data.draw(st.lists(points, max_size=20))
    most = data.draw(st.integers(1, 60))
    ties = data.draw(st.lists(st.integers(0, 30), min_size=turns, max_size=turns))
    parts = list(parts_of(told, ties, most))
    assert [place for start, end, _ in parts for place in range(start, end)] == (list(range(turns)) if told else [])
    own = [[point for point in points if point.text not in "xyz"] for *_, points in parts]
    assert sorted(map(repr, told)) == sorted(repr(point) for points in own for point in points)
    for (start, end, held), points in zip(parts, own, strict=True):
        assert all(start <= place < end for point in points for place in point.sources)
        again = held[: len(held) - len(points)]
        assert list(held) == [*again, *points]
        wanted = {(line[0], line[2]) for point in points for line in point.needs if line[0] < points[0].sources[0]}
        assert sorted((*point.sources, point.text) for point in again) == sorted(wanted)
        # A part is over its size only where it is one point, or where points share turns.
        joined = any(one.sources[-1] >= other.sources[0] for one, other in pairwise(points))
        assert sum(est_tokens(one.text) for one in points) <= LARGEST * most or len(points) == 1 or joined


STORY = [
    ("Rosa", "Some old actor called Lorenz rented the boat on Friday for 900 euros."),
    ("Otto", "I think he asked Marta about the harbour of Kiel, and paid 40 euros for the plan of 1987."),
    ("Otto", "I guess he will sail to Bremen in October, and then by the canal to the castle near Hamburg."),
    ("Ada", "I bet he wants to sell 12 paintings by Weiss there, and the old cello from the museum in Graz."),
    ("Otto", "I heard he lost 300 letters of 1921 at the market of Bilbao, and never told the police of Spain."),
]


def test_a_later_summary_says_again_whom_its_pronouns_mean_and_who_said_so() -> None:
    with MemoryDatabase(":memory:", embed="none") as db:
        settings = {"compact_kinds": "turn", "part_tokens": "50", "compress_share": "0.99", "least_tokens": "1"}
        db.set_policy(settings={f"episodes.{name}": value for name, value in settings.items()})
        rows = [
            {"id": n, "session": "s", "speaker": who, "text": text, "kind": "turn", "timestamp": day(n / 2000)}
            for n, (who, text) in enumerate([*STORY, ("Otto", "Good night!"), ("Ada", "See you!")])
        ]
        db.ingest(rows, now=day(1))
        db.maintain(now=day(3))
        found = "select text, speaker from memories where compression = 'compressed' order by position"
        made = db.conn.execute(found).fetchall()
        sources = "select count(*) from links where type = 'summarized_by' group by from_key"
        assert {row[0] for row in db.conn.execute(sources)} == {1}
    assert len(made) > 1
    for text, speaker in made:
        assert text.startswith("Rosa: Some old actor called Lorenz")
        assert {line.split(":")[0] for line in text.splitlines()} == set(speaker.split(", "))
