"""Facts about the stand-ins for sqlite-vec's functions: they answer what sqlite-vec answers."""

from __future__ import annotations

import json
import platform
import re
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import vec_answers
from hypothesis import given
from hypothesis import strategies as st
from vec_answers import FUNCTIONS, REFUSED, Oracle, unpacked

from memkit import MemoryDatabase
from memkit.core.errors import BadQuestion
from memkit.storage import driver, vec_functions
from memkit.storage.driver import sqlite3

# Datasette lets Python report what its functions raise in SQL; here that is what is asked for.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

ROOT = Path(__file__).parent.parent
FROZEN = json.loads((Path(__file__).parent / "data" / "vec_answers.json").read_text("utf-8"))


def stand_in(expression: str, *arguments: Any) -> Any:
    """What the stand-ins answer."""
    with closing(sqlite3.connect(":memory:")) as conn:
        vec_functions.register(conn)
        try:
            return conn.execute(f"select {expression}", arguments).fetchone()[0]
        except sqlite3.OperationalError:
            return REFUSED


def same(expression: str, one: Any, other: Any) -> bool:
    """Whether two answers are the same: to the last bit, where the processor is the one that gave the frozen ones.

    Elsewhere a compiler may add and multiply in one step, which rounds once where there are two.
    """
    exact = platform.machine() == FROZEN["machine"] or not isinstance(one, float)
    return one == other if exact else one == pytest.approx(other, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("expression", FROZEN["answers"])
def test_the_answers_are_those_that_sqlite_vec_gave(expression: str) -> None:
    """Written by `python tests/vec_answers.py > tests/data/vec_answers.json`."""
    values = [unpacked(value) for value in FROZEN["values"]]
    answered = 0
    for *places, answer in FROZEN["answers"][expression]:
        given = [values[place] for place in places]
        assert same(expression, stand_in(expression, *given), unpacked(answer)), given
        answered += answer != REFUSED
    assert answered > 10


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    """The real sqlite-vec, in whichever Python here can load it."""
    python, library = vec_answers.python(), driver.vec_path()
    if python is None or library is None:
        pytest.skip("no Python here has a SQLite that loads extensions")
    oracle = Oracle(python, library)
    yield oracle
    oracle.close()


numbers = st.floats(width=32) | st.sampled_from([0.0, -0.0, 1e-45, 3e38])
vectors = st.lists(numbers, max_size=20).map(lambda some: struct.pack(f"<{len(some)}f", *some))
anything = vectors | st.binary(max_size=9) | st.none() | st.integers(-5, 5)
pairs = (
    st.integers(1, 40)
    .flatmap(lambda size: st.lists(st.lists(numbers, min_size=size, max_size=size), min_size=2, max_size=2))
    .map(lambda two: [struct.pack(f"<{len(some)}f", *some) for some in two])
)


@given(pairs | st.lists(anything, min_size=2, max_size=2))
def test_the_answers_are_those_that_sqlite_vec_gives(oracle: Oracle, two: list[Any]) -> None:
    for expression in FUNCTIONS:
        given = two[: expression.count("?")]
        assert same(expression, stand_in(expression, *given), oracle(expression, *given)), expression


def test_what_memkit_and_its_pages_say_of_vectors_in_sql_has_a_stand_in() -> None:
    pages = [ROOT / "README.md", ROOT / "metadata.yml", *ROOT.glob("docs/*.md"), *ROOT.glob("memkit/**/*.py")]
    pages += [*ROOT.glob("notebooks/*.ipynb"), *ROOT.glob("memkit/**/*.sql"), *ROOT.glob("templates/**/*.html")]
    named = {name for page in pages for name in re.findall(r"\bvec_[a-z0-9_]+(?=\()", page.read_text("utf-8"))}
    named -= {"vec_version", "vec_path"}  # what asks for sqlite-vec itself
    assert named >= {"vec_distance_cosine"}
    assert named <= vec_functions.STAND_INS.keys()


def test_a_connection_has_the_functions_whatever_its_library_can_load(monkeypatch: pytest.MonkeyPatch) -> None:
    ask = "select vec_distance_cosine(?, ?)"
    two = [struct.pack("<3f", *numbers) for numbers in ((1, 2, 3), (3, 2, 1))]
    with closing(driver.connect()) as conn:
        usual = conn.execute(ask, two).fetchone()[0]
    monkeypatch.setattr(driver, "vec_path", lambda: None)
    with closing(driver.connect()) as conn:
        assert not driver.load_vec(conn)
        assert conn.execute(ask, two).fetchone()[0] == usual


def test_a_query_that_gives_a_stand_in_what_is_no_vector_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "vec_path", lambda: None)
    with MemoryDatabase() as db, pytest.raises(BadQuestion, match=r"vec_distance_l2: .* not NULL\."):
        db.sql("select vec_distance_l2('[1, 2]', null)")
