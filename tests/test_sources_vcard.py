"""Contacts of an address book become people with what it says of them, each once."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure
from memkit.sources import detect, read

ROSA = r"""BEGIN:VCARD
VERSION:3.0
N:Marsh;Rosa;;;
FN:Rosa Marsh
NICKNAME:Ro
ORG:Kew Gardens;Orchard
TITLE:Head gardener
BDAY:1980-05-03
item1.TEL;type=pref:+44 20 7946 0000
item1.X-ABLabel:Shed
TEL;TYPE=CELL,VOICE:tel:+44-7700-900123
EMAIL;type=INTERNET;type=HOME:rosa@example.org
ADR;TYPE=home:;;12 Plum Lane\, back;Lund;;22100;Sweden
item2.X-ABRELATEDNAMES:Ben Okoye
item2.X-ABLabel:_$!<Spouse>!$_
NOTE:Met at the allotment.\nI live in Paris\, she said.
PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgMCAgMDAwMEAwMEBQgFBQQEBQoHBwYIDAoM
 DAwLCgsLDQ4SEA0OEQ4LCxAWEBETFBUVFQwPFxgWFBgSFBUU
UID:ABC-1
CATEGORIES:garden,friends
END:VCARD
"""
TEXT = """Rosa Marsh
Also called: Ro
Work: Head gardener at Kew Gardens, Orchard
Birthday: 3 May 1980
E-mail: rosa@example.org (home)
Phone: +44 20 7946 0000 (shed)
Phone: +44-7700-900123 (cell)
Address: 12 Plum Lane, back, Lund, 22100, Sweden (home)
Spouse: Ben Okoye

Met at the allotment.
I live in Paris, she said."""


def card(*lines: str, version: str = "3.0") -> str:
    return "\r\n".join(["BEGIN:VCARD", f"VERSION:{version}", *lines, "END:VCARD", ""])


def written(path: Path, *cards: str) -> Path:
    path.write_bytes("".join(cards).encode())
    return path


def drafts(path: Path) -> list[Draft]:
    return [one for one in read(path) if isinstance(one, Draft)]


def texts(folder: Path, *cards: str) -> list[str]:
    return [one.text for one in drafts(written(folder / "a.vcf", *cards))]


def test_a_contact_is_a_person_with_what_the_address_book_says(tmp_path: Path) -> None:
    path = written(tmp_path / "contacts.vcf", ROSA)
    assert detect(path) == "vcard"
    (found,) = drafts(path)
    assert (found.text, found.title, found.tags) == (TEXT, "Rosa Marsh", ("garden", "friends"))
    assert (found.document.source, found.document.aliases) == ("contact:ABC-1", ("Ro",))
    with MemoryDatabase(embed="none") as db:
        db.ingest(path)
        facts = db.conn.execute(
            "select s.kind, s.name, r.predicate, o.name from relations as r join entities as s on s.key = r.subject_key"
            " join entities as o on o.key = r.object_key order by r.predicate, o.name"
        ).fetchall()
    assert [" ".join(row) for row in facts] == [
        "person Rosa Marsh born 1980-05-03",
        "person Rosa Marsh e_mail rosa@example.org",
        "person Rosa Marsh job_title Head gardener",
        "person Rosa Marsh organization Kew Gardens",
        "person Rosa Marsh phone_number +44 20 7946 0000",
        "person Rosa Marsh phone_number +44-7700-900123",
        "person Rosa Marsh spouse Ben Okoye",
    ]


def test_a_contact_is_there_once_and_is_edited_in_place(tmp_path: Path) -> None:
    without_id = ROSA.replace("UID:ABC-1\n", "").replace("Marsh", "Lind")
    with MemoryDatabase(embed="none") as db:
        reports = [
            db.ingest(written(tmp_path / name, *cards))
            for name, cards in {
                "a.vcf": [ROSA, without_id, ROSA],
                "copy of a.vcf": [without_id, ROSA],
                "part.vcf": [ROSA],
                "edited.vcf": [ROSA.replace("Head gardener", "Director"), without_id],
            }.items()
        ]
    assert [(one.added, one.updated, one.removed) for one in reports] == [(2, 0, 0), (0, 0, 0), (0, 0, 0), (0, 1, 0)]


def test_two_people_of_one_name_are_two(tmp_path: Path) -> None:
    cards = [card("FN:Bo Ek", "TEL:1"), card("FN:Bo Ek", "TEL:2"), card("FN:Bo Ek", "TEL:1")]
    assert texts(tmp_path, *cards) == ["Bo Ek\nPhone: 1", "Bo Ek\nPhone: 2"]
    assert len({one.document.source for one in drafts(tmp_path / "a.vcf")}) == 2


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCrgen;;;", "TEL;CELL:0170"],
         "Jürgen Müller\nPhone: 0170 (cell)"),
        (["FN:Bo", "NOTE;ENCODING=QUOTED-PRINTABLE:a long=", " line=20of=20=", "two"], "Bo\n\na long line of two"),
        (["FN;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:Bj=F6rn", "TEL:1"], "Björn\nPhone: 1"),
        (["FN:Bo", "NOTE:one", "  two, and", " \tthree"], "Bo\n\none two, and\tthree"),
        (["FN:王小明", "N:王;小明;;;", "TEL:1"], "王小明\nPhone: 1"),
        (["FN:小明", "N:王;小明;;;", "TEL:1"], "小明\nAlso called: 王小明\nPhone: 1"),
        (["FN:山田 太郎", "N:山田;太郎;;;", "TEL:1"], "山田 太郎\nPhone: 1"),
        (["FN:bo@example.org", "N:org;bo@example;;;", "TEL:1"], "bo@example.org\nPhone: 1"),
        (["FN:Kew", "KIND:org", "TEL:1"], "Kew\nPhone: 1"),
        (["N:;;;;", "FN:", "ORG:Kew;", "EMAIL:a@example.org"], "Kew\nE-mail: a@example.org"),
        (["FN:Bo", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-05-03"], "Bo\nBirthday: 3 May"),
        (["FN:Bo", "BDAY:1980-13-03"], "Bo\nBirthday: 1980-13-03"),
        (["FN:Bo", "BDAY:--0503"], "Bo\nBirthday: 3 May"),
        (["FN:Bo", "BDAY:19800503T000000Z"], "Bo\nBirthday: 3 May 1980"),
        (["FN:Bo", 'TEL;VALUE=uri;TYPE="voice,work":tel:+44-20'], "Bo\nPhone: +44-20 (work)"),
        (["FN:Bo", "TEL:1", "TEL:1", "VERSION:3.0"], "Bo\nPhone: 1"),
        (["FN:Bo", "X-EVOLUTION-SPOUSE:Maria", "X-EVOLUTION-ANNIVERSARY:2004-05-06"],
         "Bo\nAnniversary: 6 May 2004\nSpouse: Maria"),
        (["FN:Bo", r"item4.URL;type=pref:http\://example.org", "item4.X-ABLabel:_$!<HomePage>!$_"],
         "Bo\nLink: http://example.org (homepage)"),
        (["TEL:0170 1234"], "0170 1234\nPhone: 0170 1234"),
    ],
)  # fmt: skip
def test_each_version_and_program_writes_in_its_own_way(tmp_path: Path, lines: list[str], text: str) -> None:
    assert texts(tmp_path, card(*lines)) == [text]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_an_address_book_in_another_encoding_is_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.vcf"
    path.write_bytes((card("FN:Björn Åkesson", "NOTE:Grüße aus der Küche, schöne Äpfel", "TEL:1")).encode(encoding))
    assert drafts(path)[0].text.startswith("Björn Åkesson\n")


def test_a_group_of_contacts_is_a_tag_of_its_members(tmp_path: Path) -> None:
    group = card("FN:Friends", "X-ADDRESSBOOKSERVER-KIND:group", "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:ABC-1")
    (found,) = drafts(written(tmp_path / "a.vcf", group, ROSA))
    assert found.tags == ("garden", "friends", "Friends")


def test_a_contact_that_is_cut_off_is_said_and_the_others_are_read(tmp_path: Path) -> None:
    found = list(read(written(tmp_path / "a.vcf", card("FN:Bo", "TEL:1"), card("FN:Ada", "TEL:2")[:-14])))
    assert [type(one) for one in found] == [Draft, Failure]
    assert str(found[1]).endswith("contact 'Ada': it is cut off")


@pytest.mark.parametrize(
    "lines", [["NOTE:Met at the allotment."], ["FN:\u2665", "NOTE:A friend."], ["BDAY:1980-05-03"]]
)
def test_a_contact_without_a_name_is_said_if_it_says_anything(tmp_path: Path, lines: list[str]) -> None:
    found = list(read(written(tmp_path / "a.vcf", card(*lines), card("FN:Bo", "TEL:1"), card())))
    assert [type(one) for one in found] == [Failure, Draft]
    assert "no name, company, mail address or number" in str(found[0])


def test_i_in_a_note_on_a_contact_is_nobody(tmp_path: Path) -> None:
    with MemoryDatabase(embed="none") as db:
        db.ingest(written(tmp_path / "a.vcf", ROSA), own_voice=True)
        assert db.conn.execute("select count(*) from relations where predicate = 'lives_in'").fetchone()[0] == 0


def test_a_contact_with_very_many_numbers_fails_alone(tmp_path: Path) -> None:
    numbers = "".join(f"TEL:+49 170 {number:06d}\r\n" for number in range(200_000))
    path = tmp_path / "all.vcf"
    path.write_text(f"BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Otto Lind\r\n{numbers}END:VCARD\r\n{ROSA}")
    found = list(read(path))
    assert ["more than 10,000 values" in one.reason for one in found if isinstance(one, Failure)] == [True]
    assert any(isinstance(one, Draft) and one.title == "Rosa Marsh" for one in found)
