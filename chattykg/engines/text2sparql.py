"""``remote:text2sparql:URL``: a system with TEXT2SPARQL's API; its query is run here on the graph."""

from __future__ import annotations

from chattyshared.dialogue import CandidateQuery
from chattyshared.errors import ResultUnreadable

from chattykg.engines.system_client import SystemClient


class Text2Sparql:
    """Asks a system for a query about ``dataset``; it sees each question without its conversation."""

    def __init__(self, system: SystemClient, dataset: str) -> None:
        self._system, self._dataset = system, dataset

    def __call__(self, id: str, question: str) -> tuple[CandidateQuery, ...]:
        """Return the system's query; none if it is empty.

        Raises:
            ConfigError: the system does not know the data set.
            EndpointError: the system failed, or the reply has another format.
        """
        reply = self._system.get(question=question, dataset=self._dataset)
        query = reply.get("query") if isinstance(reply, dict) else None
        if not isinstance(query, str):
            raise ResultUnreadable("the reply has no query", endpoint=self._system.url)
        return (CandidateQuery(query, 1.0),) if query.strip() else ()
