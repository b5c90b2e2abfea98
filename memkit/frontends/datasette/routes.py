"""URL routes: the addresses of the pages."""

from __future__ import annotations

from memkit.frontends.datasette.assets import asset
from memkit.frontends.datasette.compat import IS_1
from memkit.frontends.datasette.connected_page import connected
from memkit.frontends.datasette.document_page import document, image
from memkit.frontends.datasette.entity_page import entity
from memkit.frontends.datasette.graph_page import graph
from memkit.frontends.datasette.maintenance_page import feedback, maintenance
from memkit.frontends.datasette.memory_page import memory
from memkit.frontends.datasette.recall_page import everywhere, in_one, names
from memkit.frontends.datasette.saved_page import save, unsave
from memkit.frontends.datasette.sources_page import sources
from memkit.frontends.datasette.time_page import time
from memkit.frontends.datasette.write_pages import bring_back, correct, forget, merge, remember, unmerge

_FORMAT = r"(?:\.(?P<format>json))?$"
_OR_MORE = r"(?:\.(?P<format>json|atom|csv))?$"
_IN = r"^/(?P<database>[^/]+)/-/"
_ID = r"/(?P<id>[^/]+?)"

ROUTES = [
    (r"^/recall" + _OR_MORE, everywhere),
    (_IN + "recall" + _OR_MORE, in_one),
    (_IN + "entity" + _ID + _FORMAT, entity),
    (_IN + "memory" + _ID + _FORMAT, memory),
    (_IN + "document" + _ID + _FORMAT, document),
    (_IN + "image" + _ID + "$", image),
    (_IN + r"names\.(?P<format>json)$", names),
    (_IN + r"time(?:/(?P<when>[^/]{1,40}?))?" + _FORMAT, time),
    (_IN + "graph" + _FORMAT, graph),
    (_IN + "remember" + _FORMAT, remember),
    (_IN + "forget" + _ID + _FORMAT, forget),
    (_IN + "bring-back" + _ID + _FORMAT, bring_back),
    (_IN + "correct" + _ID + _FORMAT, correct),
    (_IN + "merge" + _FORMAT, merge),
    (_IN + "unmerge" + _ID + _FORMAT, unmerge),
    (_IN + "save-question" + _FORMAT, save),
    (_IN + "unsave-question" + _FORMAT, unsave),
    (_IN + "maintenance" + _FORMAT, maintenance),
    (_IN + "sources" + _FORMAT, sources),
    (_IN + "feedback" + _ID + _FORMAT, feedback),
    (r"^/-/memkit/[0-9a-f]+/(?P<file>[a-z.]+)$", asset),
]
if not IS_1:
    ROUTES.append((r"^/-/databases" + _FORMAT, connected))
