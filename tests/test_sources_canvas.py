"""Boards in the form JSON Canvas: each card is a part of one note, under the names of the groups around it."""

import json
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.sources import detect, read

BOARD = {
    "nodes": [
        {"id": "g", "type": "group", "label": "Trees", "x": 0, "y": 0, "width": 500, "height": 500},
        {"id": "h", "type": "group", "label": "Old", "x": 0, "y": 200, "width": 300, "height": 200},
        {"id": "b", "type": "text", "text": "# Pear\nIt blooms. %%no%%", "x": 10, "y": 210, "width": 100, "height": 50},
        {"id": "a", "type": "text", "text": "Rosa dug. #spring", "x": 600, "y": -50, "width": 100, "height": 50},
        {"id": "c", "type": "file", "file": "garden/Quince.md", "x": 10, "y": 10, "width": 100, "height": 50},
        {"id": "d", "type": "file", "file": "garden/quince.png", "x": 10, "y": 20, "width": 100, "height": 50},
        {"id": "e", "type": "link", "url": "https://example.org", "x": 10, "y": 30, "width": 100, "height": 50},
    ],
    "edges": [
        {"id": "1", "fromNode": "b", "toNode": "c", "label": "stands beside"},
        {"id": "2", "fromNode": "a", "toNode": "b"},
        {"id": "3", "fromNode": "a", "toNode": "gone", "label": "leads nowhere"},
    ],
}


def test_each_card_is_a_part_of_the_note_in_the_order_of_the_plane(tmp_path: Path) -> None:
    (tmp_path / "Garden.canvas").write_text(json.dumps(BOARD))
    found = list(read(tmp_path))
    assert detect(tmp_path / "Garden.canvas") == "canvas"
    assert {(one.title, one.document.title) for one in found} == {("Garden", "Garden")}
    assert [(one.text, one.meta.get("heading")) for one in found] == [
        ("Rosa dug. #spring", None),
        ("# Pear\nIt blooms.", "Trees > Old"),
        ("- [[Quince]]\n- https://example.org", "Trees"),
        ("- Pear -> [[Quince]]: stands beside", None),
    ]
    assert found[0].tags == ("spring",)


def test_a_card_that_is_moved_stays_the_same_memory(tmp_path: Path) -> None:
    file = tmp_path / "Garden.canvas"
    file.write_text(json.dumps(BOARD))
    with MemoryDatabase(embed="none") as db:
        assert [db.ingest(tmp_path).added, db.ingest(tmp_path).added] == [4, 0]
        BOARD["nodes"][2]["x"] = 20
        file.write_text(json.dumps(BOARD))
        report = db.ingest(tmp_path)
        assert (report.added, report.removed) == (0, 0)


@pytest.mark.parametrize("board", ["", "{}", '{"nodes": [], "edges": []}'])
def test_an_empty_board_has_no_text(tmp_path: Path, board: str) -> None:
    (tmp_path / "Garden.canvas").write_text(board)
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path)
    assert (report.added, report.failed, [one.reason for one in report.left_out]) == (0, 0, ["without text"])


def test_a_broken_board_is_named(tmp_path: Path) -> None:
    (tmp_path / "Garden.canvas").write_text('{"nodes": [')
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path).failed == 1
