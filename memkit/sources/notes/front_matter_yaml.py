"""Front matter parser: YAML from a stranger, measured before it is built.

PyYAML builds lists and objects by functions that call each other, in C, where too many levels end the whole process;
and it repeats what is named once and used often, so that a few lines can fill the memory. The events of its parser
show both at no cost.
"""

from __future__ import annotations

import re
from typing import Any

from memkit.core.patterns import pattern
from memkit.sources.limits import OverLimit, ReadLimits

_TOP_LEVEL = pattern(r"\n(?=[^\s#-])")
_FIELD = pattern(r"([^\W\d][\w -]*):[ \t]+([\w\"'«“‘¿¡(#].*)")


def parse_front_matter(block: str, limits: ReadLimits) -> Any:
    """The value of a block of YAML. Raises ValueError if it is broken, or goes over the limits."""
    from frontmatter.default_handlers import YAMLHandler  # imports a YAML parser: only for notes that need it
    from yaml import YAMLError

    try:
        if not _is_simple(block, limits):
            _measure(block, limits)
        return YAMLHandler().load(block)
    except YAMLError as error:
        if "maximum nesting depth" in str(error):  # libyaml's own limit, which its reading ahead may meet first
            raise OverLimit("depth", limits, "levels") from None
        raise ValueError(" ".join(str(error).split())) from None
    except (KeyError, AttributeError, IndexError, TypeError, OverflowError) as error:
        # what PyYAML raises for a value that is not of the type that its tag says, as in `!!bool perhaps`
        raise ValueError(f"a value does not fit its tag ({type(error).__name__}: {error})") from None
    except RecursionError:
        raise OverLimit("depth", limits, "levels") from None


def fields_by_line(block: str, limits: ReadLimits) -> dict[str, Any]:
    """The fields of a block that is no YAML as a whole, each key with the lines below it by itself.

    People write `title: Tides: a study`, of which YAML can make nothing; such a line is a key and its text. Raises
    OverLimit.
    """
    parts = _TOP_LEVEL.split(block)
    if len(parts) > limits.values:
        raise OverLimit("values", limits, "values")
    fields: dict[str, Any] = {}
    for part in parts:
        try:
            found = parse_front_matter(part, limits)
        except OverLimit:
            raise
        except ValueError:
            found = {line[1]: _unquoted(line[2])} if (line := _FIELD.fullmatch(part.rstrip())) else None
        if isinstance(found, dict):
            fields |= found
    return fields


def _unquoted(text: str) -> str:
    return text[1:-1] if re.fullmatch(r"\"[^\"]*\"|'[^']*'", text) else text


def _is_simple(block: str, limits: ReadLimits) -> bool:
    """Whether a block is too short for too many levels (each takes one of these characters), and uses nothing twice."""
    return "*" not in block and sum(map(block.count, "[{-?:")) <= limits.depth


def _measure(block: str, limits: ReadLimits) -> None:
    """Raises OverLimit for too many levels or values; what is used again counts as often as it is used."""
    import yaml

    sizes: dict[str | None, int] = {}  # of what has a name (an anchor), by name
    names: list[str | None] = []  # of the lists and objects that are open, outermost first
    totals = [0]  # the values in each of them so far
    for event in yaml.parse(block, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in sizes:
                raise ValueError(f"*{event.anchor} stands for nothing, or for what it is a part of")
            totals[-1] += sizes[event.anchor]
        elif isinstance(event, yaml.CollectionStartEvent):
            names.append(event.anchor)
            totals.append(1)
        elif isinstance(event, yaml.ScalarEvent):
            totals[-1] += 1
            sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionEndEvent):
            size = totals.pop()
            totals[-1] += size
            sizes[names.pop()] = size
        if len(names) > limits.depth:
            raise OverLimit("depth", limits, "levels")
        if totals[-1] > 2 * limits.values + 1:  # each with its key
            raise OverLimit("values", limits, "values")
