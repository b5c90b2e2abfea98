"""Type-ahead: what begins with the typed letters, most named first."""

from __future__ import annotations

from pathlib import Path

import pytest
from datasettes import build_demo, datasette, nobody, root
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit import MemoryDatabase
from memkit.text.words import normal_name


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_demo(tmp_path_factory.mktemp("completion") / "demo.db")


def test_names_come_first_that_more_memories_name_then_those_with_a_later_word_then_titles(demo: Path) -> None:
    with MemoryDatabase(demo, read_only=True) as memory:
        found = memory.names_beginning("qui")
        assert found[0] == "Quince"
        assert "Quince paste that sets" in found  # the title of a chat
        assert memory.names_beginning("mori") == ["Hana Mori"]
        assert "王奶奶的饺子" in memory.names_beginning("王奶")
        assert memory.names_beginning("Q", 3) == memory.names_beginning("q", 3)
        assert len(memory.names_beginning("a", 3)) == 3


@settings(max_examples=100, deadline=None)
@given(typed=st.text(max_size=6) | st.sampled_from(["%", "_", "'", '"', "[[", "\0", "ros", "KI", " ro "]))
def test_any_letters_may_be_typed_and_what_is_offered_has_them(demo: Path, typed: str) -> None:
    with MemoryDatabase(demo, read_only=True) as memory:
        known = {row["alias"] for row in memory.tables.query("select alias from aliases")}
        for name in memory.names_beginning(typed):
            spelled = [name, *known]
            assert any(
                normal_name(typed) in normal_name(one) or typed.strip().lower() in one.lower() for one in spelled
            )


def test_the_last_words_of_a_question_are_completed_however_many_the_name_has(demo: Path) -> None:
    with MemoryDatabase(demo, read_only=True) as memory:
        every = [row["name"] for row in memory.tables.query("select name from entities where kind <> 'value'")]
        assert memory.completions("what did Hana Mo")[0] == "what did Hana Mori"
        assert (
            memory.completions("how much for the quince paste that se")[0] == "how much for the Quince paste that sets"
        )
        assert memory.completions("谁教林伟包王奶")[0] == "谁教林伟包王奶奶的饺子"
        assert memory.completions("who is r") == memory.completions("") == []
        assert memory.completions("r") == memory.names_beginning("r")
        for name in every:
            if len(name) > 3:
                assert memory.completions(f"who knows {name[:-1]}", 20).count(f"who knows {name}") == 1, name


async def test_the_page_offers_them_to_those_who_may_see_names(demo: Path) -> None:
    served = datasette(demo)
    assert (await root(served).json("/demo/-/names.json?q=ros"))["names"][0] == "Rosa"
    assert (await root(served).json("/demo/-/names.json?q=is+ros&question=1"))["names"][0] == "is Rosa"
    assert (await nobody(served).get("/demo/-/names.json?q=ros")).status_code == 403
    assert "/demo/-/names.json" in await root(served).page("/recall")
