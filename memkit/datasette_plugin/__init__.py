"""memkit in Datasette: recall in SQL and on pages, for 0.65 and for 1.0. This module holds the hooks and nothing else.

What a hook does is in the modules beside it, imported when it is first called, so that starting Datasette stays quick.
Hooks that one of the two versions does not know are ignored by it.
"""

from __future__ import annotations

from typing import Any

from datasette import hookimpl

from memkit.datasette_plugin.compat import IS_1, WRITE

# ---------------------------------------------------------------------------------------------- SQL


@hookimpl
def prepare_connection(conn: Any, database: str, datasette: Any) -> None:
    """recall() and the other functions, and sqlite-vec's, on every connection."""
    if database != "_internal":
        from memkit.datasette_plugin.functions import add_functions

        add_functions(conn, datasette, database)


@hookimpl
async def filters_from_request(datasette: Any, request: Any, database: str, table: str) -> Any:
    """`?_recall=words` on the table page."""
    from memkit.datasette_plugin.filters import recalled

    return await recalled(datasette, request, database, table)


# ---------------------------------------------------------------------------------------------- who may

if IS_1:

    @hookimpl
    def register_actions() -> list[Any]:
        """The permission to write memories."""
        from datasette.permissions import Action
        from datasette.resources import DatabaseResource

        return [
            Action(
                name=WRITE,
                description="Write memories",
                resource_class=DatabaseResource,
                also_requires="view-database",
            )
        ]

    @hookimpl
    async def permission_resources_sql(datasette: Any, actor: Any, action: str) -> Any:
        """Memories are private: a row for every database that this actor may not see, or may write to."""
        from memkit.datasette_plugin.rules import rules

        return await rules(datasette, actor, action)

else:

    @hookimpl(trylast=True)  # of all opinions the last one counts
    async def permission_allowed(datasette: Any, actor: Any, action: str, resource: Any) -> bool | None:
        """Memories are private; who may see them is left to Datasette's other rules."""
        from memkit.datasette_plugin.rules import opinion

        return await opinion(datasette, actor, action, resource)


# ---------------------------------------------------------------------------------------------- pages


@hookimpl
def register_routes() -> list[tuple[str, Any]]:
    """The pages, each with its .json."""
    from memkit.datasette_plugin.routes import ROUTES

    return ROUTES


@hookimpl
def prepare_jinja2_environment(env: Any) -> None:
    """memkit's templates come last, so that anybody's own of the same name come before them."""
    from jinja2 import FileSystemLoader

    from memkit._files import template_dir

    env.loader.loaders.append(FileSystemLoader(str(template_dir())))


@hookimpl
def render_cell(value: Any, column: str, table: str | None, database: str, datasette: Any) -> Any:
    """Entities, scores and times in tables as a person would want to see them."""
    from memkit.datasette_plugin.cells import cell

    return cell(value, column, table, database, datasette)


# ---------------------------------------------------------------------------------------------- links


@hookimpl
async def menu_links(datasette: Any, actor: Any) -> list[dict[str, str]]:
    """Recall, in the menu of every page."""
    from memkit.datasette_plugin.links import menu

    return await menu(datasette, actor)


@hookimpl
async def database_actions(datasette: Any, actor: Any, database: str) -> list[dict[str, str]]:
    """What can be done with a memory database."""
    from memkit.datasette_plugin.links import of_database

    return await of_database(datasette, actor, database)


@hookimpl
async def table_actions(datasette: Any, actor: Any, database: str, table: str) -> list[dict[str, str]]:
    """Recall, where one looks at memories."""
    from memkit.datasette_plugin.links import of_table

    return await of_table(datasette, actor, database, table)


@hookimpl
async def row_actions(datasette: Any, actor: Any, database: str, table: str, row: Any) -> list[dict[str, str]]:
    """From a row to the page about the memory or entity that it is."""
    from memkit.datasette_plugin.links import of_row

    return await of_row(datasette, actor, database, table, row)


@hookimpl
async def homepage_actions(datasette: Any, actor: Any) -> list[dict[str, str]]:
    """Recall, on the front page."""
    from memkit.datasette_plugin.links import menu

    return await menu(datasette, actor)


@hookimpl
async def jump_items_sql(datasette: Any, actor: Any) -> list[Any]:
    """Recall, among the places to jump to."""
    from memkit.datasette_plugin.links import jumps

    return await jumps(datasette, actor)


# ---------------------------------------------------------------------------------------------- what comes along


@hookimpl
async def startup(datasette: Any) -> None:
    """Titles, descriptions and canned queries for every memory database."""
    from memkit.datasette_plugin.descriptions import describe

    await describe(datasette)


if not IS_1:

    @hookimpl
    def get_metadata(datasette: Any, key: str | None) -> dict[str, Any]:
        """Titles and descriptions, below what the owner's own metadata says."""
        from memkit.datasette_plugin.descriptions import metadata

        return metadata(datasette, key)

    @hookimpl
    async def canned_queries(datasette: Any, database: str) -> dict[str, Any]:
        """Queries to use, to read and to change."""
        from memkit.datasette_plugin.descriptions import queries

        return await queries(datasette, database)


@hookimpl
def register_mcp_tools(datasette: Any, mcp: Any) -> None:
    """recall, about and remember for datasette-mcp."""
    from memkit.datasette_plugin.agents_mcp import add_tools

    add_tools(datasette, mcp)


@hookimpl
def register_agent_tools() -> list[Any]:
    """The same for datasette-agent."""
    from memkit.datasette_plugin.agents import agent_tools

    return agent_tools()
