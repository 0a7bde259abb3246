"""Assembles the service: its routes, its limits, and its replies to errors, which are JSON."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager

from fastapi import FastAPI

from chattykg.service import chat_routes, graph_routes, page_routes, query_routes
from chattykg.service.access.accounts import AccessMiddleware, AccessPolicy
from chattykg.service.access.origins import SameOriginMiddleware
from chattykg.service.datasets import DatasetRegistry
from chattykg.service.dependencies import ServiceParts
from chattykg.service.errors import add_error_handlers
from chattykg.service.metrics import Metrics, MetricsMiddleware
from chattykg.service.protocols import chattykg_routes, openai_routes
from chattykg.service.request_limits import InFlightRequests, RequestLimits, RequestLimitsMiddleware
from chattykg.service.request_pool import RequestPool
from chattykg.service.sessions import SessionStore


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

    pool, access, metrics = RequestPool(workers), access or AccessPolicy(), Metrics()
    parts = ServiceParts(registry, sessions, pool, version, budget=access.budget, metrics=metrics)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        parts.examples.close()
        pool.close()
        sessions.close()
        access.budget.close()

    app = FastAPI(
        title="chattykg", version=version or "0", openapi_url=None, redirect_slashes=False, lifespan=lifespan,
        strict_content_type=True,
    )  # fmt: skip
    app.state.serving = parts
    app.state.limits, app.state.in_flight = limits or RequestLimits(), InFlightRequests()
    for routes in (query_routes, chat_routes, graph_routes, page_routes, openai_routes, chattykg_routes):
        app.include_router(routes.router)
    # The last one sees a request first.
    app.add_middleware(AccessMiddleware, keys=access.keys, requests_per_minute=access.requests_per_minute)
    app.add_middleware(SameOriginMiddleware, names=hosts, allowed_origins=access.origins)
    app.add_middleware(RequestLimitsMiddleware, limits=app.state.limits, in_flight=app.state.in_flight)
    app.add_middleware(MetricsMiddleware, metrics=metrics)
    add_error_handlers(app)
    return app
