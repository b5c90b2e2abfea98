"""Notes and vaults: front matter, titles, names, tags, days; and what of a folder is not anybody's memory."""

import os
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memkit.core.errors import BadSource
from memkit.core.types import DocumentDraft, Draft, Failure, LeftOut, ReadWarning
from memkit.sources import ReadOptions, read
from memkit.sources.notes.machinery import machinery
from memkit.sources.notes.markdown import hashtags
from memkit.text.typesetting import as_typed

NOTE = """---
title: The quince
aliases: [Cydonia, Rosa's tree]
tags: garden, fruit
created: 2019-04-02
updated: 2024-05-31T18:00:00+02:00
planted by: "[[Rosa]]"
rating: 7
seen: [2019-04-02, 2020-05-01]
empty:
---
# In the garden

Rosa planted it by the wall. See [[Porto|the city]] and ![[quince.png]]. #tree

## Water

Every second day. #water/daily `#no` #7
"""


def note(tmp_path, text, name="Quince.md", **options):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read(path, **options))


def test_a_note_says_what_it_is_called_when_it_was_and_what_it_is_about(tmp_path):
    document = note(tmp_path, NOTE)[0].document
    assert document.source == (tmp_path / "Quince.md").as_posix()
    assert (document.kind, document.title) == ("note", "The quince")
    assert (document.created_at, document.updated_at) == ("2019-04-02", "2024-05-31T16:00:00Z")
    assert document.aliases == ("Cydonia", "Rosa's tree", "Quince")
    assert document.tags == ("garden", "fruit", "tree", "water/daily")
    assert document.fields == {"planted by": "[[Rosa]]", "rating": 7, "seen": ["2019-04-02", "2020-05-01"]}


def test_passages_are_word_for_word_and_know_their_place(tmp_path):
    first, second = note(tmp_path, NOTE, project="home")
    assert [NOTE[x.meta["start"] : x.meta["end"]] for x in (first, second)] == [first.text, second.text]
    assert "[[Porto|the city]] and ![[quince.png]]" in first.text
    assert (first.source_id, second.source_id) == ("Quince.md#In the garden", "Quince.md#Water")
    assert second.meta["heading"] == "In the garden > Water"
    assert (first.title, first.happened_at, first.project) == ("The quince", "2019-04-02", "home")
    assert second.tags == ("garden", "fruit", "water/daily")
    assert first.document == second.document


@pytest.mark.parametrize(
    ("text", "name", "title"),
    [
        ("# The first line\n\ntext", "a.md", "The first line"),
        ("---\nrating: 1\n---\n\n# After front matter #\n\ntext", "a.md", "After front matter"),
        ("text\n\n# Later\n\ntext", "Some name.md", "Some name"),
        ("## Second level\n\ntext", "Some name.md", "Some name"),
        ("---\ntitle: 1984\n---\ntext", "a.md", "1984"),
        ("plain", "notes.txt", "notes"),
    ],
)
def test_the_title(tmp_path, text, name, title):
    assert {x.title for x in note(tmp_path, text, name)} == {title}


@pytest.mark.parametrize(
    ("name", "front", "day"),
    [
        ("2023-09-12.md", "", "2023-09-12"),
        ("2023-09-12 Meeting.md", "created: 2020-01-01", "2023-09-12"),
        ("20230912.md", "", "2023-09-12"),
        ("2023_09_12.md", "", "2023-09-12"),
        ("a.md", "date: 2023-09-12", "2023-09-12"),
        ("a.md", "created: 2023-09-12 10:30", "2023-09-12T10:30:00Z"),
        ("a.md", "created: 2023", "2023"),
        ("a.md", "created: 12345", None),
        ("a.md", "created: some day", None),
        ("2023-13-45.md", "", None),
        ("202309121.md", "", None),
        ("a.md", "", None),
    ],
)
def test_the_day_of_a_note(tmp_path, name, front, day):
    (found,) = note(tmp_path, f"---\n{front}\n---\ntext", name)
    assert found.happened_at == day


@pytest.mark.parametrize(
    "front",
    ["a: [", "a: {{b}}: c", "? {a: b}: c\n- x", "x: &a [*a]", "a: *b", "\x07", "a:\n" + "[" * 5000],
)
def test_broken_front_matter_is_reported_and_the_note_goes_in(tmp_path, front):
    failure, draft = note(tmp_path, f"---\n{front}\n---\nThe text.")
    assert isinstance(failure, ReadWarning)
    assert "front matter ignored" in failure.reason
    assert (draft.text, draft.document.fields) == ("The text.", {})


BROKEN = """title: Tides: a study
date: 2019-04-02
tags: [sea, moon]
aliases:
  - the tides
cover: [open
quoted: "Rosa" and Bo
day: 2023-02-30
created: {{date}}
- no key
__proto__
by: 'Ida'"""


def test_what_is_no_yaml_as_a_whole_is_read_line_by_line(tmp_path):
    """A title with a colon is what people write most often, and must not cost the date and the tags beside it."""
    warning, draft = note(tmp_path, f"---\n{BROKEN}\n---\nThe text.")
    assert isinstance(warning, ReadWarning)
    assert warning.reason.startswith("front matter is no YAML as a whole, and was read line by line: mapping values")
    assert (draft.title, draft.happened_at, draft.tags, draft.text) == (
        "Tides: a study", "2019-04-02", ("sea", "moon"), "The text.",
    )  # fmt: skip
    fields = {"quoted": '"Rosa" and Bo', "day": "2023-02-30", "by": "Ida"}
    assert {key: draft.document.fields.get(key) for key in (*fields, "cover", "created")} == {
        **fields, "cover": None, "created": None,
    }  # fmt: skip


def test_tags_of_another_kind_cost_only_themselves(tmp_path):
    warning, draft = note(tmp_path, "---\ntags: {sea: 1}\ntitle: The tides\n---\nThe text.")
    assert isinstance(warning, ReadWarning)
    assert (draft.title, draft.tags) == ("The tides", ())


TOML = """+++
title = "The quince"
tags = ["garden", "fruit"]
date = 2019-04-02
rating = 7
draft = false

[extra]
by = "Rosa"
+++
Rosa planted it by the wall.
"""


def test_front_matter_in_toml_is_front_matter(tmp_path):
    """Hugo writes it so, and Zola with the tags in a table of their own."""
    for text in (TOML, TOML.replace("\n", "\r\n")):
        (one,) = note(tmp_path, text)
        assert (one.text.strip(), one.title, one.tags) == (
            "Rosa planted it by the wall.", "The quince", ("garden", "fruit"),
        )  # fmt: skip
        assert (one.happened_at, one.document.fields["rating"]) == ("2019-04-02", 7)
    (one,) = note(tmp_path, '+++\ndate = 2019-04-02\n[taxonomies]\ntags = ["garden"]\n+++\nRosa.\n')
    assert (one.text.strip(), one.tags, one.happened_at) == ("Rosa.", ("garden",), "2019-04-02")


@pytest.mark.parametrize("block", ["title =", "a = 1\na = 2", "a = " + "[" * 5_000, "a = 1\n" * 30_000])
def test_broken_toml_is_a_warning(tmp_path, block):
    warning, one = note(tmp_path, f"+++\n{block}\n+++\nRosa.\n")
    assert (type(warning), "front matter ignored" in warning.reason, one.text.strip()) == (ReadWarning, True, "Rosa.")


def test_plus_signs_without_an_end_are_prose(tmp_path):
    (one,) = note(tmp_path, "+++\nRosa planted it.\n")
    assert "Rosa planted it." in one.text


def test_front_matter_that_explodes_is_reported(tmp_path):
    bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "\n".join(
        f"a{i + 1}: &a{i + 1} [{','.join([f'*a{i}'] * 9)}]" for i in range(9)
    )
    failure, _ = note(tmp_path, f"---\n{bomb}\n---\nThe text.")
    assert "more than 10,000 values" in failure.reason


def test_two_rules_around_prose_are_no_front_matter(tmp_path):
    (found,) = note(tmp_path, "---\nJust prose.\n---\nMore.")
    assert found.text == "---\nJust prose.\n---\nMore."


def test_an_open_front_matter_is_text(tmp_path):
    assert note(tmp_path, "---\ntitle: x\n\nMore.")[0].text.startswith("---\ntitle: x")


def test_a_note_of_front_matter_only_is_what_that_says(tmp_path):
    text = "---\ndirector: '[[Ridley Scott]]'\n---\n\n"
    (found,) = note(tmp_path, text, "Blade Runner.md")
    assert (found.text, found.source_id) == ("director: [[Ridley Scott]]", "Blade Runner.md#")
    assert found.meta["front_matter"] is True
    assert text[found.meta["start"] : found.meta["end"]] == "director: '[[Ridley Scott]]'\n"


def test_the_id_of_a_note_is_none_of_its_words(tmp_path):
    (found,) = note(tmp_path, "---\nid: k3xq9ndkab52i9dxdxonrw\ntitle: Grafting\ndesc: ''\n---\n", "trees.grafting.md")
    assert found.text == "Grafting"


@pytest.mark.parametrize("text", ["- ", "*\n\n---\n", "", "\n \n", "---\n---\n", "---\n# only a comment\n---\n"])
def test_an_empty_note_is_a_document_without_passages(tmp_path, text):
    (found,) = note(tmp_path, text)
    assert (found.source, found.title) == ((tmp_path / "Quince.md").as_posix(), "Quince")


def test_windows_line_ends_and_byte_order_mark_make_no_difference(tmp_path):
    windows = b"\xef\xbb\xbf" + NOTE.replace("\n", "\r\n").encode()
    assert note(tmp_path, windows) == note(tmp_path, NOTE)


@pytest.mark.parametrize(
    ("data", "reason"),
    [("éè\nb".encode() + b"\xff", "line 2 is not valid UTF-8"), (b"a\x00b", "contains a NUL character")],
)
def test_what_is_no_text_is_a_failure(tmp_path, data, reason):
    (failure,) = note(tmp_path, data)
    assert reason in failure.reason


def test_the_limit_of_a_passage_can_be_set(tmp_path):
    text = "A sentence of some words. " * 40
    assert [len(note(tmp_path, text, options=ReadOptions(max_tokens=most))) for most in (50, 250, 500)] == [6, 2, 1]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#one two#no #three", ["one", "three"]),
        ("# heading\n#tag", ["tag"]),
        ("#a/b-c_d, (#no) #e.", ["a/b-c_d", "e"]),
        ("#2024 #y2024", ["y2024"]),
        ("#标签，然后", ["标签"]),
        ("#0🌲", ["0🌲"]),
        ("```\n#code\n```\n`#inline` #real", ["real"]),
        ("http://x.org/#anchor ## #", []),
    ],
)
def test_hashtags(text, tags):
    assert hashtags(text) == tags


@given(st.text(), st.text())
@example("-", "")
@example("rating: 7", "")
@example("", "A\u00adA ﬁ")
def test_any_note_is_read(tmp_path_factory, front, body):
    path = tmp_path_factory.mktemp("any") / "any.md"
    text = f"---\n{front}\n---\n{body}".replace("\0", "").encode("utf-8", "replace").decode()
    path.write_text(text, encoding="utf-8", newline="")
    for found in read(path):
        assert isinstance(found, Draft | DocumentDraft | Failure | ReadWarning)
        if isinstance(found, Draft):
            plain = as_typed(text.replace("\r\n", "\n").replace("\r", "\n"))
            said = plain[found.meta["start"] : found.meta["end"]]
            told_by_fields = "front_matter" in found.meta
            # What programs write into notes is cut; all else is there, as it was.
            cut = machinery(plain, 0, lambda id: None, dendron=True).cuts
            assert said == found.text or told_by_fields or cut


# ----------------------------------------------------------------------------------------------------------- folders


@pytest.fixture
def vault(tmp_path):
    """A small vault: notes in folders, settings, templates under two names, an image, a hidden file."""
    files = {
        "Home.md": "Welcome to [[Quince]].",
        "Garden/Quince.md": "# Quince\n\nBy the wall.",
        "Garden/templates/Plant.md": "{{title}}",
        "Vorlagen/Tag.md": "{{date}}",
        "Blanks/Blank.md": "<% tp.date.now() %>",
        "Daily/2023-09-12.md": "Rain.",
        ".obsidian/templates.json": '{"folder": "Vorlagen/"}',
        ".obsidian/plugins/templater-obsidian/data.json": '{"templates_folder": "Blanks"}',
        ".obsidian/workspace.json": "{}",
        ".trash/Old.md": "Gone.",
        ".hidden.md": "Hidden.",
        "Attachments/quince.png": "\x89PNG\0",
        "Attachments/sound.md": "",
        "package.json": '{"name": "x"}',
        "questions.jsonl": '{"text": "who?", "relevant": ["a"]}\n',
        "rows.jsonl": '{"text": "A row.", "id": "r"}\n',
        "broken.md": "éè".encode() + b"\xff",
    }
    for name, text in files.items():
        path = tmp_path / "vault" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return tmp_path / "vault"


def test_a_vault_without_its_settings_templates_and_attachments(vault):
    found = list(read(vault))
    assert [x.source_id for x in found if isinstance(x, Draft)] == [
        "Home.md#",
        "r",
        "Daily/2023-09-12.md#",
        "Garden/Quince.md#Quince",
    ]
    assert [x.source for x in found if isinstance(x, Failure)] == [(vault / "broken.md").as_posix()]
    left_out = {Path(x.source).relative_to(vault).as_posix(): x.reason for x in found if isinstance(x, LeftOut)}
    assert left_out == {
        "Attachments/quince.png": "no format that memkit reads",
        "Blanks": "a folder of templates",
        "Garden/templates": "a folder of templates",
        "Vorlagen": "a folder of templates",
        "package.json": "JSON of a shape that memkit does not know: it has no 'text'",
        "questions.jsonl": "questions with their answers ('relevant'), not memories",
    }


def test_the_earlier_versions_that_logseq_keeps_are_no_notes(tmp_path):
    graph = tmp_path / "graph"
    for name in (
        "pages/Quince.md",
        "logseq/bak/pages/Quince/2026-04-15T12_17_14.167Z.Desktop.md",
        "logseq/version-files/local/pages/Quince/2026-04-15T12_17_14.167Z.md",
        "logseq/config.edn",
        "bak/Plum.md",
    ):
        (graph / name).parent.mkdir(parents=True, exist_ok=True)
        (graph / name).write_text("- It blooms.", encoding="utf-8")
    found = list(read(graph))
    assert [x.source_id for x in found if isinstance(x, Draft)] == ["bak/Plum.md#", "pages/Quince.md#"]
    assert [(Path(x.source).relative_to(graph).as_posix(), x.reason) for x in found if isinstance(x, LeftOut)] == [
        ("logseq/bak", "earlier versions of the notes, which their program keeps"),
        ("logseq/version-files", "earlier versions of the notes, which their program keeps"),
        ("logseq/config.edn", "no format that memkit reads"),
    ]


def test_the_earlier_versions_are_known_without_logseqs_settings(tmp_path):
    """They are often left out of what is published or synced."""
    versions = tmp_path / "logseq" / "bak" / "pages" / "Quince"
    versions.mkdir(parents=True)
    (versions / "2026-04-15T12_17_14.167Z.Desktop.md").write_text("- It blooms.", encoding="utf-8")
    assert [x.reason for x in read(tmp_path)] == ["earlier versions of the notes, which their program keeps"]


def test_the_bytes_of_pictures_in_a_note_are_no_text(tmp_path):
    picture = "data:image/png;base64," + 40_000 * "Qk1Jd"
    drawing = "data:image/svg+xml;charset=utf-8," + 900 * "%3Cpath%20d=%22M2(0,1)%22/%3E"
    note = tmp_path / "Quince.md"
    note.write_text(
        f'# Quince\n\nIt blooms ![a quince]({picture}) in May.\n\n<img src="{drawing}" alt="a leaf">\n\nSmall: '
        "![dot](data:image/gif;base64,R0lGODlh)",
        encoding="utf-8",
    )
    assert [x.text for x in read(note)] == [
        "# Quince\n\nIt blooms ![a quince](data:image/png;base64,…) in May.\n\n"
        "![a leaf](data:image/svg+xml;charset=utf-8,…)\n\nSmall: "
        "![dot](data:image/gif;base64,R0lGODlh)"
    ]


def test_a_folder_is_read_in_the_same_order_every_time(vault):
    assert list(read(vault)) == list(read(str(vault) + "/"))


def test_links_to_folders_are_not_followed(vault):
    (vault / "Garden" / "loop").symlink_to(vault)
    assert len([x for x in read(vault) if isinstance(x, Draft)]) == 4


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_a_failure(vault):
    (vault / "Home.md").chmod(0)
    assert any(isinstance(x, Failure) and x.source.endswith("Home.md") for x in read(vault))


def test_a_file_name_that_is_no_utf8_is_a_failure(vault):
    try:
        (vault / os.fsdecode(b"bad\xff.md")).write_text("text")
    except OSError:
        pytest.skip("this file system has no such names")
    failures = [x for x in read(vault) if isinstance(x, Failure)]
    assert any("name is not valid UTF-8" in x.reason and str(x).encode() for x in failures)


def test_what_does_not_exist_is_an_error_at_the_call(tmp_path):
    with pytest.raises(BadSource, match=r"There is no file or folder '.*nothing\.md'"):
        read(tmp_path / "nothing.md")


def test_a_number_is_a_tag_and_tags_of_another_kind_are_reported(tmp_path):
    (tmp_path / "a.md").write_text("---\ntags: 2025\n---\nRosa planted it.")
    (tmp_path / "b.md").write_text("---\ntags: {kind: tree}\n---\nOtto watered it.")
    [draft] = read(tmp_path / "a.md")
    assert draft.tags == ("2025",)
    failure, draft = read(tmp_path / "b.md")
    assert "tags must be a list or text, not dict" in failure.reason
    assert (draft.text, draft.tags) == ("Otto watered it.", ())
