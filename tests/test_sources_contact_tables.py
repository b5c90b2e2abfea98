"""Contacts as a table, as Google, Outlook and Thunderbird export them, are those of an address book."""

from __future__ import annotations

import csv
from io import StringIO
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core.types import Draft, Failure
from memkit.sources import ReadOptions, detect, read

PLAIN = ReadOptions()
GOOGLE = (
    "First Name,Middle Name,Last Name,Phonetic First Name,Name Prefix,Name Suffix,Nickname,File As,Organization Name,"
    "Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,"
    "E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Phone 2 - Label,Phone 2 - Value,"
    "Address 1 - Label,Address 1 - Formatted,Address 1 - Street,Address 1 - City,Address 1 - PO Box,Address 1 - Region,"
    "Address 1 - Postal Code,Address 1 - Country,Address 1 - Extended Address,Relation 1 - Label,Relation 1 - Value,"
    "Website 1 - Label,Website 1 - Value,Event 1 - Label,Event 1 - Value,Custom Field 1 - Label,Custom Field 1 - Value"
)
OLD_GOOGLE = (
    "Name,Given Name,Additional Name,Family Name,Yomi Name,Nickname,Birthday,Occupation,Notes,Group Membership,"
    "E-mail 1 - Type,E-mail 1 - Value,Phone 1 - Type,Phone 1 - Value,Organization 1 - Name,Organization 1 - Title"
)
OUTLOOK = (
    "First Name,Middle Name,Last Name,Title,Suffix,Nickname,E-mail Address,E-mail 2 Address,Home Phone,Business Phone,"
    "Business Phone 2,Mobile Phone,Business Fax,Company,Job Title,Department,Home Street,Home City,Home State,"
    "Home Postal Code,Home Country/Region,Spouse,Birthday,Anniversary,Web Page,Notes,Categories,Government ID Number"
)
THUNDERBIRD = (
    "First Name,Last Name,Display Name,Nickname,Primary Email,Secondary Email,Work Phone,Fax Number,Mobile Number,"
    "Home Address,Home Address 2,Home City,Home State,Home ZipCode,Home Country,Job Title,Department,Organization,"
    "Web Page 1,Birth Year,Birth Month,Birth Day,Notes"
)
ROSA = {
    "First Name": "Rosa", "Last Name": "Marsh", "Nickname": "Ro", "Organization Name": "Kew Gardens",
    "Organization Title": "Head gardener", "Organization Department": "Orchard, south", "Birthday": "1980-05-03",
    "Notes": "Met at the allotment.\nSays: prune in June.", "Labels": "garden ::: * myContacts ::: * starred",
    "E-mail 1 - Label": "* Home", "E-mail 1 - Value": "rosa@example.org ::: rm@example.org",
    "Phone 1 - Label": "Mobile", "Phone 1 - Value": "+44 7700 900123",
    "Phone 2 - Label": "Shed", "Phone 2 - Value": "+44 20 7946 0000", "Address 1 - Label": "Home",
    "Address 1 - Formatted": "12 Plum Lane, back\nLund", "Address 1 - Street": "12 Plum Lane, back",
    "Address 1 - City": "Lund", "Address 1 - Country": "Sweden", "Relation 1 - Label": "Spouse",
    "Relation 1 - Value": "Ben Okoye", "Website 1 - Label": "Blog", "Website 1 - Value": "http://plums.example",
    "Event 1 - Label": "Anniversary", "Event 1 - Value": "2004-06-11", "Custom Field 1 - Label": "Shoe size",
    "Custom Field 1 - Value": "38",
}  # fmt: skip
ROSA_TEXT = """Rosa Marsh
Also called: Ro
Work: Head gardener at Kew Gardens, Orchard, south
Birthday: 3 May 1980
Anniversary: 11 June 2004
E-mail: rosa@example.org (home)
E-mail: rm@example.org (home)
Phone: +44 7700 900123 (cell)
Phone: +44 20 7946 0000 (shed)
Address: 12 Plum Lane, back, Lund, Sweden (home)
Link: http://plums.example (blog)
Spouse: Ben Okoye

Met at the allotment.
Says: prune in June.

Shoe size: 38"""


def written(path: Path, header: str, *rows: dict[str, str], encoding: str = "utf-8") -> Path:
    text = StringIO()
    table = csv.DictWriter(text, header.split(","), lineterminator="\r\n")
    table.writeheader()
    table.writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))
    return path


def drafts(path: Path, options: ReadOptions = PLAIN) -> list[Draft]:
    found = list(read(path, options=options))
    assert not [one for one in found if isinstance(one, Failure)]
    return [one for one in found if isinstance(one, Draft)]


def test_contacts_of_google(tmp_path: Path) -> None:
    path = written(tmp_path / "contacts.csv", GOOGLE, ROSA)
    assert detect(path) == "contact-table"
    (found,) = drafts(path)
    assert (found.text, found.title, found.tags) == (ROSA_TEXT, "Rosa Marsh", ("garden", "starred"))
    assert (found.document.source, found.document.aliases) == ("contact:Rosa Marsh", ("Ro",))


def test_contacts_of_google_before_2024(tmp_path: Path) -> None:
    row = {
        "Name": "Bo Ek", "Given Name": "Bo", "Family Name": "Ek", "Occupation": "Baker", "Birthday": " --04-22",
        "E-mail 1 - Type": "* ", "E-mail 1 - Value": "bo@example.org", "Phone 1 - Type": "Work Fax",
        "Phone 1 - Value": "12", "Group Membership": "* myContacts",
    }  # fmt: skip
    path = written(tmp_path / "google.csv", OLD_GOOGLE, row, encoding="utf-16")
    assert detect(path) == "contact-table"
    (found,) = drafts(path)
    assert found.text == "Bo Ek\nWork: Baker\nBirthday: 22 April\nE-mail: bo@example.org\nPhone: 12 (work fax)"
    assert found.tags == ()


def test_contacts_of_outlook(tmp_path: Path) -> None:
    row = {
        "Title": "Dr.", "First Name": "Jürgen", "Last Name": "Weiß", "E-mail Address": "j@example.org",
        "E-mail 2 Address": "w@example.org", "Business Phone": "1", "Business Phone 2": "2", "Mobile Phone": "3",
        "Business Fax": "4", "Company": "Moss GmbH", "Job Title": "Chemiker", "Home Street": "Am Hang 3",
        "Home City": "Ulm", "Home Country/Region": "Germany", "Spouse": "Ida Weiß", "Birthday": "5/23/1970",
        "Anniversary": "0/0/00", "Web Page": "http://moss.example", "Notes": "Isst kein Fleisch.",
        "Categories": "Arbeit;Chor", "Government ID Number": "99",
    }  # fmt: skip
    path = written(tmp_path / "contacts.csv", OUTLOOK, row, encoding="cp1252")
    assert detect(path) == "contact-table"
    (found,) = drafts(path)
    assert found.text == (
        "Dr. Jürgen Weiß\nAlso called: Jürgen Weiß\nWork: Chemiker at Moss GmbH\nBirthday: 23 May 1970\n"
        "E-mail: j@example.org\nE-mail: w@example.org\nPhone: 1 (work)\nPhone: 2 (work)\nPhone: 3 (cell)\n"
        "Phone: 4 (work fax)\nAddress: Am Hang 3, Ulm, Germany (home)\nLink: http://moss.example\nSpouse: Ida Weiß"
        "\n\nIsst kein Fleisch."
    )
    assert found.tags == ("Arbeit", "Chor")


def test_contacts_of_thunderbird(tmp_path: Path) -> None:
    row = {
        "First Name": "Ida", "Last Name": "Moss", "Display Name": "Ida Moss", "Primary Email": "ida@example.org",
        "Work Phone": "1", "Fax Number": "2", "Mobile Number": "3", "Home Address": "Am Hang 3", "Home City": "Ulm",
        "Organization": "Moss GmbH", "Birth Year": "1970", "Birth Month": "5", "Birth Day": "2",
    }  # fmt: skip
    (found,) = drafts(written(tmp_path / "book.csv", THUNDERBIRD, row))
    assert found.text == (
        "Ida Moss\nWork: Moss GmbH\nBirthday: 2 May 1970\nE-mail: ida@example.org\nPhone: 1 (work)\nPhone: 2 (fax)\n"
        "Phone: 3 (cell)\nAddress: Am Hang 3, Ulm (home)"
    )


@pytest.mark.parametrize(
    ("day_first", "born"),
    [(None, "Birthday: 1970"), (True, "Birthday: 3 April 1970"), (False, "Birthday: 4 March 1970")],
)
def test_a_birthday_in_numbers_is_known_as_far_as_it_is(tmp_path: Path, day_first: bool | None, born: str) -> None:
    path = written(tmp_path / "a.csv", OUTLOOK, {"First Name": "Ida", "Birthday": "3/4/1970"})
    assert drafts(path, ReadOptions(day_first=day_first))[0].text == f"Ida\n{born}"


def test_a_contact_in_a_table_and_as_a_card_is_there_once(tmp_path: Path) -> None:
    bo = {"First Name": "Bo", "Last Name": "Ek", "Phone 1 - Label": "Mobile", "Phone 1 - Value": "12"}
    card = "BEGIN:VCARD\nVERSION:3.0\nFN:Bo Ek\nN:Ek;Bo;;;\nTEL;TYPE=CELL:12\nCATEGORIES:myContacts\nEND:VCARD\n"
    (tmp_path / "contacts.vcf").write_text(card)
    with MemoryDatabase(embed="none") as db:
        db.ingest(tmp_path / "contacts.vcf")
        same = db.ingest(written(tmp_path / "contacts.csv", GOOGLE, bo))
        more = db.ingest(written(tmp_path / "contacts.csv", GOOGLE, {**bo, "Phone 1 - Value": "13"}, ROSA))
        kinds = [kind for (kind,) in db.conn.execute("select kind from entities where name = 'Bo Ek'")]
    assert (same.added, same.updated, more.added, more.updated) == (0, 0, 1, 1)
    assert kinds == ["person"]


def test_who_has_no_name_is_neither_a_person_nor_a_company(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", GOOGLE, {"Phone 1 - Value": "+44 7700 900123"})
    with MemoryDatabase(embed="none") as db:
        db.ingest(path)
        found = db.conn.execute("select name, kind from entities where kind in ('person', 'company')").fetchall()
    assert [tuple(row) for row in found] == []


@pytest.mark.parametrize("header", ["First Name,Last Name,Company", "Name,Year,Rating", "Given Name,Family Name,Bio"])
def test_other_tables_are_none_of_contacts(tmp_path: Path, header: str) -> None:
    assert detect(written(tmp_path / "a.csv", f"{header},text")) == "csv"
