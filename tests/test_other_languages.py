"""Other languages than English: their words, forms, names, sentences and questions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.core.errors import NotFound
from memkit.retrieval.inflection import is_inflected
from memkit.retrieval.turns import asking
from memkit.storage.doctor import doctor
from memkit.text.composed import composed
from memkit.text.extract.dictionary import is_foreign
from memkit.text.forms import in_common
from memkit.text.function_words import asking_words, without_asking_words
from memkit.text.marking import marked
from memkit.text.words import fold, is_question, normal_name, sentences, words
from memkit.widgets.hit_cards import cards

# A question, and what answers it: the word of the question stands there in another form.
ASKED = {
    "Где растёт айва?": "Марина вчера купила айву на рынке.",
    "О чём был разговор с Мариной?": "Марины сегодня нет, она уехала в Тверь.",
    "Gdzie rośnie pigwa?": "Wczoraj zjadłam pigwę z miodem.",
    "Kdo viděl Petru?": "Petra je od včera v Brně.",
    "Missä talo on?": "Ostimme vanhan talon meren rannalta.",
    "Mikor vettük a kertet?": "A kert mögött van egy kút.",
    "Bahçemizde ne var?": "Bahçemiz göle bakıyor.",
    "Πού είναι η κυδωνιά;": "Φυτέψαμε δύο κυδωνιές πίσω από την αυλή.",
    "איפה העגלה?": "קנינו עגלה אדומה ביום שני.",
    "أين المفتاح؟": "تركت مفتاح المستودع عند ليلى.",
    "من زار المدرسه؟": "زرنا المدرسة الجديدة أمس.",  # ه for ة
    "когда наряжали елку?": "В декабре ёлку поставили в зале.",
    "που ειναι η σοφιτα;": "Στη σοφίτα στεγνώνουν ρούχα.",
    "Wo stehen die Quitten?": "Neben der Mauer steht eine Quitte.",
    "Où sont les chevaux ?": "Le cheval dort dans le pré.",
}
ENGLISH = ("We watered the tree in the evening.", "The ladder leans on the wall.", "Rosa planted a quince in March.")


@pytest.fixture(scope="module")
def db() -> Iterator[MemoryDatabase]:
    with MemoryDatabase() as made:
        for text in (*ASKED.values(), *ENGLISH):
            made.remember(text)
        made.remember("Тайный план называется Кедровник.", project="secret")
        yield made


@pytest.mark.parametrize("question", ASKED)
def test_another_form_of_a_word_is_found_and_the_recall_says_so(db: MemoryDatabase, question: str) -> None:
    found = db.recall(question)
    assert found.hits[0].memory.text == ASKED[question]
    assert any(one.startswith("Read in the forms that memories have: ") for one in found.warnings)
    assert found.searched != question


@pytest.mark.parametrize("question", ["Где растёт айва?", "who planted the quinse?"])
def test_a_message_is_read_so_too(db: MemoryDatabase, question: str) -> None:
    read = db.context(question)
    assert read.recall.hits[0].memory.text in str(read)
    assert read.recall.searched == db.recall(question).searched != question == read.recall.question


@pytest.mark.parametrize(
    "question",
    [
        "who planted the quince?",
        "the ladders of Rosa",
        "Quitten",  # a single word may be of any language
        "Где Ольга?",  # nothing has it in any form
        "Где стол?",  # `столица` would be another word
        "榅桲在哪里？",
        "ต้นมะม่วงอยู่ที่ไหน",  # without spaces, the end of a word is not known
        "",
    ],
)
def test_any_other_question_is_read_as_it_is(db: MemoryDatabase, question: str) -> None:
    assert db.recall(question).searched == question


@pytest.mark.parametrize(
    ("one", "other", "letters"),
    [
        ("айва", "айву", 3),
        ("марина", "мариной", 5),
        ("посадили", "посадим", 6),
        ("κυδωνιά", "κυδωνιές", 6),
        ("coche", "cock", 0),  # three letters tell nothing of a word of five
        ("quinse", "quince", 0),  # both end in more than a letter of their own
        ("стол", "столица", 0),
        ("роза", "розетка", 0),
    ],
)
def test_forms_of_a_word_begin_alike(one: str, other: str, letters: int) -> None:
    assert in_common(one, other) == in_common(other, one) == letters


def test_a_word_without_a_space_beside_it_has_no_ending() -> None:
    assert all(map(is_inflected, ("книга", "pigwa", "किताब", "מפתח")))
    assert not any(map(is_inflected, ("дом", "หนังสอ", "ສະບາຍ", "សៀវភ", "榅桲树木")))


def test_a_form_of_another_project_is_none(db: MemoryDatabase) -> None:
    question = "Где лежит план Кедровника?"
    assert db.recall(question).searched == "Где лежит план Кедровник?"
    assert db.recall(question, project="garden", only_project=True).searched == question


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("Gdzie rośnie pigwa?", "rośnie pigwa?"),
        ("Wie heißt der Hund?", "heißt der Hund?"),
        ("¿Dónde está la quinta?", "¿ está la quinta?"),
        ("Dove abita Anna?", "abita Anna?"),
        ("Где мой ключ?", "мой ключ?"),
        ("आम का पेड़ कहाँ है?", "आम का पेड़ है?"),
        # What is English stays, although a word of it asks in another language.
        *(
            (text, text)
            for text in (
                "die hard",
                "dove release",
                "MIT lecture notes",
                "what does 'quand' mean?",
                "Who died in the war?",
                "come home",
                "AI safety",
                "wo",
                "",
            )
        ),
    ],
)
def test_words_that_ask_are_left_out_of_a_question_in_another_language(question: str, left: str) -> None:
    assert " ".join(without_asking_words(question).split()) == left


@given(st.text(st.sampled_from("wo ist wie qué que où кто где die was in ? ab ক ी")))
def test_something_is_left_of_every_question(text: str) -> None:
    left = without_asking_words(text)
    assert any(map(str.isalnum, left)) == any(map(str.isalnum, text))
    assert set(left) <= {*text, " "}


def test_a_long_text_is_no_question() -> None:
    assert asking_words("Wo wohnt Anna? " * 100) == frozenset()


def test_a_text_is_foreign_if_few_of_its_words_are_english() -> None:
    assert is_foreign("wo wohnt die alte dame")
    assert not is_foreign("where does the old lady live")
    assert not is_foreign("Rosa Lund")


@given(st.text(st.sampled_from("किताबपढ़ीमैं रा०१। தமிழ்மொழி শিক্ষা"), max_size=30))
@settings(max_examples=60)
def test_words_of_india_keep_their_vowels(text: str) -> None:
    for word in text.replace("।", " ").split():
        if word[0].isalnum():
            assert words(word)[0] == composed(word).lower()


@pytest.mark.parametrize(("one", "other"), [("राम", "रोम"), ("กิ", "กี"), ("দিন", "দান"), ("கல்", "கால்")])
def test_names_that_differ_in_a_vowel_are_two(db: MemoryDatabase, one: str, other: str) -> None:
    assert normal_name(one) != normal_name(other)
    with MemoryDatabase(embed="none") as made:
        made.ingest([{"text": f"[[{one}]]"}, {"text": f"[[{other}]]"}])
        assert made.about(one).id != made.about(other).id


@pytest.mark.parametrize(("one", "other"), [("מָרְדֳּכַי", "מרדכי"), ("مُحَمَّد", "محمد"), ("Zoé", "zoe")])
def test_vowels_that_may_be_left_out_make_no_other_name(one: str, other: str) -> None:
    assert fold(one) == fold(other)
    assert normal_name(one) == normal_name(other)


def test_a_name_in_devanagari_is_found_in_the_text(db: MemoryDatabase) -> None:
    with MemoryDatabase(embed="none") as made:
        made.ingest(
            [
                {"id": "1", "text": "[[राम]] ने पेड़ लगाया।"},
                {"id": "2", "text": "कल राम घर पर था।"},
                {"id": "3", "text": "हम रोम गए।"},
            ]
        )
        named = "select m.source_id from mentions join memories as m on m.key = memory_key order by 1"
        assert [row[0] for row in made.conn.execute(named)] == ["1", "2"]


def test_a_card_of_a_notebook_goes_in_the_direction_of_its_text(db: MemoryDatabase) -> None:
    assert '<span dir="auto">קנינו' in cards(db.recall("איפה העגלה?"))


def test_words_of_india_are_marked_whole() -> None:
    found = marked("रोज़ा ने पुस्तकालय में किताब पढ़ी।", "पुस्तकालय", 200, 20)
    assert [piece for piece, is_marked in found if is_marked] == ["पुस्तकालय"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("राम घर गया। क्या वह आया? हाँ॥", ["राम घर गया।", "क्या वह आया?", "हाँ॥"]),
        ("ذهب أحمد. أين هو؟ لا أعرف.", ["ذهب أحمد.", "أين هو؟", "لا أعرف."]),
        ("وہ آیا۔ میں گیا۔", ["وہ آیا۔", "میں گیا۔"]),
        ("Πού είναι; Εδώ.", ["Πού είναι; Εδώ."]),  # it looks like a semicolon
    ],
)
def test_sentences_end_at_the_signs_of_their_script(text: str, wanted: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == wanted


def test_a_question_mark_of_any_script_asks() -> None:
    assert all(
        map(is_question, ("Why?", "なぜ？", "أين هو؟", "Πού είναι;", "Πού είναι\u037e", "„Wo?“", "(why?)", '"Why?"'))
    )
    assert not any(map(is_question, ("a = 1;", "Εδώ.", "वह आया।", "", "why? yes")))
    assert asking("أين أحمد؟", 0.5) == asking("Where is he?", 0.5) == 0.5
    assert asking("نعم، هو هنا.", 0.5) == asking("He is here.", 0.5) == 1.0


def test_names_that_an_older_memkit_stored_are_found_again(tmp_path: Path) -> None:
    """The vowels of these scripts were the ends of words. An entity has its name as an alias, too."""
    path = tmp_path / "old.db"
    with MemoryDatabase(path, embed="none") as made:
        made.ingest([{"text": "[[राम]]"}, {"text": "[[मोहन]]"}, {"text": "[[Rosa]] [[Rosa (राम)]]"}])
        for table in ("entities", "aliases"):
            made.conn.execute(f"update {table} set normal = 'र म' where normal = 'राम'")
        made.conn.commit()
        with pytest.raises(NotFound):
            made.about("राम")
    names = [one for one in doctor(path).checks if one.name == "names"]
    assert [one.state for one in names] == ["degraded"]
    assert "--fix" in names[0].text
    mended = doctor(path, fix=True).checks
    assert [one.text for one in mended if one.name == "fixed"] == ["compared anew: 2 names"]
    assert not [one for one in mended if one.name == "names"]
    with MemoryDatabase(path, embed="none") as made:
        assert made.about("राम").name == "राम"
