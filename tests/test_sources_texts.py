"""Texts of phones: those of Google Voice in a Takeout, and those that SMS Backup & Restore writes."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from chat_files import drafts

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources import ReadLimits, ReadOptions, detect, read
from memkit.sources.messengers import sms_backup


def told(path: Path) -> list[tuple[Any, ...]]:
    return [(one.document.source, one.title, one.speaker, one.happened_at, one.text) for one in drafts(path)]


LABELS = '<div class="tags">Labels:\n<a rel="tag" href="http://www.google.com/voice#{}">x</a></div></body></html>'
ME = '<a class="tel" href="tel:+2222"><abbr class="fn" title="">Moi</abbr></a>'
BO = '<a class="tel" href="tel:+333"><span class="fn">Bo O&#39;Ek</span></a>'
NUMBER = '<a class="tel" href="tel:+444"><span class="fn"></span></a>'
PHOTO = '<div><img src="Bo - 1-1" alt="Image MMS Attachment" /></div>'


def said(who: str, text: str, at: str, more: str = "") -> str:
    return (
        f'<div class="message"><abbr class="dt" title="2023-09-01T{at}-07:00">Sep 1, 2023</abbr>:\n'
        f'<cite class="sender vcard">{who}</cite>:\n<q>{text}</q>\n{more}</div> '
    )


def page(*messages: str, group: str = "") -> str:
    begin = f'<html><head><title>Me to\nBo</title></head><body><div class="hChatLog hfeed">{group}\n'
    return begin + "".join(messages) + "</div>" + LABELS.format("sms")


def call(body: str, label: str) -> str:
    begin = '<html><head><title>x</title></head><body><div class="haudio"><span class="fn">Voicemail from</span>'
    at = '<abbr class="published" title="2018-07-23T09:23:31.000-07:00">Jul 23</abbr>'
    return f'{begin}<div class="contributor vcard">From {BO}</div>{at}{body}</div>' + LABELS.format(label)


GROUP = f'<div class="participants">Group conversation with:\n<cite>{NUMBER}</cite>, <cite>{BO}</cite></div>'


@pytest.fixture
def takeout(tmp_path: Path) -> Path:
    calls = tmp_path / "Takeout" / "Voice" / "Calls"
    calls.mkdir(parents=True)
    first = page(said(BO, "The tree?<br>The quince?", "19:29:20.270"), said(ME, "I cannot decide", "20:27:36.727"))
    (calls / "Bo O'Ek - Text - 2023-09-02T02_29_20Z.html").write_text(first, "utf-8")
    second = page(said(ME, "MMS Sent", "21:00:00.000", PHOTO), said(ME, "Look", "21:01:00.000", PHOTO))
    (calls / "Bo O'Ek - Text - 2023-09-03T04_00_00Z.html").write_text(second, "utf-8")
    third = page(said(NUMBER, "All of us", "22:00:00.000"), group=GROUP)
    (calls / "Group Conversation - 2023-09-02T05_00_00Z.html").write_text(third, "utf-8")
    transcript = (
        '<span class="description"><span class="full-text">Call me back.</span></span><audio src="x.mp3"></audio>'
    )
    (calls / "Bo O'Ek - Voicemail - 2018-07-23T16_23_31Z.html").write_text(call(transcript, "voicemail"), "utf-8")
    (calls / "Bo O'Ek - Missed - 2018-07-23T16_23_31Z.html").write_text(call("", "missed"), "utf-8")
    return tmp_path / "Takeout"


VOICE = {
    ("google-voice:Bo O'Ek", "Bo O'Ek", "Bo O'Ek", "2023-09-02T02:29:20Z", "The tree?\nThe quince?"),
    ("google-voice:Bo O'Ek", "Bo O'Ek", "user", "2023-09-02T03:27:36Z", "I cannot decide"),
    ("google-voice:Bo O'Ek", "Bo O'Ek", "user", "2023-09-02T04:00:00Z", "photo"),
    ("google-voice:Bo O'Ek", "Bo O'Ek", "user", "2023-09-02T04:01:00Z", "Look"),
    ("google-voice:Bo O'Ek", "Bo O'Ek", "Bo O'Ek", "2018-07-23T16:23:31Z", "Call me back."),
    ("google-voice:+444, Bo O'Ek", "+444, Bo O'Ek", "+444", "2023-09-02T05:00:00Z", "All of us"),
}


def test_google_voice_gives_texts_and_voicemails(takeout: Path) -> None:
    assert set(told(takeout)) == VOICE
    packed = shutil.make_archive(str(takeout.parent / "takeout-1"), "zip", takeout.parent, "Takeout")
    assert set(told(Path(packed))) == VOICE


def test_calls_of_google_voice_are_left_out_and_said(takeout: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(takeout)
        assert [(Path(one.source).name, one.reason) for one in report.left_out] == [
            ("Bo O'Ek - Missed - 2018-07-23T16_23_31Z.html", "1 call")
        ]
        assert db.ingest(takeout).unchanged == 6


def test_pages_of_a_conversation_that_overlap_give_each_message_once(takeout: Path) -> None:
    calls = takeout / "Voice" / "Calls"
    with MemoryDatabase(embed="none") as db:
        db.ingest(takeout)
        again = page(said(ME, "I cannot decide", "20:27:36.727"), said(BO, "Nor I", "20:28:00.000"))
        (calls / "Bo O'Ek - Text - 2023-09-02T02_29_20Z (1).html").write_text(again, "utf-8")
        assert db.ingest(takeout).added == 1


SMS = """<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<?xml-stylesheet type="text/xsl" href="sms.xsl"?>
<smses count="6" backup_set="x" backup_date="1721556032311" type="full">
  <sms address="+1 555-0001" date="1696889247396" type="2" body="I thought so. &#55357;&#56832;" contact_name="Bo Ek" />
  <sms address="+15550001" date="1696889179789" type="1" subject="proto:x" body="Right.&#10;Ok" contact_name="Bo Ek" />
  <sms address="+15550001" date="1696889300000" type="3" subject="null" body="A draft" contact_name="Bo Ek" />
  <sms address="BANK" date="1696889300000" type="1" subject="null" body="Code &#56832; 7" contact_name="(Unknown)" />
  <mms date="1696900308000" msg_box="2" address="+15550001~+15550002" contact_name="Bo Ek, Cy Low">
    <parts>
      <part seq="-1" ct="application/smil" cl="smil.xml" text="&lt;smil&gt;" />
      <part seq="0" ct="image/png" name="null" cl="hat.png" text="null" data="aaaa" />
      <part seq="0" ct="text/plain" text="This is a hat." />
    </parts>
    <addrs><addr address="+15550009" type="137" /><addr address="+15550001" type="151" /></addrs>
  </mms>
  <mms date="1696900309000" msg_box="1" address="+15550001~+15550002" contact_name="Bo Ek, Cy Low">
    <parts><part seq="0" ct="audio/amr" cl="null" name="null" /></parts>
    <addrs><addr address="(555) 0001" type="151" /><addr address="+15550001" type="137" /></addrs>
  </mms>
</smses>"""
TEXTS = [
    ("sms:+15550001", "Bo Ek", "Bo Ek", "2023-10-09T22:06:19Z", "Right.\nOk"),
    ("sms:+15550001", "Bo Ek", "user", "2023-10-09T22:07:27Z", "I thought so. \U0001f600"),
    ("sms:BANK", "BANK", "BANK", "2023-10-09T22:08:20Z", "Code \ufffd 7"),
    ("sms:+15550001~+15550002", "Bo Ek, Cy Low", "user", "2023-10-10T01:11:48Z", "This is a hat."),
    ("sms:+15550001~+15550002", "Bo Ek, Cy Low", "Bo Ek", "2023-10-10T01:11:49Z", "audio"),
]


@pytest.mark.parametrize("block", [1, 7, 1000, 1 << 20])
def test_a_backup_gives_texts_with_their_speakers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(sms_backup, "BLOCK", block)
    path = tmp_path / "sms-20240101.xml"
    path.write_text(SMS, "utf-8")
    assert detect(path) == "sms-backup"
    assert told(path) == TEXTS


def test_pictures_are_not_held(tmp_path: Path) -> None:
    path = tmp_path / "sms-1.xml"
    path.write_text(SMS.replace("aaaa", "a" * 5_000_000), "utf-8")
    found = list(read(path, options=ReadOptions(limits=ReadLimits(line_size=10_000))))
    assert [one.text for one in found if isinstance(one, Draft)] == [text for *_, text in TEXTS]
    path.write_text(SMS.replace("This is a hat.", "a" * 5_000_000), "utf-8")
    found = list(read(path, options=ReadOptions(limits=ReadLimits(line_size=10_000))))
    assert ["line_size" in one.reason for one in found if isinstance(one, Failure)] == [True]


def test_a_backup_that_is_cut_off_gives_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "sms-20240101.xml"
    path.write_text(SMS.partition("  <mms")[0], "utf-8")
    found = list(read(path))
    assert len([one for one in found if isinstance(one, Draft)]) == 3
    assert ["broken XML" in one.reason for one in found if isinstance(one, Failure)] == [True]


def test_a_backup_with_entities_of_its_own_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "sms-1.xml"
    path.write_text('<!DOCTYPE smses [<!ENTITY a "b">]><smses><sms body="&a;" type="1" /></smses>', "utf-8")
    [failure] = read(path)
    assert isinstance(failure, Failure)
    assert "entities of its own" in failure.reason


def test_a_later_backup_gives_each_text_once(tmp_path: Path) -> None:
    path = tmp_path / "sms-20240101.xml"
    path.write_text(SMS, "utf-8")
    more = '<sms address="+15550001" date="1796889247396" type="1" body="Later" contact_name="Bo Ek" /></smses>'
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(path).added == 5
        (tmp_path / "sms-20250101.xml").write_text(SMS.replace("</smses>", more), "utf-8")
        report = db.ingest(tmp_path)
        assert (report.added, report.updated, report.removed) == (1, 0, 0)


def test_other_xml_is_left_out_as_before(tmp_path: Path) -> None:
    (tmp_path / "calls-20240101.xml").write_text("<calls></calls>", "utf-8")
    assert [type(one) for one in read(tmp_path)] == [LeftOut]
