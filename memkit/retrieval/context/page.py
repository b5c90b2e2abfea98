"""Page rendering: a layout's template is filled with the items that fit into the token budget.

What memories say is told apart from what the template says, for every expression of every template: so it cannot begin
a line like a heading or a fence, repeat a line of the page, or open or close a tag of the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memkit.core.errors import BadSource, NotFound, one_of
from memkit.core.files import template_dir, text_templates
from memkit.retrieval.context.data import View
from memkit.retrieval.context.triggers import SAID
from memkit.retrieval.context.values import NO_ROOM, Context, Item, Plan, Room, Said, Shown, said
from memkit.retrieval.packing import fit_together
from memkit.text.extract.guard import CONTEXT_CLOSE, CONTEXT_OPEN
from memkit.text.sanitize import MARK, without_tags

if TYPE_CHECKING:
    from jinja2 import Environment, Template

SUFFIX = ".md"


def own_templates() -> Path:
    """The path of the folder with memkit's own layouts."""
    return template_dir() / "context"


def template(layout: str, folder: str | Path | None = None) -> Template:
    """The template of a layout: from the user's folder if it is there, or else memkit's own.

    Raises NotFound for a name that neither has, BadSource if the folder does not exist or the template is not valid
    Jinja.
    """
    from jinja2 import TemplateNotFound, TemplateSyntaxError

    folders = [Path(folder)] if folder else []
    for one in folders:
        if not one.is_dir():
            raise BadSource(f"The folder of templates, {str(one)!r}, does not exist or is not a folder.")
    folders.append(own_templates())
    try:
        return _environment(tuple(map(str, folders))).get_template(layout + SUFFIX)
    except TemplateNotFound:
        names = {path.stem for one in folders for path in one.glob(f"*{SUFFIX}")}
        raise NotFound(one_of("layout", layout, names)) from None
    except TemplateSyntaxError as error:
        raise BadSource(
            f"The template {layout + SUFFIX!r} is not valid Jinja, line {error.lineno}: {error.message}."
        ) from error


@lru_cache(maxsize=8)
def _environment(folders: tuple[str, ...]) -> Environment:
    environment = text_templates(*folders)
    environment.filters["by"] = _by
    environment.finalize = _noted
    return environment


# ---------------------------------------------------------------------------------------------- what memories say

# Noncharacters, which no memory keeps (`text/sanitize.py`). They stand around each value until the page is whole.
_FROM, _TO, _DERIVED = "\ufdd0", "\ufdd1", "\ufdd2"
_VALUE = f"{_FROM}[^{_FROM}{_TO}]*{_TO}"
_VALUES = re.compile(f"{_VALUE}(?:[ \\t]*{_VALUE})*")
_FIRST = re.compile(f"(\n[ \\t]*)({_VALUES.pattern})")  # at the start of a line
# What begins a heading, a fence, a rule, a tag or a section at the start of a line, and signs that could become one.
_STRUCTURE = re.compile(r"#|```|~~~|<[!/?]|-{3}|={3}|\*{3}|_{3}|\[(?!\[)|[`~=\-*_<]+$")
_TAG = re.compile(r"</?([A-Za-z][\w:.-]*)")
_CODE = re.compile(r"{#.*?#}|{%.*?%}|{{.*?}}", re.DOTALL)


def _noted(value: Any) -> Any:
    """A value that a template prints, with signs around it. A text made from others by a filter is noted as such."""
    if isinstance(value, Said):
        return _FROM + value + _TO
    if isinstance(value, str) and "\n" not in value and _FROM not in value:
        return f"{_FROM}{_DERIVED}{value}{_TO}"
    return value


class Fences:
    """What stands around memories on the page of a template: its tags, and the lines that it writes itself."""

    def __init__(self, source: str):
        own = _CODE.sub("\0", source)
        self.tags = (*dict.fromkeys(_TAG.findall(own)), MARK)
        self.lines = frozenset(line.strip() for line in own.splitlines() if line.strip() and "\0" not in line)

    def kept(self, page: str) -> str:
        """The rendered page, in which what memories say stays inside its fences; without the signs."""
        page = _FIRST.sub(self._begun, f"\n{page}")
        if len(self.tags) > 1:  # no value has memkit's own, so they can only come together from several
            page = _VALUES.sub(lambda found: without_tags(_without_signs(found[0]), self.tags), page)
        return without_tags(_without_signs(page))

    def _begun(self, found: re.Match[str]) -> str:
        indent, values = found.groups()
        text = _without_signs(values)
        if not _STRUCTURE.match(text) and text.strip() not in self.lines:
            return found[0]
        derived = values.replace(_FROM + _DERIVED + _TO, "").startswith(_FROM + _DERIVED)
        return found[0] if derived else f"{indent}\\{values}"


def _without_signs(text: str) -> str:
    return text.replace(_FROM, "").replace(_TO, "").replace(_DERIVED, "")


@lru_cache(maxsize=64)
def _fences(template: Template) -> Fences:
    loader = template.environment.loader
    assert loader is not None
    assert template.name is not None
    return Fences(loader.get_source(template.environment, template.name)[0])


def _by(items: Sequence[Mapping[str, Any]], name: str) -> list[tuple[Any, list[Mapping[str, Any]]]]:
    """Items grouped by a value, the groups in order of first appearance."""
    groups: dict[Any, list[Mapping[str, Any]]] = {}
    for item in items:
        groups.setdefault(item[name], []).append(item)
    return list(groups.items())


class Page:
    """A plan and the template that renders it."""

    def __init__(self, template: Template, plan: Plan, view: View, *, fenced: bool):
        self.template, self.plan, self.view, self.fenced = template, plan, view, fenced
        self._fences = _fences(template)
        self._places = {(*item.key, name): n for name in plan.sections for n, item in enumerate(plan.sections[name])}
        self._firsts = {name: items[0] for name, items in plan.sections.items() if items}
        self._found = {name: len(items) for name, items in plan.sections.items()}
        self._bare = self.measure(())
        self._costs: dict[int, tuple[Item, int]] = {}  # by id(item); the item is kept, so that no other gets its id

    def pack(self, *, layout: str) -> Context:
        """The context with as much of the plan as fits: the best items, in the order of the page."""
        view, plan = self.view, self.plan
        room = Room(max(0, view.budget - self._bare), self.cost, self.shorten)
        wanted = plan.choose(plan.ordered(), room) if plan.choose else plan.ordered()
        packed = fit_together(wanted, view.budget, self.measure, self.shorten)
        items = self._in_order(plan.kept(packed.items))
        used = self.measure(items)
        fits = used <= view.budget
        counts = self._counts(items)
        footer = plan.footer(used if fits else 0, counts) if plan.footer else ""
        text = self.render(items, footer) if fits else footer
        kept = {item.key for item in items}
        missing = [item for item in plan.ordered() if item.key not in kept and item.section not in plan.beside]
        return Context(
            message=view.message,
            text=text,
            used=used if fits else 0,
            budget=view.budget,
            layout=layout,
            shown=tuple(self._shown(item) for item in items),
            left_out=(*(item.left_out(NO_ROOM) for item in missing), *plan.left_out),
            more=plan.more,
            turn=self.turn(),
        )

    def render(self, items: Sequence[Item], footer: str = "") -> str:
        """The text of the page with these items; empty if nothing is on it. Raises BadSource if the template fails."""
        from jinja2 import TemplateError

        values = {**self._about, **self._empty(), "shown": self._counts(items), "footer": footer}
        for item in self._in_order(items):
            values["sections"][item.section].append({**item.values, "shortened": item.shortened})
        try:
            text = self.template.render(values)
        except TemplateError as error:
            raise BadSource(f"The template {self.template.name!r} cannot be filled: {error}.") from error
        text = self._fences.kept(text).strip("\n").rstrip()
        return f"{CONTEXT_OPEN}\n{text}\n{CONTEXT_CLOSE}" if self.fenced and text else text

    def turn(self) -> str:
        """The message as the template's macro `turn` shows it; empty if there is no such macro."""
        macro = getattr(self.template.make_module({**self._about, **self._empty()}), "turn", None)
        return _without_signs(str(macro(self.view.message))).strip() if macro else ""

    def measure(self, items: Sequence[Item]) -> int:
        """The tokens of the page with these items, without a footer."""
        return self.view.tokens(self.render(items))

    def cost(self, item: Item) -> int:
        """The tokens that an item adds to the page, with the heading if it is the first of its section."""
        if id(item) not in self._costs:
            first = self._firsts[item.section]
            alone = first.key == item.key
            price = self.measure([item]) - self._bare if alone else self.measure([first, item]) - self._alone(first)
            self._costs[id(item)] = item, price
        return self._costs[id(item)][1]

    def _alone(self, first: Item) -> int:
        return self._bare + self.cost(first)

    def shorten(self, item: Item, room: int) -> Item | None:
        """The item with its text shortened to fit into `room` tokens; None if nothing useful fits.

        Beside other items it gets at most a third of the budget: a long text is not better because it is long.
        """
        if len(self._places) > 1:
            room = min(room, self.view.budget // 3)
        shown = max(self.view.tokens(item.values.get(name, "")) for name in ("text", "block"))
        around = max(0, self.cost(item) - shown)
        for share in (1.0, 0.85, 0.7):
            shorter = self.view.shortened(item, int(share * (room - around)))
            if shorter is None:
                return None
            if self.cost(shorter) <= room:
                return shorter
        return None

    # ------------------------------------------------------------------------------------------ values for templates

    @cached_property
    def _about(self) -> dict[str, Any]:
        view = self.view
        return {
            "clock": said(view.clock),
            "now": view.when(view.now),
            "today": view.when(view.now)[:10],
            "called": ", ".join(SAID[name] for name in view.triggers if name in SAID),
            "timezone": said(view.timezone),
            "channel": said(view.channel or ""),
            "budget": view.budget,
            "offset": view.offset,
            "more": dict(self.plan.more),
        }

    def _empty(self) -> dict[str, Any]:
        sections: dict[str, list[Any]] = {name: [] for name in self.plan.sections}
        return {"sections": sections, "shown": self._counts(()), "found": self._found, "footer": ""}

    def _counts(self, items: Sequence[Item]) -> dict[str, int]:
        counts = dict.fromkeys(self.plan.sections, 0)
        for item in items:
            counts[item.section] += 1
        return counts

    def _in_order(self, items: Sequence[Item]) -> list[Item]:
        sections = list(self.plan.sections)

        def place(item: Item) -> tuple[int, int]:
            key = *item.key, item.section
            return sections.index(item.section), self._places[key]

        return sorted(items, key=place)

    def _shown(self, item: Item) -> Shown:
        return Shown(item.section, item.id, item.key[0], max(0, self.cost(item)), item.shortened)
