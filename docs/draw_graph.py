"""Draws the names that a database mentions most, as an SVG file: python docs/draw_graph.py FILE.db OUT.svg [TITLE]"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from memkit import MemoryDatabase
from memkit.widgets.drawing import drawing

NAMES = 30

file, out, title = (*sys.argv[1:], "")[:3]
with MemoryDatabase(file, read_only=True) as db:
    picture = drawing(db.neighborhood(limit=NAMES))
start = picture.index(">") + 1
head = picture[:start].replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
caption = f'<text x="12" y="20" font-weight="700">{escape(title)}</text>' if title else ""
paper = '<rect width="100%" height="100%" fill="#fff"/>'
Path(out).write_text(
    head.replace("currentColor", "#222") + paper + caption + picture[start:].replace("currentColor", "#222") + "\n"
)
