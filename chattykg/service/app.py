"""Assembles the service: the table of its routes, what each request passes, and the routes for health and metrics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

import anyio
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from chattykg.service import chat_routes, graph_routes
from chattykg.service.access.accounts import AccessMiddleware, AccessPolicy, account_of
from chattykg.service.access.origins import SameOriginMiddleware, allow_origins
from chattykg.service.datasets import DatasetRegistry
from chattykg.service.dependencies import ServiceParts, parts_of
from chattykg.service.errors import add_error_handlers
from chattykg.service.metrics import CONTENT_TYPE, Metrics, MetricsMiddleware
from chattykg.service.page_routes import PAGE
from chattykg.service.protocols import chattykg_routes, openai_routes
from chattykg.service.request_limits import InFlightRequests, RequestLimits, RequestLimitsMiddleware
from chattykg.service.request_pool import RequestPool
from chattykg.service.sessions import SessionStore

QUERY_WORKERS = 2
"""Queries of clients that run at a time, besides the questions."""


async def get_health(request: Request) -> Response:
    """Return the status of the service; to who may ask questions, also data sets, model and limits."""
    parts, account = parts_of(request), account_of(request)
    if not account.is_known:
        return JSONResponse({"status": "ok", "key_required": True})
    datasets = [dataset.to_json() for dataset in parts.registry.datasets.values()]
    limits = await anyio.to_thread.run_sync(parts.budget.describe, account.name, account.limits)
    about = {"model": parts.registry.model, "version": parts.version, "account": account.name, "limits": limits}
    return JSONResponse({"status": "ok", "key_required": bool(account.name), "datasets": datasets, **about})


async def get_metrics(request: Request) -> Response:
    """Return the metrics for Prometheus."""
    parts = parts_of(request)
    metrics = parts.metrics
    metrics.conversations.set(await anyio.to_thread.run_sync(parts.sessions.count_sessions))
    metrics.in_progress.set(parts.pool.running_count)
    metrics.waiting.set(parts.pool.waiting_count)
    return Response(metrics.render(), media_type=CONTENT_TYPE)


ROUTES = (
    Route("/", chat_routes.get_query),
    Mount("/page", PAGE),
    Route("/health", get_health),
    Route("/metrics", get_metrics),
    Route("/chat", chat_routes.chat, methods=["POST"]),
    Route("/chat/{id}", chat_routes.get_conversation),
    Route("/chat/{id}", chat_routes.delete_conversation, methods=["DELETE"]),
    Route("/graph", graph_routes.get_graph),
    Route("/thing", graph_routes.get_thing),
    Route("/select", graph_routes.select, methods=["POST"]),
    Route("/sparql", graph_routes.run_protocol, methods=["GET", "POST"]),
    Route("/sparql/{dataset:path}", graph_routes.run_protocol, methods=["GET", "POST"]),
    Route("/v1/models", openai_routes.list_models),
    Route("/v1/models/{id:path}", openai_routes.get_model),
    Route("/v1/chat/completions", openai_routes.complete_chat, methods=["POST"]),
    Route("/v1/responses", openai_routes.create_response, methods=["POST"]),
    Route("/info", chattykg_routes.get_info),
    Route("/reset", chattykg_routes.reset),
    Route("/start_chat", chattykg_routes.start_chat, methods=["POST"]),
    Route("/ask", chattykg_routes.ask, methods=["POST"]),
)
"""All doors of the service."""


def make_app(  # noqa: PLR0913
    registry: DatasetRegistry,
    sessions: SessionStore,
    *,
    workers: int = 4,
    version: str = "",
    hosts: Iterable[str] = (),
    limits: RequestLimits | None = None,
    access: AccessPolicy | None = None,
) -> Starlette:
    """Return the application, which answers ``workers`` questions at a time and closes ``sessions`` at its end.

    ``hosts`` are the names by which clients may reach it, in addition to localhost and IP addresses. ``access`` is who
    may ask and how much (None: everybody, without limits).
    """
    limits, access, metrics = limits or RequestLimits(), access or AccessPolicy(), Metrics()
    pool, queries = (RequestPool(number, limits.answer_seconds) for number in (workers, QUERY_WORKERS))
    parts = ServiceParts(registry, sessions, pool, queries, version, budget=access.budget, metrics=metrics)
    metrics.info.labels(version, registry.model).set(1)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        parts.close()

    in_flight = InFlightRequests()
    middleware = [
        Middleware(MetricsMiddleware, metrics=metrics),
        Middleware(RequestLimitsMiddleware, limits=limits, in_flight=in_flight),
        Middleware(SameOriginMiddleware, names=hosts, allowed_origins=access.origins),
        *([Middleware(allow_origins, origins=access.origins)] if access.origins else []),
        Middleware(AccessMiddleware, keys=access.keys, requests_per_minute=access.requests_per_minute),
    ]
    app = Starlette(routes=ROUTES, middleware=middleware, lifespan=lifespan)
    app.router.redirect_slashes = False
    app.state.serving, app.state.limits, app.state.in_flight = parts, limits, in_flight
    add_error_handlers(app)
    return app
