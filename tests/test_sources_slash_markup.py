"""Pages of Zim and DokuWiki, and months of RedNotebook: their marks are those of Markdown, their days are known."""

import gzip
from pathlib import Path

import pytest
from chat_files import ingests

from memkit import MemoryDatabase
from memkit.sources import detect, read
from memkit.sources.folder import BACKUPS
from memkit.sources.notes import dokuwiki, rednotebook, zim
from memkit.sources.notes.slash_markup import slash_markdown

ZIM = """Content-Type: text/x-zim-wiki
Wiki-Format: zim 0.6
Creation-Date: 2023-05-10T20:04:04+02:00

====== The old garden ======
Angelegt Mittwoch 10 Mai 2023

Rosa //dug// **deep**, see [[Trees:Pear_Tree|the pear]] and [[+Beds]]. @spring

===== Tools =====
[ ] a spade from [[https://example.org|the shop]]
	[*] a rake
[x] a saw
* H_{2}O {{./pear.png?width=300}}

'''
== no //heading// ==
'''
{{{code: lang="python3" linenumbers="True"
print("//")
}}}
"""
DOKUWIKI = """~~NOTOC~~
====== Pear tree ======
{{tag>trees "old ones"}}
It is //tall// and ''strong''\\\\ and __old__((since 1950)), see [[garden:old_beds|the beds]]. {{:garden:pear.png?200|}}

==== Work ====
  * [[https://example.org|prune]]
    - first, <del>then</del>

^ what ^ when ^
| bloom | [[may|May]] |

<code bash>
ls //
</code>
  == no heading ==
"""
MONTH = """8:
  Ideas:
    plant a pear: null
  Tags:
    garden: null
  text: "= Morning =\\n\\nRosa //dug//, --not deep--. [the shop \\"\\"https://example.org\\"\\"]\\n[\\"\\"file:///p\\"\\".png]
    #spring"
9: {text: !!python/unicode 'It rained: all day'}
31:
  text: ''
"""


def test_a_page_of_zim_is_a_note_with_the_time_of_its_making(tmp_path: Path) -> None:
    (tmp_path / "The_old_garden.txt").write_text(ZIM)
    first, *others = read(tmp_path)
    assert detect(tmp_path / "The_old_garden.txt") == "zim"
    assert (first.title, first.happened_at, first.tags) == ("The old garden", "2023-05-10T18:04:04Z", ("spring",))
    assert first.document.aliases == ("The_old_garden",)
    assert "\n\n".join(one.text for one in (first, *others)) == (
        "# The old garden\n\nRosa *dug* **deep**, see [[Pear Tree|the pear]] and [[Beds]]. @spring\n\n"
        "## Tools\n- [ ] a spade from [the shop](https://example.org)\n\t- [x] a rake\n- [-] a saw\n"
        '- H<sub>2</sub>O\n\n```\n== no //heading// ==\n```\n\n```python3\nprint("//")\n```'
    )


def test_a_page_of_zims_journal_is_of_its_day(tmp_path: Path) -> None:
    folder = tmp_path / "Journal" / "2024" / "03"
    folder.mkdir(parents=True)
    (folder / "01.txt").write_text(ZIM.replace("The old garden", "Freitag 01 März 2024"))
    assert {one.happened_at for one in read(tmp_path)} == {"2024-03-01"}


def test_words_below_the_title_that_are_no_day_of_making_stay(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(ZIM.replace("Mittwoch 10 Mai", "Donnerstag 11 Mai"))
    assert "Angelegt Donnerstag 11 Mai 2023" in next(read(tmp_path)).text


def test_a_page_of_dokuwiki_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "pear_tree.txt").write_text(DOKUWIKI)
    first, *others = read(tmp_path)
    assert detect(tmp_path / "pear_tree.txt") == "dokuwiki"
    assert (first.title, first.tags, first.document.aliases) == ("Pear tree", ("trees", "old ones"), ("pear_tree",))
    assert "\n\n".join(one.text for one in (first, *others)) == (
        "# Pear tree\n\nIt is *tall* and `strong`\nand old (since 1950), see [[old beds|the beds]].\n\n"
        "### Work\n- [prune](https://example.org)\n  1. first, ~~then~~\n\n"
        "| what | when |\n| --- | --- |\n| bloom | [[may|May]] |\n\n```bash\nls //\n```\n\n  == no heading =="
    )


def test_dokuwiki_is_known_by_its_first_heading_or_its_folder(tmp_path: Path) -> None:
    pages = tmp_path / "data" / "pages" / "garden"
    pages.mkdir(parents=True)
    (pages / "start.txt").write_text("  * [[beds]]\n")
    (tmp_path / "log.txt").write_text("==== \nstarted ====\n")
    (tmp_path / "table.txt").write_text("==========\nA note\n==========\n")
    assert [detect(pages / "start.txt"), *(detect(tmp_path / f"{name}.txt") for name in ("log", "table"))] == [
        "dokuwiki", "markdown", "markdown",
    ]  # fmt: skip


def test_earlier_versions_that_dokuwiki_keeps_are_left_out(tmp_path: Path) -> None:
    for name in ("pages", "meta", "attic"):
        (tmp_path / "data" / name).mkdir(parents=True)
    (tmp_path / "data" / "pages" / "pear.txt").write_text(DOKUWIKI)
    (tmp_path / "data" / "attic" / "pear.1700000000.txt.gz").write_bytes(gzip.compress(b"It was small."))
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path)
        assert (report.added, [(one.source, one.reason) for one in report.left_out]) == (
            2, [((tmp_path / "data" / "attic").as_posix(), BACKUPS)],
        )  # fmt: skip


def test_each_day_of_a_month_of_rednotebook_is_a_note(tmp_path: Path) -> None:
    (tmp_path / "2024-03.txt").write_text(MONTH)
    first, second, third = read(tmp_path)
    assert detect(tmp_path / "2024-03.txt") == "rednotebook"
    assert [(one.title, one.happened_at, one.tags) for one in (first, second, third)] == [
        ("2024-03-08", "2024-03-08", ("garden", "spring")),
        ("2024-03-08", "2024-03-08", ("garden",)),
        ("2024-03-09", "2024-03-09", ()),
    ]
    assert first.text == "# Morning\n\nRosa *dug*, ~~not deep~~. [the shop](https://example.org)\n #spring"
    assert (second.text, third.text) == ("## Ideas\n- plant a pear", "It rained: all day")


def test_a_second_ingest_of_a_diary_changes_nothing_and_a_new_day_is_added(tmp_path: Path) -> None:
    later = MONTH.replace("31:\n  text: ''", "31:\n  text: The pear blooms")
    found = ingests(tmp_path / "2024-03.txt", MONTH, MONTH, later, source=tmp_path)
    assert found == [(3, 0, 0), (0, 0, 0), (1, 0, 0)]


@pytest.mark.parametrize("month", ["3:\n  text: [", "8: {text: a", "1:\n  text: *a"])
def test_a_broken_month_fails_alone(tmp_path: Path, month: str) -> None:
    (tmp_path / "2024-03.txt").write_text(month)
    (tmp_path / "2024-04.txt").write_text("1:\n  text: It blooms\n")
    with MemoryDatabase(embed="none") as db:
        report = db.ingest(tmp_path)
    assert (report.added, report.failed) == (1, 1)


@pytest.mark.parametrize(
    ("dialect", "text", "markdown"),
    [
        (zim.DIALECT, "see https://a.org//b// and C:\\\\//x", "see https://a.org//b// and C:\\\\//x"),
        (zim.DIALECT, "# Markdown //already//\n[[a|b]]", "# Markdown //already//\n[[a|b]]"),
        (zim.DIALECT, "def __init__(self): 5 // 2 // 1", "def __init__(self): 5 // 2 // 1"),
        (zim.DIALECT, "//**both**// and ''//code//''", "***both*** and `//code//`"),
        (dokuwiki.DIALECT, "''%%//raw//%%'' and %%**raw**%%", "`//raw//` and **raw**"),
        (dokuwiki.DIALECT, "[[doku>faq|{{a.png}}]] {{b.pdf|the plan}} [[#part]]", "[[faq]] the plan part"),
        (dokuwiki.DIALECT, "~~NOCACHE~~a ~~Saw~~ /* b */ ~~DISCUSSION:off~~", "a ~~Saw~~ /* b */"),
        (dokuwiki.DIALECT, "| a ^ ''b'' |", "| a | `b` |"),
        (rednotebook.DIALECT, "== b ==\na \\\\\n+ one ``//x//`` \"\"--raw--\"\"", "## b\na\n\n1. one `//x//` --raw--"),
    ],
)  # fmt: skip
def test_marks_become_those_of_markdown_and_what_is_none_stays(dialect, text: str, markdown: str) -> None:
    assert slash_markdown(text, dialect) == markdown
