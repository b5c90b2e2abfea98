"""Question words of scripts without capitals: they ask, and are not what is asked about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.text.question_words import without_question_words


@pytest.mark.parametrize(
    ("question", "left"),
    [
        ("榅桲什么时候开花？", "榅桲 时候开花？"),
        ("请问榅桲在哪里吗", "榅桲在"),
        ("為什麼榅桲怎麼種", "榅桲 種"),
        ("マルメロとは何ですか？", "マルメロとは ？"),
        ("マルメロはいつ咲きますか", "マルメロは 咲き"),
        ("마르멜로는 언제 심었나?", "마르멜로는 심었나?"),
        ("마르멜로란 무엇인가요?", "마르멜로 ?"),
        ("마르멜로는 무엇을 하나?", "마르멜로는 ?"),
        # Parts of other words stay.
        *((text, text) for text in ("왜곡된 신호", "어디나물", "하나의 신호", "幾何学の本", "いつも咲く", "呢绒大衣")),
        *((text, text) for text in ("What is a quince?", "如何", "何ですか", "왜", "")),
    ],
)
def test_what_asks_is_left_out(question: str, left: str) -> None:
    assert " ".join(without_question_words(question).split()) == left


@given(st.text(st.sampled_from("什么哪里怎样谁吗何どこいつですか무엇을왜하나 ?abc榅桲"), max_size=20))
def test_something_is_left_of_every_text(text: str) -> None:
    left = without_question_words(text)
    assert any(map(str.isalnum, left)) == any(map(str.isalnum, text))
    assert set(left) <= {*text, " "}


@pytest.mark.parametrize(
    ("topic", "noise", "question"),
    [
        ("마르멜로 나무는 봄에 심었다.", "무엇을 하나 무엇을 나누며 어떻게 살 것인가.", "마르멜로는 무엇을 하나?"),
        ("榅桲树种在墙边。", "我不知道哪里有，也不知道从哪里来。", "榅桲在哪里？"),
        ("マルメロの木を植えた。", "何ですか、いつですか、どこですか。", "マルメロはどこですか？"),
    ],
)
def test_among_memories_in_english_the_topic_comes_before_the_words_that_ask(
    db: MemoryDatabase, topic: str, noise: str, question: str
) -> None:
    db.remember(topic)
    db.remember(noise)
    for n in range(30):
        db.remember(f"We watered tree {n} in the evening.")
    assert db.recall(question).hits[0].memory.text == topic
