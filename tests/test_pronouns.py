"""Pronouns: of whom a question speaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.pronouns import asks_of_oneself, first_person, refers_back


@pytest.mark.parametrize(
    "question",
    [
        "Where did I buy the cello?",
        "Can you remind me when my sister moved?",
        "Could you look up which tyres I ride?",
        "Weißt du, wann ich umgezogen bin?",
        "Wo habe ich mein Fahrrad gekauft?",
        "Peux-tu me dire où j'ai acheté mon vélo ?",
        "¿Dónde compré mi bicicleta?",
        "我上次在哪里买的自行车？",
    ],
)
def test_questions_about_the_life_of_the_asker(question: str) -> None:
    assert asks_of_oneself(question)


@pytest.mark.parametrize(
    "question",
    [
        "Which hotel in Porto did you recommend to me?",
        "In our previous conversation, what was the ratio for my tea?",
        "What was your advice about my knee?",
        "Welches Buch hast du mir empfohlen?",
        "¿Qué libro me recomendaste para mi viaje?",
        "Quel livre vous m'avez conseillé pour mon voyage ?",
        "你给我推荐了哪家酒店？",
    ],
)
def test_questions_about_what_the_other_said(question: str) -> None:
    assert first_person(question)
    assert not asks_of_oneself(question)


@pytest.mark.parametrize(
    "question",
    [
        "How do I prune quinces?",
        "Should I sell the car?",
        "Wie kann ich Quitten schneiden?",
        "我怎么修剪果树？",
        "Who is Anna?",
        "",
    ],
)
def test_questions_for_advice_or_about_others(question: str) -> None:
    assert not asks_of_oneself(question)


@given(st.text(max_size=300))
def test_any_text_is_a_question(text: str) -> None:
    assert asks_of_oneself(text) in (True, False)
    assert not asks_of_oneself(text) or first_person(text)


@pytest.mark.parametrize(
    "sentence",
    [
        "It was delicious.",
        "And it's from 1920.",
        "its a firefox addon",
        "Thats the reason.",
        "I think they'll be fine.",
        "Yeah, I guess it just leads to better work.",
        "Pero creo que eso fue caro.",
        "**They** moved.",
        "Sie wohnt in Bonn.",
        "C'est bon.",
        "Eso fue caro.",
        "他搬走了。",
        "这很好。",
    ],
)
def test_sentences_that_need_the_one_before_them(sentence: str) -> None:
    assert refers_back(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Italy is warm.",
        "Dinner was good.",
        "I moved.",
        "Thatcher resigned.",
        "I think Otto is ill.",
        "Items sold well.",
        "Sieben Äpfel.",
        "",
    ],
)
def test_sentences_that_stand_alone(sentence: str) -> None:
    assert not refers_back(sentence)
