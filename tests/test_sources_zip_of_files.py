"""A zip of files is read as the folder that it was, if it is named; among other files it may be a backup of them."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from chat_files import zipped
from fuzz import samples

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources import ReadOptions, detect, read
from memkit.sources.limits import LIMITS

MAIL = "From rosa@example.org Mon Nov  7 18:44:27 2016\nFrom: Rosa <rosa@example.org>\nSubject: Jam\n\nIt is done.\n\n"
CHAT = "01/12/2024, 18:15 - Rosa: It blooms\n13/12/2024, 18:16 - Ben: Where?\n"
FILES = {
    "garden/quince.md": "# Quince\n\nIt blooms in [[May]].",
    "garden/people/rosa.md": "Rosa has the key.",
    "lists/messages.mbox": MAIL,
    "chat.txt": CHAT,
    "rows.csv": "text,id\nWater daily.,1\n",
}


def texts(path: Path) -> list[str]:
    return sorted(one.text for one in read(path, options=ReadOptions(timezone="UTC")) if isinstance(one, Draft))


class ByAMac(zipfile.ZipInfo):
    """A file in a zip whose name is in UTF-8 without saying so."""

    def _encodeFilenameFlags(self) -> tuple[bytes, int]:
        return self.filename.encode(), self.flag_bits


def test_names_that_a_mac_wrote_are_read_as_it_wrote_them(tmp_path):
    path = tmp_path / "notes.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("Müller – ß.md", "ascii.md"):
            archive.writestr(ByAMac(name), "It blooms.")
        archive.writestr("Größe.md", "It grows.")
    assert {one.title for one in read(path) if isinstance(one, Draft)} == {"Müller – ß", "ascii", "Größe"}


@pytest.mark.parametrize(
    ("codec", "name"),
    [
        ("cp437", "Größe"),
        ("cp850", "Recettes préférées"),
        ("cp852", "Příliš žluťoučký kůň"),
        ("cp866", "Айва в саду"),
        ("gbk", "花园里的树"),
        ("cp932", "庭の木"),
        ("cp949", "정원의 나무"),
        ("big5", "花園裡的樹"),
    ],
)
def test_names_that_windows_wrote_are_read_as_it_wrote_them(tmp_path, codec, name):
    path = tmp_path / "notes.zip"
    named = ByAMac(f"{name}.md")
    named._encodeFilenameFlags = lambda: (f"{name}.md".encode(codec), 0)  # type: ignore[method-assign]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(named, "It grows.")
    assert [one.title for one in read(path) if isinstance(one, Draft)] == [name]


def test_pages_that_show_an_export_are_left_out_where_it_lies_beside_them(tmp_path):
    page = "<html><head><title>Archive</title></head><body><p>16 files were exported.</p></body></html>"
    tiles = page.replace("<p>", '<div class="service_tile_list"></div><p>')
    takeout = {
        "Takeout/archive_browser.html": page,
        "Takeout/Archiv_Übersicht.html": tiles,
        "Takeout/Keep/quince.md": "It blooms.",
        "page/chat.html": page,
    }
    chats = {"chat.html": page, "conversations-000.json": "[]"}
    for folder, files, shown in (("takeout", takeout, "archive_browser.html"), ("gpt", chats, "chat.html")):
        for name, text in files.items():
            at = tmp_path / folder / name
            at.parent.mkdir(parents=True, exist_ok=True)
            at.write_text(text, "utf-8")
        for path in (tmp_path / folder, zipped(tmp_path / f"{folder}.zip", files)):
            left = {
                Path(one.source).name: one.reason
                for one in read(path, format={".zip": "zip"}.get(path.suffix))
                if isinstance(one, LeftOut)
            }
            assert left.get(shown) == "a page that shows what is in the export"
            assert left.get("Archiv_Übersicht.html") in (None, left[shown])
            assert ("Archiv_Übersicht.html" in left) == (folder == "takeout")
            assert (shown == "chat.html") or left.get("chat.html") is None


def test_a_zip_gives_what_its_folder_gives(tmp_path: Path) -> None:
    path = zipped(tmp_path / "garden.zip", FILES)
    for name, text in FILES.items():
        (file := tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert detect(path) == "zip"
    assert texts(path) == texts(tmp_path / "folder")
    assert len(texts(path)) == 6
    assert {one.document.source for one in read(path) if isinstance(one, Draft) and "Rosa has" in one.text} == {
        f"{path.as_posix()}/garden/people/rosa.md"
    }


def test_files_beside_a_folder_of_the_zip_are_read(tmp_path: Path) -> None:
    """A zip may name its folders, too: their names without what stands before the last slash are empty."""
    files = {"pictures/": "", "garden/pictures/": "", "garden/bed.md": "Dig it.", "rosa.md": "She has the key."}
    assert texts(zipped(tmp_path / "notes.zip", {**files, "page.html": "<p>It blooms late.</p>"})) == [
        "Dig it.", "It blooms late.", "She has the key.",
    ]  # fmt: skip


def test_the_same_again_changes_nothing_and_an_edited_note_is_edited(tmp_path: Path) -> None:
    path, less = tmp_path / "garden.zip", {name: text for name, text in FILES.items() if "rosa" not in name}
    edited = {**FILES, "garden/quince.md": "# Quince\n\nIt has bloomed."}
    with MemoryDatabase(embed="none") as db:
        reports = [db.ingest(zipped(path, files), timezone="UTC") for files in (FILES, FILES, less, edited, FILES)]
    assert [(one.added, one.updated, one.removed) for one in reports] == [
        (6, 0, 0), (0, 0, 0), (0, 0, 0), (0, 1, 0), (0, 1, 0),
    ]  # fmt: skip


def test_a_zip_that_is_kept_up_with_loses_nothing_when_it_is_passed_over(tmp_path: Path) -> None:
    path = zipped(tmp_path / "garden.zip", {**FILES, "garden/settings.json": "{}"})

    def changed(db: MemoryDatabase) -> tuple[int, int, int, int]:
        (one,) = db.sync().reports.values()
        return one.added, one.updated, one.removed, len(one.left_out)

    with MemoryDatabase(embed="none") as db:
        db.add_source(path)
        assert [changed(db) for _ in range(3)] == [(6, 0, 0, 1), (0, 0, 0, 0), (0, 0, 0, 0)]
        zipped(path, {"garden/quince.md": "# Quince\n\nIt has bloomed.", "chat.txt": CHAT, "lists/messages.mbox": MAIL})
        assert changed(db) == (0, 1, 2, 0)  # the other note, and the row


def test_what_a_folder_would_hide_is_left_out(tmp_path: Path) -> None:
    hidden = (".obsidian/app.json", ".trash/old.md", "__MACOSX/garden/._quince.md", "a\\.git\\x.md")
    path = zipped(
        tmp_path / "a.zip", {**dict.fromkeys(hidden, "text"), "garden/Templates/day.md": "x", "b.md": "Seen."}
    )
    found = list(read(path))
    assert [one.text for one in found if isinstance(one, Draft)] == ["Seen."]
    assert [one.source for one in found if isinstance(one, LeftOut)] == [f"{path.as_posix()}/garden/Templates/day.md"]


@pytest.mark.parametrize("name", ["a/../../up.md", "/etc/root.md", "..\\up.md", "../up.md", "\\root.md"])
def test_a_name_that_leads_out_of_the_zip_is_not_read_and_said(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "a.zip", {name: "text", "b.md": "Seen."})
    found = list(read(path))
    assert [one.text for one in found if isinstance(one, Draft)] == ["Seen."]
    ((left, why),) = [(one.source, one.reason) for one in found if isinstance(one, LeftOut)]
    assert left == f"{path.as_posix()}/{name}"
    assert "lead out of the zip" in why


def test_odd_names_are_read_and_of_two_files_at_one_place_one_is_said(tmp_path: Path) -> None:
    path = zipped(tmp_path / "a.zip", {"./b.md": "Seen.", "garden/two\nlines.md": "This, too.", "b.md": "Again."})
    found = list(read(path))
    assert sorted(one.text for one in found if isinstance(one, Draft)) == ["Seen.", "This, too."]
    assert [(one.source, one.reason) for one in found if isinstance(one, LeftOut)] == [
        (f"{path.as_posix()}/b.md", "of the name of another file in the zip")
    ]


def test_a_zip_among_other_files_is_left_out_and_said(tmp_path: Path) -> None:
    zipped(tmp_path / "backup.zip", FILES)
    (tmp_path / "quince.md").write_text("It blooms.")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path)
    assert (report.added, report.left_out_text) == (1, "1 .zip (archives of files; to read one, name it itself)")


@pytest.mark.parametrize(
    ("name", "files"), [("a.zip", {"a.exe": "x"}), ("a.jar", FILES), ("a.zip", {".trash/a.md": "x"})]
)
def test_other_zips_are_refused(tmp_path: Path, name: str, files: dict[str, str]) -> None:
    with pytest.raises(BadSource, match="a zip that holds no export"):
        detect(zipped(tmp_path / name, files))


def test_what_is_no_zip_is_not_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text")
    with pytest.raises(BadSource, match=r"a\.txt is no zip"):
        list(read(tmp_path / "a.txt", format="zip"))


# ------------------------------------------------------------------------------------------- what lies in it packed


def _packed(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def _export() -> bytes:
    notes = {"activeNotes": [{"id": "a", "content": "Fig\n\nRipe in August."}], "trashedNotes": []}
    return _packed({"source/notes.json": json.dumps(notes).encode()})


def _office(format: str) -> tuple[str, bytes]:
    """The name and bytes of a small file of this format."""
    name, made = samples.FILES[format]
    return name, made()


DOCUMENTS = ("docx", "pptx", "xlsx", "epub", "pdf")


@pytest.mark.parametrize("packing", ["zip", "tgz"])
def test_documents_and_exports_in_an_archive_give_what_they_give_in_a_folder(tmp_path: Path, packing: str) -> None:
    files = {f"Drive/{name}": data for name, data in map(_office, DOCUMENTS)} | {"Drive/simplenote.zip": _export()}
    for name, data in files.items():
        (file := tmp_path / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    path = tmp_path / f"all.{packing}"
    if packing == "zip":
        path.write_bytes(_packed(files))
    else:
        with tarfile.open(path, "w:gz") as archive:
            archive.add(tmp_path / "folder" / "Drive", "Drive")
    assert not [one for one in read(path, format="zip") if isinstance(one, LeftOut)]
    inside = [(one.text, one.title) for one in read(path, format="zip") if isinstance(one, Draft)]
    assert sorted(inside) == sorted(
        (one.text, one.title) for one in read(tmp_path / "folder") if isinstance(one, Draft)
    )
    assert {title for _, title in inside} >= {Path(name).stem for name in files if name[-4:] in ("docx", ".pdf")}
    assert len(inside) >= len(files)
    with MemoryDatabase(embed="none") as db:
        reports = [db.ingest(path, format="zip", now="2026-03-01T12:00:00Z") for _ in range(2)]
    assert [(one.added > 5, one.updated, one.removed) for one in reports] == [(True, 0, 0), (False, 0, 0)]


def test_other_archives_and_databases_in_a_zip_are_said(tmp_path: Path) -> None:
    files = {
        "a/notes.zip": _packed({"b.md": b"Unseen."}),
        "b.md.gz": gzip.compress(b"Unseen."),
        "c.db": samples.table(),
    }
    (tmp_path / "all.zip").write_bytes(_packed({**files, "d.md": b"Seen."}))
    found = list(read(tmp_path / "all.zip"))
    assert [one.text for one in found if isinstance(one, Draft)] == ["Seen."]
    said = {Path(one.source).name: one.reason for one in found if isinstance(one, LeftOut)}
    assert said == dict.fromkeys(("notes.zip", "b.md.gz", "c.db"), "packed in a zip; to read it, unpack that first")


def test_what_lies_packed_in_a_zip_is_under_the_limits_of_a_folder(tmp_path: Path) -> None:
    _, docx = _office("docx")
    (tmp_path / "all.zip").write_bytes(_packed({"a.docx": docx, "b.epub": _office("epub")[1][:-100]}))
    small = ReadOptions(limits=replace(LIMITS, note_size=1000))
    for options, words in ((small, "more than 1,000 bytes"), (ReadOptions(), "the zip is cut off")):
        failed = [one for one in read(tmp_path / "all.zip", options=options) if isinstance(one, Failure)]
        assert any(words in one.reason for one in failed), words


@pytest.mark.parametrize("format", ["kakaotalk", "pidgin", "raindrop", "pdf"])
@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_what_lies_in_an_archive_as_it_is_does_not_tell_its_format(tmp_path, format, kind):
    name, made = samples.FILES.get(format) or samples.MORE[format][1:]
    path = tmp_path / f"notes.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
            archive.writestr(name, made())
    else:
        with tarfile.open(path, "w") as archive:
            entry = tarfile.TarInfo(name)
            entry.size = len(made())
            archive.addfile(entry, io.BytesIO(made()))
    assert detect(path) == "zip"
    assert not [one for one in read(path) if isinstance(one, Failure)]


REPEATED = {
    "talk.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\nRosa: Late.\n",
    "talk.srt": "1\n00:00:01,000 --> 00:00:02,000\nRosa: Late.\n",
    **{f"memo.{ending}": "It blooms." for ending in ("srt", "txt", "tsv", "json")},
    "memo.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\nIt blooms.\n",
    "plan.txt": "It blooms.",
    "plan.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\nIt blooms.\n",
    "GMT20250301-140000_Recording.cc.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\nRosa: Yes.\n",
    "GMT20250301-140000_Recording.transcript.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\nRosa: Yes.\n",
    "Garden-20250301_140000-Meeting Recording.docx": "",
    "Garden-20250301_140000-Meeting Recording.vtt": "WEBVTT\n\n00:01.000 --> 00:02.000\n<v Rosa>No.\n",
    "talk.sbv": "0:00:01.000,0:00:02.000\nRosa: Late.\n",
    "library.bib": "@book{a, title={The quince}, author={Moss, Ida}, year={2020}}\n",
    "library.ris": "TY  - BOOK\nTI  - The quince\nAU  - Moss, Ida\nPY  - 2020\nER  - \n",
    "library.json": '[{"type": "book", "title": "The quince", "author": [{"family": "Moss"}], "id": "a"}]',
    "other.ris": "TY  - BOOK\nTI  - Plums\nAU  - Moss, Ida\nPY  - 2021\nER  - \n",
}


def test_what_a_program_wrote_in_several_formats_is_read_once(tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in REPEATED.items():
        (folder / name).write_text(text)
    for source in (folder, zipped(tmp_path / "notes.zip", REPEATED)):
        found = [*read(source)]
        assert len([one for one in found if isinstance(one, Draft)]) == 8
        left = sorted(Path(one.source).name for one in found if isinstance(one, LeftOut))
        recorded = ["GMT20250301-140000_Recording.cc.vtt", "Garden-20250301_140000-Meeting Recording.docx"]
        assert left == [
            *recorded,
            "library.json",
            "library.ris",
            "memo.json",
            "memo.srt",
            "memo.tsv",
            "memo.txt",
            "talk.sbv",
            "talk.srt",
        ]
        assert {one.reason for one in found if isinstance(one, LeftOut)} == {
            "the same as the file of this name beside it, in another format"
        }


def test_other_json_of_the_name_of_references_is_read(tmp_path):
    (tmp_path / "garden.bib").write_text(REPEATED["library.bib"])
    (tmp_path / "garden.json").write_text('[{"text": "It blooms."}]')
    assert len([one for one in read(tmp_path) if isinstance(one, Draft)]) == 2


@pytest.mark.parametrize("packed", [False, True])
def test_pages_of_a_mailing_list_repeat_its_mails(tmp_path, packed):
    month = tmp_path / "2016-November"
    month.mkdir()
    lists = ("thread.html", "subject.html", "author.html", "date.html")
    for name in (*lists, "index.html", "000001.html"):
        (month / name).write_text("<html><body><p>It is done.</p></body></html>")
    alone = [*read(tmp_path)]
    assert sorted(Path(one.document.source).name for one in alone if isinstance(one, Draft)) == [
        "000001.html",
        "index.html",
    ]
    if packed:
        (tmp_path / "2016-November.txt.gz").write_bytes(gzip.compress(MAIL.encode()))
    else:
        (tmp_path / "2016-November.txt").write_text(MAIL)
    found = [*read(tmp_path)]
    assert [one.speaker for one in found if isinstance(one, Draft)] == ["Rosa"]
    reasons = {Path(one.source).name: one.reason for one in found if isinstance(one, LeftOut)}
    assert reasons.pop("000001.html") == reasons.pop("index.html") == "a page of the mails that lie beside its folder"
    assert set(reasons) == set(lists)


@pytest.mark.parametrize(
    ("data", "page"), [("result.json", "messages2.html"), ("message_1.json", "message_1.html"), ("x.json", "x.html")]
)
def test_pages_beside_the_same_as_json_are_left_out_where_a_program_writes_both(tmp_path, data, page):
    (tmp_path / data).write_text('[{"text": "It blooms."}]')
    (tmp_path / page).write_text("<html><body><p>It blooms.</p></body></html>")
    left = [one.reason for one in read(tmp_path) if isinstance(one, LeftOut)]
    assert left == ([] if data == "x.json" else ["a page that shows what is in the export"])
