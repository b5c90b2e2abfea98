"""Issues of GitHub as JSON, with the comments on them."""

import json
from pathlib import Path

from fuzz.samples import GITHUB

from memkit import MemoryDatabase
from memkit.sources import detect, read

OF_THE_API = {
    "html_url": "https://github.com/rosa/garden/pull/13", "number": 13, "title": "Straighten", "user": {"login": "ben"},
    "body": None, "comments": 2, "created_at": "2025-03-03T10:00:00Z", "closed_at": None, "state": "open", "labels": [],
}  # fmt: skip


def test_an_issue_is_a_task_and_a_comment_is_its_authors(tmp_path: Path) -> None:
    path = tmp_path / "issues.json"
    path.write_text(json.dumps([GITHUB]))
    issue, comment = read(path)
    assert detect(path) == "github"
    assert issue.text == (
        "The pear leans\nDone: 2025-04-01 10:00 (UTC)\nIssue: #12\nStatus: closed\nAssigned to: ben\n"
        "Reported by: rosa\nMilestone: Spring\n\nSince March."
    )
    assert (issue.document.source, issue.source_id, issue.tags) == ("github:rosa/garden", "#12", ("trees",))
    assert (comment.text, comment.speaker, comment.title) == ("I tied it.", "ben", "The pear leans")
    assert comment.happened_at == "2025-03-02T10:00:00Z"


def test_one_issue_alone_and_those_of_the_api_are_read(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps(GITHUB))
    (tmp_path / "api.json").write_text(json.dumps([OF_THE_API]))
    found = {one.source_id: one.happened_at for one in read(tmp_path)}
    assert found == {"#13": "2025-03-03T10:00:00Z", "#12": "2025-04-01T10:00:00Z", "IC_1": "2025-03-02T10:00:00Z"}


def test_a_later_export_adds_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "issues.json"
    path.write_text(json.dumps([{**GITHUB, "comments": [], "state": "OPEN"}]))
    with MemoryDatabase(embed="none") as db:
        db.ingest(path)
        path.write_text(json.dumps([GITHUB]))
        report = db.ingest(path)
        assert (report.added, report.updated, report.removed) == (1, 1, 0)
        assert db.ingest(path).added == 0
