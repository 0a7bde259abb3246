"""Assembles the service, whose errors are JSON, and the routes for TEXT2SPARQL's GET, health and metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
from fastapi import APIRouter, FastAPI, HTTPException, Request, Response

from chattykg.service import chat_routes, graph_routes, page_routes
from chattykg.service.access.accounts import AccessMiddleware, AccessPolicy, account_of
from chattykg.service.access.admission import admit_question
from chattykg.service.access.origins import SameOriginMiddleware
from chattykg.service.datasets import DatasetRegistry
from chattykg.service.dependencies import ServiceParts, make_encodable, parts_of
from chattykg.service.errors import add_error_handlers
from chattykg.service.metrics import (
    CONTENT_TYPE,
    CONVERSATIONS,
    IN_PROGRESS,
    INFO,
    OPEN_STREAMS,
    START_TIME,
    WAITING,
    Metric,
    Metrics,
    MetricsMiddleware,
)
from chattykg.service.page_routes import page_response
from chattykg.service.protocols import chattykg_routes, openai_routes
from chattykg.service.request_limits import InFlightRequests, RequestLimits, RequestLimitsMiddleware
from chattykg.service.request_pool import RequestPool
from chattykg.service.sessions import SessionStore

_MISSING = (
    "the {} missing: GET /?question=...&dataset=... returns a query; the page to talk on is this address in a browser "
    "(Accept: text/html), and POST /chat is the conversation for programs"
)
QUERY_WORKERS = 2
"""Queries of clients that run at a time, besides the questions."""
router = APIRouter()


def make_app(  # noqa: PLR0913
    registry: DatasetRegistry,
    sessions: SessionStore,
    *,
    workers: int = 4,
    version: str = "",
    hosts: Iterable[str] = (),
    limits: RequestLimits | None = None,
    access: AccessPolicy | None = None,
) -> FastAPI:
    """Return the application, which answers ``workers`` questions at a time and closes ``sessions`` at its end.

    ``hosts`` are the names by which clients may reach it, in addition to localhost and IP addresses. ``access`` is who
    may ask and how much (None: everybody, without limits).
    """

    limits, access, metrics = limits or RequestLimits(), access or AccessPolicy(), Metrics()
    pool = RequestPool(workers, limits.answer_seconds)
    queries = RequestPool(QUERY_WORKERS, limits.answer_seconds)
    parts = ServiceParts(registry, sessions, pool, queries, version, budget=access.budget, metrics=metrics)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        parts.examples.close()
        pool.close()
        queries.close()
        sessions.close()
        access.budget.close()

    app = FastAPI(
        title="chattykg", version=version or "0", openapi_url=None, redirect_slashes=False, lifespan=lifespan,
        strict_content_type=True,
    )  # fmt: skip
    app.state.serving = parts
    app.state.limits, app.state.in_flight = limits, InFlightRequests()
    app.include_router(router)
    for routes in (chat_routes, graph_routes, page_routes, openai_routes, chattykg_routes):
        app.include_router(routes.router)
    # The last one sees a request first.
    app.add_middleware(AccessMiddleware, keys=access.keys, requests_per_minute=access.requests_per_minute)
    app.add_middleware(SameOriginMiddleware, names=hosts, allowed_origins=access.origins)
    app.add_middleware(RequestLimitsMiddleware, limits=app.state.limits, in_flight=app.state.in_flight)
    app.add_middleware(MetricsMiddleware, metrics=metrics)
    add_error_handlers(app)
    return app


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
    async with admit_question(request, "text2sparql", served.name) as admitted:
        text = await parts.pool.run(partial(served.query_for, make_encodable(question)), admitted)
        admitted.record_status("answered" if text else "unknown")
    return {"dataset": dataset, "question": question, "query": text}


@router.get("/health")
async def health(request: Request) -> dict[str, Any]:
    """Return the status of the service; to who may ask questions, also data sets, model and limits."""
    parts, account = parts_of(request), account_of(request)
    if not account.is_known:
        return {"status": "ok", "key_required": True}
    datasets = [dataset.to_json() for dataset in parts.registry.datasets.values()]
    limits = await anyio.to_thread.run_sync(parts.budget.describe, account.name, account.limits)
    about = {"model": parts.registry.model, "version": parts.version, "account": account.name, "limits": limits}
    return {"status": "ok", "key_required": bool(account.name), "datasets": datasets, **about}


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return the metrics for Prometheus."""
    parts = parts_of(request)
    conversations = await anyio.to_thread.run_sync(parts.sessions.count_sessions)
    gauges: dict[Metric, dict[tuple[str, ...], float]] = {
        INFO: {(parts.version, parts.registry.model): 1.0},
        START_TIME: {(): parts.metrics.started_at},
        CONVERSATIONS: {(): conversations},
        OPEN_STREAMS: {(): parts.metrics.open_streams},
        IN_PROGRESS: {(): parts.pool.running_count},
        WAITING: {(): parts.pool.waiting_count},
    }
    return Response(parts.metrics.render(gauges), media_type=CONTENT_TYPE)
