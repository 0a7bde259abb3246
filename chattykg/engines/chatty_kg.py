"""``remote:chattykg:URL``: Chatty-KG's own service, which holds one conversation at a time.

POST /start_chat {knowledge_graph} begins a conversation, POST /ask {question} continues it. The formats are those of
its published code. An ``answer`` differs between its versions: bindings, a SPARQL result, a list of texts, or a
sentence.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping
from typing import Any

from chattyshared.answers import parse_values
from chattyshared.dialogue import Answer, History, LinkedTerm, StageSeconds
from chattyshared.errors import BenchmarkInvalid, ResultUnreadable
from chattyshared.formats.qald import parse_sparql_results
from chattyshared.formats.reading import JsonNode
from chattyshared.jsonlines import to_lexical_form
from chattyshared.terms import is_iri

from chattykg.engines.system_client import SystemClient

_STAGES = (("understanding",) * 2, ("linking",) * 2, ("selection", "query_selection"), ("execution",) * 2)


class ChattyKGService:
    """Asks one conversation after the other about ``dataset``, because the service cannot hold two.

    Ask whole conversations in order; a question without a history begins a new one. Earlier answers are the service's
    own.
    """

    def __init__(self, system: SystemClient, dataset: str) -> None:
        self._system, self._dataset, self._lock = system, dataset, threading.Lock()

    def answer(self, question: str, history: History = (), *, span: str = "answer") -> Answer:
        """Answer one question.

        Raises:
            ConfigError: the service does not know the knowledge graph.
            EndpointError: the service failed, or its reply has another format.
        """
        started = time.perf_counter()
        with self._lock:
            if not history:
                self._system.post("start_chat", {"knowledge_graph": self._dataset})
            reply = self._system.post("ask", {"question": question})
        if not isinstance(reply, dict) or "answer" not in reply:
            raise ResultUnreadable("the reply has no answer", endpoint=self._system.url)
        try:
            values = parse_values(_texts(reply["answer"]))
        except BenchmarkInvalid as error:
            raise ResultUnreadable(f"the answer cannot be read: {error}", endpoint=self._system.url) from error
        return Answer(
            values, (1.0,) * len(values), sparql=_query(reply),
            standalone=str(reply.get("resolved_question") or question),
            confidence=float(bool(values)), entities=tuple(_entities(reply)), relations=tuple(_relations(reply)),
            stages=_stage_seconds(reply.get("timing")), seconds=time.perf_counter() - started,
        )  # fmt: skip


def _texts(answer: Any) -> Iterator[str]:
    """Yield the elements of an answer in any of its formats."""
    if isinstance(answer, list):
        for part in answer:
            yield from _texts(part)
    elif isinstance(answer, dict) and ("boolean" in answer or "results" in answer):
        result = parse_sparql_results([JsonNode(answer, "answer")])
        yield from result.answers if result else ()
    elif isinstance(answer, dict) and "value" in answer:
        yield to_lexical_form(answer["value"])
    elif isinstance(answer, dict):
        for part in answer.values():
            yield from _texts(part)
    else:
        yield to_lexical_form(answer)


def _query(reply: Mapping[str, Any]) -> str:
    """Return the first query of a reply; empty if there is none."""
    queries = reply.get("sparql_query") or ""
    first = next(iter(queries), "") if isinstance(queries, list) else queries
    return first if isinstance(first, str) else ""


def _entities(reply: Mapping[str, Any]) -> Iterator[LinkedTerm]:
    for entity in _list_of(reply, "entities"):
        texts = [part for part in (entity.values() if isinstance(entity, dict) else [entity]) if isinstance(part, str)]
        yield from (LinkedTerm(texts[0], iri, texts[0]) for iri in filter(is_iri, texts[-1:]))


def _relations(reply: Mapping[str, Any]) -> Iterator[LinkedTerm]:
    for relation in _list_of(reply, "relations"):
        iri = relation.get("relation") if isinstance(relation, dict) else relation
        if isinstance(iri, str) and is_iri(iri):
            yield LinkedTerm(iri, iri, iri, _score(relation.get("score") if isinstance(relation, dict) else None))


def _list_of(reply: Mapping[str, Any], key: str) -> list[Any]:
    value = reply.get(key)
    return value if isinstance(value, list) else []


def _score(value: Any) -> float:
    return min(1.0, max(0.0, float(value))) if isinstance(value, int | float) else 1.0


def _stage_seconds(timing: Any) -> StageSeconds:
    stated = timing if isinstance(timing, dict) else {}
    seconds = {ours: stated.get(theirs) for ours, theirs in _STAGES}
    return StageSeconds(**{name: float(value) for name, value in seconds.items() if isinstance(value, int | float)})
