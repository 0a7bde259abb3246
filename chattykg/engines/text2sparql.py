"""``remote:text2sparql:URL``: a system with TEXT2SPARQL's API; its query is run here on the graph."""

from __future__ import annotations

import time

from chattyshared.dialogue import Answer, History, Value
from chattyshared.errors import ResultUnreadable
from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.repair import repair_query
from chattyshared.trace import Trace, TracedEndpoint

from chattykg.engines.system_client import SystemClient


class Text2Sparql:
    """Asks for a query about ``dataset`` and runs it; the system sees each question without its conversation."""

    def __init__(self, system: SystemClient, dataset: str, kg: KnowledgeGraph, *, trace: Trace | None = None) -> None:
        self._system, self._dataset, self._kg, self._trace = system, dataset, kg, trace or Trace()

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question; if the query fails, the answer has no values and a note with the reason.

        Raises:
            ConfigError: the system does not know the data set.
            EndpointError: the system or the graph's endpoint failed, or the reply has another format.
        """
        started = time.perf_counter()
        reply = self._system.get(question=question, dataset=self._dataset)
        query = reply.get("query") if isinstance(reply, dict) else None
        if not isinstance(query, str):
            raise ResultUnreadable("the reply has no query", endpoint=self._system.url)
        endpoint = TracedEndpoint(self._kg.endpoint, self._trace, span)
        repaired = repair_query(query)
        run = QueryRun() if not query.strip() else QueryRun(failure=repaired.fault)
        if query.strip() and not repaired.fault:
            run = run_query(self._kg.with_endpoint(endpoint), repaired.text, endpoint.untrusted_view())
        values, rows = _values(run)
        return Answer(
            values, (1.0,) * len(values), rows, repaired.text, question, float(bool(values)),
            queries=endpoint.query_count,
            candidate_queries=int(bool(query.strip() and not repaired.fault)), seconds=time.perf_counter() - started,
            notes=(f"Its query cannot be run: {run.failure}",) if run.failure else (),
        )  # fmt: skip


def _values(run: QueryRun) -> tuple[tuple[Value, ...], tuple[tuple[Value, ...], ...]]:
    """Return the distinct values of the first column, and the rows if there are several columns."""
    firsts = (next((cell for cell in row if cell is not None), None) for row in run.rows)
    empty = Value("", "literal")
    rows = tuple(tuple(cell or empty for cell in row) for row in run.rows) if run.is_table else ()
    return tuple(dict.fromkeys(cell for cell in firsts if cell is not None)), rows
