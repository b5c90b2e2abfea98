"""Names are taken out in scripts and languages other than English: with their vowels, prepositions and endings."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.text.redact import Names, Redactor

HIDDEN = [
    ("राम शर्मा", "कल राम शर्मा घर पर था। राम को शर्मा जी ने देखा।", "कल P1 घर पर था। P1 को P1 जी ने देखा।"),
    ("மாறன் குமார்", "மாறன் குமார் வந்தான்.", "P1 வந்தான்."),
    ("রহিম খান", "কাল রহিম এসেছিল।", "কাল P1 এসেছিল।"),
    ("สมชาย ใจดี", "เมื่อวานสมชาย ใจดี มาหา สมชายไปแล้ว", "เมื่อวานP1 มาหา P1ไปแล้ว"),
    ("דנה כהן", "ראיתי את דָּנָה. לדנה יש כלב, והכהן", "ראיתי את P1. לP1 יש כלב, והP1"),
    ("أحمد علي", "قال أَحْمَد. لأحمد كتاب. وأحمد هنا.", "قال P1. لP1 كتاب. وP1 هنا."),
    ("Марина Петрова", "Видел Марину Петрову. С Мариной у Петровых.", "Видел P1. С P1 у P1."),
    ("Ελένη Παπά", "Το σπίτι της Ελένης.", "Το σπίτι της P1."),
    ("Piotr Kowalski", "Widziałem Piotra Kowalskiego. Z Piotrem.", "Widziałem P1. Z P1."),
    ("Jana Nováková", "Viděli jsme Janu Novákovou včera.", "Viděli jsme P1 včera."),
    ("Ayşe Yılmaz", "Dün Yılmazlar geldi, Ayşe'yle.", "Dün P1 geldi, P1'yle."),
]
KEPT = [
    ("राम शर्मा", "रोम दूर है। रामू आया।"),  # Rome, and another name
    ("Марина Петрова", "Марка стоит. Петух поёт. Купил марину."),
    ("Mark Müller", "Der Markt ist schön, für alle."),  # German does not decline names
    ("Piotr Kowalski", "The Piotra bridge is where we met in the evening, near Škoda."),  # nor does English
    ("דן לוי", "עדן יפה"),  # no preposition, but a part of another word
]


@pytest.mark.parametrize(("name", "text", "wanted"), HIDDEN)
def test_a_name_is_taken_out_in_its_forms(name: str, text: str, wanted: str) -> None:
    redactor = Redactor([Names("P1", (name,))], common=False)
    assert redactor.redact(text).text == wanted
    assert redactor.redact(wanted).text == wanted


@pytest.mark.parametrize(("name", "text"), KEPT)
def test_what_only_looks_like_a_form_stays(name: str, text: str) -> None:
    assert Redactor([Names("P1", (name,))], common=False).redact(text).text == text


@given(
    st.sampled_from([name for name, *_ in HIDDEN]),
    st.lists(st.sampled_from(["{}", " ", "।", "у", "ل", "и", "a", "ี", "ो", ".", "Ы", "ę"]), max_size=12),
)
@settings(max_examples=100, deadline=None)
def test_a_name_between_other_words_never_stays(name: str, around: list[str]) -> None:
    text = "".join(around).replace("{}", f" {name} ")
    found = Redactor([Names("P1", (name,))], common=False).redact(text).text
    assert f" {name} " not in found
    assert Redactor([Names("P1", (name,))], common=False).redact(found).text == found
