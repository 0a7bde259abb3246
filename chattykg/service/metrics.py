"""Counters and histograms of the service, in Prometheus' text format; the middleware counts responses and streams."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0)
"""Upper bounds in seconds: answers of the rules take tenths, those of hosted models seconds."""
MAX_SERIES = 1_000
"""Label sets of one metric; further ones are counted as ``other``."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: its name without the prefix, its type, its help, and the names of its labels."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...] = ()

    def render_head(self) -> str:
        """Return the comment lines before its samples."""
        return f"# HELP chattykg_{self.name} {self.help}\n# TYPE chattykg_{self.name} {self.kind}\n"

    def render_sample(self, values: Iterable[str], number: float, suffix: str = "", **more: str) -> str:
        """Return one sample as a line."""
        pairs = [*zip(self.labels, values, strict=True), *more.items()]
        labels = ",".join(f'{name}="{escape_label(value)}"' for name, value in pairs)
        shown = int(number) if float(number).is_integer() else repr(float(number))
        return f"chattykg_{self.name}{suffix}{f'{{{labels}}}' if labels else ''} {shown}\n"


QUESTIONS = Metric(
    "questions_total", "counter", "Questions by data set, door and status of the answer.", ("dataset", "door", "status")
)
QUESTION_ERRORS = Metric(
    "question_errors_total", "counter", "Questions that failed, by door and HTTP status.", ("door", "code")
)
QUESTION_SECONDS = Metric("question_seconds", "histogram", "Seconds from the question to its answer.", ("door",))
ACCOUNT_QUESTIONS = Metric("account_questions_total", "counter", "Questions by the name of the API key.", ("account",))
MODEL_CALLS = Metric("model_calls_total", "counter", "Calls of models for answers.", ("model", "account"))
MODEL_TOKENS = Metric(
    "model_tokens_total", "counter", "Tokens of prompts and replies; estimated for rules.", ("model", "account", "kind")
)
MODEL_USD = Metric("model_usd_total", "counter", "Cost of the calls whose price is known.", ("model", "account"))
QUERIES = Metric("queries_total", "counter", "SPARQL queries for answers.")
RESPONSES = Metric("responses_total", "counter", "HTTP responses by status.", ("code",))
INFO = Metric("info", "gauge", "The version and the model; always 1.", ("version", "model"))
START_TIME = Metric("start_time_seconds", "gauge", "When the service started, in seconds since 1970.")
CONVERSATIONS = Metric("conversations", "gauge", "Stored conversations.")
OPEN_STREAMS = Metric("open_streams", "gauge", "Event streams that are open.")
IN_PROGRESS = Metric("questions_in_progress", "gauge", "Questions that are being answered.")
WAITING = Metric("questions_waiting", "gauge", "Questions that wait for a worker.")


class Metrics:
    """The metrics of one service; it is thread-safe. Each metric has at most ``MAX_SERIES`` label sets."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[Metric, dict[tuple[str, ...], float]] = {}
        self._buckets: dict[tuple[Metric, tuple[str, ...]], list[int]] = {}
        self.started_at = time.time()
        self.open_streams = 0

    def count(self, metric: Metric, *labels: str, amount: float = 1) -> None:
        """Add an amount to a counter."""
        with self._lock:
            self._add(metric, labels, amount)

    def observe(self, metric: Metric, *labels: str, seconds: float) -> None:
        """Add a measurement to a histogram."""
        with self._lock:
            labels = self._add(metric, labels, seconds)
            buckets = self._buckets.setdefault((metric, labels), [0] * (len(SECONDS_BUCKETS) + 1))
            buckets[bisect_left(SECONDS_BUCKETS, seconds)] += 1

    def render(self, gauges: Mapping[Metric, Mapping[tuple[str, ...], float]]) -> str:
        """Return all metrics as text; ``gauges`` are those that are read when they are asked for."""
        with self._lock:
            tables = {metric: dict(counts) for metric, counts in self._counts.items()}
            buckets = {key: list(counts) for key, counts in self._buckets.items()}
        blocks = []
        for metric, table in [*gauges.items(), *tables.items()]:
            if metric.kind == "histogram":
                lines = [_render_histogram(metric, key, total, buckets[metric, key]) for key, total in table.items()]
            else:
                lines = [metric.render_sample(key, number) for key, number in table.items()]
            blocks.append(metric.render_head() + "".join(lines))
        return "".join(blocks)

    def _add(self, metric: Metric, labels: tuple[str, ...], amount: float) -> tuple[str, ...]:
        table = self._counts.setdefault(metric, {})
        if labels not in table and len(table) >= MAX_SERIES:
            labels = ("other",) * len(labels)
        table[labels] = table.get(labels, 0) + amount
        return labels


class MetricsMiddleware:
    """Middleware that counts responses by status, and the event streams that are open."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        is_stream = False

        async def count(message: Message) -> None:
            nonlocal is_stream
            if message["type"] == "http.response.start":
                self._metrics.count(RESPONSES, str(message["status"]))
                is_stream = dict(message["headers"]).get(b"content-type", b"").startswith(b"text/event-stream")
                self._metrics.open_streams += is_stream
            await send(message)

        try:
            await self._app(scope, receive, count)
        finally:
            self._metrics.open_streams -= is_stream


def escape_label(text: str) -> str:
    """Return the value of a label, escaped for Prometheus' text format, as text that can be encoded."""
    encodable = text.encode("utf-8", "replace").decode()
    return encodable.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _render_histogram(metric: Metric, labels: tuple[str, ...], total: float, buckets: list[int]) -> str:
    lines, count = [], 0
    for bound, number in zip((*map(repr, SECONDS_BUCKETS), "+Inf"), buckets, strict=True):
        count += number
        lines.append(metric.render_sample(labels, count, "_bucket", le=bound))
    lines += [metric.render_sample(labels, total, "_sum"), metric.render_sample(labels, count, "_count")]
    return "".join(lines)
