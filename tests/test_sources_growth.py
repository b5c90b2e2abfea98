"""Reading grows with the length of a text, whatever its shape: with the square of it, one file would stop an ingest."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from growth import takes_at_most

from memkit import MemoryDatabase
from memkit.core.types import Draft
from memkit.sources import FORMATS, ReadOptions, read
from memkit.sources.chat import said
from memkit.sources.limits import LIMITS
from memkit.sources.messengers import slack
from memkit.sources.notes.front_matter_yaml import parse_front_matter
from memkit.sources.notes.machinery import machinery
from memkit.sources.notes.markdown import hashtags
from memkit.sources.notes.page_title import first_heading
from memkit.sources.sample import Sample, keys
from memkit.text.chunking import LONGEST_CODE, parts, passages
from memkit.text.extract.guard import strip_context
from memkit.text.words import est_tokens

LARGE, SMALL = 16_000, 1_000


def fences(size: int) -> str:
    """Fences that nothing closes, each shorter than the one before, and shorter ones after them."""
    lengths = range(3 + int((size / 2) ** 0.5), 4, -1)
    return "\n".join("`" * length + " x" for length in lengths) + "\n" + "```\n" * (size // 8) + "~~~\n" * (size // 8)


SHAPES: dict[str, Callable[[int], str]] = {
    "fence": lambda size: "`" * size + "\n#a",
    "fence and a mark": lambda size: "`" * size + " `\n#a",
    "tildes": lambda size: "~" * size + "\n#a",
    "fences": lambda size: fences(size) + "\n#a",
    "code in lines": lambda size: "`a\n" * (size // 3) + "#a",
    "brackets": lambda size: "[" * size,
    "wikilinks": lambda size: "[[a|" * (size // 4) + "]]",
    "quotes": lambda size: "> " * (size // 2) + "x",
    "lists": lambda size: "\n".join(" " * level + "- x" for level in range(int((2 * size) ** 0.5))),
    "title with blanks": lambda size: "# a" + " " * size + "b",
    "title with marks": lambda size: "# a" + " #" * (size // 2) + " b",
    "headings": lambda size: "# h\n" * (size // 4),
    "underlines": lambda size: "a\n" + "-" * size + "b",
    "table": lambda size: "|a" * (size // 2) + "\n" + "|-" * (size // 2),
    "blank lines": lambda size: "a" + "\n" * size + "b",
    "blanks": lambda size: "a" + " " * size + "b",
    "a word": lambda size: "x" * size,
    "stops": lambda size: "." * size + "a" + "!" * size,
    "tags": lambda size: "#a" * (size // 2),
    "numbers": lambda size: "\n" + "1" * size,
    "front matter without end": lambda size: "---\n" + "a: b\n" * (size // 5),
    "rules": lambda size: "---\n" + "---x\n" * (size // 5),
    "thinking": lambda size: "<antThinking>" * (size // 13),
    "reminders": lambda size: "<system-reminder>" * (size // 17),
    "contexts": lambda size: "<memkit-context a" * (size // 17),
    "escapes": lambda size: '{"' + '\\"' * (size // 2),
    "texts": lambda size: "{" + '"" ' * (size // 3),
    "objects": lambda size: "{" * size,
    "lists in yaml": lambda size: "a: " + "[" * size,
    "items in yaml": lambda size: "- " * (size // 2),
    "drawers": lambda size: ":LOGBOOK:\n" * (size // 10) + " :END: x",
    "queries": lambda size: "#+BEGIN_QUERY\n" * (size // 14) + "#+END",
    "examples": lambda size: "#+BEGIN_SRC\n#+END_SRC\n-\n" * (size // 24),
    "comments of cards": lambda size: "<!--SR:" * (size // 7),
    "ids of blocks": lambda size: "a ^abc\n\n" * (size // 8),
    "anchors in yaml": lambda size: "a: &a [x]\nb: [" + "*a," * (size // 3) + "]",
}


def parsed(text: str) -> None:
    """Front matter, also if it is broken."""
    try:
        parse_front_matter(text, LIMITS)
    except ValueError:
        return


def unmachined(text: str) -> None:
    """What of a note's text is left in its passages."""
    found = machinery(text, 0, lambda _: None, dendron=True)
    for at in range(0, len(text), 100):
        found.without(text, at, at + 100)


WORK: dict[str, Callable[[str], Any]] = {
    "passages": lambda text: list(passages(text, max_tokens=50)),  # so that the small text is cut, too
    "parts": lambda text: parts(text, 50),
    "hashtags": hashtags,
    "first_heading": first_heading,
    "said": lambda text: said(text, ReadOptions()),
    "strip_context": strip_context,
    "keys": keys,
    "machinery": unmachined,
    "front matter": parsed,
}


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("shape", SHAPES)
def test_reading_grows_with_the_length(shape: str, work: str) -> None:
    large, small = SHAPES[shape](LARGE), SHAPES[shape](SMALL)

    def several(text: str) -> None:  # so that a small text takes as long as can be measured
        for _ in range(4):
            WORK[work](text)

    assert takes_at_most(64, lambda: several(large), lambda: several(small))  # in proportion 16, with the square 256


# What people and programs write to each other: shapes that could make a pattern begin again and again.
LETTERS: dict[str, str] = {
    "mail": "From: a@b\n\n",
    "separators": "\n\nFrom 1:11 1111 ",
    "dashes": "-",
    "underscores": "_",
    "footers": "--\nunsubscribe\n",
    "quotes of mails": "a\n\nOn x wrote:\n> b\n",
    "originals": "-----Original Message----- ",
    "froms": "From: a\n",
    "flowed": "a \n",
    "addresses": "a <b>, ",
    "quotation marks": '",',
    "encoded words": "=?utf-8?q?a?= ",
    "reactions": "\n(- ",
    "media": "[a](media/",
    "messages": '<div class="message default',
    "pages": '<div class="message default" id="message1"><div class="text">',
    "dates": "13/06/2018, 21:25 - ",
    "lines with dates": "\n13/06/2018, 21:25 - a: b",
    "names": "13/06/2018, 21:25 - a",
    "marks": "\u200e",
    "mentions": "<@U1|",
    "digits": "1",
    "numbers with dots": "1.",
    "blanks in lines": " \n",
}


def read_as(format: str, name: str, start: str = "") -> Callable[[str], Any]:
    """The work of reading a text as a file of this format."""

    def work(text: str) -> Any:
        with TemporaryDirectory() as folder:
            (Path(folder) / name).write_text(start + text)
            return list(read(Path(folder) / name, format=format, options=ReadOptions(day_first=True)))

    return work


SENT: dict[str, Callable[[str], Any]] = {
    "detect": lambda text: [
        one.matches(Sample(Path("chat.txt"), text.encode())) for one in FORMATS.values() if one.matches
    ],
    "mbox": read_as("mbox", "a.mbox", "From - Mon Nov 07 18:44:27 2016\nFrom: a@b\n\n"),
    "header": read_as("eml", "a.eml", "From: a@b\nTo: "),
    "flowed": read_as("eml", "a.eml", "From: a@b\nContent-Type: text/plain; format=flowed\n\n"),
    "whatsapp": read_as("whatsapp", "a.txt", "13/06/2018, 21:25 - a: b"),
    "signal": read_as("signal", "a.md", "[2019-12-24, 12:23] a: b"),
    "telegram-html": read_as("telegram-html", "messages.html", '<div class="message default" id="message1">'),
    "slack": lambda text: slack._text({"text": text}, {}),
}


@pytest.mark.parametrize("work", SENT)
@pytest.mark.parametrize("shape", LETTERS)
def test_reading_mails_and_chats_grows_with_the_length(shape: str, work: str) -> None:
    letter = LETTERS[shape]
    large, small = letter * (16 * LARGE // len(letter)), letter * (LARGE // len(letter))
    assert takes_at_most(64, lambda: SENT[work](large), lambda: SENT[work](small))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_note_of_any_shape_is_read_and_stored(tmp_path: Path, shape: str) -> None:
    (tmp_path / "a.md").write_text(SHAPES[shape](SMALL))
    (tmp_path / "b.md").write_text("Rosa planted the quince.")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path)
        assert report.added + len(report.left_out) >= 2  # dashes alone are no text
        assert all("front matter ignored" in one.reason for one in report.warnings)
        assert not report.failures


def test_a_code_block_as_long_as_a_file_is_cut() -> None:
    code = "```\n" + "x = 1\n" * 20_000 + "```"
    found = [code[one.start : one.end] for one in passages(code)]
    assert len(found) > 10
    assert "".join("".join(found).split()) == "".join(code.split())
    whole = "```\n" + "x = 1\n" * 3_000 + "```"
    assert est_tokens(whole) < LONGEST_CODE
    assert [whole[one.start : one.end] for one in passages(whole)] == [whole]


def stored(found: Any) -> int:
    """The characters of all drafts, with their titles, tags and the rest."""
    return sum(len(repr((one.text, one.title, one.tags, one.speaker, one.source_id, one.meta))) for one in found)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "---\ntitle: " + "t" * 100_000 + "\n---\n" + "Para para.\n\n" * 50_000),
        ("a.md", "---\ntags: [" + ", ".join(f"t{n:09}" for n in range(9_000)) + "]\n---\n" + "Para para.\n\n" * 50_000),
        ("a.jsonl", json.dumps({"id": "i" * 400_000, "text": "Para para. " * 50_000})),
        ("a.jsonl", json.dumps({"mood": "m" * 900_000, "text": "Para para. " * 50_000})),
        (
            "a.jsonl",
            json.dumps(
                {"type": "user", "sessionId": "s" * 99_999, "uuid": "u" * 99_999, "summary": "t" * 99_999,
                 "message": {"content": "Para para. " * 50_000}}
            ),
        ),
    ],
    ids=["title", "tags", "id", "meta", "session"],
)  # fmt: skip
def test_what_is_said_once_does_not_grow_with_each_part(tmp_path: Path, name: str, text: str) -> None:
    """A file of a megabyte could otherwise become gigabytes of rows: each part of a long text has its title again."""
    (tmp_path / name).write_text(text)
    limits = ReadOptions(limits=type(LIMITS)(line_size=2_000_000))
    found = [one for one in read(tmp_path / name, options=limits) if isinstance(one, Draft)]
    assert stored(found) < 12 * max(len(text), 2_000_000)
