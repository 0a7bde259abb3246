"""The HTTP service: questions and conversations over one or more knowledge graphs, and a page to talk to them.

What it needs (FastAPI, uvicorn, LangGraph's SQLite checkpointer) comes with the extra ``[serve]``; ``running`` and
``app`` import it, so nothing here is imported before a service is wanted.
"""
