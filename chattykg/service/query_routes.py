"""The routes for queries and health: TEXT2SPARQL's GET, which is the page for a browser, and GET /health."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi import APIRouter, HTTPException, Request, Response

from chattykg.service.dependencies import make_encodable, parts_of
from chattykg.service.page_routes import page_response

_MISSING = (
    "the {} missing: GET /?question=...&dataset=... returns a query; the page to talk on is this address in a browser "
    "(Accept: text/html), and POST /chat is the conversation for programs"
)
router = APIRouter()


@router.get("/", response_model=None)
async def query(request: Request, question: str | None = None, dataset: str | None = None) -> Response | dict[str, str]:
    """Return the query that answers a question over a data set (TEXT2SPARQL's API); to a browser, the page."""
    parts = parts_of(request)
    if question is None and dataset is None and "text/html" in request.headers.get("accept", ""):
        return page_response(request)
    if question is None or dataset is None:
        missing = [name for name, value in (("question", question), ("dataset", dataset)) if value is None]
        parameters = f"parameter {missing[0]} is" if len(missing) == 1 else f"parameters {' and '.join(missing)} are"
        raise HTTPException(422, _MISSING.format(parameters))
    served = parts.registry.datasets.get(dataset)
    if served is None:
        raise HTTPException(404, f"unknown dataset {dataset[:200]!r}: {parts.registry.describe_names()}")
    text = await parts.pool.run(partial(served.query_for, make_encodable(question)))
    return {"dataset": dataset, "question": question, "query": text}


@router.get("/health")
async def health(request: Request) -> dict[str, Any]:
    """Return the status of the service, its data sets, and its model."""
    parts = parts_of(request)
    datasets = [dataset.to_json() for dataset in parts.registry.datasets.values()]
    return {"status": "ok", "datasets": datasets, "model": parts.registry.model, "version": parts.version}
