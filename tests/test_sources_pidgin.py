"""Logs of Pidgin, as pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_files import drafts, written

from memkit import MemoryDatabase
from memkit.sources import ReadOptions, detect

NAME = "2017-05-11.235830+0200CEST.html"
HEAD = "Conversation with rosa@chat.example at Thu 11 May 2017 11:58:30 PM CEST on ida@chat.example/ (jabber)"
META = '<meta http-equiv="content-type" content="text/html; charset=UTF-8">'
INNER = "<html xmlns='http://jabber.org/protocol/xhtml-im'><body><p>Nils &amp; I:<br/>two quinces</p></body></html>"
OLD = f"""<html><head>{META}<title>{HEAD}</title></head><body><h3>{HEAD}</h3>
<font color="#16569E"><font size="2">(11:58:30 PM)</font> <b>Ida Moss:</b></font> Who planted <em>it</em>?<br/>
<font color="#A82F2F"><font size="2">(11:59:00 PM)</font> <b>Rosa:</b></font> {INNER}<br/>
<font size="2">(12:00:01 AM)</font><b> Rosa has signed off.</b><br/>
<font color="#FF0000"><font size="2">(12:00:02 AM)</font><b> Unable to send message: not connected</b></font><br/>
<font color="#062585"><font size="2">(12:01:00 AM)</font> <b>***Rosa</b></font> waves<br/>
<font color="#A82F2F"><font size="2">(05/10/2017 11:00:00 PM)</font> <b>Rosa &lt;AUTO-REPLY&gt;:</b></font> away<br/>
</body></html>
"""
NEW = (
    OLD.replace("<html><head><meta", "<!DOCTYPE html><html><head><meta")
    .replace("h3>", "h1>")
    .replace('<font size="2">', '<span style="font-size: smaller">')
    .replace(")</font>", ")</span>")
    .replace('<font color="', '<span style="color: ')
    .replace("</b></font>", "</b></span>")
    .replace("<br/>\n", "<br>\n")
)


@pytest.mark.parametrize("page", [OLD, NEW])
def test_a_page_of_each_age(tmp_path: Path, page: str) -> None:
    path = written(tmp_path / "rosa@chat.example" / NAME, page)
    assert detect(path) == "pidgin"
    found = drafts(path, ReadOptions(timezone="Asia/Tokyo"))  # the file tells the zone itself
    assert [(one.speaker, one.text, one.happened_at) for one in found] == [
        ("Ida Moss", "Who planted it?", "2017-05-11T21:58:30Z"),
        ("Rosa", "Nils & I:\ntwo quinces", "2017-05-11T21:59:00Z"),
        ("Rosa", "Rosa waves", "2017-05-11T22:01:00Z"),
        ("Rosa", "away", "2017-05-10T21:00:00Z"),
    ]
    assert {one.title for one in found} == {"rosa@chat.example"}


def test_under_another_name_the_clock_is_told(tmp_path: Path) -> None:
    first = drafts(written(tmp_path / "old.html", OLD))[0]
    assert (first.happened_at, first.meta) == (None, {"clock": "11:58:30 PM"})


def test_a_conversation_that_goes_on_adds_what_is_new(tmp_path: Path) -> None:
    path = written(tmp_path / NAME, OLD)
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(tmp_path).added == 4
        assert db.ingest(tmp_path).unchanged == 4
        more = (
            '<font color="#A82F2F"><font size="2">(12:05:00 AM)</font> <b>Rosa:</b></font> Back<br/>\n</body></html>\n'
        )
        path.write_text(OLD + more)
        grown = db.ingest(tmp_path)
        assert (grown.added, grown.unchanged, grown.removed) == (1, 4, 0)


def test_a_page_about_a_conversation_is_a_page(tmp_path: Path) -> None:
    page = "<html><head><title>Conversation with Rosa at noon on gardens (draft)</title></head><body>Text</body></html>"
    assert detect(written(tmp_path / "a.html", page)) != "pidgin"
