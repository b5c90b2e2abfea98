"""The same tools for datasette-mcp. Imported only where that is installed."""

from typing import Any

from mcp.server.mcpserver import Context

from memkit.datasette_plugin.agents import ABOUT, RECALL, REMEMBER, about, recall, remember, said


def add_tools(datasette: Any, mcp: Any) -> None:
    """Adds recall, about and remember; each asks what whoever is asking may see."""

    @mcp.tool(description=RECALL)
    async def memory_recall(query: str, ctx: Context, k: int = 8, database: str = "") -> str:
        return await said(recall(datasette, _actor(ctx), query, k, database))

    @mcp.tool(description=ABOUT)
    async def memory_about(name: str, ctx: Context, database: str = "") -> str:
        return await said(about(datasette, _actor(ctx), name, database))

    @mcp.tool(description=REMEMBER)
    async def memory_remember(text: str, ctx: Context, kind: str = "fact", database: str = "") -> str:
        return await said(remember(datasette, _actor(ctx), text, kind, database))


def _actor(ctx: Any) -> Any:
    """Who sent the request that a tool answers; nobody, where there is none."""
    request = getattr(ctx.request_context, "request", None)
    actor = getattr(request, "scope", {}).get("actor")
    return actor if isinstance(actor, dict) else None
