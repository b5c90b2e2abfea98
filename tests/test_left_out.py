"""Nothing is left out in silence: the report of a folder says what was not read, by kind and reason."""

import io
import json
import sqlite3
import zipfile
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import LeftOut, ReadWarning
from memkit.frontends.cli.main import cli
from memkit.ingestion.report import IngestReport
from memkit.sources import FORMATS, read
from memkit.sources.encoding import encoding, marked
from memkit.sources.format import Format


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    folder = tmp_path / "garden"
    for name, data in {
        "quince.md": b"Rosa planted the quince.",
        "empty.md": b"",
        "only.md": b"\n\n",
        "tree.jpg": b"\xff\xd8\xff\x00",
        "bloom.jpg": b"\xff\xd8\xff\x00",
        "settings.json": b'{"theme": "dark"}',
        "app.db": b"SQLite format 3\0",
        "Templates/daily.md": b"# {{date}}",
        ".hidden/secret.md": b"Not for others.",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / "app.db").unlink()
    with MemoryDatabase(folder / "app.db", embed="none"):
        pass
    return folder


def test_a_report_counts_what_was_left_out_by_kind_and_reason(garden):
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(garden)
        assert (report.added, report.failed) == (1, 0)
        assert report.left_out_text == (
            "2 .jpg (no format that memkit reads), 2 without text, "
            "1 .db (databases of some program; to read one, name it itself), "
            "1 .json (JSON of a shape that memkit does not know: it has no 'text'), 1 Templates (a folder of templates)"
        )
        assert report.left_out_text in repr(report)
        assert db.ingest(garden).left_out_text == report.left_out_text


def test_of_dozens_of_kinds_the_most_frequent_are_told():
    left = [LeftOut(f"a.{kind}", "odd") for kind in range(20)] + [LeftOut("b.3", "odd")]
    told = IngestReport(left_out=left).left_out_text
    assert told.startswith("2 .3 (odd), 1 .0 (odd), ")
    assert told.endswith(", 8 of 8 other kinds")
    assert told.count("odd") == 12


def test_the_command_says_it_and_lists_each_when_asked(garden, tmp_path):
    file = str(tmp_path / "m.db")
    short = CliRunner().invoke(cli, ["ingest", file, str(garden), "--no-embed"])
    assert short.exit_code == 0
    assert "\nLeft out: 2 .jpg (no format that memkit reads), 2 without text" in short.output
    assert "tree.jpg" not in short.output
    full = CliRunner().invoke(cli, ["ingest", file, str(garden), "--no-embed", "--verbose"])
    assert f"{garden / 'tree.jpg'}: no format that memkit reads" in full.output
    assert f"{garden / 'empty.md'}: without text" in full.output
    listed = json.loads(CliRunner().invoke(cli, ["ingest", file, str(garden), "--no-embed", "--json"]).stdout)
    assert len(listed["left_out"]) == 7
    assert listed["left_out"][0].keys() == {"source", "reason", "line", "needs"}


def test_a_format_that_needs_a_library_says_so_and_loses_nothing(garden, monkeypatch):
    needy = Format("scroll", "Scrolls", FORMATS["markdown"].read, lambda seen: seen.suffix == ".scroll", ("*.scroll",))
    monkeypatch.setitem(FORMATS, "scroll", needy)  # type: ignore[misc]
    monkeypatch.setattr("memkit.sources.registry._OWN", (needy, *FORMATS.values()))
    (garden / "old.scroll").write_text("The pear was felled.")
    with MemoryDatabase(embed="none") as db:
        assert db.ingest(garden).added == 2
        object.__setattr__(needy, "needs", ("no_such_library",))
        object.__setattr__(needy, "extra", "scrolls")
        report = db.ingest(garden, sync=True)
        assert "1 .scroll (to read them: pip install 'datasette-memkit[scrolls]')" in report.left_out_text
        assert (report.removed, report.failed) == (0, 0)
        with pytest.raises(BadSource, match=r"To read old\.scroll, a scroll file, run: pip install 'datasette-memkit"):
            db.ingest(garden / "old.scroll")


@pytest.mark.parametrize(
    ("name", "text", "looks"),
    [
        ("a.xyz", "<?xml version='1.0'?><tree/>", "XML"),
        ("a", "<!DOCTYPE html>\nQuince", "HTML"),
        ("a.py", "print('quince')", "text/x-python"),
        ("a.css", "p { color: red }", "text/css"),
        ("a.txt", "\n".join(f"2024-05-{day}\t{day}.50\tGrocer" for day in range(10, 31)), "a table"),
    ],
)
def test_a_named_file_of_an_unknown_kind_is_refused_with_what_it_looks_like(tmp_path, name, text, looks):
    (tmp_path / name).write_text(text)
    with pytest.raises(BadSource, match=f"looks like {looks}.*--format markdown"):
        read(tmp_path / name)
    assert [draft.text for draft in read(tmp_path / name, format="markdown")] == [text]  # type: ignore[union-attr]


def test_of_several_named_files_each_unknown_one_is_told_once(tmp_path):
    for name in ("a.py", "b.css"):
        (tmp_path / name).write_text("p { color: red }")
    with MemoryDatabase(embed="none") as db:
        first, second = db.ingest([tmp_path / "a.py", tmp_path / "b.css"]).failures
    assert str(first).count("a.py") == 1
    assert second.reason.startswith("no notes, but looks like text/css.")


@pytest.mark.parametrize("name", ["LICENSE", "notes", "a.txt", "diary.log", "ch.1"])
def test_prose_is_read_whatever_its_name_is(tmp_path, name):
    (tmp_path / name).write_text("Rosa planted the quince.")
    assert [draft.text for draft in read(tmp_path / name)] == ["Rosa planted the quince."]  # type: ignore[union-attr]


def test_a_note_with_a_warning_is_in_and_no_failure(tmp_path):
    (tmp_path / "a.md").write_text("---\ntags: [open\n---\nRosa planted the quince.")
    ran = CliRunner().invoke(cli, ["ingest", str(tmp_path / "m.db"), str(tmp_path / "a.md"), "--no-embed"])
    assert (ran.exit_code, ran.stdout.splitlines()[0][:7]) == (0, "1 added")
    assert "a.md:1: front matter ignored" in ran.stderr
    assert any(isinstance(one, ReadWarning) for one in read(tmp_path / "a.md"))


def test_a_file_that_is_not_what_it_seems_has_one_diagnosis(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"level": "info", "body": "started"}\n' * 300)
    with MemoryDatabase(embed="none") as db:
        (failure,) = db.ingest(tmp_path / "log.jsonl").failures
        assert failure.reason == (
            "no text ('text' is missing or empty); 299 more records could not be read either, and none could"
        )


LETTERS = {
    "cp1252": "Déjà vu à l'été : la mère de Zoé a planté un cognassier près du mur.",
    "iso8859-15": "Müllers Äpfel sind süß. Größe und Straße, schöne Grüße aus Köln.",
    "cp437": "Die Quitte steht hinter dem Schuppen. Der Schlüssel hängt in der Küche, sagt Großmutter.",
    "mac_roman": "El membrillo está detrás del cobertizo. Mañana iremos al campo con los niños.",
    "cp1250": "A birsalmafát a fészer mögé ültették. A kulcs a konyhai órán lóg. Őszi eső, hűvös szél.",
    "iso8859-2": "Pigwa rośnie za szopą. Klucz wisi na zegarze w kuchni, babcia o tym wie. Źdźbło, gęś i łódź.",
    "cp1253": "Η κυδωνιά φυτεύτηκε πίσω από την αποθήκη. Το κλειδί κρέμεται στο ρολόι της κουζίνας.",
    "cp1254": "Ayva ağacı kulübenin arkasına dikildi. Anahtar mutfaktaki saatin üzerinde asılı. Şimdi çıkıyoruz.",
    "cp1255": "עץ החבוש ניטע מאחורי המחסן. המפתח תלוי על השעון במטבח, וסבתא שלי יודעת את זה.",
    "cp1256": "زرعت شجرة السفرجل خلف المخزن. المفتاح معلق على الساعة في المطبخ وجدتي تعرف ذلك.",
    "cp1257": "Svarainis buvo pasodintas už pašiūrės. Raktas kabo ant virtuvės laikrodžio, močiutė tai žino.",
    "cp866": "Айва растёт за сараем. Ключ висит на часах в кухне, и бабушка это знает.",
    "cp500": "Rosa planted the quince behind the shed in March, and the key hangs in the kitchen.",  # a mainframe
    "koi8-r": "Айва растёт за сараем. Ключ висит на часах в кухне, и бабушка это знает.",
    "cp874": "ต้นไม้ถูกปลูกไว้หลังโรงเก็บของ กุญแจแขวนอยู่ที่นาฬิกาในครัว และคุณยายรู้เรื่องนี้",
    "big5": "我們今天去了公園，看到了很多花。媽媽說春天來了，天氣很好。",
    "cp949": "오늘은 공원에 갔습니다. 꽃이 많이 피어 있었습니다. 아주 즐거웠습니다.",
    "gbk": "我们今天去了公园，看到了很多花。妈妈说春天来了，天气很好。",
    "shift_jis": "今日は公園へ行きました。花がたくさん咲いていました。とても楽しかったです。",
    "cp1251": "Сегодня мы были в парке и видели много цветов. Мама сказала, что пришла весна.",
    "utf-16": "Rosa planted the quince. 我们",
    "utf-16-le": "Rosa planted the quince. 我们",  # without a byte order mark
    "utf-16-be": "Rosa planted the quince. 我们",
    "utf-8-sig": "Rosa planted the quince. 我们",
}


@pytest.mark.parametrize("name", LETTERS)
def test_text_in_the_encodings_that_people_have(tmp_path, name):
    text = LETTERS[name]
    (tmp_path / "a.txt").write_bytes(text.encode(name))
    (tmp_path / "a.tsv").write_bytes(f"id\ttext\n1\t{text}\n".encode(name))
    assert [draft.text for draft in read(tmp_path / "a.txt")] == [text]  # type: ignore[union-attr]
    assert [draft.text for draft in read(tmp_path / "a.tsv")] == [text]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"\0\0\0\0", b"a\0", b"quince\0tree\0", b"\1\0\2\0\3\0\4\0", b"PNG\0\0\0a\0"]
)
def test_zeros_alone_do_not_make_bytes_utf16(data):
    assert marked(data) is None


def test_utf8_with_a_wrong_byte_is_not_taken_for_anything_else():
    with pytest.raises(ValueError, match="line 2 is not valid UTF-8"):
        encoding("été à la\nplage".encode() + b"\xff")


def test_what_is_left_out_has_a_kind_that_any_terminal_can_show():
    assert LeftOut("/a/b.\x1b[31mX", "odd").kind == ".\\x1b[31mx"


def zipped(**files: str) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return packed.getvalue()


def database() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "none.db"
        with closing(sqlite3.connect(path)) as conn:
            conn.execute("create table of_none (name text)")
        return path.read_bytes()


EMPTY = {
    "nothing": b"",
    "a blank line": b"\n",
    "an object": b"{}",
    "a list": b"[]",
    "a page": b"<!DOCTYPE html><html><body></body></html>",
    "a zip": zipped(),
    "a database": database(),
}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_each_reader_says_something_of_a_file_in_which_there_is_nothing(name, tmp_path):
    with MemoryDatabase(embed="none") as db:
        for what, data in EMPTY.items():
            for ending in {Path(pattern).suffix for pattern in FORMATS[name].files if "." in pattern} or {".txt"}:
                path = tmp_path / f"{what}{ending}"
                path.write_bytes(data)
                with suppress(BadSource):  # which says it, too
                    report = db.ingest(path, format=name)
                    said = [*report.failures, *report.warnings, *report.left_out]
                    assert report.added or report.unchanged or said, (what, ending)


CODEX = '{"timestamp":"2025-01-03T10:00:00Z","type":"session_meta","payload":{"id":"1","cwd":"/garden"}}\n'
CALENDAR = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//x//y\r\nX-WR-CALNAME:Empty\r\nEND:VCALENDAR\r\n"
CLIPPINGS = "\r\n==========\r\n".join(
    f"Quinces (Rosa Marsh)\r\n- Your {kind} on page {page} | Added on Friday, January 3, 2025 10:30:45 PM\r\n\r\n{text}"
    for page, (kind, text) in enumerate(
        [("Highlight", "It blooms."), ("Bookmark", ""), ("Bookmark", ""), ("Highlight", ""), ("Note", "")]
    )
)
FIREFOX = json.dumps(
    {
        "type": "text/x-moz-place-container",
        "children": [
            {"type": "text/x-moz-place", "title": "Recent", "uri": "place:sort=8"},
            {"type": "text/x-moz-place", "title": "Quinces", "uri": "https://example.org/"},
        ],
    }
)
KEEP = json.dumps({"isTrashed": True, "textContent": "Old.", "userEditedTimestampUsec": 1599806347000000})
STANDARD = json.dumps(
    {
        "version": "004",
        "items": [
            {"content_type": "Note", "uuid": str(number), "content": {"title": "Old", "text": "x", "trashed": True}}
            for number in range(2)
        ],
    }
)
BEAR = zipped(
    **{"a.textbundle/info.json": '{"net.shinyfrog.bear": {"trashed": 1}}', "a.textbundle/text.md": "# Old\nOld."}
)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("rollout-1.jsonl", CODEX, "1 .jsonl (nothing in it to remember)"),
        ("empty.ics", CALENDAR, "1 .ics (nothing in it to remember)"),
        ("My Clippings.txt", CLIPPINGS, "1 .txt (2 bookmarks, 2 clippings without text)"),
        ("bookmarks-2025-01-03.json", FIREFOX, "1 .json (1 bookmark of no page)"),
        ("Old.json", KEEP, "1 .json (1 note in the trash)"),
        ("Standard Notes Backup and Import File.txt", STANDARD, "1 .txt (2 notes in the trash)"),
        ("backup.bear2bk", BEAR, "1 .bear2bk (1 note in the trash)"),
    ],
)
def test_what_a_reader_passes_over_is_counted_in_one_line_for_the_file(name, data, told, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    for source in (tmp_path / "in" / name, tmp_path / "in"):
        file = str(tmp_path / f"{source.name}.db")
        run = CliRunner().invoke(cli, ["ingest", file, str(source), "--no-embed", "--verbose"])
        assert run.exit_code == 0
        assert f"\nLeft out: {told}\n" in run.output
        assert f"{name}: {told.partition('(')[2].removesuffix(')')}" in run.output


def test_a_sync_says_again_what_a_file_that_it_passes_over_holds_back(tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "My Clippings.txt").write_text(CLIPPINGS)
    with MemoryDatabase(tmp_path / "m.db", embed="none") as db:
        db.add_source(tmp_path / "in")
        told = [(db.sync(), db.sources()[0].left_out)[1] for _ in range(2)]
    assert told == ["1 .txt (2 bookmarks, 2 clippings without text)"] * 2
