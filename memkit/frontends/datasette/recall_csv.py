"""The results of a recall as CSV, a row for each hit, best first."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any

from datasette.utils.asgi import Response

from memkit.frontends.datasette.headers import PRIVATE

COLUMNS = tuple(
    "place id kind title text speaker project happened_at valid_until source score confidence database".split()
)


def table(hits: Iterable[Mapping[str, Any]]) -> Response:
    """The hits as a file that a spreadsheet opens."""
    out = StringIO()
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    rows.writerows([hit.get(name) for name in COLUMNS] for hit in hits)
    headers = {
        **PRIVATE,
        "x-content-type-options": "nosniff",
        "content-disposition": 'attachment; filename="recall.csv"',
    }
    return Response(out.getvalue(), headers=headers, content_type="text/csv; charset=utf-8")
