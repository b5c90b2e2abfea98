"""Published site: the files beside the database, with settings, descriptions, queries, and how to serve it.

They contain only the database's counts and the owner's texts, so no path, host name or secret of the machine can get
into them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

from memkit.core.files import PUBLISHED, data_file, template_dir
from memkit.core.formatting import counted
from memkit.core.version import __version__
from memkit.sharing.publish.manifest import FORMER, About
from memkit.storage import driver
from memkit.storage.connection import Connection

MARKER = PUBLISHED  # it lists the files of the folder
INSPECTED = "inspect-data.json"
PYTHON = "3.12"
SECONDS, CANDIDATES = 2.0, 500  # limits for readers: one SQL statement, and one channel of a recall

SELECT_TABLES = """
select name from pragma_table_list
where schema = 'main' and type in ('table', 'virtual', 'shadow') and name <> 'sqlite_schema'
order by name
"""
# Search without memkit's SQL functions: each word is quoted, and all must be found.
SEARCH = """select m.key, m.title, m.text, m.kind, m.happened_at
from (
    select rowid as key, bm25(memories_fts) as score from memories_fts
    where memories_fts match '"' || replace(replace(trim(:words), '"', ' '), ' ', '" "') || '"'
) as f join memories as m on m.key = f.key
order by f.score limit 50
"""
_READ_ALONE = ("about", "facts_on", "contradictions")  # the queries of metadata.yml that need no SQL function
_SHOWN = ("memories", "documents", "entities", "relations", "current_memories", "current_relations", "memory_entities")
_TECHNICAL = ("sqlite_sequence", "_sqlite_migrations", "sqlite_stat1")
_OWN = "datasette-memkit"
OWN_FILES = (INSPECTED, MARKER, "hash size file tables count")


def texts(about: About, counts: dict[str, int], day: str) -> dict[str, str]:
    """The text of every file that is not computed from the database's bytes, by path. `day` is that of publishing."""
    values = {
        "title": about.title,
        "description": about.description,
        "license": about.license,
        "license_url": about.license_url,
        "about": about.paragraphs,
        "memories": f"{counts.get('memories', 0):,}",
        "database": about.database,
        "service": about.service,
        "counted": _counted(counts),
        "day": day[:10],
        "lead": about.description or next(iter(about.paragraphs), ""),
        "allow_sql": about.allow_sql,
        "download": about.download,
        "robots": about.robots,
        "cors": about.cors,
        "cors_flag": " --cors" if about.cors else "",
        "python": PYTHON,
        "installs": f"--install {_OWN}=={__version__}",
    }
    return {
        "metadata.yml": _yaml({**_described(about), **_rules(about)}),
        "datasette.yml": _yaml({**_rules(about), "settings": settings(about)}),
        "settings.json": json.dumps(settings(about), indent=2) + "\n",
        "requirements.txt": "\n".join(requirements()) + "\n",
        "README.md": _rendered("README.md", values),
        "Dockerfile": _rendered("Dockerfile", values),
        "templates/index.html": _rendered("index.html", values),
        "templates/pages/robots.txt.html": _rendered("robots.txt", values),
        "templates/pages/about.html": _rendered("about.html", values),
    }


def database(folder: Path, about: About) -> Path:
    """The database of a publication."""
    return folder / f"{about.database}.db"


def about_of(said: Mapping[str, Any]) -> About:
    """What a marker says of its publication. Raises KeyError or TypeError for a damaged one."""
    return About(**{"name": FORMER, **said["about"]})


def _counted(counts: dict[str, int]) -> str:
    """What a site holds: `30 memories, 2 documents, 9 names`."""
    names = {"memories": "memories", "documents": "documents", "entities": "names", "relations": "relations"}
    return ", ".join(counted(counts[name], many) for name, many in names.items() if counts.get(name))


@dataclass(frozen=True, slots=True)
class Marked:
    """The marker's facts about a publication: folder name, day (`made`), kept details, the number of the stored options
    (`asked`), and whether the owner's own names or patterns were redacted."""

    name: str
    made: str
    keep: tuple[str, ...]
    asked: str
    redacted: bool


def marked(marked: Marked, about: About, counts: dict[str, int], names: Iterable[str]) -> str:
    """The text of the marker file: memkit's version, the day, the files, and what a later check needs."""
    said = {"memkit": __version__, **asdict(marked), "about": asdict(about), "counts": counts, "files": sorted(names)}
    return json.dumps(said, ensure_ascii=False, indent=2) + "\n"


def inspected(file: Path) -> str:
    """The text of inspect-data.json. With it, Datasette opens the file as immutable and need not count rows."""
    conn = driver.connect(file, read_only=True, immutable=True)
    try:
        tables = {row[0]: {"count": _count(conn, row[0])} for row in conn.execute(SELECT_TABLES).fetchall()}
    finally:
        conn.close()
    with file.open("rb") as opened:
        digest = sha256()
        while block := opened.read(1 << 20):
            digest.update(block)
    data = {"hash": digest.hexdigest(), "size": file.stat().st_size, "file": file.name, "tables": tables}
    return json.dumps({file.stem: data}, indent=2) + "\n"


def _count(conn: Connection, table: str) -> int:
    return int(conn.execute(f"select count(*) from {driver.identifier(table)}").fetchone()[0])


def settings(about: About) -> dict[str, Any]:
    """Datasette's settings for public readers: short queries, and pages that may be cached."""
    return {
        "allow_download": about.download,
        "default_allow_sql": about.allow_sql,
        "default_cache_ttl": about.cache,
        "sql_time_limit_ms": 1000,
        "max_returned_rows": 1000,
        "suggest_facets": False,  # would run a query for each column on every table page
        "num_sql_threads": 4,
    }


def _rules(about: About) -> dict[str, Any]:
    """Permissions (everybody may read, nobody may write), queries and table descriptions."""
    import yaml

    pattern = next(iter(yaml.safe_load(data_file("metadata.yml").read_text("utf-8"))["databases"].values()))
    queries = {"search": {"title": "Search", "description": "Memories with all of these words.", "sql": SEARCH}}
    queries |= {name: pattern["queries"][name] for name in _READ_ALONE}
    tables = {name: _table(name, table) for name, table in pattern["tables"].items()}
    tables |= {name: {"hidden": True} for name in _TECHNICAL}
    reader = {"allow": True, "write": False, "cache": about.cache, "seconds": SECONDS, "candidates": CANDIDATES}
    rules = {"plugins": {"memkit": reader}, "allow_sql": about.allow_sql}
    return {"databases": {about.database: {**rules, "queries": queries, "tables": tables}}}


def _table(name: str, said: dict[str, Any]) -> dict[str, Any]:
    """How one table is shown. Tables that are only used in private databases are hidden."""
    names = ("description", "label_column", "facets", "sort_desc", "columns")
    shown = {part: said[part] for part in names if part in said}
    return shown if name in _SHOWN else {**shown, "hidden": True}


def _described(about: About) -> dict[str, Any]:
    each = {"title": about.title, "description": about.description, "license": about.license}
    each |= {"license_url": about.license_url, "about": "About this publication", "about_url": "/about"}
    return {name: value for name, value in each.items() if value}


def requirements() -> list[str]:
    """memkit and its dependencies, each pinned to the installed version."""
    try:
        needed = metadata.requires(_OWN) or []
    except metadata.PackageNotFoundError:  # a checkout that is not installed
        needed = ["datasette"]
    lines = []
    for line in needed:
        requirement, _, marker = (part.strip() for part in line.partition(";"))
        match = re.match(r"[A-Za-z0-9._-]+", requirement)
        if match is None or "extra" in marker:
            continue
        try:
            pinned = f"{match[0]}=={metadata.version(match[0])}"
        except metadata.PackageNotFoundError:  # needed only on other systems
            pinned = requirement
        lines.append(f"{pinned} ; {marker}" if marker else pinned)
    return [f"{_OWN}=={__version__}", *sorted(lines, key=str.lower)]


def _rendered(name: str, values: dict[str, Any]) -> str:
    from jinja2 import Environment, FileSystemLoader

    environment = Environment(loader=FileSystemLoader(str(template_dir() / "publish")), keep_trailing_newline=True)
    return environment.get_template(name).render(**values)


def _yaml(value: dict[str, Any]) -> str:
    import yaml

    return str(yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=116))
