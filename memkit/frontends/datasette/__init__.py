"""memkit in Datasette 0.65 and 1.0: recall in SQL and on pages. This module has only the hooks.

Each hook imports its work from another module at the first call, so that Datasette starts fast. A version of Datasette
ignores the hooks that it does not know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from datasette import hookimpl

from memkit.frontends.datasette.compat import IS_1, WRITE, is_catalog

if TYPE_CHECKING:
    from memkit.storage.connection import Connection

# ---------------------------------------------------------------------------------------------- SQL


@hookimpl(trylast=True)  # after Datasette's own, of which one is replaced
def prepare_connection(conn: Connection, database: str, datasette: Any) -> None:
    """Adds recall(), memkit's other functions and those of sqlite-vec to every connection."""
    if not is_catalog(database):
        from memkit.frontends.datasette.functions import add_functions

        add_functions(conn, datasette, database)


@hookimpl
async def filters_from_request(datasette: Any, request: Any, database: str, table: str) -> Any:
    """The filter `?_recall=words` on the table page."""
    from memkit.frontends.datasette.filters import recalled

    return await recalled(datasette, request, database, table)


# ---------------------------------------------------------------------------------------------- permissions

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
        """Rules as SQL rows: the databases that this actor may not see, and those that they may write to."""
        from memkit.frontends.datasette.permission_rules import rules

        return await rules(datasette, actor, action)

else:

    @hookimpl(trylast=True)  # Datasette uses the last opinion
    async def permission_allowed(datasette: Any, actor: Any, action: str, resource: Any) -> bool | None:
        """False if memkit forbids the action, because memories are private; None leaves it to Datasette's rules."""
        from memkit.frontends.datasette.permission_rules import opinion

        return await opinion(datasette, actor, action, resource)


# ---------------------------------------------------------------------------------------------- pages


@hookimpl
def register_routes() -> list[tuple[str, Any]]:
    """The pages, each also as .json."""
    from memkit.frontends.datasette.routes import ROUTES

    return ROUTES


@hookimpl
def asgi_wrapper(datasette: Any) -> Any:
    """Headers against other sites on Datasette's own pages of memories, as on memkit's pages."""
    from functools import partial

    from memkit.frontends.datasette.headers import guarded

    return partial(guarded, datasette)


@hookimpl
def prepare_jinja2_environment(env: Any, datasette: Any) -> None:
    """Adds memkit's templates last, so that a user's templates with the same name are used first.

    Those that extend Datasette's own come right before them: after a user's, and after those of other plugins. They get
    the function `memkit_frame`, which error pages can call, too: Datasette gives those no variables of plugins.
    """
    from functools import partial

    from jinja2 import FileSystemLoader

    from memkit.core.files import template_dir
    from memkit.frontends.datasette.frame import frame

    env.globals["memkit_frame"] = partial(frame, datasette)

    env.loader.loaders[0].searchpath.insert(-1, str(template_dir() / "datasette"))
    env.loader.loaders.append(FileSystemLoader(str(template_dir())))


@hookimpl
def extra_template_vars(datasette: Any, request: Any, database: str | None, view_name: str) -> Any:
    """The question, what is new and who is named, for Datasette's front page and the page of a memory database."""
    from memkit.frontends.datasette.home import home

    return home(datasette, request, database, view_name) or {}


@hookimpl
def render_cell(value: Any, column: str, table: str | None, database: str, datasette: Any) -> Any:
    """Shows ids as links, shares as bars, and times in a readable form in tables."""
    from memkit.frontends.datasette.cells import cell

    return cell(value, column, table, database, datasette)


# ---------------------------------------------------------------------------------------------- links


@hookimpl
async def menu_links(datasette: Any, actor: Any) -> list[dict[str, str]]:
    """A link to the recall page in the menu of every page."""
    from memkit.frontends.datasette.links import menu

    return await menu(datasette, actor)


@hookimpl
async def database_actions(datasette: Any, actor: Any, database: str) -> list[dict[str, str]]:
    """Links to memkit's pages of a memory database."""
    from memkit.frontends.datasette.links import of_database

    return await of_database(datasette, actor, database)


@hookimpl
async def table_actions(datasette: Any, actor: Any, database: str, table: str) -> list[dict[str, str]]:
    """Links to recall on tables of memories, and to the graph on the table of entities."""
    from memkit.frontends.datasette.links import of_table

    return await of_table(datasette, actor, database, table)


@hookimpl
async def row_actions(datasette: Any, actor: Any, database: str, table: str, row: Any) -> list[dict[str, str]]:
    """A link from a row to the page of its memory or entity."""
    from memkit.frontends.datasette.links import of_row

    return await of_row(datasette, actor, database, table, row)


@hookimpl
async def homepage_actions(datasette: Any, actor: Any) -> list[dict[str, str]]:
    """A link to the recall page on the front page."""
    from memkit.frontends.datasette.links import menu

    return await menu(datasette, actor)


@hookimpl
async def jump_items_sql(datasette: Any, actor: Any) -> list[Any]:
    """Links to memkit's pages in the jump menu."""
    from memkit.frontends.datasette.links import jumps

    return await jumps(datasette, actor)


# ---------------------------------------------------------------------------------------------- descriptions, agents


@hookimpl
async def startup(datasette: Any) -> None:
    """Adds descriptions and canned queries for every memory database."""
    from memkit.frontends.datasette.descriptions import describe

    await describe(datasette)


if not IS_1:

    @hookimpl
    def get_metadata(datasette: Any, key: str | None, database: str | None) -> dict[str, Any]:
        """Table descriptions; the owner's own metadata has priority."""
        from memkit.frontends.datasette.descriptions import metadata

        return metadata(datasette, key, database)

    @hookimpl
    async def canned_queries(datasette: Any, database: str) -> dict[str, Any]:
        """Example queries to run, read and change."""
        from memkit.frontends.datasette.descriptions import queries

        return await queries(datasette, database)


@hookimpl
def register_mcp_tools(datasette: Any, mcp: Any) -> None:
    """The tools recall, about and remember for datasette-mcp."""
    from memkit.frontends.datasette.agents_mcp import add_tools

    add_tools(datasette, mcp)


@hookimpl
def register_agent_tools() -> list[Any]:
    """The same tools for datasette-agent."""
    from memkit.frontends.datasette.agents import agent_tools

    return agent_tools()
