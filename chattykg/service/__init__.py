"""The HTTP service: questions and conversations over one or more knowledge graphs, and a chat page; tools for agents.

Its dependencies (Starlette, uvicorn, pydantic, prometheus-client) are in the extra ``[serve]``, those of the tools
(the SDK of the Model Context Protocol) in ``[mcp]``, so only the commands ``serve`` and ``mcp`` import these modules.
"""
