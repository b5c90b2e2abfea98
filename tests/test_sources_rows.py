"""Rows of JSONL, JSON, CSV, TSV, Python and SQLite: each becomes a draft, or a failure that says where and why."""

import json
import sqlite3
import tracemalloc
from dataclasses import replace

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import BadSource
from memkit.core.types import Draft, Failure, LeftOut
from memkit.sources import ReadOptions, TripleDraft, read
from memkit.sources.limits import LIMITS
from memkit.sources.tables.rows import delimiter
from memkit.text.words import est_tokens

ROWS = [
    {"id": "a", "text": "Rosa planted the quince.", "timestamp": "2019-04-02T10:00:00+02:00", "session": "spring"},
    {"id": "b", "text": "It took root.", "session": "spring", "speaker": "Rosa", "group": "garden"},
    {"id": 3, "text": "Water daily.", "kind": "procedure", "tags": ["water", "#daily"], "importance": 7, "mood": "dry"},
]


def sorted_out(source, **options):
    """The drafts and the failures of a source."""
    found = list(read(source, **options))
    return [x for x in found if isinstance(x, Draft)], [x for x in found if isinstance(x, Failure)]


def drafts(source, **options):
    found, failed = sorted_out(source, **options)
    assert failed == []
    return found


@pytest.fixture
def write(tmp_path):
    """Writes a file (objects: as JSON lines) and returns its path."""

    def write(name, *lines):
        data = b"".join(
            line if isinstance(line, bytes) else (json.dumps(line, ensure_ascii=False) + "\n").encode()
            for line in lines
        )
        (tmp_path / name).write_bytes(data)
        return tmp_path / name

    return write


# -------------------------------------------------------------------------------------------------------- the fields


def test_every_column_of_the_contract_has_its_field(write):
    path = write(
        "all.jsonl",
        {
            "id": "r1", "text": "Tea.", "title": "Drinks", "timestamp": "2024-05-31", "session": "s", "speaker": "Ada",
            "project": "home", "kind": "preference", "category": "food", "tags": "tea, hot", "importance": "8",
            "confidence": 0.5, "slot": "user", "key": "drink", "valid_from": "2024-01-01", "valid_until": 1735689600,
            "expires_at": "2026-01-01", "extra": {"deep": [1, None]},
        },
    )  # fmt: skip
    (found,) = drafts(path)
    document = found.document
    assert replace(found, document=None) == Draft(
        text="Tea.", document=None, source_id="r1", kind="preference", title="Drinks", speaker="Ada", category="food",
        tags=("tea", "hot"), project="home", slot="user", slot_key="drink", importance=8.0, confidence=0.5,
        happened_at="2024-05-31", valid_from="2024-01-01", valid_until="2025-01-01T00:00:00Z", expires_at="2026-01-01",
        sequential=True, meta={"extra": {"deep": [1, None]}},
    )  # fmt: skip
    assert (document.source, document.kind, document.title, document.project) == (f"{path}#s", "chat", "Drinks", "home")


def test_a_row_cannot_write_what_memkit_itself_notes(write, tmp_path):
    """`confirmed` makes a statement a crystal, `front_matter` leaves a text out of an exported note."""
    noted = ("archived_because", "confirmed", "feedback", "front_matter", "kept_from", "promote")
    row = {**dict.fromkeys(noted, True), "text": "Rosa moved to Lisbon.", "session": "s", "id": "1", "colour": "red"}
    (found,) = drafts(write("all.jsonl", row))
    assert found.meta == {**{f"{name}_": True for name in noted}, "colour": "red"}
    with MemoryDatabase(embed="none") as db:
        db.ingest([row])
        db.export(tmp_path / "vault", format="markdown")
    assert any("Lisbon" in note.read_text("utf-8") for note in (tmp_path / "vault").rglob("*.md"))


def test_rows_of_one_session_share_a_document_and_the_others_the_file(write):
    path = write("rows.jsonl", *ROWS)
    found = drafts(path)
    assert [x.document.source for x in found] == [f"{path}#spring", f"{path}#spring", str(path)]
    assert [x.document.kind for x in found] == ["chat", "chat", "table"]
    assert [x.sequential for x in found] == [True, True, False]
    assert [x.kind for x in found] == ["passage", "turn", "procedure"]
    assert [x.project for x in found] == [None, "garden", None]
    assert found[2].source_id == "3"
    assert found[2].tags == ("water", "daily")
    assert found[2].meta == {"mood": "dry"}


def test_a_project_given_at_the_call_is_for_rows_that_name_none(write):
    assert [x.project for x in drafts(write("rows.jsonl", *ROWS), project="house")] == ["house", "garden", "house"]


def test_columns_can_have_other_names(write):
    path = write("other.jsonl", {"title": "The body.", "nr": 7, "when": "2024-05-31", "text": "not the text"})
    options = ReadOptions(text_column="title", id_column="nr", timestamp_column="when", title_column="heading")
    (found,) = drafts(path, options=options)
    assert (found.text, found.source_id, found.happened_at) == ("The body.", "7", "2024-05-31")
    assert found.meta == {"text": "not the text"}


def test_a_long_row_becomes_parts_with_one_id(write):
    text = "Rosa planted the quince in the garden. " * 300
    found = drafts(write("long.jsonl", {"id": "a", "text": text, "mood": "dry"}))
    assert [x.source_id for x in found] == ["a"] * 3
    assert [x.meta for x in found] == [{"mood": "dry", "part": n, "parts": 3} for n in (1, 2, 3)]
    assert max(est_tokens(x.text) for x in found) <= 1000
    assert " ".join(x.text for x in found) == text.strip()


# ---------------------------------------------------------------------------------------------------------- failures

BAD = [
    (b'{"text": "broken\n', "broken JSON"),
    (b"[1, 2]\n", 'a row must be an object like {"text": "..."}, not list'),
    (b'{"id": "x"}\n', "no text"),
    (b'{"text": ""}\n', "no text"),
    (b'{"text": " \\n "}\n', "is blank"),
    (b'{"text": 12}\n', "must be text, not int"),
    (b'{"text": "x", "timestamp": "2023-02-30"}\n', "'timestamp': '2023-02-30' is not a time"),
    (b'{"text": "x", "valid_from": "soon"}\n', "'valid_from'"),
    (b'{"text": "\xff\xfe"}\n', "not valid UTF-8"),
    (b'{"text": "a\\u0000b"}\n', "NUL"),
    (b'{"text": "a\x00b"}\n', "broken JSON"),
    (b'{"text": "half \\ud83d pair"}\n', "not valid UTF-8"),
    (b'{"text": "x", "title": "a\\u0000b"}\n', "NUL"),
    (b'{"text": "x", "title": ["a"]}\n', "'title' must be text"),
    (b'{"text": "x", "tags": 5}\n', "tags must be a list"),
    (b'{"text": "x", "importance": 11}\n', "'importance' must be a number from 1 to 10, not 11"),
    (b'{"text": "x", "confidence": "high"}\n', "must be a number from 0 to 1, not 'high'"),
    (b"[" * 100_000 + b"\n", "broken JSON"),
]


@pytest.mark.parametrize(("line", "reason"), BAD, ids=[reason for _, reason in BAD])
def test_a_bad_line_is_reported_with_file_and_line_and_the_rest_goes_in(write, line, reason):
    path = write("bad.jsonl", ROWS[0], b"\n", line, ROWS[1])
    found, (failure,) = sorted_out(path)
    assert [x.source_id for x in found] == ["a", "b"]
    assert (failure.source, failure.line) == (str(path), 3)
    assert reason in failure.reason


def test_a_file_of_nothing_but_bad_lines_has_one_diagnosis(write):
    path = write("bad.jsonl", *(line for line, _ in BAD))
    ((failure,),) = [sorted_out(path)[1]]
    assert (failure.line, BAD[0][1] in failure.reason) == (1, True)
    assert failure.reason.endswith(f"; {len(BAD) - 1} more records could not be read either, and none could")


def test_a_file_of_bad_lines_is_read_to_its_end(write):
    path = write("bad.jsonl", *(line for line, _ in BAD), ROWS[0])
    found, failed = sorted_out(path)
    assert [failure.line for failure in failed] == list(range(1, len(BAD) + 1))
    assert [x.source_id for x in found] == ["a"]


def test_a_line_of_50_mb_is_skipped_in_bounded_memory(write):
    path = write("long.jsonl", ROWS[0], b'{"text": "' + b"x" * 50_000_000 + b'"}\n', ROWS[1])
    tracemalloc.start()
    found, failed = sorted_out(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [x.source_id for x in found] == ["a", "b"]
    assert [str(x) for x in failed] == [
        f"{path}:2: more than 10,000,000 bytes in a line; to read it all the same: --limit line_size=N"
    ]
    assert peak < 3 * LIMITS.line_size


def test_a_line_just_short_enough_is_read(write):
    text = "x " * ((LIMITS.line_size - 20) // 2)
    assert sorted_out(write("long.jsonl", {"text": text}))[1] == []


def test_jsonl_is_never_in_memory_as_a_whole(write):
    path = write("many.jsonl", *({"id": i, "text": "some words " * 20} for i in range(20_000)))
    tracemalloc.start()
    count = sum(1 for _ in read(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 20_000
    assert peak < 2_000_000 < path.stat().st_size


def test_a_byte_order_mark_and_windows_line_ends_are_no_failure(write):
    path = write("bom.jsonl", b"\xef\xbb\xbf" + b'{"text": "a"}\r\n{"text": "b"}')
    assert [x.text for x in drafts(path)] == ["a", "b"]


def test_nan_is_no_value(write):
    (found,) = drafts(write("nan.jsonl", b'{"text": "a", "importance": NaN, "x": NaN, "y": Infinity}\n'))
    assert (found.importance, found.meta) == (None, {})


CELLS = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)
NAMES = st.one_of(st.sampled_from("text id title timestamp session tags kind importance slot key x".split()), st.text())


@given(st.lists(st.one_of(CELLS, st.dictionaries(NAMES, CELLS))))
@settings(max_examples=300)
def test_any_rows_are_drafts_or_failures_that_can_be_kept(rows):
    found = list(read(rows))
    assert len({x.line for x in found if isinstance(x, Failure)}) + sum(isinstance(x, Draft) for x in found) == len(
        rows
    )
    for draft in found:
        if isinstance(draft, Draft):
            json.dumps(dict(draft.meta), allow_nan=False)
            (draft.text + (draft.title or "") + (draft.source_id or "")).encode()


@given(st.lists(st.binary(max_size=60)))
def test_any_bytes_are_read_to_the_end(tmp_path_factory, lines):
    path = tmp_path_factory.mktemp("any") / "any.jsonl"
    # It begins with a row: by its first bytes it could be a gzip, or text in UTF-16.
    path.write_bytes(b"\n".join([b'{"text": "the first"}', *lines, b'{"text": "the last"}']))
    assert [x.text for x in read(path, format="jsonl") if isinstance(x, Draft)][-1] == "the last"


# ---------------------------------------------------------------------------------------------------- other containers


def test_a_json_array_of_objects_and_texts(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([*ROWS, {"id": 1}, "just a text"], indent=1))
    found, failed = sorted_out(path, format="json")
    assert [x.text for x in found] == [*(row["text"] for row in ROWS), "just a text"]
    assert [x.line for x in failed] == [4]


def test_broken_json_is_one_failure_with_its_line(tmp_path):
    path = tmp_path / "rows.json"
    path.write_text('[\n{"text": "a"},\n{"text": ]')
    assert [str(x) for x in read(path)] == [f"{path}:3: broken JSON: Expecting value"]


def test_csv_with_quotes_line_breaks_and_empty_cells(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text('id,Text,tags,mood\n1,"He said ""quince"",\nthen left.","a,b",dry\n\n2,Water.,,\n', newline="")
    found = drafts(path)
    assert [(x.source_id, x.text, x.tags, x.meta) for x in found] == [
        ("1", 'He said "quince",\nthen left.', ("a", "b"), {"mood": "dry"}),
        ("2", "Water.", (), {}),
    ]


@pytest.mark.parametrize(("name", "mark"), [("a.csv", ";"), ("a.csv", ","), ("a.tsv", "\t"), ("a.csv", "|")])
def test_the_delimiter_is_found_in_the_header(tmp_path, name, mark):
    path = tmp_path / name
    path.write_text(f"id{mark}text\n1{mark}Water, daily.\n" if mark != "," else 'id,text\n1,"Water, daily."\n')
    assert [x.text for x in drafts(path)] == ["Water, daily."]
    assert delimiter(f"id{mark}text\n") == mark


def test_a_bad_csv_row_is_reported_with_its_line(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b'id,text\n1,good\n2,\xff\n3,"two\nlines"\n4,too,many\n5,\n6,nul\x00\n7,good')
    found, failed = sorted_out(path)
    assert [x.source_id for x in found] == ["1", "3", "7"]
    assert [x.line for x in failed] == [3, 6, 7, 8]


def test_a_csv_line_of_50_mb_is_skipped(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_bytes(b"id,text\n1,good\n2," + b"x" * 50_000_000 + b"\n3,good\n")
    found, failed = sorted_out(path)
    assert [x.source_id for x in found] == ["1", "3"]
    assert [x.line for x in failed] == [3]


def test_csv_cells_may_be_long(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,text\n1," + "quince " * 30_000)
    assert len(drafts(path)) > 1


def test_csv_without_the_column_says_which_there_are(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("id,body\n1,x\n")
    said = "no column 'text'; the columns are: id, body. Say which holds the text with --text-column"
    assert [str(x) for x in read(path)] == [f"{path}:1: {said}"]
    assert [x.text for x in drafts(path, options=ReadOptions(text_column="body"))] == ["x"]


def test_a_table_of_something_else_in_a_folder_is_left_out(tmp_path):
    (tmp_path / "statement.csv").write_text("Date,Payee,Amount\n2024-01-02,Kew,-3\n")
    (tmp_path / "rows.csv").write_text("id,text\n1,Planted in 2019\n")
    found = list(read(tmp_path))
    assert [one.text for one in found if isinstance(one, Draft)] == ["Planted in 2019"]
    (left,) = [one for one in found if not isinstance(one, Draft)]
    assert left == LeftOut((tmp_path / "statement.csv").as_posix(), "tables without a column 'text'")


def test_a_memory_database_is_not_taken_in_table_by_table(tmp_path):
    with MemoryDatabase(tmp_path / "memory.db", embed="none") as db:
        db.remember("Rosa planted the quince.")
    with pytest.raises(BadSource, match=r"is a memory database.*memkit export .*memory\.db all\.jsonl"):
        list(read(tmp_path / "memory.db"))


def test_python_dicts_and_texts_are_rows():
    found, failed = sorted_out([{"text": "a", "session": "s"}, "b", 5, {}])
    assert [(x.text, x.document.source) for x in found] == [("a", "rows:#s"), ("b", "rows:")]
    assert [x.line for x in failed] == [3, 4]


def test_reading_leaves_the_dicts_as_they_were():
    row = {"text": "a", "id": "1", "x": 2}
    list(read([row]))
    assert row == {"text": "a", "id": "1", "x": 2}


def test_an_endless_value_is_a_failure():
    loop = []
    loop.append(loop)
    assert "itself" in sorted_out([{"text": "a", "loop": loop}])[1][0].reason


def test_a_dataframe_gives_its_rows():
    frame = pd.DataFrame(
        {"text": ["a", "b", None], "timestamp": pd.to_datetime(["2024-05-31", None, None]), "n": [1.5, None, 2]}
    )
    found, failed = sorted_out(frame)
    assert [(x.text, x.happened_at, x.meta) for x in found] == [
        ("a", "2024-05-31T00:00:00Z", {"n": 1.5}),
        ("b", None, {}),
    ]
    assert [x.line for x in failed] == [3]


# ------------------------------------------------------------------------------------------------------------ sqlite


@pytest.fixture
def shop(tmp_path):
    """A database with two tables, a row with bytes that are no text, and a name that needs quoting."""
    path = tmp_path / "shop's.db"
    conn = sqlite3.connect(path)
    conn.execute('create table "my ""notes""" (id integer primary key, text, at, photo)')
    conn.executemany(
        'insert into "my ""notes""" values (?, cast(? as text), ?, ?)',
        [
            (1, "Tea.", "2024-05-31", b"\x00\x01"),
            (2, None, None, None),
            (3, b"\xff", None, None),
            (4, "Milk.", "?", None),
        ],
    )
    conn.execute("create table orders (nr, body)")
    conn.execute("insert into orders values (7, 'Two quinces.')")
    conn.commit()
    conn.close()
    return path


def test_the_only_table_with_a_text_column_is_read(shop):
    found, failed = sorted_out(shop, options=ReadOptions(timestamp_column="at"))
    assert [(x.source_id, x.text, x.happened_at, x.meta) for x in found] == [
        ("1", "Tea.", "2024-05-31", {"photo": "(2 bytes)"})
    ]
    assert found[0].document.source == f'{shop}#my "notes"'
    assert [x.line for x in failed] == [2, 3, 4]


def test_a_table_and_its_columns_can_be_named(shop):
    (found,) = drafts(shop, options=ReadOptions(table="orders", text_column="body", id_column="nr"))
    assert (found.text, found.source_id, found.document.source) == ("Two quinces.", "7", f"{shop}#orders")


def test_a_query_can_be_read(shop):
    sql = "select body || '!' as text,\n nr as id from orders"
    (found,) = drafts(shop, options=ReadOptions(sql=sql))
    assert (found.text, found.document.source) == ("Two quinces.!", f"{shop}#{' '.join(sql.split())}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ReadOptions(table="order"), "'order' is not a table. Did you mean 'orders'"),
        (ReadOptions(table="orders"), "'text' is not a column.*There are: body, nr.*--text-column"),
        (ReadOptions(text_column="nothing"), "no table with a column 'nothing'.*--table"),
        (ReadOptions(sql="select nonsense"), "no such column: nonsense"),
        (ReadOptions(sql="delete from orders returning body as text"), "readonly"),
    ],
)
def test_a_database_that_cannot_be_read_says_why(shop, options, message):
    with pytest.raises(BadSource, match=message):
        list(read(shop, options=options))


def test_reading_a_database_changes_nothing(shop):
    before = shop.read_bytes()
    list(read(shop))
    assert shop.read_bytes() == before
    assert [path.name for path in shop.parent.iterdir()] == [shop.name]


# ----------------------------------------------------------------------------------------------------------- triples


def test_triples_are_told_from_rows_and_lack_nothing(write):
    path = write(
        "triples.jsonl",
        {"passage_id": 1, "subject": "Rosa", "predicate": "planted", "object": "quince", "confidence": 0.9,
         "valid_from": "2019", "quote": "Rosa planted the quince."},
        {"passage_id": "p2", "subject": " Rosa ", "predicate": "lives in", "object": "Porto",
         "valid_from": "2019-04-02"},
        {"passage_id": "p3", "subject": "Rosa", "predicate": "", "object": " "},
        b"nonsense\n",
    )  # fmt: skip
    found = list(read(path))
    assert found[0].valid_from.startswith("2019")
    assert found[1] == TripleDraft("p2", "Rosa", "lives in", "Porto", valid_from="2019-04-02")
    assert [(x.line, x.reason.split(":")[0]) for x in found if isinstance(x, Failure)] == [
        (3, "a triple needs passage_id, subject, predicate, object; missing"),
        (4, "broken JSON"),
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "mac-roman"])
@pytest.mark.parametrize("mark", [",", "\t"])
def test_lines_of_an_old_mac_end_with_a_carriage_return(tmp_path, mark, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes(f"id{mark}text\r1{mark}Jürgen müde\r2{mark}It took root.\r".encode(encoding))
    assert [(one.source_id, one.text) for one in drafts(path)] == [("1", "Jürgen müde"), ("2", "It took root.")]


def test_one_bad_byte_between_old_line_ends_fails_alone(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("text\rJürgen pflückt süße Äpfel\r".encode() + b"b\xffd\rIt took root.\r")
    found, failed = sorted_out(path)
    assert ([one.text for one in found], len(failed)) == (["Jürgen pflückt süße Äpfel", "It took root."], 1)


def test_a_stray_carriage_return_is_no_header_and_no_crash(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"\r\x00")
    assert [type(found) for found in read(path)] == [Failure]


@pytest.mark.parametrize("option", ["table", "sql"])
def test_a_table_is_asked_of_a_database_only(tmp_path, shop, option):
    note = tmp_path / "note.md"
    note.write_text("It blooms.")
    options = ReadOptions(**{option: "orders"})
    for source, said in ((note, "note.md' is not one"), (tmp_path, "is not one"), ([{"text": "a"}], "rows is not one")):
        with pytest.raises(BadSource, match=f"The option '{option}' needs a SQLite database, but .*{said}"):
            read(source, options=options)
    with pytest.raises(BadSource, match="the format 'llm' is not one"):
        read(shop, format="llm", options=options)
