"""Datasette tools over MCP: the same tools for datasette-mcp. Imported only if that is installed."""

from typing import Any

from mcp.server.mcpserver import Context

from memkit.frontends.datasette.agents import DESCRIPTIONS, about, recall, remember, said


def add_tools(datasette: Any, mcp: Any) -> None:
    """Adds recall, about and remember; each checks the permissions of the actor."""

    @mcp.tool(description=DESCRIPTIONS["memory_recall"])
    async def memory_recall(query: str, ctx: Context, k: int = 8, database: str = "") -> str:
        return await said(recall(datasette, _actor(ctx), query, k, database))

    @mcp.tool(description=DESCRIPTIONS["memory_about"])
    async def memory_about(name: str, ctx: Context, database: str = "") -> str:
        return await said(about(datasette, _actor(ctx), name, database))

    @mcp.tool(description=DESCRIPTIONS["memory_remember"])
    async def memory_remember(text: str, ctx: Context, kind: str = "fact", database: str = "") -> str:
        return await said(remember(datasette, _actor(ctx), text, kind, database))


def _actor(ctx: Any) -> Any:
    """The actor of the request; None without a request or an actor."""
    request = getattr(ctx.request_context, "request", None)
    actor = getattr(request, "scope", {}).get("actor")
    return actor if isinstance(actor, dict) else None
