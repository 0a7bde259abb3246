"""Counters and histograms of the service for Prometheus; the middleware counts responses and streams."""

from __future__ import annotations

from functools import partial
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper bounds in seconds: answers of the rules take tenths, those of hosted models seconds."""
_Kind = TypeVar("_Kind", Counter, Gauge, Histogram)
disable_created_metrics()  # type: ignore[no-untyped-call]


class Metrics:
    """The metrics of one service; it is thread-safe."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()

        def make(kind: type[_Kind], name: str, help: str, *labels: str) -> _Kind:
            return kind(name, help, labels, namespace="chattykg", registry=self.registry)

        counter, gauge = partial(make, Counter), partial(make, Gauge)
        self.questions = counter(
            "questions", "Questions by data set, door and status of the answer.", "dataset", "door", "status"
        )
        self.question_errors = counter(
            "question_errors", "Questions that failed, by door and HTTP status.", "door", "code"
        )
        self.question_seconds = Histogram(
            "question_seconds", "Seconds from the question to its answer.", ("door",), namespace="chattykg",
            registry=self.registry, buckets=SECONDS_BUCKETS,
        )  # fmt: skip
        self.account_questions = counter("account_questions", "Questions by the name of the API key.", "account")
        self.model_calls = counter("model_calls", "Calls of models for answers.", "model", "account")
        self.model_tokens = counter(
            "model_tokens", "Tokens of prompts and replies; estimated for rules.", "model", "account", "kind"
        )
        self.model_usd = counter("model_usd", "Cost of the calls whose price is known.", "model", "account")
        self.queries = counter("queries", "SPARQL queries for answers.")
        self.responses = counter("responses", "HTTP responses by status.", "code")
        self.info = gauge("info", "The version and the model; always 1.", "version", "model")
        self.start_time = gauge("start_time_seconds", "When the service started, in seconds since 1970.")
        self.start_time.set_to_current_time()
        self.conversations = gauge("conversations", "Stored conversations.")
        self.open_streams = gauge("open_streams", "Event streams that are open.")
        self.in_progress = gauge("questions_in_progress", "Questions that are being answered.")
        self.waiting = gauge("questions_waiting", "Questions that wait for a worker.")

    def render(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        return generate_latest(self.registry)


class MetricsMiddleware:
    """Middleware that counts responses by status, and the event streams that are open."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        is_stream = False

        async def count(message: Message) -> None:
            nonlocal is_stream
            if message["type"] == "http.response.start":
                self._metrics.responses.labels(str(message["status"])).inc()
                is_stream = dict(message["headers"]).get(b"content-type", b"").startswith(b"text/event-stream")
                self._metrics.open_streams.inc(is_stream)
            await send(message)

        try:
            await self._app(scope, receive, count)
        finally:
            self._metrics.open_streams.dec(is_stream)
