"""Mails: each once, decoded, with what its sender wrote and not what it quotes."""

from __future__ import annotations

import json
import struct
from base64 import b64encode
from pathlib import Path
from zipfile import ZipFile

import pytest
from chat_files import written
from compound_files import compound
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import DocumentDraft, Draft, Failure, ReadWarning, Restated
from memkit.sources import ReadLimits, ReadOptions, detect, read
from memkit.sources.mail.message import decoded, given_first, header, person, unwrapped
from memkit.sources.mail.quotes import Folding
from memkit.sources.options import read_limits

UTC = ReadOptions(timezone="UTC")
HEADERS = {
    "From": "Rosa Lind <rosa@example.org>",
    "To": "Ben <ben@example.org>",
    "Subject": "The quince",
    "Date": "Mon, 6 Jun 2005 22:21:22 +0200",
    "Message-ID": "<1@example.org>",
}


def mail(body: str = "It blooms.", **other: str | None) -> str:
    given = {**HEADERS, **{name.replace("_", "-"): value for name, value in other.items()}}
    return "".join(f"{name}: {value}\n" for name, value in given.items() if value is not None) + f"\n{body}\n"


def drafts(path: Path, options: ReadOptions = UTC) -> list[Draft]:
    found = [one for one in read(path, options=options) if not isinstance(one, Restated)]
    assert not [one for one in found if isinstance(one, Failure)]
    return found


def one(tmp_path: Path, text: str | bytes) -> Draft:
    (found,) = drafts(written(tmp_path / "a.eml", text))
    return found


def mbox(*mails: str) -> str:
    return "".join(f"From rosa@example.org Mon Nov  7 18:44:27 2016\n{text}\n" for text in mails)


# ------------------------------------------------------------------------------------------------------- one mail


def test_a_mail_is_a_memory_with_its_sender_time_and_subject(tmp_path):
    file = written(tmp_path / "a.eml", mail())
    assert detect(file) == "eml"
    (found,) = drafts(file)
    assert (found.text, found.speaker, found.title) == ("It blooms.", "Rosa Lind", "The quince")
    assert (found.happened_at, found.document.source) == ("2005-06-06T20:21:22Z", "mail:1@example.org")
    assert found.document.meta == {"from": "rosa@example.org", "to": "Ben", "thread": "1@example.org"}


@pytest.mark.parametrize(
    ("written_as", "text"),
    [
        ("=?UTF-8?B?44G+44G/?=", "まみ"),
        ("Re: =?iso-8859-1?Q?Bl=FCte?= im =?utf-8?q?Mai?=", "Re: Blüte im Mai"),
        ("=?utf-8?q?one?=\n =?utf-8?q?word?=", "oneword"),
        ("=?no-such-set?q?abc?=", "abc"),
        ("=?utf-8?b?broken", "=?utf-8?b?broken"),
        ("folded\n\tline", "folded line"),
    ],
)
def test_encoded_words_in_headers(written_as, text):
    assert header(written_as) == text


def test_headers_with_bytes_that_are_no_ascii(tmp_path):
    utf8 = mail(Subject="Säying", From='"Jöhn" <jö@mächine.example>')
    found = one(tmp_path, utf8)
    assert (found.title, found.speaker, found.document.meta["from"]) == ("Säying", "Jöhn", "jö@mächine.example")
    assert one(tmp_path, mail(Subject="Säying").encode("latin-1")).title == "Säying"


@pytest.mark.parametrize(
    ("text", "who"),
    [
        ("rosa@example.org", ("", "rosa@example.org")),
        ('"Lind, Rosa" <rosa@example.org>', ("Lind, Rosa", "rosa@example.org")),
        ("rosa@example.org (Rosa Lind)", ("Rosa Lind", "rosa@example.org")),
        ("rosa at example.org (=?utf-8?Q?R=C3=B3sa?=)", ("Rósa", "rosa@example.org")),
        ("rosa at example.org (=?utf-8?Q?=22R=C3=B3sa=22?=)", ("Rósa", "rosa@example.org")),
        ("=?utf-8?Q?Lind=2C_Rosa?= <rosa@example.org>", ("Lind, Rosa", "rosa@example.org")),
        ("=?utf-8?Q?=22Lind=2C_R=C3=B3sa=22?= <rosa@example.org>", ("Lind, Rósa", "rosa@example.org")),
        ("\"'Rosa Lind'\" <rosa@example.org>", ("Rosa Lind", "rosa@example.org")),
        ("\"'Rosa Lind' via Garden\" <rosa@example.org>", ("'Rosa Lind' via Garden", "rosa@example.org")),
        ("Rosa <not an address>", ("Rosa", "not an address")),
        ("undisclosed", ("", "undisclosed")),
        ("Rosa Lind rosa@example.org", ("Rosa Lind", "rosa@example.org")),
        ('"Lind, Rosa" rosa@example.org', ("Lind, Rosa", "rosa@example.org")),
        ("rosa at example.org (Rosa Lind <rosa@example.org>)", ("Rosa Lind", "rosa@example.org")),
        ("rosa at example.org (rosa at example.org)", ("", "rosa@example.org")),
        ("", ("", "")),
    ],
)
def test_who_wrote_it(text, who):
    assert person(text) == who


@pytest.mark.parametrize(
    ("date", "time"),
    [
        ("Mon, 6 Jun 2005 22:21:22 +0200", "2005-06-06T20:21:22Z"),
        ("6 Jun 05 22:21 EST", "2005-06-07T03:21:00Z"),
        ("Mon, 6 Jun 2005 22:21:22 -0000", "2005-06-06T22:21:22Z"),
        ("Mon, 6 Jun 2005 22:21:22", "2005-06-06T20:21:22Z"),
        ("Mon, 66 Jun 2005 22:21:22 +0200", None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_when_it_was_sent(tmp_path, date, time):
    file = written(tmp_path / "a.eml", mail(Date=date))
    assert drafts(file, ReadOptions(timezone="Europe/Paris"))[0].happened_at == time


def test_a_mail_without_a_date_came_when_it_was_received(tmp_path):
    came = "from a by b with SMTP id 1;\n Wed, 22 Sep 2010 00:30:55 -0700 (PDT)"
    assert one(tmp_path, mail(Date=None, Received=came)).happened_at == "2010-09-22T07:30:55Z"


@pytest.mark.parametrize("charset", ["utf-8", "iso-8859-1", "no-such-set", "us-ascii", "utf-16"])
def test_a_text_is_read_whatever_its_charset_says(tmp_path, charset):
    kind = f"text/plain; charset={charset}"
    data = mail("Blüte", Content_Type=kind).encode("latin-1" if charset == "iso-8859-1" else "utf-8")
    assert "Bl" in one(tmp_path, data).text or charset == "utf-16"
    if charset != "utf-16":
        assert one(tmp_path, data).text == "Blüte"


def test_a_text_that_is_utf_8_is_read_so_though_its_charset_says_letters_of_one_byte(tmp_path):
    for charset in ("iso-8859-1", "windows-1252", "latin1"):
        data = mail("Rosa’s Blüte", Content_Type=f"text/plain; charset={charset}").encode()
        assert one(tmp_path, data).text == "Rosa’s Blüte"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_mail_that_an_editor_saved_in_another_encoding(tmp_path, encoding):
    found = one(tmp_path, mail("Blüte").encode(encoding))
    assert (found.text, found.speaker, found.title) == ("Blüte", "Rosa Lind", "The quince")


def test_what_is_encrypted_is_said(tmp_path):
    pgp = "-----BEGIN PGP MESSAGE-----\n\nhQEMA0yKX\n-----END PGP MESSAGE-----"
    smime = {"Content_Type": 'application/pkcs7-mime; smime-type=enveloped-data; name="smime.p7m"'}
    envelope = parts("encrypted", "Content-Type: application/pgp-encrypted\n\nVersion: 1",
                     f"Content-Type: application/octet-stream\n\n{pgp}")  # fmt: skip
    for text, said in ((mail("hQEMA0yKX", **smime), "The quince"), (envelope, "The quince"), (mail(pgp), "The quince"),
                       (mail(f"Read this:\n\n{pgp}\n\nRosa"), "Read this:\n\nRosa")):  # fmt: skip
        warning, draft = drafts(written(tmp_path / "a.eml", text))
        assert warning == ReadWarning(
            (tmp_path / "a.eml").as_posix(),
            "the mail 'The quince' is encrypted, or a part of it: that was not read",
        )
        assert draft.text == said


def test_a_mail_is_found_by_those_to_whom_it_went(tmp_path):
    file = written(tmp_path / "all.mbox", mbox(
        mail("The quince is in bloom.", To="Ben Ode <ben@example.org>, mia@example.org", Message_ID="<1@x>"),
        mail("The plum is in bloom.", To="Ann <ann@example.org>", Cc="Rosa <rosa@example.org>", Message_ID="<2@x>"),
    ))  # fmt: skip
    assert [one.tags for one in drafts(file)] == [("to Ben Ode", "to mia@example.org"), ("to Ann", "to Rosa")]
    with MemoryDatabase(embed="none") as db:
        db.ingest(file)
        for who, what in (("Ben", "quince"), ("mia", "quince"), ("Ann", "plum")):
            assert what in db.recall(f"the mail to {who}", k=1)[0].memory.text


def test_the_charset_of_a_text_that_names_none_is_seen_from_the_text(tmp_path):
    text = "花园里的榅桲树今年春天开花了，罗莎在四月修剪了它。" * 4
    assert one(tmp_path, mail("@").encode().replace(b"@", text.encode("gb18030"))).text == text


def test_texts_in_japanese_and_in_quoted_printable(tmp_path):
    japanese = (
        mail("@", Content_Type="text/plain; charset=iso-2022-jp")
        .encode()
        .replace(b"@", "すみません".encode("iso-2022-jp"))
    )
    assert one(tmp_path, japanese).text == "すみません"
    quoted = mail(
        "A=0D=0AB =C3=BC=\n!", Content_Transfer_Encoding="quoted-printable", Content_Type="text/plain; charset=utf-8"
    )
    assert one(tmp_path, quoted).text == "A\nB ü!"


def parts(kind: str, *inner: str) -> str:
    body = "".join(f"--b\n{one}\n" for one in inner) + "--b--\n"
    return mail(body, Content_Type=f'multipart/{kind}; boundary="b"')


PLAIN, HTML = "Content-Type: text/plain\n\nplain words", "Content-Type: text/html\n\n<p>words of <b>HTML</b></p>"


def test_of_several_forms_of_a_text_the_plain_one_is_read(tmp_path):
    assert one(tmp_path, parts("alternative", HTML, PLAIN)).text == "plain words"
    assert one(tmp_path, parts("alternative", "Content-Type: text/plain\n\n \n", HTML)).text == "words of HTML"
    assert one(tmp_path, mail("<p>a</p><p>b</p>", Content_Type="text/html")).text == "a\n\nb"


def test_attachments_are_named_and_are_the_text_where_nothing_else_is(tmp_path):
    file = "Content-Type: text/plain\nContent-Disposition: attachment; filename=ciële.txt\n\nHi there."
    coded = "Content-Type: application/pdf; name*=utf-8''pl%C3%A4ne.pdf\n\nx"
    signed = 'Content-Type: application/pkcs7-signature; name="smime.p7s"\n\nx'
    found = one(tmp_path, parts("mixed", PLAIN, file, coded, signed))
    assert found.text == "plain words\n\n[ciële.txt] [pläne.pdf]"
    assert found.document.meta["attachments"] == ["ciële.txt", "pläne.pdf"]
    assert one(tmp_path, parts("mixed", file)).text == "ciële.txt"


@pytest.mark.parametrize("type", ["application/ms-tnef", 'application/octet-stream; name="WINMAIL.DAT"'])
def test_files_that_outlook_packed_into_one_are_named(tmp_path, type):
    pack = b"\x78\x9f\x3e\x22\1\0"
    for kind, data in ((0x00069005, b"\1\2"), (0x00018010, b"plan.pdf\0"), (0x00018010, b"Ros\xe9.txt\0")):
        pack += struct.pack("<BII", 2, kind, len(data)) + data + b"\0\0"
    for cut, names in ((pack, ["plan.pdf", "Rosé.txt"]), (pack[:-20], ["plan.pdf"]), (b"PK", [])):
        coded = f"Content-Type: {type}\nContent-Transfer-Encoding: base64\n\n{b64encode(cut).decode()}"
        assert one(tmp_path, parts("mixed", PLAIN, coded)).document.meta.get("attachments", []) == names


def test_a_mail_in_a_mail_is_forwarded(tmp_path):
    inner = mail("Prune it.", Subject="Advice", From="Ben <ben@example.org>")
    found = one(tmp_path, parts("mixed", PLAIN, f"Content-Type: message/rfc822\n\n{inner}"))
    assert found.text == "plain words\n\n> Forwarded: Advice (Ben, 2005-06-06T20:21:22Z)\n\n> Prune it."


def test_a_mail_in_a_mail_that_is_encoded_like_a_file_is_read(tmp_path):
    packed = b64encode(b"Subject: Advice\nFrom: Ben <ben@x.org>\n\nPrune it.\n").decode()
    kind = {"Content_Type": "message/rfc822", "Content_Transfer_Encoding": "base64"}
    assert one(tmp_path, mail(packed, **kind)).text == "> Forwarded: Advice (Ben)\n\n> Prune it."


def test_a_mail_without_words_is_its_subject_and_without_that_a_document(tmp_path):
    assert one(tmp_path, mail("")).text == "The quince"
    (found,) = drafts(written(tmp_path / "a.eml", mail("", Subject=None)))
    assert isinstance(found, DocumentDraft)


def test_a_text_that_was_signed_is_read_without_its_signature(tmp_path):
    signed = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA1\n\nIt blooms.\n- -- a dash\n- a list\n"
        "-----BEGIN PGP SIGNATURE-----\nVersion: GnuPG v1\n\niD8DBQE8AkFb\n=Xy12\n-----END PGP SIGNATURE-----\n"
    )
    assert one(tmp_path, mail(signed)).text == "It blooms.\n-- a dash\n- a list"


def test_a_mail_from_nobody_has_no_speaker_of_brackets(tmp_path):
    assert one(tmp_path, mail("It came back.", From="<>")).speaker == "unknown"


@pytest.mark.parametrize(
    ("written_so", "name"),
    [
        ("Lind, Rosa", "Rosa Lind"),
        ("Lind, Rosa (Trees)", "Rosa Lind (Trees)"),
        ("van der Berg, Anna", "Anna van der Berg"),
        ("Lind, Rosa, PhD", "Rosa Lind PhD"),
        ("Acme Seeds, Inc.", "Acme Seeds Inc."),
        ("Rosa, Ben and Anna", "Rosa, Ben and Anna"),
        ("Rosa Lind", "Rosa Lind"),
    ],
)
def test_a_family_name_before_a_comma_is_one_person(written_so, name):
    assert given_first(written_so) == name


def test_what_somebody_says_is_said_by_one_person_however_exchange_writes_the_name(tmp_path):
    told = mail("I live in Porto.", From='"Lind, Rosa" <rosa@example.org>', To='"Okafor, Ben" <ben@example.org>')
    found = one(tmp_path, told)
    assert (found.speaker, found.document.tags) == ("Rosa Lind", ("to Ben Okafor",))
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path / "a.eml")
        assert [tuple(row) for row in db.conn.execute("select subject, object from current_relations")] == [
            ("Rosa Lind", "Porto")
        ]


def test_threads_are_known_by_their_first_mail(tmp_path):
    found = one(tmp_path, mail(References="<a@x> <b@x>", In_Reply_To="<b@x> (Ben's message)"))
    assert (found.document.meta["thread"], found.document.meta["reply_to"]) == ("a@x", "b@x")
    found = one(tmp_path, mail(In_Reply_To="<c@x>"))
    assert (found.document.meta["thread"], found.document.meta["reply_to"]) == ("c@x", "c@x")


def test_further_ingests_leave_a_mail_and_its_copies_alone(tmp_path):
    for name, subject in (("a", "The quince"), ("b", "[list] The quince"), ("c", "[List] The quince")):
        written(tmp_path / f"{name}.eml", mail(Subject=subject))
    with MemoryDatabase(embed="none") as db:
        titles = lambda: [row[0] for row in db.conn.execute("select title from memories")]  # noqa: E731
        first = db.ingest(tmp_path)
        assert (first.added, titles()) == (1, ["[List] The quince"])
        for _ in range(3):
            again = db.ingest(tmp_path)
            assert (again.added, again.updated, again.removed, again.unchanged) == (0, 0, 0, 3)
        assert db.ingest(tmp_path, dry_run=True).updated == 0
        written(tmp_path / "c.eml", mail(Subject="The pear"))
        assert [db.ingest(tmp_path, dry_run=dry).updated for dry in (True, False)] == [1, 1]
        assert titles() == ["The pear"]
        assert [hit.memory.title for hit in db.recall("pear")] == ["The pear"]
        assert db.ingest(tmp_path).updated == 0


@pytest.mark.parametrize("block", [1, 7, 40, 1 << 20])
def test_a_mailbox_may_leave_out_when_a_mail_came_and_mozillas_the_blank_line(tmp_path, monkeypatch, block):
    monkeypatch.setattr("memkit.sources.mail.mbox._BLOCK", block)
    mails = [f"Subject: {number}\nFrom: rosa@example.org\n\nFrom Kent with love\n" for number in range(6)]
    lines = ["From - ", "From -", "From 1844@xxx", "From ", "From - Sat Mar  1 10:00:00 2025", "From - "]
    between = ["", "", "\n", "\n", "", ""]
    text = "".join(f"{blank}{line}\n{mail}" for blank, line, mail in zip(between, lines, mails, strict=True))
    for start, end in (("", "\n"), ("\ufeff", "\r\n")):
        file = tmp_path / "list.mbox"
        file.write_bytes((start + text.replace("\n", end)).encode())
        assert detect(file) == "mbox"
        assert [one.title for one in read(file)] == list("012345")
        assert {one.text for one in read(file)} == {"From Kent with love"}


def test_a_sentence_is_not_the_line_before_a_mail(tmp_path):
    said = "Yes.\n\nFrom Kent with love\nNote: it blooms.\n\nFrom -5 degrees on\nand From rosa@example.org\n"
    file = written(tmp_path / "all.mbox", mbox(f"Subject: a\nFrom: rosa@example.org\n\n{said}"))
    assert len(list(read(file))) == 1


def test_apple_mail_counts_the_bytes_before_a_mail(tmp_path):
    text = mail()
    file = written(tmp_path / "1.emlx", f"{len(text)}  \n{text}<?xml version='1.0'?><plist/>")
    assert detect(file) == "eml"
    assert [one.text for one in drafts(file)] == ["It blooms."]


def test_a_mail_with_the_line_of_a_mailbox_before_it(tmp_path):
    file = written(tmp_path / "a.eml", f"From rosa@example.org\n{mail()}")
    assert detect(file) == "eml"
    assert [one.text for one in drafts(file)] == ["It blooms."]


def test_headers_with_blanks_before_their_colons(tmp_path):
    file = written(
        tmp_path / "a.eml", "From  : Rosa <rosa@x>\nSubject\t: Old\nDate : Fri, 21 Nov 1997 09:55:06 -0600\n\nhi"
    )
    assert detect(file) == "eml"
    assert [(one.speaker, one.title, one.happened_at) for one in drafts(file)] == [
        ("Rosa", "Old", "1997-11-21T15:55:06Z")
    ]


def test_what_is_no_mail(tmp_path):
    note = written(tmp_path / "a.md", "Subject: trees\nFrom: me\n\nA note")
    assert detect(note) == "markdown"
    assert detect(written(tmp_path / "a.txt", "From the beginning it was 18:44 in 2016\nthat counted.")) == "markdown"
    assert detect(written(tmp_path / "noname", "Dear Rosa,\n\nI write.")) == "markdown"


# ------------------------------------------------------------------------------------------------------- folding

FOLDED = {
    "quote": ("On Monday, Rosa wrote:\n> Who has the key?\n\nI have it.", "I have it."),
    "quote after": (
        "I have it.\n\nOn Mon, 1 Jan 2024 at 10:00, Rosa Lind\n<rosa@example.org> wrote:\n\n> Who?\n> Who?\n",
        "I have it.",
    ),
    "quotes between": ("> Who?\n\nI.\n\n> When?\n\nNow.", "I.\n\nNow."),
    "german": ("Ja.\n\nAm Montag schrieb Rosa Lind:\n> Wer?", "Ja."),
    "french": ("Oui.\n\nLe lun. 1 janv. 2024 à 10:00, Rosa a écrit :\n> Qui ?", "Oui."),
    "chinese": ("好。\n\n2024年1月1日 Rosa 写道：\n> 谁?", "好。"),
    "outlook": ("Yes.\n\n-----Original Message-----\nFrom: Rosa\nSent: Monday\nTo: Ben\n\nWho?", "Yes."),
    "outlook in html": (f"Yes.\n\n{'_' * 32}\nFrom: Rosa\nSent: Monday\nTo: Ben\nSubject: x\n\nWho?", "Yes."),
    "signature": ("I have it.\n\n-- \nRosa Lind\nGardener", "I have it."),
    "signature without its blank": ("I have it.\n--\nRosa", "I have it."),
    "phone": ("I have it.\n\nSent from my iPhone", "I have it."),
    "list": (
        f"I have it.\n{'_' * 47}\ngarden mailing list\ngarden@example.org\nhttps://example.org/mailman/listinfo/garden",
        "I have it.",
    ),
    "group": ("I have it.\n\n-- \nYou received this message because you are subscribed to the group", "I have it."),
    "scrubbed": (
        "I have it.\n-------------- next part --------------\nAn HTML attachment was scrubbed...\nURL: <http://a.org>",
        "I have it.",
    ),
    "signature over a list's footer": (
        f"I have it.\n-- \nRosa\n{'_' * 47}\nlinux mailing list\nlinux@example.org",
        "I have it.",
    ),
    "only a quote": ("> Who has the key?", "> Who has the key?"),
    "only a signature": ("-- \nRosa", "-- \nRosa"),
    "python": (">>> 1 + 1\n2", ">>> 1 + 1\n2"),
    "a rule": ("One\n\n---\n\nTwo", "One\n\n---\n\nTwo"),
    "a long list of dashes": ("a\n--\nb\n" + "c\n" * 30, "a\n--\nb\n" + "c\n" * 29 + "c"),
    "the word": ("Rosa wrote:\n\nThe quince.", "Rosa wrote:\n\nThe quince."),
    "from": ("From: the garden\n\nA card.", "From: the garden\n\nA card."),
    "a quote that is not marked": (
        "Yes.\n\nOn Mon, 1 Jan 2024 at 10:00, Rosa Lind <rosa@example.org>\nwrote:\n\nWho?",
        "Yes.",
    ),
    "unmarked in another language": ("Evet.\n\nRosa <rosa@example.org>, 1 Oca 2024 10:00 yazdı:\n\n  Kim?", "Evet."),
    "a quote in a language that is not known": ("Igen.\n\n2024.01.01. 7:31 napján, Rosa Lind írta:\n> Ki?", "Igen."),
    "zoho": ("Yes.\n\n---- On Mon, 01 Jan 2024 10:00:00 +0100 Rosa <rosa@example.org> wrote ----\n\nWho?", "Yes."),
    "head in a language whose words for when are not known": (
        "Ja.\n\nFra: Rosa Lind <rosa@example.org>\nDato: mandag, 1. januar 2024 kl. 10.00\nTil: Ben\nEmne: x\n\nHvem?",
        "Ja.",
    ),
    "head with empty lines": ("好。\n\n**发件人:** \"Rosa\"\n\n**发送时间:** 2024年1月1日 10:00\n\n谁?", "好。"),
    "name as the mark": ("On Monday, Rosa Lind wrote:\n\nRosa> Who?\n\nI.\n\nRosa> Why?\n\nSo.", "I.\n\nSo."),
    "below words": ("Да.\n01.02.2024 14:20 пользователь \"Rosa\" <\nrosa@example.org> написал:\n\n> Кто?", "Да."),
    "a colon below words": ("My plan:\nAsk these at 10:00:\n\n> Who?", "My plan:\nAsk these at 10:00:"),
    "yahoo of before": (
        "Yes.\n\n--- On Wed, 4/4/12, Rosa <rosa@example.org> wrote:\n\nFrom: Rosa <rosa@example.org>\n\nWho?",
        "Yes.",
    ),
    "listserv": (f"I have it.\n\n{'#' * 72}\n\nTo unsubscribe from the GARDEN list, click the link:", "I have it."),
    "a prompt": ("I ran this:\n\nmysql> select 1;\nmysql> quit", "I ran this:\n\nmysql> select 1;\nmysql> quit"),
    "a phone in danish": ("Ja.\n\nSendt fra min iPad", "Ja."),
    "a phone in japanese": ("はい。\n\niPhoneから送信", "はい。"),
    "words about a phone": ("Sent the key to Anna with my phone", "Sent the key to Anna with my phone"),
    "an appointment": ("Please register by 1.3.2024, 10:00, with Rosa (rosa@example.org).\n\nBen", None),
    "a ticket": ("Von: Berlin Hbf\nNach: Hamburg\nAbfahrt: 10:05\n\nWagen 4", None),
    "an answer below a quote": (
        "On 1 Jan 2024 10:00, Rosa <rosa@example.org> wrote:\n\nWe never asked.\n\n> Who?\n\nI.",
        "On 1 Jan 2024 10:00, Rosa <rosa@example.org> wrote:\n\nWe never asked.\n\nI.",
    ),
    "forwarded": ("See.\n\n---------- Forwarded message ----------\nFrom: A\nDate: B\n\nWords", None),
}  # fmt: skip


@pytest.mark.parametrize("name", FOLDED)
def test_what_the_sender_did_not_write_is_folded_away(name):
    text, left = FOLDED[name]
    assert Folding("Re: x").folded(text) == (text if left is None else left)


def test_a_forwarded_mail_is_kept():
    text = "Look.\n\n-----Original Message-----\nFrom: Rosa\nSent: Monday\n\nThe key is in the shed."
    assert Folding("FW: key").folded(text) == text
    assert Folding("Re: key").folded(text) == "Look."


@pytest.mark.parametrize(
    "begins",
    [
        "-------- Videresendt meddelelse --------\nDato: \tMon, 1 Jan 2024 10:00\nFra: \tRosa <rosa@example.org>",
        "---------- 転送 ---------\n送信元：Rosa <rosa@example.org>\n日付：2024年1月1日 10:00\n件名：x",
        "----- Message transmis ----- De : Rosa <rosa@example.org>À : Ben <ben@example.org>",
        "Fra: Rosa <rosa@example.org>\nDato: mandag 1. januar 2024 kl. 10.00\nTil: Ben",
        f"{'_' * 32}\nFrom: Rosa\nSent: Monday\nTo: Ben",
        "\ufeffDen 01/01/2024 10.00 skrev Rosa <rosa@example.org>:",
    ],
)
def test_who_sends_a_mail_on_does_not_say_what_it_says(tmp_path, begins):
    text = f"Look.\n\n{begins}\n\nI have the key.\n\nI keep it."
    said = one(tmp_path, mail(text, Subject="VS: x")).text
    assert said.startswith("Look.")
    assert not [line for line in said.split("\n")[1:] if line.strip() and not line.startswith(">")]
    assert "> I have the key." in said
    assert "> I keep it." in said


def test_quotes_in_html_are_folded_away(tmp_path):
    html = '<p>Yes.</p><div class="gmail_quote">On Monday Rosa wrote:<blockquote>Who?</blockquote></div>'
    assert one(tmp_path, mail(html, Content_Type="text/html", Subject="Re: key")).text == "Yes."
    assert "Who?" in one(tmp_path, mail(html, Content_Type="text/html", Subject="Fwd: key")).text
    cited = '<p>Yes.</p><blockquote type="cite">Who?</blockquote>'
    assert one(tmp_path, mail(cited, Content_Type="text/html")).text == "Yes."


def test_flowed_lines_are_put_together():
    assert unwrapped("one \ntwo\nthree\n> a \n> b\n-- \nRosa", False) == "one two\nthree\n> a b\n-- \nRosa"
    assert unwrapped("one \ntwo", True) == "onetwo"


@given(st.text(st.sampled_from(" >-_\nab:FromSentwrote"), max_size=120))
def test_folding_leaves_something_of_every_text(text):
    assert bool(Folding("Re: x").folded(text)) == bool(text.strip())


@given(st.binary(max_size=100), st.sampled_from([None, "utf-8", "latin-1", "utf-7", "idna", "hex", "no-such"]))
def test_any_bytes_are_text(data, charset):
    decoded(data, charset).encode()


# ------------------------------------------------------------------------------------------------------- many mails


def test_an_mbox_is_cut_at_its_mails(tmp_path):
    quoted = mail(
        "From the shed.\n\nFrom here on it rains.\nFrom 18:44 on, in 2016\n\n>From the house.", Message_ID="<2@x>"
    )
    file = written(tmp_path / "list.mbox", mbox(mail(), quoted))
    assert detect(file) == "mbox"
    assert [one.text for one in drafts(file)] == [
        "It blooms.",
        "From the shed.\n\nFrom here on it rains.\nFrom 18:44 on, in 2016\n\nFrom the house.",
    ]


@pytest.mark.parametrize("size", [1, 7, 40, 64, 333])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_an_mbox_is_cut_alike_wherever_its_blocks_end(tmp_path, monkeypatch, size, ending):
    texts = [
        "It blooms.",
        "From the shed.\n\n\nFrom 18:44 on, in 2016 we wait",
        "\n>From the house\n\n>>From me",
        "x" * 99,
    ]
    mails = [mail(text, Message_ID=f"<{number}@x>") for number, text in enumerate(texts)]
    file = written(tmp_path / "a.mbox", (mbox(*mails) + "\n").replace("\n", ending))
    whole = drafts(file)
    monkeypatch.setattr("memkit.sources.mail.mbox._BLOCK", size)
    assert drafts(file) == whole
    assert len(whole) == len(texts)
    assert whole[2].text == "From the house"


@pytest.mark.parametrize(
    "line",
    [
        "From - Mon Nov 07 18:44:27 2016",
        "From 1550793274@xxx Mon Nov 07 18:44:27 +0000 2016",
        "From rosa at example.org  Mon Nov  7 18:44:27 2016",
        "From MAILER-DAEMON Mon Nov  7 18:44 2016",
    ],
)
def test_the_lines_before_the_mails_of_each_program(tmp_path, line):
    file = written(tmp_path / "Inbox", f"{line}\n{mail()}\n{line}\n{mail(Message_ID='<2@x>')}")
    assert detect(file) == "mbox"
    assert len(drafts(file)) == 2


def test_lines_that_end_as_on_windows(tmp_path):
    file = written(tmp_path / "a.mbox", mbox(mail(), mail("B", Message_ID="<2@x>")).replace("\n", "\r\n"))
    assert [one.text for one in drafts(file)] == ["It blooms.", "B"]


def test_a_mail_that_is_there_twice_is_one_memory(tmp_path):
    folded = mail(f"It blooms.\n{'_' * 47}\ngarden mailing list", Subject="[garden] The quince")
    file = written(tmp_path / "a.mbox", mbox(mail(), folded, mail("Another, of the same id")))
    assert [one.text for one in drafts(file)] == ["It blooms.", "Another, of the same id"]
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(file, timezone="UTC").added == 2
        report = db.ingest(file, timezone="UTC")
        assert (report.added, report.updated, report.removed) == (0, 0, 0)
        report = db.ingest(written(tmp_path / "b.eml", mail()), timezone="UTC")
        assert (report.added, report.updated, report.removed) == (0, 0, 0)


def test_a_mail_without_an_id_is_known_by_its_words(tmp_path):
    file = written(tmp_path / "a.mbox", mbox(mail(Message_ID=None), mail("B", Message_ID=None), mail(Message_ID=None)))
    assert [one.text for one in drafts(file)] == ["It blooms.", "B"]


def test_a_mail_that_is_read_in_fewer_words_than_before_is_there_once(tmp_path):
    """A version of memkit that folds more away reads the same mail otherwise."""
    file = written(tmp_path / "a.eml", mail("It blooms.\n\nOn Monday someone said it to me:\n\nWhere?"))
    with MemoryDatabase(embed="none") as db:
        current = lambda: [  # noqa: E731
            row[0] for row in db.conn.execute("select text from memories where archived_at is null order by key")
        ]
        db.ingest(file)
        written(file, mail("It blooms."))
        db.ingest(file)
        assert current() == ["It blooms."]
        assert (db.ingest(file).unchanged, current()) == (1, ["It blooms."])
        db.ingest(written(tmp_path / "b.mbox", mbox(mail("One."), mail("Another, of the same id"))))
        assert current() == ["It blooms.", "One.", "Another, of the same id"]
        written(tmp_path / "c.eml", mail("It blooms.\n\n[This came from outside.]"))
        for _ in range(3):
            db.ingest(tmp_path)
            assert len(current()) == 3
        again = db.ingest(tmp_path)
        assert (again.added, again.updated, again.removed) == (0, 0, 0)


def test_labels_of_gmail_and_the_list_are_kept(tmp_path):
    text = mail(**{"X-Gmail-Labels": "Inbox,=?UTF-8?Q?G=C3=A4rten?=", "List-Id": "Garden <garden.example.org>"})
    found = one(tmp_path, text)
    document = found.document
    assert document.tags == found.tags == ("Inbox", "Gärten", "to Ben")  # those of the memory are what words find
    assert document.meta["list"] == "Garden <garden.example.org>"


def test_a_mail_that_is_too_large_fails_alone(tmp_path):
    file = written(
        tmp_path / "a.mbox",
        mbox(mail(), mail("x" * 5_000 + "\n" + "y" * 5_000, Message_ID="<2@x>"), mail("B", Message_ID="<3@x>")),
    )
    limits: ReadLimits = read_limits({"note_size": 2_000})
    found = [one for one in read(file, options=ReadOptions(limits=limits)) if not isinstance(one, Restated)]
    assert [getattr(one, "text", None) or one.reason[:6] for one in found] == ["It blooms.", "a mail", "B"]


def test_a_maildir_is_one_source_with_its_folders(tmp_path):
    root = tmp_path / "Mail"
    written(root / "cur" / "1:2,S", mail("a", Message_ID="<1@x>"))
    written(root / "new" / "2", mail("b", Message_ID="<2@x>"))
    written(root / "tmp" / "3", mail("half", Message_ID="<3@x>"))
    written(root / ".Lists.Garden" / "cur" / "4:2,", mail("c", Message_ID="<4@x>"))
    written(root / "Old" / "cur" / "5:2,", mail("d", Message_ID="<5@x>"))
    assert detect(root) == "maildir"
    assert sorted((one.text, one.document.tags) for one in drafts(root)) == [
        ("a", ("to Ben",)),
        ("b", ("to Ben",)),
        ("c", ("Lists/Garden", "to Ben")),
        ("d", ("Old", "to Ben")),
    ]
    written(tmp_path / "note.md", "A note")
    assert sorted(one.text for one in drafts(tmp_path)) == ["A note", "a", "b", "c", "d"]
    assert detect(tmp_path / "Mail" / "Old") == "maildir"  # by the names in `cur`


def test_a_mail_in_several_folders_of_a_maildir_has_the_tags_of_all(tmp_path):
    """As `mbsync` and OfflineIMAP keep the labels of Gmail."""
    root = tmp_path / "Mail"
    (root / "new").mkdir(parents=True)
    written(root / "cur" / "1:2,S", mail("a"))
    written(root / ".All Mail" / "cur" / "2:2,S", mail("a"))
    written(root / ".Garden.Trees" / "cur" / "3:2,", mail("a"))
    written(root / ".Garden.Trees" / "cur" / "4:2,", mail("b", Message_ID="<2@example.org>"))
    written(root / ".All Mail" / "cur" / "5:2,", mail("c", Message_ID=None))
    tags = {one.text: [tag for tag in one.tags if not tag.startswith("to ")] for one in drafts(root)}
    assert tags == {"a": ["All Mail", "Garden/Trees"], "b": ["Garden/Trees"], "c": ["All Mail"]}
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(root).added == 3
        (root / ".All Mail" / "cur" / "2:2,S").unlink()
        assert db.ingest(root).updated == 1
        assert (
            json.loads(db.conn.execute("select tags from memories where text = 'a'").fetchone()[0])[0] == "Garden/Trees"
        )


def test_a_folder_called_cur_is_no_maildir(tmp_path):
    written(tmp_path / "cur" / "note.md", "A note")
    assert detect(tmp_path) == "folder"


def test_mailboxes_and_mails_without_an_ending_are_found_in_a_folder_and_in_its_zip(tmp_path):
    """As in a profile of Thunderbird, in a folder of MH, and in Enron's mails."""
    folder = tmp_path / "Mail"
    written(folder / "INBOX", mbox(mail("In.", Message_ID="<1@a>"), mail("In two.", Message_ID="<2@a>")))
    written(folder / "INBOX.sbd" / "Sent-1", mbox(mail("Sent.", Message_ID="<3@a>")))
    written(
        folder / "[Gmail].sbd" / "All Mail", mbox(mail("In.", Message_ID="<1@a>"), mail("All.", Message_ID="<4@a>"))
    )
    written(folder / "mh" / "12", mail("By MH.", Message_ID="<5@a>"))
    written(folder / "maildir" / "lind-r" / "inbox" / "3.", mail("Of Enron.", Message_ID="<6@a>"))
    for name, text in (
        ("LICENSE", "Permission is granted."),
        ("Trash", ""),
        ("Makefile", "all:\n\ttrue"),
        ("core", b"\0\1"),
    ):
        written(folder / name, text)
    (folder / "away").symlink_to(written(tmp_path / "Elsewhere", mail("Not here.")))
    with ZipFile(tmp_path / "mail.zip", "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and not file.is_symlink():
                archive.write(file, file.relative_to(tmp_path))
    for source in (folder, tmp_path / "mail.zip"):
        with MemoryDatabase(embed="none") as db:
            report = db.ingest(source)
            said = {row[0] for row in db.conn.execute("select text from memories")}
            assert said == {"In.", "In two.", "Sent.", "All.", "By MH.", "Of Enron."}
            assert not report.failed
            assert {Path(one.source).name for one in report.left_out} >= {"LICENSE", "Trash", "Makefile", "core"}
            again = db.ingest(source)
            assert (again.added, again.updated, again.removed) == (0, 0, 0)


def test_a_link_out_of_a_maildir_is_not_followed(tmp_path):
    outside = written(tmp_path / "secret.eml", mail("secret"))
    root = tmp_path / "Mail"
    written(root / "cur" / "1:2,S", mail("a"))
    (root / "new").mkdir()
    (root / "new" / "2").symlink_to(outside)
    found = list(read(root, options=UTC))
    assert [one.text for one in found if isinstance(one, Draft)] == ["a"]
    assert ["leads out" in one.reason for one in found if isinstance(one, Failure)] == [True]


# ------------------------------------------------------------------------------------------------------- Outlook


def outlook(**texts: str) -> dict[str, bytes]:
    ticks = (1_734_855_780 + 11_644_473_600) * 10_000_000
    row = struct.pack("<HHIq", 0x40, 0x39, 6, ticks)
    streams = {f"__substg1.0_{name[1:]}001F": text.encode("utf-16-le") for name, text in texts.items()}
    return {"__properties_version1.0": b"\0" * 32 + row, **streams}


def test_a_mail_of_outlook(tmp_path):
    headers = "From: =?utf-8?Q?R=C3=B3sa?= <rosa@example.org>\nMessage-ID: <9@x>\nReferences: <8@x>\nTo: Ben <b@x.org>"
    streams = outlook(
        _0037="Re: The quince", _1000="It blooms.\r\n\r\n-----Original Message-----\r\nWhat?", _007D=headers
    )
    streams["__attach_version1.0_#00000000/__substg1.0_3707001F"] = "plan ü.pdf".encode("utf-16-le")
    file = written(tmp_path / "a.msg", compound(streams))
    assert detect(file) == "msg"
    (found,) = drafts(file)
    assert (found.text, found.speaker, found.title) == ("It blooms.\n\n[plan ü.pdf]", "Rósa", "Re: The quince")
    assert (found.happened_at, found.document.source) == ("2024-12-22T08:23:00Z", "mail:9@x")
    assert found.document.meta == {
        "from": "rosa@example.org", "to": "Ben", "thread": "8@x", "reply_to": "8@x", "attachments": ["plan ü.pdf"],
    }  # fmt: skip


def test_a_mail_of_outlook_that_was_never_sent_and_is_no_unicode(tmp_path):
    streams = outlook(_0C1A="Rosa", _0C1F="rosa@example.org", _0E04="Ben; Mia")
    streams["__substg1.0_10130102"] = "<p>Bl&uuml;te é</p>".encode("cp1252")
    streams["__substg1.0_0037001E"] = "Été".encode("cp1252")
    streams["__properties_version1.0"] += struct.pack("<HHIq", 3, 0x3FFD, 6, 1252)
    (found,) = drafts(written(tmp_path / "a.msg", compound(streams)))
    assert (found.text, found.speaker, found.title) == ("Blüte é", "Rosa", "Été")
    assert found.document.meta == {"from": "rosa@example.org", "to": "Ben, Mia"}


def test_without_its_library_a_mail_of_outlook_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr("memkit.sources.format.find_spec", lambda name: None)
    with pytest.raises(BadSource, match=r"pip install 'datasette-memkit\[documents\]'"):
        read(written(tmp_path / "a.msg", compound(outlook(_0037="x"))))


INVITATION = """Content-Type: text/calendar; charset=utf-8; method=REQUEST

BEGIN:VCALENDAR
METHOD:REQUEST
BEGIN:VEVENT
UID:a@example.org
ORGANIZER;CN=Rosa:mailto:rosa@example.org
DTSTART;TZID=Europe/Berlin:20270312T100000
DTEND;TZID=Europe/Berlin:20270312T110000
SUMMARY:Pruning day
LOCATION:Orchard 5
DESCRIPTION:Bring a saw\\, and a very long
  ladder.
END:VEVENT
END:VCALENDAR
"""
WHEN = "When: 2027-03-12 10:00 to 11:00 (Europe/Berlin)\nWhere: Orchard 5"


def test_an_invitation_says_when_and_where(tmp_path):
    pytest.importorskip("icalendar")
    alone = mail(INVITATION.partition("\n\n")[2], Content_Type="text/calendar; charset=utf-8; method=REQUEST")
    assert one(tmp_path, alone).text == f"Bring a saw, and a very long ladder.\n\n{WHEN}"
    assert one(tmp_path, parts("alternative", PLAIN, INVITATION, HTML)).text == f"plain words\n\n{WHEN}"
    attached = INVITATION.replace("\n\n", "\nContent-Disposition: attachment; filename=invite.ics\n\n", 1)
    assert one(tmp_path, parts("mixed", PLAIN, attached)).text == f"plain words\n\n{WHEN}\n\n[invite.ics]"


def test_an_invitation_that_is_taken_back_or_broken(tmp_path):
    pytest.importorskip("icalendar")
    form = "text/calendar; method=CANCEL"
    gone = INVITATION.partition("\n\n")[2].replace("LOCATION:Orchard 5", "STATUS:CANCELLED")
    assert one(tmp_path, mail(gone, Content_Type=form)).text.endswith("(Europe/Berlin)\nStatus: cancelled")
    assert one(tmp_path, mail("BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:x", Content_Type=form)).text == "The quince"
