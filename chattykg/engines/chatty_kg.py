"""``remote:chattykg:URL``: Chatty-KG's own service, which keeps one conversation at a time.

POST /start_chat {knowledge_graph} begins it, POST /ask {question} goes on. The shapes are those of its published code;
what an ``answer`` holds differs between its versions: bindings, a SPARQL result, a list of texts, or a sentence.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from chattyshared.dialogue import Answer, History, LinkedTerm, StageSeconds
from chattyshared.errors import BenchmarkInvalid, ResultUnreadable
from chattyshared.formats.json_paths import JsonNode
from chattyshared.formats.sparql_json import parse_sparql_results
from chattyshared.jsonlines import to_lexical_form

from chattykg.engines.http import SystemClient
from chattykg.engines.prompt_history import is_iri, parse_values

_STAGES = (("understanding",) * 2, ("linking",) * 2, ("selection", "query_selection"), ("execution",) * 2)


class ChattyKGService:
    """Asks one conversation after the other, about ``dataset``: its service cannot hold two. Give it whole
    conversations in order; a question without a history begins one. Earlier answers are the service's own.
    """

    def __init__(self, system: SystemClient, dataset: str) -> None:
        self._system, self._dataset, self._lock = system, dataset, threading.Lock()

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question.

        Raises:
            ConfigError: the service does not know the knowledge graph.
            EndpointError: it could not be asked, or its reply is none of this API.
        """
        began = time.perf_counter()
        with self._lock:
            if not history:
                self._system.post("start_chat", {"knowledge_graph": self._dataset})
            reply = self._system.post("ask", {"question": question})
        if not isinstance(reply, dict) or "answer" not in reply:
            raise ResultUnreadable("the reply has no answer", endpoint=self._system.url)
        try:
            said = parse_values(_texts(reply["answer"]))
        except BenchmarkInvalid as error:
            raise ResultUnreadable(f"the answer cannot be read: {error}", endpoint=self._system.url) from error
        return Answer(
            said, (1.0,) * len(said), sparql=_query(reply), standalone=str(reply.get("resolved_question") or question),
            confidence=float(bool(said)), entities=tuple(_entities(reply)), relations=tuple(_relations(reply)),
            stages=_stages(reply.get("timing")), seconds=time.perf_counter() - began,
        )  # fmt: skip


def _texts(answer: Any) -> Iterator[str]:
    """Yield the elements of an answer, in any of the shapes it comes in."""
    if isinstance(answer, list):
        for part in answer:
            yield from _texts(part)
    elif isinstance(answer, dict) and ("boolean" in answer or "results" in answer):
        read = parse_sparql_results([JsonNode(answer, "answer")])
        yield from read.answers if read else ()
    elif isinstance(answer, dict) and "value" in answer:
        yield to_lexical_form(answer["value"])
    elif isinstance(answer, dict):
        for part in answer.values():
            yield from _texts(part)
    else:
        yield to_lexical_form(answer)


def _query(reply: Mapping[str, Any]) -> str:
    """Return the first of its queries."""
    queries = reply.get("sparql_query") or ""
    first = next(iter(queries), "") if isinstance(queries, list) else queries
    return first if isinstance(first, str) else ""


def _entities(reply: Mapping[str, Any]) -> Iterator[LinkedTerm]:
    for one in _listed(reply, "entities"):
        known = [part for part in (one.values() if isinstance(one, dict) else [one]) if isinstance(part, str)]
        yield from (LinkedTerm(known[0], iri, known[0]) for iri in filter(is_iri, known[-1:]))


def _relations(reply: Mapping[str, Any]) -> Iterator[LinkedTerm]:
    for one in _listed(reply, "relations"):
        iri = one.get("relation") if isinstance(one, dict) else one
        if isinstance(iri, str) and is_iri(iri):
            yield LinkedTerm(iri, iri, iri, _score(one.get("score") if isinstance(one, dict) else None))


def _listed(reply: Mapping[str, Any], key: str) -> list[Any]:
    found = reply.get(key)
    return found if isinstance(found, list) else []


def _score(said: Any) -> float:
    return min(1.0, max(0.0, float(said))) if isinstance(said, int | float) else 1.0


def _stages(timing: Any) -> StageSeconds:
    told = timing if isinstance(timing, dict) else {}
    known = {ours: told.get(theirs) for ours, theirs in _STAGES}
    return StageSeconds(**{name: float(part) for name, part in known.items() if isinstance(part, int | float)})
