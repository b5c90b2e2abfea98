"""`core.classes.dataclass` makes the class that the standard library makes, and compiles nothing before it is used."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from pathlib import Path
from typing import Any

import pytest

from memkit.core import classes

Decorate = Callable[..., Any]
KINDS = [{}, {"eq": False}, {"slots": True}, {"frozen": True}, {"frozen": True, "slots": True}]


def plum(decorate: Decorate, **settings: bool) -> Any:
    """A class with fields of all kinds, as this decorator makes it."""

    @decorate(**settings)
    class Plum:
        """A plum."""

        name: str
        weight: float
        tags: tuple[str, ...] = ()
        notes: dict[str, int] = field(default_factory=dict)
        place: str | None = field(default=None, compare=False)
        secret: str = field(default="", repr=False)
        seen: list[int] = field(default_factory=list, init=False, compare=False)
        ripe: bool = field(default=True, kw_only=True)

        def heavy(self) -> bool:
            """Whether it is."""
            return self.weight > 50

    return Plum


def both(**settings: bool) -> list[Any]:
    """The class of the standard library, and memkit's."""
    return [plum(decorate, **settings) for decorate in (dataclasses.dataclass, classes.dataclass)]


def outcome(act: Callable[[], Any]) -> Any:
    """What an act gives, or the error that it raises."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 (any error is an outcome)
        return type(error), str(error)


ACTS: dict[str, Callable[[Any], Any]] = {
    "repr": lambda made: repr(made("Mirabelle", 9.5, secret="x", ripe=False)),
    "str of defaults": lambda made: str(made("Mirabelle", weight=9.5)),
    "fields": lambda made: [(one.name, one.type, one.default) for one in dataclasses.fields(made)],
    "as a dict": lambda made: dataclasses.asdict(made("Zwetschge", 30.0, ("blue",))),
    "match": lambda made: made.__match_args__,
    "signature": lambda made: str(inspect.signature(made)),
    "signature of init": lambda made: str(inspect.signature(made.__init__)),
    "name of init": lambda made: (made.__init__.__qualname__, made.__init__.__name__, made.__init__.__module__),
    "doc": lambda made: made.__doc__,
    "nothing given": lambda made: made(),
    "too much given": lambda made: made(*range(9)),
    "unknown": lambda made: made("a", 1.0, colour="blue"),
    "only by name": lambda made: made("a", 1.0, (), {}, None, "", False),
    "not at the beginning": lambda made: made("a", 1.0, seen=[]),
    "equal": lambda made: made("a", 1.0) == made("a", 1.0, place="there"),
    "unequal": lambda made: made("a", 1.0) == made("a", 1.0, ripe=False),
    "other class": lambda made: made("a", 1.0) == ("a", 1.0),
    "in a set": lambda made: len({made("a", 1.0, notes=()), made("a", 1.0, notes=()), made("b", 1.0, notes=())}),
    "hash": lambda made: made.__hash__ is None or made.__hash__ is object.__hash__,
    "own dict": lambda made: made("a", 1.0).notes is made("a", 1.0).notes,
    "default of the class": lambda made: made.tags if not hasattr(made, "__slots__") else None,
    "set": lambda made: setattr(made("a", 1.0), "name", "b"),
    "delete": lambda made: delattr(made("a", 1.0), "name"),
    "replace": lambda made: repr(dataclasses.replace(made("a", 1.0), weight=80.0)),
    "method": lambda made: dataclasses.replace(made("a", 1.0), weight=80.0).heavy(),
    "copy": lambda made: repr(copy.copy(made("a", 1.0, ("b",)))),
    "deep copy": lambda made: repr(copy.deepcopy(made("a", 1.0, ("b",), {"c": 1}))),
    "state": lambda made: repr(made("a", 1.0).__reduce_ex__(4)[2]),
    "itself inside": lambda made: [one := made("a", 1.0), one.notes.update(me=one), repr(one)][-1],
    "attributes": lambda made: vars(made("a", 1.0)),
    "parameters": lambda made: repr(made.__dataclass_params__.frozen),
}


@pytest.mark.parametrize("settings", KINDS, ids=str)
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
def test_it_does_what_the_class_of_the_standard_library_does(
    act: Callable[[Any], Any], settings: dict[str, bool]
) -> None:
    theirs, ours = (outcome(lambda made=made: act(made)) for made in both(**settings))
    assert ours == theirs


@pytest.mark.parametrize("settings", KINDS[:4], ids=str)
def test_another_attribute_is_as_in_the_class_of_the_standard_library(settings: dict[str, bool]) -> None:
    theirs, ours = (outcome(lambda made=made: setattr(made("a", 1.0), "colour", "b")) for made in both(**settings))
    assert ours == theirs


def test_a_frozen_class_with_slots_refuses_another_attribute_as_others_do() -> None:
    """Some versions of the standard library fail here over their own mistake, with a TypeError."""
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'colour'"):
        plum(classes.dataclass, frozen=True, slots=True)("a", 1.0).colour = "b"


@pytest.mark.parametrize("above", [{}, {"frozen": True}], ids=str)
@pytest.mark.parametrize("below", [{}, {"frozen": True}, {"frozen": True, "slots": True}], ids=str)
def test_a_class_below_another_has_its_fields_and_must_be_frozen_as_it_is(
    above: dict[str, bool], below: dict[str, bool]
) -> None:
    def derived(decorate: Decorate, base: Any) -> Any:
        @decorate(**below)
        class Damson(base):  # type: ignore[misc]
            wild: bool = field(default=True, kw_only=True)

        one = Damson("a", 1.0, wild=False)
        changed = outcome(lambda: setattr(one, "name", "b")), outcome(lambda: setattr(one, "wild", True))
        return repr(one), changed, one == Damson("a", 1.0), repr(copy.copy(one)), str(inspect.signature(Damson))

    theirs, ours = both(**above)
    expected = outcome(lambda: derived(dataclasses.dataclass, theirs))
    assert outcome(lambda: derived(classes.dataclass, ours)) == expected
    assert outcome(lambda: derived(dataclasses.dataclass, ours)) == expected
    assert outcome(lambda: derived(classes.dataclass, theirs)) == expected


def test_a_plain_class_below_a_frozen_one_may_have_more_attributes() -> None:
    class Sloe(plum(classes.dataclass, frozen=True)):  # type: ignore[misc]
        pass

    sloe = Sloe("a", 1.0)
    sloe.colour = "black"
    assert sloe.colour == "black"
    del sloe.colour
    with pytest.raises(FrozenInstanceError):
        sloe.name = "b"


def test_what_a_class_defines_itself_stays() -> None:
    @classes.dataclass(frozen=True)
    class Quince:
        name: str

        def __post_init__(self) -> None:
            object.__setattr__(self, "name", self.name.title())

        def __repr__(self) -> str:
            return f"<{self.name}>"

    assert repr(Quince("portugal")) == "<Portugal>"

    @classes.dataclass
    class Medlar:
        size: int = 0

        def __init__(self) -> None:
            self.size = 7

    assert Medlar().size == 7


@classes.dataclass(frozen=True, slots=True)
class Pear:
    name: str
    notes: dict[str, int] = field(default_factory=dict)


def test_it_comes_back_from_pickle() -> None:
    pear = Pear("Conference", {"sugar": 3})
    assert pickle.loads(pickle.dumps(pear)) == pear


def test_nothing_is_compiled_before_the_first_instance() -> None:
    made = plum(classes.dataclass, frozen=True)
    assert type(vars(made)["__init__"]).__name__ == "_Init"
    made("a", 1.0)
    assert inspect.isfunction(vars(made)["__init__"])


ASK = """
import dataclasses, sys
from memkit.frontends.cli.main import cli
cli(["recall", sys.argv[1], "who planted the quince last April?"], standalone_mode=False)
mine = [one for name, one in sys.modules.items() if name.startswith("memkit.")]
print(sorted(one.__name__ for one in mine if getattr(one, "dataclass", None) is dataclasses.dataclass))
"""


def test_a_question_loads_no_class_that_the_standard_library_has_compiled(tmp_path: Path) -> None:
    from memkit import MemoryDatabase

    path = tmp_path / "memory.db"
    with MemoryDatabase(path) as db:
        db.remember("Rosa planted the quince in April.")
    done = subprocess.run([sys.executable, "-c", ASK, path], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
