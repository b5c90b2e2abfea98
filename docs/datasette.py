"""Writes datasette.yml, which Datasette 1.0 reads, from metadata.yml, which 0.65 reads; a test compares them.

Titles and descriptions stay in metadata.yml, which both versions read; 1.0 wants the rest in a file of its own.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parent.parent
METADATA = ROOT / "metadata.yml"
CONFIG = ROOT / "datasette.yml"


class _Writer(yaml.SafeDumper):
    """YAML in which SQL stays readable: texts of several lines are blocks."""


_Writer.add_representer(
    str,
    lambda writer, text: writer.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None),
)

HEAD = "# Written by `python docs/datasette.py` from metadata.yml, for Datasette 1.0; change it there.\n\n"
OF_TABLES = ("allow", "facets", "label_column", "plugins", "size", "sort", "sort_desc", "hidden", "sortable_columns")
OF_DATABASES = ("allow", "allow_sql", "plugins", "queries")


def config(metadata: dict[str, Any]) -> str:
    """The text of datasette.yml for this metadata."""
    databases = {name: _database(block) for name, block in metadata.get("databases", {}).items()}
    whole = {name: metadata[name] for name in ("allow", "plugins", "settings") if name in metadata}
    return HEAD + yaml.dump(
        {**whole, "databases": databases}, Dumper=_Writer, allow_unicode=True, sort_keys=False, width=116
    )


def _database(block: dict[str, Any]) -> dict[str, Any]:
    tables = {name: _only(table, OF_TABLES) for name, table in block.get("tables", {}).items()}
    return {**_only(block, OF_DATABASES), "tables": {name: table for name, table in tables.items() if table}}


def _only(block: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in block.items() if name in names}


if __name__ == "__main__":
    CONFIG.write_text(config(yaml.safe_load(METADATA.read_text("utf-8"))), encoding="utf-8")
