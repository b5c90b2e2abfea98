"""Graph export: networkx, GraphML (for Gephi, yEd, Cytoscape) and JSON."""

from __future__ import annotations

import re
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from memkit.core.errors import NeedsPackage
from memkit.graph.entities import IS_SHOWN
from memkit.storage.connection import Connection
from memkit.storage.filters import WHEN

SELECT_NODES = f"""
select e.id, 'entity' as type, e.name as label, e.kind, e.description as text, null as happened_at
from entities as e where e.merged_into is null and {IS_SHOWN}
union all
select m.id, 'memory', coalesce(m.title, substr(m.text, 1, 80)), m.kind, m.text, {WHEN}
from memories as m where :memories and m.archived_at is null
order by 2, 1
"""
SELECT_EDGES = """
select 'relation' as type, s.id as source, o.id as target, r.predicate as label, r.confidence as weight, r.valid_from,
    r.valid_until, (select group_concat(m.id, ' ') from evidence as v join memories as m on m.key = v.memory_key
        where v.relation_key = r.key) as evidence
from relations as r
    join entities as s on s.key = r.subject_key and s.merged_into is null
    join entities as o on o.key = r.object_key and o.merged_into is null
where r.expired_at is null
union all
select 'mention', m.id, e.id, x.role, x.confidence, null, null, m.id
from mentions as x
    join memories as m on m.key = x.memory_key and m.archived_at is null
    join entities as e on e.key = x.entity_key and e.merged_into is null
where :memories
union all
select 'link', a.id, b.id, l.type, l.weight, null, null, null
from links as l
    join memories as a on a.key = l.from_key and a.archived_at is null
    join memories as b on b.key = l.to_key and b.archived_at is null
where :memories
order by 1, 2, 3, 4, 6
"""
NODE_FIELDS = ("type", "label", "kind", "text", "happened_at")
EDGE_FIELDS = {
    "type": "string",
    "label": "string",
    "weight": "double",
    "valid_from": "string",
    "valid_until": "string",
    "evidence": "string",
}
# Characters that XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_dict(conn: Connection, *, memories: bool = True) -> dict[str, list[dict[str, Any]]]:
    """Nodes (id, type, label ...) and edges (source, target, type, label, weight ...) as JSON-able values.

    With `memories=False`, only entities and their relations. Node ids are those that people see.
    """
    parameters = {"memories": memories}
    nodes = [_given(row) for row in conn.execute(SELECT_NODES, parameters)]
    return {"nodes": nodes, "edges": [_given(row) for row in conn.execute(SELECT_EDGES, parameters)]}


def _given(row: Any) -> dict[str, Any]:
    return {name: row[name] for name in row.keys() if row[name] is not None}  # noqa: SIM118  (a sqlite3.Row)


def to_networkx(conn: Connection, *, memories: bool = True) -> Any:
    """The graph as a `networkx.MultiDiGraph`. Raises NeedsPackage if networkx is not installed."""
    try:
        import networkx
    except ImportError as error:
        raise NeedsPackage("networkx", "A networkx graph", "'datasette-memkit[networkx]'") from error
    graph = networkx.MultiDiGraph()
    found = to_dict(conn, memories=memories)
    for node in found["nodes"]:
        graph.add_node(node.pop("id"), **node)
    for edge in found["edges"]:
        graph.add_edge(edge.pop("source"), edge.pop("target"), **edge)
    return graph


def to_graphml(conn: Connection, *, memories: bool = True) -> str:
    """The graph as a GraphML document (graphml.graphdrawing.org)."""
    found = to_dict(conn, memories=memories)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for name in NODE_FIELDS:
        lines.append(f'<key id="n_{name}" for="node" attr.name="{name}" attr.type="string"/>')
    for name, type in EDGE_FIELDS.items():
        lines.append(f'<key id="e_{name}" for="edge" attr.name="{name}" attr.type="{type}"/>')
    lines.append('<graph edgedefault="directed">')
    for node in found["nodes"]:
        lines.append(f"<node id={_attribute(node['id'])}>{_data('n', node, NODE_FIELDS)}</node>")
    for edge in found["edges"]:
        ends = f"source={_attribute(edge['source'])} target={_attribute(edge['target'])}"
        lines.append(f"<edge {ends}>{_data('e', edge, EDGE_FIELDS)}</edge>")
    return "\n".join([*lines, "</graph>", "</graphml>"]) + "\n"


def _attribute(value: str) -> str:
    return quoteattr(_NO_XML.sub("�", value))


def _data(prefix: str, values: dict[str, Any], names: Any) -> str:
    return "".join(
        f'<data key="{prefix}_{name}">{escape(_NO_XML.sub("�", str(values[name])))}</data>'
        for name in names
        if name in values
    )
