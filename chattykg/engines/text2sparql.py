"""``remote:text2sparql:URL``: a system that keeps TEXT2SPARQL's API; its query is run here, on the graph itself."""

from __future__ import annotations

import time

from chattyshared.dialogue import Answer, History, Value
from chattyshared.errors import ResultUnreadable
from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.repair import repair_query
from chattyshared.trace import Trace, TracedEndpoint

from chattykg.engines.http import SystemClient


class Text2Sparql:
    """Asks for a query about ``dataset``, and runs it. It knows no conversation: each question is asked by itself."""

    def __init__(self, system: SystemClient, dataset: str, kg: KnowledgeGraph, *, trace: Trace | None = None) -> None:
        self._system, self._dataset, self._kg, self._trace = system, dataset, kg, trace or Trace()

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question; a query that cannot be run is an answer without values, which says why.

        Raises:
            ConfigError: the system does not know the data set.
            EndpointError: the system or the graph could not be asked, or the reply is none of this API.
        """
        began = time.perf_counter()
        reply = self._system.get(question=question, dataset=self._dataset)
        query = reply.get("query") if isinstance(reply, dict) else None
        if not isinstance(query, str):
            raise ResultUnreadable("the reply has no query", endpoint=self._system.url)
        endpoint = TracedEndpoint(self._kg.endpoint, self._trace, span)
        better = repair_query(query)
        ran = QueryRun() if not query.strip() else QueryRun(failure=better.fault)
        if query.strip() and not better.fault:
            ran = run_query(self._kg.with_endpoint(endpoint), better.text, endpoint.untrusted_view())
        found, rows = _values(ran)
        return Answer(
            found, (1.0,) * len(found), rows, better.text, question, float(bool(found)), queries=endpoint.query_count,
            candidate_queries=int(bool(query.strip() and not better.fault)), seconds=time.perf_counter() - began,
            notes=(f"Its query cannot be run: {ran.failure}",) if ran.failure else (),
        )  # fmt: skip


def _values(ran: QueryRun) -> tuple[tuple[Value, ...], tuple[tuple[Value, ...], ...]]:
    """Return what stands in the first column, each once, and the rows where there are several columns."""
    firsts = (next((cell for cell in row if cell is not None), None) for row in ran.rows)
    empty = Value("", "literal")
    rows = tuple(tuple(cell or empty for cell in row) for row in ran.rows) if ran.is_table else ()
    return tuple(dict.fromkeys(cell for cell in firsts if cell is not None)), rows
