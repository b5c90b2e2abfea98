"""A tar, also packed with gzip, is read as the folder that was packed, if it is named itself."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources import ReadOptions, detect, read
from memkit.sources.limits import ReadLimits

MAIL = "From rosa@example.org Mon Nov  7 18:44:27 2016\nFrom: Rosa <rosa@example.org>\nSubject: Jam\n\nIt is done.\n\n"
KEEP = (
    '{"title": "Pear", "textContent": "It is ripe.", "isTrashed": false, "userEditedTimestampUsec": 1700000000000000}'
)
FILES = {
    "Takeout/Keep/Pear.json": KEEP.encode(),
    "Takeout/Keep/Pear.html": b"<html><body>It is ripe.</body></html>",
    "Takeout/Mail/All mail.mbox": MAIL.encode(),
    "Takeout/Photos/a.jpg": bytes(9),
    "notes/Quince.md": b"# Quince\n\nIt blooms.",
    "../out.md": b"It leads out.",
}


def tarred(path: Path, files: Mapping[str, bytes] = FILES, packed: str = "gz") -> Path:
    with tarfile.open(path, f"w:{packed}") as archive:
        for name, data in files.items():
            (info := tarfile.TarInfo(name)).size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


@pytest.mark.parametrize(("name", "packed"), [("takeout.tgz", "gz"), ("notes.tar.gz", "gz"), ("notes.tar", "")])
def test_the_files_in_a_tar_are_read_each_by_its_format(tmp_path: Path, name: str, packed: str) -> None:
    path = tarred(tmp_path / name, packed=packed)
    assert detect(path) == "zip"
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(path)
        told = {tuple(row) for row in db.conn.execute("select text, title from memories")}
        assert told == {("It is ripe.", "Pear"), ("It is done.", "Jam"), ("# Quince\n\nIt blooms.", "Quince")}
        assert {Path(one.source).name: one.reason for one in report.left_out} == {
            "Pear.html": "pages of what lies beside them as JSON",
            "a.jpg": "no format that memkit reads",
            "out.md": "names that lead out of the zip; to read them, unpack it",
        }
        again = db.ingest(path)
        assert (again.added, again.updated, again.removed) == (0, 0, 0)


def test_in_a_folder_a_tar_is_left_out_and_said(tmp_path: Path) -> None:
    tarred(tmp_path / "notes.tar.gz")
    tarred(tmp_path / "takeout.tgz")
    reasons = [one.reason for one in read(tmp_path) if isinstance(one, LeftOut)]
    assert reasons == ["archives of files; to read one, name it itself"] * 2


def test_a_tar_is_no_note(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="packed in a gzip; to read it, unpack that first"):
        list(read(tarred(tmp_path / "a.md.gz"), format="markdown"))


def failure(path: Path, **limits: int) -> str:
    (found,) = read(path, options=ReadOptions(limits=ReadLimits(**limits)))
    assert isinstance(found, Failure)
    return found.reason


def test_what_unpacks_to_too_much_fails(tmp_path: Path) -> None:
    bomb = tarred(tmp_path / "a.tgz", {"a.jpg": bytes(20_000_000), "a.md": b"It blooms."})
    assert "more than 200 times its size" in failure(bomb)
    large = tarred(tmp_path / "b.tar", {"a.jpg": bytes(2_000_000), "a.md": b"It blooms."}, packed="")
    assert [
        one.text
        for one in read(large, options=ReadOptions(limits=ReadLimits(file_size=10_000)))
        if isinstance(one, Draft)
    ] == ["It blooms."]
    assert "more than 5 bytes" in failure(large, file_size=5)
    assert "more than 1 files" in failure(large, entries=1)


def test_a_tar_that_is_cut_off_or_damaged_fails(tmp_path: Path) -> None:
    whole = tarred(tmp_path / "whole.tgz", {"a.md": bytes(range(256)) * 400}).read_bytes()
    (cut := tmp_path / "cut.tgz").write_bytes(whole[:-200])
    assert "the archive cannot be read" in failure(cut)
    plain = bytearray(tarred(tmp_path / "plain.tar", {"a.md": b"a", "b.md": b"b"}, packed="").read_bytes())
    plain[1024 + 148 : 1024 + 156] = b"00000000"  # the sum of the second head
    (damaged := tmp_path / "damaged.tar").write_bytes(plain)
    assert "bad checksum" in failure(damaged)


def test_a_name_of_megabytes_is_not_read(tmp_path: Path) -> None:
    path = tarred(tmp_path / "a.tgz", {"x" * 2_000_000 + ".md": b"It blooms."})
    assert "too long" in failure(path)


def test_links_and_names_that_come_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        for text in (b"It was green.", b"It is ripe."):
            (info := tarfile.TarInfo("Quince.md")).size = len(text)
            archive.addfile(info, io.BytesIO(text))
        (link := tarfile.TarInfo("link.md")).type = tarfile.SYMTYPE
        link.linkname = "/etc/passwd"
        archive.addfile(link)
    assert [one.text for one in read(path) if isinstance(one, Draft)] == ["It is ripe."]


def entry(archive: tarfile.TarFile, name: str, data: bytes = b"", **told: object) -> None:
    (info := tarfile.TarInfo(name)).size = len(data)
    for key, value in told.items():
        setattr(info, key, value)
    archive.addfile(info, io.BytesIO(data))


def test_hard_links_say_what_they_lead_to_and_other_links_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as archive:
        entry(archive, "Quince.md", b"It blooms.")
        entry(archive, "Same.md", type=tarfile.LNKTYPE, linkname="Quince.md")
        entry(archive, "Gone.md", type=tarfile.LNKTYPE, linkname="nowhere.md")
        entry(archive, "Soft.md", type=tarfile.SYMTYPE, linkname="Quince.md")
        entry(archive, "Pipe.md", type=tarfile.FIFOTYPE)
    found = list(read(path))
    assert [(one.text, one.title) for one in found if isinstance(one, Draft)] == [
        ("It blooms.", "Quince"),
        ("It blooms.", "Same"),
    ]
    assert {Path(one.source).name: one.reason for one in found if isinstance(one, LeftOut)} == {
        "Soft.md": "links; to read what they lead to, unpack the archive",
        "Pipe.md": "no files",
    }
    assert [(Path(one.source).name, one.reason) for one in found if isinstance(one, Failure)] == [
        ("Gone.md", "links that lead nowhere")
    ]


def test_names_that_are_not_utf_8_are_names_of_their_own(tmp_path: Path) -> None:
    path = tarred(
        tmp_path / "a.tar",
        {f"a{chr(0xDCE0 + byte)}.md": text for byte, text in ((9, b"One."), (8, b"Two."))},
        packed="",
    )
    assert [one.text for one in read(path) if isinstance(one, Draft)] == ["Two.", "One."]


def test_a_name_too_long_for_a_zip_is_left_out_alone(tmp_path: Path) -> None:
    path = tarred(tmp_path / "a.tar", {"x" * 70_000 + ".md": b"Long.", "a.md": b"It blooms."}, packed="")
    found = list(read(path))
    assert [one.text for one in found if isinstance(one, Draft)] == ["It blooms."]
    assert [one.reason for one in found if isinstance(one, LeftOut)] == ["names of more than 65,535 bytes"]


SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": "30"}
AFTER = [("b.md", b"It is ripe.")]


def with_map(path: Path, data: bytes, headers: Mapping[str, str]) -> Path:
    """A tar with two files, of which the first is told to be sparse."""
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        entry(archive, "a.md", data, pax_headers=headers)
        for name, content in AFTER:
            entry(archive, name, content)
    return path


def padded(text: str) -> bytes:
    return text.encode().ljust(tarfile.BLOCKSIZE, b"\0")


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (b"It blooms.", {"GNU.sparse.size": "9", "GNU.sparse.map": "x,y"}),
        (b"It blooms.", {"GNU.sparse.size": "x", "GNU.sparse.map": "0,10"}),
        (b"It blooms.", {"GNU.sparse.size": "900", "GNU.sparse.map": "0,900"}),  # it has the bytes of b.md, too
        (b"It blooms.", {"GNU.sparse.size": "10", "GNU.sparse.map": "5,5,0,5"}),
        (b"It blooms.", {"GNU.sparse.size": "10", "GNU.sparse.map": "0,-5,0,5"}),
        (padded("1\n0\n10\n") + b"It blooms." * 52, SPARSE | {"GNU.sparse.realsize": "ten"}),
        (padded("x\n0\n10\n") + b"It blooms.", SPARSE),
        (b"It blooms.", SPARSE),
        (padded("9999999\n" + "1\n" * 200), SPARSE),
        (padded("1\n0\n5000\n") + b"It blooms.", SPARSE),
    ],
)
def test_a_file_with_a_damaged_map_is_left_out_alone(tmp_path: Path, data: bytes, headers: Mapping[str, str]) -> None:
    path = with_map(tmp_path / "a.tar", data, headers)
    found = list(read(path))
    assert [one.text for one in found if isinstance(one, Draft)] == ["It is ripe."]
    assert [one.reason for one in found if isinstance(one, LeftOut)] == ["sparse files with a damaged map"]


@pytest.mark.parametrize(
    ("data", "headers"),
    [
        (b"It blooms.", {"GNU.sparse.size": "10", "GNU.sparse.map": "0,10"}),
        (padded("1\n0\n10\n") + b"It blooms.", SPARSE | {"GNU.sparse.realsize": "10"}),
    ],
)
def test_a_sparse_file_is_read(tmp_path: Path, data: bytes, headers: Mapping[str, str]) -> None:
    found = list(read(with_map(tmp_path / "a.tar", data, headers)))
    assert [one.text for one in found if isinstance(one, Draft)] == ["It blooms.", "It is ripe."]
    assert [one for one in found if isinstance(one, LeftOut)] == []


HOSTILE = (
    *(
        "/etc/a.md",
        "../b.md",
        "a/../../c.md",
        "\\\\server\\d.md",
        "CON.md",
        "aux/x.md",
        "nul.md",
        "dot..md",
        "Quince.md",
    ),
    *(
        "quince.md",
        "QUINCE.MD",
        "caf\xe9.md",
        "cafe\u0301.md",
        "esc\x1b[31m.md",
        "line\nname.md",
        "\u202edm.md",
        "C:\\e.md",
    ),
    *("x/" * 10_000 + "deep.md", "n" * 300 + ".md", "nul\0byte.md", "trail .md", "a//f.md", "./g.md", "q?*.md"),
)


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_names_of_strangers_lead_nowhere_and_each_text_is_there_or_named(tmp_path: Path, kind: str) -> None:
    """Absolute, upwards, deep, reserved in Windows, the same but for case or spelling, with signs of a terminal."""
    path = tmp_path / "in" / f"a.{kind}"
    path.parent.mkdir()
    files = {name: f"Quince number {number}.".encode() for number, name in enumerate(HOSTILE)}
    if kind == "tar":
        tarred(path, files, packed="")
    else:
        with zipfile.ZipFile(path, "w") as archive:
            for name, text in files.items():
                (info := zipfile.ZipInfo("x")).filename = name
                archive.writestr(info, text)
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(path)
        texts = {text for (text,) in db.conn.execute("select text from memories")}
        left = [one for one in report.left_out if "lead out" in one.reason or "no format" in one.reason]
        assert len(texts) + len(left) == len(HOSTILE)
        assert not report.failures
        assert {f"Quince number {number}." for number in range(4)}.isdisjoint(texts)
        assert "\x1b" not in repr(report) + report.left_out_text
        again = db.ingest(path)
        assert (again.added, again.updated, again.removed) == (0, 0, 0)
    assert [one.name for one in tmp_path.rglob("*")] == ["in", path.name]
