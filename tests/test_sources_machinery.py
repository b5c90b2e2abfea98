"""What note programs write into notes for themselves is not in their words."""

import pytest

from memkit import MemoryDatabase
from memkit.core.types import Draft
from memkit.sources import read
from memkit.sources.notes.machinery import blocks_of, machinery
from memkit.sources.notes.properties import inline_fields
from memkit.text.prose import has_words

ID = "65078d16-57d2-4b11-b1ec-3c8c9f35d422"
OTHER = "66098880-6d6a-4aa5-b15e-23d20eb7a21d"
BLOCKS = {ID: "The quince is ripe", OTHER: f"See (({ID}))", "Ab3dEf-hI": "A block of Roam"}

ORG_CODE = "#+begin_src clojure\n#+BEGIN_QUERY\n{:a 1}\n#+END_QUERY\n#+end_src\n-"

NO_HTML = "cp <source> <summary>, a <b and c> d, 10<sup>6</sup>, List<String>"
DRAWING = """==⚠  Switch to EXCALIDRAW VIEW in the MORE OPTIONS menu of this document. ⚠== You can decompress it.

# Excalidraw Data
## Text Elements
Wall and pond ^a1B2c3d4

# Embedded files
b9fc4526fa7fd6834ead34192d7aa94961a0cd16: [[Pond.png]]

%%
# Drawing
```json
{
	"type": "excalidraw", "elements": []}
```
%%"""


def shown(text: str) -> str:
    return machinery(text, 0, BLOCKS.get).without(text, 0, len(text))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"- Rosa came\n  id:: {ID}\n  collapsed:: true\n- Otto went", "- Rosa came\n- Otto went"),
        ("public:: true\nalias:: quince, Cydonia\n\n- It flowers", "alias:: quince, Cydonia\n\n- It flowers"),
        ("ls-type:: annotation\nhl-page:: 8\nhl-color:: yellow\n- marked", "- marked"),
        (f"seen-as:: {ID}\n- text", "- text"),
        ("author:: [[Rosa]]\n- text", "author:: [[Rosa]]\n- text"),
        ("- Prune it\n  :LOGBOOK:\n  CLOCK: [2021-02-03 Wed 10:00]\n  :END:\n- done", "- Prune it\n- done"),
        ("above\n\n#+BEGIN_QUERY\n{:query [:find ?b]}\n#+END_QUERY\n\nbelow", "above\n\nbelow"),
        ("- {{query (and [[quince]] (task TODO))}}\n- text", "- text"),
        ("- {{[[query]]: {and: [[quince]] [[ripe]]}}}\n- text", "- text"),
        ("{{renderer :todomaster}} today", " today"),
        (f"- Look: (({ID}))", "- Look: The quince is ripe"),
        (f"- Look: (({OTHER}))", "- Look: See The quince is ripe"),
        ("- Look: ((00000000-57d2-4b11-b1ec-3c8c9f35d422))!", "- Look: !"),
        ("- {{embed ((Ab3dEf-hI))}}", "- A block of Roam"),
        ("- {{[[embed]]: ((Ab3dEf-hI))}}", "- A block of Roam"),
        ("{{embed [[Quince]]}}", "[[Quince]]"),
        ("[as she said](((Ab3dEf-hI)))", "as she said"),
        ("an ((important)) aside ((see below))", "an ((important)) aside ((see below))"),
        ("- {{[[TODO]]}} prune it", "- TODO prune it"),
        ("{{video https://example.org/v}}", "https://example.org/v"),
        ("#[[two words]] and #one", "[[two words]] and #one"),
        ("It flowers. ^q1f2ab\n\n- item ^list-end", "It flowers.\n\n- item"),
        ("x ^2\nten ^10", "x ^2\nten ^10"),
        ("see [[Quince#^q1f2ab|it]] and [[Quince#Water]]", "see [[Quince|it]] and [[Quince#Water]]"),
        ("> [!note]\n> It flowers.", "> It flowers."),
        ("> [!warning]- Frost\n> It may freeze.", "> Frost\n> It may freeze."),
        ("It %%not sure%% flowers.", "It  flowers."),
        ("text\n\n%% kanban:settings\n```\n{\"a\": 1}\n```\n%%\n", "text"),
        ("A sale of 20%% and 30%% off", "A sale of 20%% and 30%% off"),
        ("Q <!--SR:!2023-01-01,3,250-->\nA", "Q\nA"),
        ("text\n\n```dataview\nTABLE file.name\n```\n\nmore", "text\n\nmore"),
        ("```python\nid:: 1\n%%a%%\n((Ab3dEf-hI)) ^abc\n```", "```python\nid:: 1\n%%a%%\n((Ab3dEf-hI)) ^abc\n```"),
        (ORG_CODE, ORG_CODE),
        ("Content-Type: text/x-zim-wiki\nWiki-Format: zim 0.6\nCreation-Date: 2023-05-10\n\nIt blooms", "It blooms"),
        ("- one\n-\n\t-\n- two", "- one\n- two"),
        ('It <mark style="background: #BBFABBA6;">flowers</mark> in <font color=red>May</font>', "It flowers in May"),
        ("<b>Rosa</b> came, <del>Otto</del> too", "**Rosa** came, ~~Otto~~ too"),
        ("first<br>second\n| a<br/>b |", "first\nsecond\n| a b |"),
        ('Old <img src="https://a.org/w.png" alt="the wall" width=100 />.', "Old ![the wall](https://a.org/w.png)."),
        ('<iframe width="560" src="https://example.org/v" allowfullscreen></iframe>', "https://example.org/v"),
        ('<a href="https://example.org" target=_blank>the <b>pond</b></a>', "[the **pond**](https://example.org)"),
        ("<div align='center'><p>one</p><p>two</p></div>", "one\n\ntwo"),
        ("<style>\np { color: red }\n</style>\ntext", "text"),
        (NO_HTML, NO_HTML),
        ("The `<div>` of ``a `<span>` b``</div></span>", "The `<div>` of ``a `<span>` b``"),
        ("Books (`$= dv.pages('').length`), `= this.file.name`, `=SUM(A1:B2)`", "Books, , `=SUM(A1:B2)`"),
        ('\ue200entity\ue202["brand","Quill","pens"]\ue201 pens\ue200cite\ue202turn0search4\ue201.', "Quill pens."),
        ('\ue200image_group\ue202{"query":["p"]}\ue201\n\n\ue203It is deep.\ue204\ue206【3:1†p.pdf】', "It is deep."),
        (DRAWING, "Wall and pond"),
        ("{{ title }} and std::vector\nnothing:: to see", "{{ title }} and std::vector\nnothing:: to see"),
    ],
)  # fmt: skip
def test_the_words_are_without_machinery(text, words):
    assert shown(text) == words


def test_a_text_without_marks_is_the_text_itself():
    text = "  Rosa  planted\n\n\n\nthe quince. "
    assert shown(text) == text


def test_blocks_that_refer_to_each_other_end():
    circle = {ID: f"a (({OTHER}))", OTHER: f"b (({ID}))"}
    found = machinery(f"(({ID}))", 0, circle.get)
    assert found.cuts[0][2].startswith("a b a")
    assert "((" not in found.cuts[0][2]


def test_the_blocks_of_a_page_are_what_their_bullets_say():
    page = (
        f"- one\n- The quince\n  is ripe\n  color:: gold\n  id:: {ID}\n\t- below\n\t  id:: {OTHER}\n- id:: {ID[::-1]}"
    )
    assert dict(blocks_of(page)) == {ID: "The quince is ripe", OTHER: "below"}


def test_a_reference_shows_a_block_of_another_note_and_titles_and_headings_have_no_ids(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "a.md").write_text(f"# Today ^x1y2z3\n\n- (({ID}))\n\n## Later ^abc123\n\n- bread")
    (tmp_path / "pages" / "b.md").write_text(f"- The quince is ripe\n  id:: {ID}")
    drafts = [draft for draft in read(tmp_path) if isinstance(draft, Draft)]
    assert [draft.text for draft in drafts] == [
        "# Today\n\n- The quince is ripe", "## Later\n\n- bread", "- The quince is ripe",
    ]  # fmt: skip
    assert [(draft.title, draft.meta["heading"]) for draft in drafts[:2]] == [
        ("Today", "Today"), ("Today", "Today > Later"),
    ]  # fmt: skip
    alone = [draft.text for draft in read(tmp_path / "pages" / "a.md")]
    assert alone == ["## Later\n\n- bread"]  # an empty bullet below the title says nothing


def test_a_link_of_dendron_has_its_label_first(tmp_path):
    front = "---\nid: 7Hd68M5niADEkip4CdU85\ntitle: Async\ndesc: ''\n---\n"
    text = "See [[the quince|garden.trees.quince]], [[garden.pond#fish]] and ![[garden.pond#fish,1:#*]]."
    (tmp_path / "lang.async.md").write_text(front + text)
    (tmp_path / "other.md").write_text("See [[the quince|node.js]].")
    dendron, other = (draft.text for draft in read(tmp_path))
    assert dendron == "See [[garden.trees.quince|the quince]], [[garden.pond#fish]] and ![[garden.pond#fish]]."
    assert other == "See [[the quince|node.js]]."


@pytest.mark.parametrize(
    ("text", "title"),
    [("It flowers.", None), ("# Tree\n", "Tree")],
)
def test_an_id_is_no_title(tmp_path, text, title):
    (tmp_path / "7Hd68M5niADEkip4CdU85.md").write_text(text)
    assert {draft.title for draft in read(tmp_path)} == {title}


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("It stands [up:: [[Trees]]] there.", {"up": ["[[Trees]]"]}),
        ("It stands there (planted by:: [[Rosa]], [[Otto]]).", {"planted by": ["[[Rosa]]", "[[Otto]]"]}),
        ("created-at:: 2021-02-03\ncolor:: gold\n- text", {"created-at": "2021-02-03"}),
        ("text\n\ncreated:: 2021-02-03", {}),
        ("(see a::b) [x]: y", {}),
    ],
)
def test_properties_stand_at_the_top_or_inside_a_sentence(body, fields):
    assert inline_fields(body) == fields


# ---------------------------------------------------------------------------------------------- without words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-", False),
        ("![[quince.png|300]]", False),
        ("![a quince](img/quince%20(1).png)", False),
        ("<img src='quince.png'>", False),
        ("[](https://example.org/quince)", False),
        ("---\n***", False),
        ("![[quince.png]] ripe", True),
        ("[the quince](https://example.org)", True),
        ("[[Quince]]", True),
        ("榅桲", True),
        ("7", True),
        ("https://example.org/quince", True),
    ],
)
def test_a_picture_and_the_target_of_a_link_are_no_words(text, words):
    assert has_words(text) is words


def test_what_has_no_words_is_not_recalled_above_words(tmp_path):
    (tmp_path / "Quince.md").write_text("![[quince.png]]")
    (tmp_path / "Garden.md").write_text(
        "# Garden\n\n" + "By the wall stands a tree that Rosa planted. " * 9 + "A quince."
    )
    with MemoryDatabase() as db:
        db.ingest(tmp_path)
        found = db.recall("quince")
        assert [(hit.memory.title, hit.score > 0) for hit in found] == [("Garden", True), ("Quince", False)]


def test_a_message_of_nothing_but_a_link_is_found():
    """A lone address had a score of 0, below whatever else was said."""
    sent = ["hello", "https://example.org/quince-jelly", "what a day", "until tomorrow"]
    with MemoryDatabase() as db:
        db.ingest({"text": text, "speaker": "Ben", "session": "chat"} for text in sent)
        best = db.recall("the link on quince jelly")[0]
        assert (best.memory.text, best.score > 0) == (sent[1], True)


def test_a_form_that_nobody_filled_in_is_below_what_somebody_wrote(tmp_path):
    """In a diary of 227 days, 1,548 of the 2,394 passages were headings of its template."""
    form = "# Evening\n\n## What did you learn today?\n"
    for day in range(10, 20):
        (tmp_path / f"2024-05-{day}.md").write_text(form)
    (tmp_path / "2024-05-20.md").write_text(f"{form}That a quince can be espaliered.\n")
    (tmp_path / "Plan.md").write_text("# Next year\n\n## Prune the medlar")
    with MemoryDatabase() as db:
        db.ingest(tmp_path)
        first, *others = db.recall("What did you learn in the evening?", k=20)
        assert ("espaliered" in first.memory.text, {hit.score for hit in others}) == (True, {0.0})
        assert db.recall("the medlar")[0].score > 0  # a heading that somebody wrote


def test_a_passage_without_words_is_left_out_where_others_have_some(tmp_path):
    (tmp_path / "Wall.md").write_text("![[wall.png]]\n\n# Wall\n\nIt is old.")
    assert [draft.text for draft in read(tmp_path)] == ["# Wall\n\nIt is old."]


def test_a_title_above_a_cover_is_left_out_where_the_note_says_more(tmp_path):
    (tmp_path / "Tides.md").write_text("# Tides\n\n![cover](https://example.org/t.jpg)\n\n## Why\nRosa lent it.")
    (tmp_path / "Wall.md").write_text("# Wall\n\n![cover](https://example.org/w.jpg)")
    assert {draft.title: draft.text for draft in read(tmp_path)} == {
        "Tides": "## Why\nRosa lent it.",
        "Wall": "# Wall\n\n![cover](https://example.org/w.jpg)",
    }


def test_front_matter_alone_is_told_in_words_not_as_yaml(tmp_path):
    front = "id: 7Hd68M5niADEkip4CdU85\npublish: true\ncreated: 2021-02-03\nauthor:\n  - '[[Rosa Tamsin]]'\n  - Otto\n"
    (tmp_path / "Jelly.md").write_text(f"---\n{front}pages: 12\nurl: https://example.org\n---\n")
    (tmp_path / "Pond.md").write_text("---\npublish: true\nid: 7Hd68M5niADEkip4CdU85\n---\n")
    found = {draft.title: draft.text for draft in read(tmp_path)}
    assert found == {"Jelly": "author: [[Rosa Tamsin]], Otto\npages: 12", "Pond": "Pond"}


def test_what_front_matter_alone_says_of_a_person_is_all_there(tmp_path):
    """Days, numbers and addresses of mail are no names, but they are what somebody will ask for."""
    told = "born: 1969-03-01\nphone: +49 170 1234567\nmail: ana@example.org\nplace:\n- '34.96'\n- '135.7'"
    (tmp_path / "Ana.md").write_text(f"---\n{told}\ncreated: 2021-02-03\n---\n")
    (draft,) = read(tmp_path)
    assert draft.text == "born: 1969-03-01\nphone: +49 170 1234567\nmail: ana@example.org\nplace: 34.96, 135.7"
