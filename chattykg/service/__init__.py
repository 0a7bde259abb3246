"""The HTTP service: questions and conversations over one or more knowledge graphs, and a chat page.

Its dependencies (FastAPI, uvicorn, LangGraph's SQLite checkpointer) are in the extra ``[serve]``, so only the command
``serve`` imports these modules.
"""
