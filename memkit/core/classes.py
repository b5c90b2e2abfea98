"""Dataclasses that compile nothing before their first use: of those that a process loads, it uses few.

`dataclasses.dataclass` writes up to six functions for each class and compiles them, half a millisecond in all, and a
recall in a new process loads sixty classes. Here a class has the same fields and does the same; but its `__init__` is
compiled for its first instance, and what else the standard library writes anew for each class is shared by all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, fields, is_dataclass
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, slots=False):
        """The decorator of the standard library, for classes without an InitVar."""

        def decorated(cls):
            return _made(cls, frozen, eq, slots)

        return decorated if cls is None else decorated(cls)


def _made(cls: type, frozen: bool, eq: bool, slots: bool) -> type:
    """The class as a dataclass. What it defines itself stays."""
    own = set(vars(cls))
    # Below another dataclass the standard library has to see whether both are frozen, and makes this one so.
    inherits = any(map(is_dataclass, cls.__bases__))
    apply = dataclasses.dataclass(init=False, repr=False, eq=False, frozen=frozen and inherits, slots=slots)
    made: Any = apply(cls)
    made.__dataclass_params__.frozen = frozen
    functions: dict[str, Any] = {"__init__": _Init(made), "__repr__": _repr}
    if eq:
        functions |= _comparing(made, frozen)
    if frozen and not inherits:
        functions |= {**_FROZEN, **(_FROZEN_SLOTS if slots else {})}
    for name in functions.keys() - own:
        setattr(made, name, functions[name])
    return made  # type: ignore[no-any-return]


class _Init:
    """Stands for the `__init__` of a class, and compiles it when somebody asks for it."""

    def __init__(self, made: Any):
        self._made = made

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        self._made.__init__ = init = _compiled(self._made)
        return init.__get__(instance, owner)


_NEW: Any = type("_New", (), {"__repr__": lambda _: "<factory>"})()  # stands for a default that is made each time


def _compiled(made: Any) -> Any:
    """The `__init__` of a dataclass."""
    known: dict[str, Any] = {"_set": object.__setattr__, "_NEW": _NEW}
    assign = "_set(self, {0!r}, {1})" if made.__dataclass_params__.frozen else "self.{0} = {1}"
    plain, named, body = ["self"], ["*"], []
    for one in fields(made):
        default, new = _default(one, known)
        if one.init:
            (named if one.kw_only else plain).append(f"{one.name}={default}" if default else one.name)
            body.append(assign.format(one.name, f"{new} if {one.name} is _NEW else {one.name}" if new else one.name))
        elif default:
            body.append(assign.format(one.name, new or default))
    if hasattr(made, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join(plain + named if named[1:] else plain)
    exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), known)
    init = known["__init__"]
    init.__qualname__, init.__module__ = f"{made.__qualname__}.__init__", made.__module__
    init.__annotations__ = {**{one.name: one.type for one in fields(made) if one.init}, "return": None}
    return init


def _default(one: Field[Any], known: dict[str, Any]) -> tuple[str, str]:
    """The default of a field, and how a new one is made each time, as expressions over what is `known`; "" for none."""
    if one.default_factory is not MISSING:
        known[f"_make_{one.name}"] = one.default_factory
        return "_NEW", f"_make_{one.name}()"
    if one.default is not MISSING:
        known[f"_default_{one.name}"] = one.default
        return f"_default_{one.name}", ""
    return "", ""


@recursive_repr()
def _repr(self: Any) -> str:
    said = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)
    return f"{type(self).__qualname__}({said})"


def _comparing(made: Any, frozen: bool) -> dict[str, Any]:
    """What compares two instances of a class, and the hash of one, which only a frozen one has."""
    names = [one.name for one in fields(made) if one.compare]
    several = len(names) > 1  # of one, `attrgetter` gives no tuple
    compared: Callable[[Any], Any] = attrgetter(*names) if several else lambda it: tuple(getattr(it, n) for n in names)

    def __eq__(self: Any, other: Any) -> Any:
        return compared(self) == compared(other) if other.__class__ is self.__class__ else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(compared(self))

    return {"__eq__": __eq__, "__hash__": __hash__ if frozen else None}


def _refuse_to_set(self: Any, name: str, value: Any) -> None:
    _refuse(self, name, "assign to")
    object.__setattr__(self, name, value)


def _refuse_to_delete(self: Any, name: str) -> None:
    _refuse(self, name, "delete")
    object.__delattr__(self, name)


def _refuse(self: Any, name: str, what: str) -> None:
    """Raises FrozenInstanceError, unless this is an attribute that a subclass has beside the fields."""
    if "__dataclass_params__" in vars(type(self)) or name in self.__dataclass_fields__:
        raise FrozenInstanceError(f"cannot {what} field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, one.name) for one in fields(self)]


def _set_state(self: Any, state: list[Any]) -> None:
    for one, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, one.name, value)


_FROZEN = {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
_FROZEN_SLOTS = {"__getstate__": _state, "__setstate__": _set_state}  # for pickle, which would set attributes
