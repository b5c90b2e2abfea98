"""A zip that is cut off, as by a download that was not finished, gives the files that are whole."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.sources import detect
from memkit.sources.cut_zips import mended
from memkit.sources.limits import LIMITS, read_limits

PICTURE = random.Random(1).randbytes(20_000)  # which packing does not make smaller
CHAT = "01/12/2024, 18:15 - Rosa: It blooms\n13/12/2024, 18:16 - Ben: Where?\n"


class Unseekable(io.RawIOBase):
    """Where a zip is written so, its files have their sizes behind them."""

    def __init__(self) -> None:
        self.data = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data) -> int:
        self.data += data
        return len(data)


def zipped(files: dict[str, bytes], sizes_follow: bool, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = Unseekable() if sizes_follow else io.BytesIO()
    with zipfile.ZipFile(target, "w", packing) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return bytes(target.data) if isinstance(target, Unseekable) else target.getvalue()


def read_all(data: bytes) -> dict[str, bytes]:
    whole = mended(io.BytesIO(data), LIMITS)
    if whole is None:
        return {}
    with zipfile.ZipFile(whole) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=5), st.booleans(), st.booleans(), st.data())
def test_the_whole_files_are_found_wherever_a_zip_is_cut(contents, sizes_follow, packed, data):
    files = {f"a/{number}é.txt": content * 20 for number, content in enumerate(contents)}
    packing = zipfile.ZIP_DEFLATED if packed or sizes_follow else zipfile.ZIP_STORED
    archive = zipped(files, sizes_follow, packing)
    cut = data.draw(st.integers(1, len(archive) - 1))
    found = read_all(archive[:cut])
    assert found.items() <= files.items()
    with zipfile.ZipFile(io.BytesIO(archive)) as whole:
        ends = [*(one.header_offset for one in whole.infolist()[1:]), whole.start_dir]
    assert [*found] == [*files][: len(found)]
    assert len(found) >= sum(end <= cut for end in ends)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_cut_off_zip_or_none(data):
    read_all(b"PK\x03\x04" + data)


def test_no_more_than_the_limit_is_unpacked_to_find_sizes():
    data = zipped({"a": b"a" * 1000, "b": b"b" * 100_000, "c": b"c"}, sizes_follow=True)[:-30]
    whole = mended(io.BytesIO(data), read_limits({"file_size": 2000}))
    assert whole is not None
    assert zipfile.ZipFile(whole).namelist() == ["a"]


@pytest.mark.parametrize("sizes_follow", [True, False])
def test_a_cut_off_export_gives_what_is_whole_and_says_so(tmp_path: Path, sizes_follow: bool):
    data = zipped({"WhatsApp Chat with Ben.txt": CHAT.encode(), "IMG.jpg": PICTURE}, sizes_follow)
    file = tmp_path / "WhatsApp Chat with Ben.zip"
    file.write_bytes(data[: len(data) // 2 + 200])
    assert detect(file) == "whatsapp"
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(file, timezone="UTC")
        assert report.added == 2
        assert ["cut off" in one.reason for one in report.failures] == [True]
        file.write_bytes(data)
        report = db.ingest(file, timezone="UTC")
        assert (report.added, report.updated, report.removed, [*report.failures]) == (0, 0, 0, [])


def test_a_cut_off_zip_in_which_nothing_is_whole(tmp_path: Path):
    file = tmp_path / "a.zip"
    file.write_bytes(zipped({"conversations.json": PICTURE, "b": b"b"}, False)[:900])
    with pytest.raises(BadSource, match=r"a\.zip: the zip cannot be read"):
        detect(file)
    file.write_bytes(zipped({"b": b"b", "conversations.json": PICTURE}, False)[:900])
    with pytest.raises(BadSource, match="cut off, and what is whole in it is no export"):
        detect(file)
