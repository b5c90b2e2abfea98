"""The results of a recall as CSV, a row for each hit, best first.

A spreadsheet runs what begins with `=` as a formula, and the texts may be from strangers. Such a cell begins with an
apostrophe, which says that it is text.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any

from datasette.utils.asgi import Response

from memkit.frontends.datasette.headers import PRIVATE

COLUMNS = tuple(
    "place id kind title text speaker project happened_at valid_until source score confidence database".split()
)
# A dash before a word is an item of a list, and no formula.
_FORMULA = re.compile(r"[=+@\t\r＝＋＠－]|-(?!\s+[^\W\d])")


def as_text(value: Any) -> Any:
    """The value of a cell; a text that would be a formula gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def table(hits: Iterable[Mapping[str, Any]]) -> Response:
    """The hits as a file that a spreadsheet opens."""
    out = StringIO()
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    rows.writerows([as_text(hit.get(name)) for name in COLUMNS] for hit in hits)
    headers = {
        **PRIVATE,
        "x-content-type-options": "nosniff",
        "content-disposition": 'attachment; filename="recall.csv"',
    }
    return Response(out.getvalue(), headers=headers, content_type="text/csv; charset=utf-8")
