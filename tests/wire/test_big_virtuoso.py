"""A Virtuoso with a million triples: no request of generation or answering makes it read the whole graph."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from chattyshared.dialogue import Exchange
from chattyshared.endpoint import Endpoint, Row
from chattyshared.endpoint.remote import RemoteEndpoint
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from wire import virtuoso

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate
from chattykg import rulebook
from chattykg.engine import ChattyEngine

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "scholarly_graph.py"
TRIPLES = 1_000_000
MAX_SECONDS = 2.0
"""Seconds of a request that reads a bounded part of the graph: 0.3 on two cores; of one that reads all of it 4.7."""

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(virtuoso.missing()), reason="Virtuoso is not installed")]


class Timed:
    """An endpoint that keeps the seconds of each request."""

    def __init__(self, inner: Endpoint) -> None:
        self.inner, self.name = inner, inner.name
        self.requests: list[tuple[float, str]] = []

    def select(self, query: str) -> list[Row]:
        started = time.perf_counter()
        try:
            return self.inner.select(query)
        finally:
            self.requests.append((time.perf_counter() - started, query))

    def ask(self, query: str) -> bool:
        started = time.perf_counter()
        try:
            return self.inner.ask(query)
        finally:
            self.requests.append((time.perf_counter() - started, query))

    def untrusted_view(self) -> Endpoint:
        return self


@pytest.fixture(scope="module")
def endpoint(tmp_path_factory):
    path = tmp_path_factory.mktemp("big") / "scholarly.nt"
    subprocess.run([sys.executable, SCRIPT, "--triples", str(TRIPLES), "-o", path], check=True)
    with virtuoso.Virtuoso([path], full_text=True) as store:
        yield Timed(RemoteEndpoint(f"{store.url}?default-graph-uri={virtuoso.GRAPH}"))


def test_dialogues_are_made_and_answered_without_reading_the_whole_graph(endpoint):
    kg = KnowledgeGraph(endpoint, use_index=False, index_up_to=0)
    made = [each.dialogue for each in generate(kg, RuleModel(RULEBOOK), Options(dialogues=8)) if each.dialogue]
    engine = ChattyEngine(kg, RuleModel(rulebook.RULEBOOK))
    wrong = []
    for dialogue in made:
        history: list[Exchange] = []
        for turn in dialogue.turns:
            answer = engine.answer(turn.question, history)
            if turn.answerable and {v.value for v in answer.values} != {v.value for v in turn.answers}:
                wrong.append(turn.question)
            history.append(Exchange(turn.question, answer))
    slow = [(round(seconds, 1), query) for seconds, query in endpoint.requests if seconds > MAX_SECONDS]
    assert slow == []
    assert len(made) == 8 and len(wrong) <= 4, wrong
