"""Who says I: said, guessed from conversations, and meant by `I` in questions; small talk asks for nothing."""

from __future__ import annotations

import json
from datetime import datetime, timezone

import pytest
from click.testing import CliRunner

from memkit import STRATEGIES, MemoryDatabase
from memkit.core.errors import MemkitError
from memkit.graph.question_entities import named_in
from memkit.retrieval.understanding import understand
from memkit.text.small_talk import is_small_talk


def homes(db):
    db.remember("I live in Bern.", happened_at="2023-01-10")
    for who, where in (("Noah", "Rome"), ("Mia", "Paris"), ("Bo", "Oslo")):
        db.remember(f"I live in {where}.", speaker=who, happened_at="2023-01-10")


@pytest.mark.parametrize(
    "question", ["Where do I live?", "Wo wohne ich?", "¿Dónde vivo yo?", "Où est-ce que je vis ?", "我住在哪里？"]
)
def test_i_in_a_question_finds_the_users_own_facts(question):
    with MemoryDatabase() as db:
        homes(db)
        assert "Bern" in db.recall(question)[0].memory.text


def test_the_facts_of_a_context_are_the_users():
    with MemoryDatabase() as db:
        homes(db)
        text = str(db.context("Where do I live?", layout="memkit"))
        assert text.index("Bern") < min(text.find(other) % 10**6 for other in ("Rome", "Paris", "Oslo"))


def test_saying_who_i_am_moves_what_was_said_before():
    with MemoryDatabase() as db:
        homes(db)
        assert db.me() == "user"
        assert db.me("Sam Reed", aliases=["Sam"]) == "Sam Reed"
        assert db.me() == "Sam Reed"
        for name in ("Sam Reed", "Sam"):
            assert [one.object for one in db.about(name).relations if one.predicate == "lives_in"] == ["Bern"]
        db.me("Samira Reed")
        assert [one.object for one in db.about("Samira Reed").relations if one.predicate == "lives_in"] == ["Bern"]
        assert "Bern" in db.recall("Where do I live?")[0].memory.text


def test_an_invalid_name_is_refused_and_changes_nothing():
    with MemoryDatabase() as db:
        with pytest.raises(MemkitError, match="is not a name"):
            db.me("Sam", aliases="!!")
        assert db.me() == "user"


def test_the_likely_user_speaks_in_every_conversation(tmp_path):
    rows = [
        {"text": "The quince is in bloom.", "session": f"s{n}", "speaker": who, "timestamp": f"2023-01-1{n}T10:00:00Z"}
        for n, others in enumerate((("Sam", "Mia"), ("Sam", "Bo"), ("Sam", "Mia")))
        for who in others
    ]
    file = tmp_path / "chats.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    with MemoryDatabase(tmp_path / "m.db") as db:
        assert db.likely_me() is None
        db.ingest(file)
        assert db.likely_me() == "Sam"
        assert db.me() == "user"  # a guess is only a guess


def test_the_command_says_and_sets_who_i_am(tmp_path):
    from memkit.frontends.cli.main import cli

    file = str(tmp_path / "m.db")
    with MemoryDatabase(file) as db:
        homes(db)
    assert CliRunner().invoke(cli, ["me", file]).output.strip() == "user"
    assert CliRunner().invoke(cli, ["me", file, "Sam Reed", "Sam"]).output.strip() == "Sam Reed"
    assert CliRunner().invoke(cli, ["me", file]).output.strip() == "Sam Reed"


@pytest.mark.parametrize(
    "text",
    """\
    hi|Hello!|Good morning, everyone|thanks!|Thank you so much for your help|Hallo zusammen|Guten Morgen
    |Vielen Dank!    |Danke, super|Hola
    |Buenos días|¡Muchas gracias!|Bonjour|Merci beaucoup|Salut tout le monde|你好|谢谢！|早上好|再见|hi there
    |Thanks, bye""".split("|"),
)
def test_small_talk_asks_for_nothing(text):
    assert is_small_talk(text.strip())
    with MemoryDatabase() as db:
        db.remember("Thanks to Mia, we said hello to the mayor. Hallo, hola, merci, 谢谢你好.")
        assert not db.context(text.strip()).recall
        assert not db.context(text.strip(), history=["Where does Mia live?"]).recall


@pytest.mark.parametrize(
    "text",
    """Hi, where is Mia?|thanks for what?|Hello Kitty|birthday|Who?|why?|Mia|Danke wofür?|Wann?
    |Hola Rosa, ¿vienes?|merci qui|谁说的
    |你好吗这首歌是谁唱的|good restaurants|Good Morning America|what's up with the quince
    |and then?||yes|morning routine""".split("|"),
)
def test_a_short_question_is_no_small_talk(text):
    assert not is_small_talk(text.strip())


@pytest.mark.parametrize("strategy", ["construct", "kira", "membox"])
def test_to_the_published_designs_and_the_triggers_i_is_no_name(strategy):
    """Each question has an I in it: it would be a name in every one, and lead to whatever the user is part of."""
    with MemoryDatabase(embed="none") as db:
        homes(db)
        db.relate("user", "likes", "tea")
        assert "user" in {one.entity.name for one in named_in(db.conn, "what do I like?", me=True)}
        asked = understand(db.conn, "what do I like?", None, STRATEGIES["memkit"], datetime.now(timezone.utc))
        assert "user" in {one.entity.name for one in asked.named}, "to memkit's own it is"
        found = db.recall("what do I eat?", strategy=strategy)
        assert [one.name for one in found.entities if one.depth == 0] == []
        assert "entity_mention" not in db.triggers("what do I eat?")
        assert named_in(db.conn, "what do I eat?") == ()
