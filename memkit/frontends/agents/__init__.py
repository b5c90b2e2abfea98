"""Front end for agents: tools, a hook that adds memories to a prompt, and an MCP server."""
