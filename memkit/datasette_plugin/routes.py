"""Which address is which page."""

from __future__ import annotations

from memkit.datasette_plugin.assets import asset
from memkit.datasette_plugin.compat import IS_1
from memkit.datasette_plugin.connected_page import connected
from memkit.datasette_plugin.entity_page import entity
from memkit.datasette_plugin.graph_page import graph
from memkit.datasette_plugin.maintenance_page import feedback, maintenance
from memkit.datasette_plugin.memory_page import memory
from memkit.datasette_plugin.recall_page import everywhere, in_one
from memkit.datasette_plugin.write_pages import correct, forget, merge, remember

_FORMAT = r"(?:\.(?P<format>json))?$"
_IN = r"^/(?P<database>[^/]+)/-/"
_ID = r"/(?P<id>[^/]+?)"

ROUTES = [
    (r"^/recall" + _FORMAT, everywhere),
    (_IN + "recall" + _FORMAT, in_one),
    (_IN + "entity" + _ID + _FORMAT, entity),
    (_IN + "memory" + _ID + _FORMAT, memory),
    (_IN + "graph" + _FORMAT, graph),
    (_IN + "remember" + _FORMAT, remember),
    (_IN + "forget" + _ID + _FORMAT, forget),
    (_IN + "correct" + _ID + _FORMAT, correct),
    (_IN + "merge" + _FORMAT, merge),
    (_IN + "maintenance" + _FORMAT, maintenance),
    (_IN + "feedback" + _ID + _FORMAT, feedback),
    (r"^/-/memkit/[0-9a-f]+/(?P<file>[a-z.]+)$", asset),
]
if not IS_1:
    ROUTES.append((r"^/-/databases" + _FORMAT, connected))
