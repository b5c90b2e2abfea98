"""Logs of Adium."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_files import drafts, written
from growth import takes_at_most

from memkit import MemoryDatabase
from memkit.sources import detect

NAME = "rosa@chat.example (2013-06-03T18.56.34-0800)"
LOG = """<?xml version="1.0" encoding="UTF-8" ?>
<chat xmlns="http://purl.org/net/ulf/ns/0.4-02" account="ida" service="Jabber" adiumversion="1.5.4">
<event type="windowOpened" sender="ida" time="2013-06-03T18:56:34-08:00"></event>
<message sender="ida" time="2013-06-03T19:03:19-08:00" alias="Ida &quot;Moss&quot;"><div>
<span style="x">Who planted it?</span></div></message>
<status type="away" sender="rosa@chat.example" time="2013-06-03T19:04:00-08:00"><div>Away</div></status>
<message sender='rosa@chat.example' time="2013-06-03T19:12:31-0800"><div>Nils &amp; I:<br/>
two <a href="https://quinces.example/">quinces</a></div></message>
<message sender="rosa@chat.example" time="2013-06-03T19:12:31-0800"><div></div></message>
</chat>"""


@pytest.mark.parametrize("file", [f"{NAME}.chatlog", f"{NAME}.chatlog/{NAME}.xml"])
def test_a_log_tells_who_said_what_when(tmp_path: Path, file: str) -> None:
    path = written(tmp_path / file, LOG)
    assert detect(path) == "adium"
    assert [(one.speaker, one.text, one.happened_at, one.title) for one in drafts(tmp_path)] == [
        ('Ida "Moss"', "Who planted it?", "2013-06-04T03:03:19Z", "rosa@chat.example"),
        (
            "rosa@chat.example",
            "Nils & I:\ntwo [quinces](https://quinces.example/)",
            "2013-06-04T03:12:31Z",
            "rosa@chat.example",
        ),
    ]


def test_a_log_that_was_cut_off_is_read_as_far_as_it_goes_and_the_whole_one_adds_the_rest(tmp_path: Path) -> None:
    path = written(tmp_path / f"{NAME}.chatlog", LOG.partition("<message sender='rosa")[0])
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 1
        written(path, LOG)
        report = db.ingest(path)
        assert (report.added, report.unchanged) == (1, 1)


@pytest.mark.parametrize(
    "piece", ["<message ", "<message>", "<message></message>", '<message a="', "<message>" + "a" * 50]
)
def test_reading_grows_with_the_length(tmp_path: Path, piece: str) -> None:
    head = LOG.partition("<event")[0]
    large, small = (written(tmp_path / f"{size}.chatlog", head + piece * size) for size in (8000, 1000))
    assert takes_at_most(20, lambda: drafts(large), lambda: drafts(small))
