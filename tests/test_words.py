"""Words, sentences and queries: what the index, the question and the budget agree on."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memkit.storage import driver, schema
from memkit.text import words
from memkit.text.composed import composed

ANY = st.text(st.characters(), max_size=200)  # lone surrogates, controls and every script
STORABLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)
# Mostly CJK, with what stands beside it in notes: letters, digits, units, punctuation, rare planes and look-alikes.
CJK = st.text(
    st.one_of(
        st.sampled_from("北京天安门東京々〇ひらがなカタカナーヿゝㇰ한국어ᄀᇿ龘𠀀𱍏豈"),
        st.sampled_from("ab Z09é.,。、「」！Ａｶ\n\t'\"[]*^-🙂ß"),
        st.characters(min_codepoint=0x3000, max_codepoint=0x9FFF),
        st.characters(min_codepoint=0x1F00, max_codepoint=0x32000, exclude_categories=["Cs", "Cn"]),
    ),
    max_size=40,
)


@pytest.fixture(scope="module")
def conn() -> Iterator[Any]:
    """An empty memory database."""
    made = driver.connect()
    schema.ensure(made, "memory")
    yield made
    made.close()


def add(conn: Any, said: str, title: str | None = None) -> int:
    """The key of a row with this text, written as another program would."""
    columns = "id, text, title, created_at, updated_at, hash"
    sql = f"insert into memories ({columns}) values (hex(randomblob(8)), ?, ?, '', '', '')"
    return conn.execute(sql, (said, title)).lastrowid


# ---------------------------------------------------------------------------------------------- tokens


@pytest.mark.parametrize(
    ("said", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("北京", 2),
        ("北京ab", 3),
        ("！", 1),
        ("한국어", 3),
        ("é", 1),
        ("ᄀ", 1),
        ("ᄀᄀ", 2),
        ("ჿჿ", 1),
    ],
)
def test_a_token_is_four_letters_or_one_cjk_character(said: str, tokens: int) -> None:
    assert words.est_tokens(said) == tokens


@given(ANY, ANY)
def test_tokens_never_shrink_when_text_is_added(one: str, two: str) -> None:
    assert max(map(words.est_tokens, (one, two))) <= words.est_tokens(one + two)
    assert words.est_tokens(one + two) <= words.est_tokens(one) + words.est_tokens(two)


# ---------------------------------------------------------------------------------------------- words and queries


def test_words_are_cut_as_the_index_cuts_them() -> None:
    assert words.words("It's an e-mail_list, 3.5 kg; Füße") == [
        "it",
        "s",
        "an",
        "e",
        "mail",
        "list",
        "3",
        "5",
        "kg",
        "füße",
    ]


def test_content_words_leave_out_function_words_unless_there_are_no_others() -> None:
    assert words.content_words("Who planted the quince? The quince!") == ["planted", "quince"]
    assert words.content_words("to be or not to be") == ["to", "be", "or", "not"]


@given(ANY)
@example('C++? a AND foo"bar NEAR( * col:val ^ - {x} \0')
@example("AND OR NOT NEAR")
@example("'; drop table memories; --")
def test_every_text_is_a_legal_query(conn: Any, said: str) -> None:
    for query in (words.fts_query(said), words.quoted(said.replace("\0", " ").encode("utf-8", "replace").decode())):
        if query:
            conn.execute("select count(*) from memories_fts where memories_fts match ?", (query,)).fetchall()
    if terms := words.cjk_terms(said):
        conn.execute("select count(*) from memories_cjk where memories_cjk match ?", (" OR ".join(terms),)).fetchall()


# Letters that Unicode has had for long: of later ones SQLite knows less than Python does.
LETTERS = [c for c in map(chr, range(0x1000)) if unicodedata.ucd_3_2_0.category(c) in ("Lu", "Ll", "Lt", "Lm", "Nd")]
WORD = st.text(st.sampled_from(LETTERS), min_size=1, max_size=12)


@given(WORD)
@example("Straße")
@example("İstanbul")
@example("ΟΔΟΣ")
@example("cafe\u0301s")  # decomposed, as macOS writes file names
@example("ﬁnal")
def test_a_word_finds_the_text_that_is_that_word(conn: Any, word: str) -> None:
    key = add(conn, f"so: {word}.")
    query = words.fts_query(word)
    found = conn.execute("select rowid from memories_fts where memories_fts match ?", (query,)).fetchall()
    assert not query or key in [row[0] for row in found]


# ---------------------------------------------------------------------------------------------- scripts without spaces


@given(st.lists(CJK, min_size=1, max_size=5))
def test_the_schema_spreads_characters_as_python_does(conn: Any, said: list[str]) -> None:
    for one in said:
        key = add(conn, one.replace("\0", ""), one[::-1].replace("\0", ""))
        stored = conn.execute("select text, title from memories where key = ?", (key,)).fetchone()
        row = conn.execute("select text, title, characters from memories_bigrams where key = ?", (key,)).fetchone()
        assert (row is not None) == any(map(words.has_cjk, stored))
        if row:
            wanted = (words.bigrams(stored[0]), words.bigrams(stored[1]), words.characters(stored[0]))
            assert tuple(value or "" for value in row) == wanted


def test_long_cjk_text_is_cut_alike_in_sql_and_in_python(conn: Any) -> None:
    for long in ("北京" * 6000, "a" + "北1b" * 4000, "北1" * 6000):
        key = add(conn, long)
        row = conn.execute("select text, characters from memories_bigrams where key = ?", (key,)).fetchone()
        assert tuple(row) == (words.bigrams(long), words.characters(long))


@given(CJK.filter(words.has_cjk), st.data())
def test_every_piece_of_a_cjk_run_finds_its_text(conn: Any, said: str, data: st.DataObject) -> None:
    said = composed(said.replace("\0", ""))  # a row that another program writes is in the index as it is
    run = data.draw(st.sampled_from(words.cjk_runs(said)))
    start = data.draw(st.integers(0, len(run) - 1))
    piece = run[start : start + data.draw(st.integers(1, 4))]
    key = add(conn, said)
    query = " OR ".join(words.cjk_terms(piece))
    found = conn.execute("select rowid from memories_cjk where memories_cjk match ?", (query,)).fetchall()
    assert key in [row[0] for row in found]


def test_another_form_of_a_character_is_found_as_it_is_written(conn: Any) -> None:
    key = add(conn, "a\uf900\u5317b")
    query = " OR ".join(words.cjk_terms("\uf900"))
    assert words.cjk_runs("a\uf900\u5317b") == ["\uf900\u5317"]
    assert [key] == [
        row[0] for row in conn.execute("select rowid from memories_cjk where memories_cjk match ?", (query,))
    ]


# ---------------------------------------------------------------------------------------------- sentences and names


@given(ANY)
def test_sentences_cover_everything_but_blanks_in_order(said: str) -> None:
    spans = words.sentences(said)
    assert spans == sorted(spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))
    kept = "".join(said[start:end] for start, end in spans)
    assert "".join(kept.split()) == "".join(said.split())
    assert all(said[start:end].strip() == said[start:end] != "" for start, end in spans)


def test_a_title_before_a_name_ends_no_sentence() -> None:
    said = "It hung in the tree of Mrs. Okafor. Dr. Lee and Prof. Hall came, then Mr. Fox. Alarms. Rest."
    assert [said[a:b] for a, b in words.sentences(said)] == [
        "It hung in the tree of Mrs. Okafor.", "Dr. Lee and Prof. Hall came, then Mr. Fox.", "Alarms.", "Rest.",
    ]  # fmt: skip


def test_sentences_end_at_marks_paragraphs_and_list_items() -> None:
    said = "It rained. We left! “Really?” 他走了。她没有。\n\nNew part\n- one\n- two 3.5 kg"
    assert [said[a:b] for a, b in words.sentences(said)] == [
        "It rained.", "We left!", "“Really?”", "他走了。", "她没有。", "New part", "- one", "- two 3.5 kg",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "normal"),
    [
        ("Café Müller", "cafe muller"),
        ("  ROSA'S ", "rosa"),
        ("the Hoffmanns’ garden", "the hoffmanns garden"),
        ("Dr. Martinez", "dr martinez"),
        ("ＡＢＣ", "abc"),
        ("@kira_moon", "kira moon"),
        ("北京", "北京"),
        ("...", ""),
        ("C++'s", "c++"),
        ("(C++), Vela+", "c++ vela+"),
        ("C++11 and C#7", "c++11 and c 7"),
        ("C#’s F# minor", "c# f# minor"),
        ("#tag, issue# and Ctrl+C", "tag issue and ctrl c"),
        ("1 + 2 = 3", "1 2 3"),
    ],
)
def test_names_are_compared_without_case_marks_and_possessive(name: str, normal: str) -> None:
    assert words.normal_name(name) == normal


@given(ANY)
def test_a_normal_name_is_its_own_normal_name(name: str) -> None:
    assert words.normal_name(words.normal_name(name)) == words.normal_name(name)


@given(ANY)
def test_the_normal_name_of_several_words_is_theirs_one_after_the_other(name: str) -> None:
    each = [words.normal_name(word) for word in name.split()]
    assert words.normal_name(" ".join(name.split())) == " ".join(filter(None, each)), "as a question's names are read"


@given(st.lists(st.none() | ANY, max_size=3), st.lists(st.none() | ANY, max_size=3))
def test_hashes_are_equal_only_for_equal_parts(one: list[str | None], two: list[str | None]) -> None:
    assert (words.text_hash(*one) == words.text_hash(*two)) == (one == two)
    assert len(words.short_id(*one)) == 10
