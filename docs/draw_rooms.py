"""Draws the rooms of memkit and their imports, read from the code itself: docs/images/rooms.svg.

Each room is a box, the first one at the bottom, because the others stand on it. The line that leaves a box on the right
is what the room imports; a dot on it is a room that it imports, and the arrow below the dot leads into that room. A
larger dot means more imports. Run by `make docs`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "memkit"

# In the order of their imports, each part of the house in a colour of its own. tests/test_meta.py knows the same order.
PARTS = {
    "ground": ("core", "text", "embedding"),
    "file": ("storage", "sources", "graph"),
    "pipelines": ("ingestion", "retrieval"),
    "after": ("maintenance", "sharing"),
    "doors": ("database", "widgets", "frontends"),
}
PART = {room: part for part, rooms in PARTS.items() for room in rooms}
ROOMS = tuple(PART)

ROW, BOX, HIGH = 46, 280, 36  # from box to box, and how wide and high one is
LANE, FIRST = 34, 350  # from lane to lane, and where the first one is
MARGIN = 22

STYLE = """
  svg { --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #c8ced5;
    --ground: #57606a; --file: #0a6c74; --pipelines: #0b5cad; --after: #8a4b08; --doors: #7a3e9d }
  @media (prefers-color-scheme: dark) {
    svg { --paper: #0d1117; --ink: #e6edf3; --soft: #9aa4af; --line: #3d444d;
      --ground: #a4adb7; --file: #4fc1c9; --pipelines: #6cb0f5; --after: #e0a35c; --doors: #c99be6 } }
  .paper { fill: var(--paper) }
  .box { fill: var(--paper); stroke: currentColor; stroke-width: 1.5 }
  .edge { fill: currentColor }
  .lane { fill: none; stroke: currentColor; stroke-width: 1.5 }
  .out { stroke: var(--line); stroke-width: 1.5 }
  .dot { fill: currentColor; stroke: var(--paper); stroke-width: 1.5 }
  text { font: 12px system-ui, -apple-system, "Segoe UI", sans-serif; fill: var(--soft) }
  .name { font-size: 15px; font-weight: 600; fill: var(--ink) }
  .size { text-anchor: end; font-variant-numeric: tabular-nums }
"""


def files(room: str) -> list[Path]:
    """The modules of a room."""
    return sorted((PACKAGE / room).rglob("*.py"))


def imported(path: Path) -> Iterator[str]:
    """The room of every memkit module that a file imports, deferred and for type checkers alone, too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module == "memkit":
            names = [f"memkit.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for package, _, rest in (name.partition(".") for name in names):
            if package == "memkit" and rest.partition(".")[0] in ROOMS:
                yield rest.partition(".")[0]


def imports() -> Counter[tuple[str, str]]:
    """How often each room imports from each other one."""
    return Counter((room, other) for room in ROOMS for path in files(room) for other in imported(path) if other != room)


def rooms_drawing() -> str:
    """docs/images/rooms.svg."""
    shown, found = ROOMS[::-1], imports()
    top = {room: MARGIN + place * ROW for place, room in enumerate(shown)}
    used = [room for room in shown if any(other == room for _, other in found)]
    lane = {room: FIRST + place * LANE for place, room in enumerate(used)}
    width, height = max(lane.values()) + MARGIN + 8, top[shown[-1]] + HIGH + MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        ' role="img" aria-labelledby="title">',
        f'<title id="title">The rooms of memkit: {", ".join(ROOMS)}. Each imports only from those before it.</title>',
        f"<style>{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
    ]
    for room in shown:
        if needed := [other for other in ROOMS if (room, other) in found]:
            y = top[room] + HIGH - 9
            lines.append(f'<path class="out" d="M{MARGIN + BOX} {y}H{max(lane[other] for other in needed)}"/>')
    for room in shown:
        lines += [f'<g style="color: var(--{PART[room]})" data-room="{room}">', *_box(room, top[room])]
        users = [user for user in shown if (user, room) in found]
        if users:
            lines += _lane(lane[room], top[users[0]] + HIGH - 9, top[room] + 10)
        for user in users:
            x, y, count = lane[room], top[user] + HIGH - 9, found[user, room]
            lines.append(
                f'<circle class="dot" cx="{x}" cy="{y}" r="{3.5 + min(count, 64) ** 0.5 * 0.75:.1f}"'
                f' data-from="{user}" data-to="{room}"><title>{user} imports {room}: {count}</title></circle>'
            )
        lines.append("</g>")
    return "\n".join([*lines, "</svg>"]) + "\n"


def _box(room: str, y: int) -> Iterator[str]:
    count = len(files(room))
    length = sum(len(path.read_text("utf-8").splitlines()) for path in files(room))
    yield f'<rect class="box" x="{MARGIN}" y="{y}" width="{BOX}" height="{HIGH}" rx="6"/>'
    yield f'<rect class="edge" x="{MARGIN}" y="{y + 6}" width="4" height="{HIGH - 12}" rx="2"/>'
    yield f'<text class="name" x="{MARGIN + 16}" y="{y + 23}">{room}</text>'
    yield f'<text class="size" x="{MARGIN + BOX - 12}" y="{y + 22}">{count} files · {length:,} lines</text>'


def _lane(x: int, start: int, end: int) -> Iterator[str]:
    """From the highest dot down, round a corner, and into the box."""
    right = MARGIN + BOX
    yield f'<path class="lane" d="M{x} {start}V{end - 8}q0 8 -8 8H{right + 7}"/>'
    yield f'<path class="edge" d="M{right + 1} {end}l9 -4.5v9z"/>'


if __name__ == "__main__":
    (Path(__file__).parent / "images" / "rooms.svg").write_text(rooms_drawing(), encoding="utf-8")
