"""The state that travels through the graph, and the desk at which one question is answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

from chattyshared.agent import Agent, CheckedReply
from chattyshared.dialogue import Answer, History, Reason, ReasonCode, StageSeconds
from chattyshared.errors import ModelError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel, Usage
from chattyshared.option_specs import QUERY_LIMIT, SHOWN_ANSWERS, THETA, VERTEX_LIMIT

from chattykg.conversation.referents import Referent
from chattykg.linking.candidates import EntityLink
from chattykg.linking.similarity import LexicalSimilarity, Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR
from chattykg.strategies import Strategy, StrategyOption

SystemMode = Literal["single", "multi"]
Route = Literal["classifier", "rephraser", "translator", "card", "qir", "matching", "planning", "direct", "chat", "end"]
Stage = Literal["understanding", "linking", "selection", "execution"]


@dataclass(frozen=True, slots=True)
class Settings:
    """How an engine works.

    ``theta``: attempts in all for one reply; ``shown_answers`` (L): answers of each earlier turn that are shown;
    ``vertex_limit`` (v_limit): vertices that are retrieved for a mention; ``query_limit`` (query_num): candidate
    queries that are kept;
    ``row_limit``: rows of an answer; ``threshold``: confidence under which the engine says that it does not know;
    ``question_limit``: characters of a question; ``strategy``: whether queries are built in stages, written whole by
    the model (direct), or whichever the model is known to be good at, and then the other (auto).
    """

    theta: int = THETA
    shown_answers: int = SHOWN_ANSWERS
    vertex_limit: int = VERTEX_LIMIT
    query_limit: int = QUERY_LIMIT
    row_limit: int = 10_000
    threshold: float = 0.3
    question_limit: int = 2_000
    strategy: StrategyOption = "staged"


class AgentState(TypedDict, total=False):
    """What the agents read and write; ``route`` says which node comes next.

    ``names`` are names in ``standalone`` that were asked otherwise, in another language, with what was asked.
    ``tried`` are the strategies begun so far, ``given_up`` is what the first of them ended with if it found nothing.
    """

    question: str
    history: History
    system_mode: SystemMode
    route: Route
    standalone: str
    names: tuple[tuple[str, str], ...]
    referents: tuple[Referent, ...]
    card: VocabularyCard
    qir: QIR
    linked: Mapping[str, tuple[EntityLink, ...]]
    answer: Answer
    tried: tuple[Strategy, ...]
    given_up: Answer


@dataclass(slots=True)
class AgentContext:
    """Everything that answering one question needs at hand, and what it has used so far.

    ``order`` are the strategies to try, one after the other. ``candidate_queries`` counts the requests that ran
    candidates for the answer, those that were rejected as well.
    """

    kg: KnowledgeGraph
    models: Mapping[str, LanguageModel]
    settings: Settings
    similarity: Similarity = field(default_factory=LexicalSimilarity)
    strategies: tuple[Strategy, ...] = ("staged",)
    usage: Usage = field(default_factory=Usage)
    seconds: dict[Stage, float] = field(default_factory=dict)
    candidate_queries: int = 0

    def model_of(self, agent: str) -> LanguageModel:
        """Return the model of an agent: one of its own, or that of all."""
        return self.models.get(agent, self.models[""])

    def request_reply(self, agent: Agent, variables: Mapping[str, Any]) -> CheckedReply:
        """Ask the model of an agent, theta times at most; usage is counted, also of what failed.

        Raises:
            ModelError: as one of its kinds; ReplyInvalid where no reply passed the checks.
        """
        model = self.model_of(agent.name.rpartition("/")[2])
        try:
            reply = agent(model, variables, theta=self.settings.theta)
        except ModelError as error:
            self.usage += error.usage or Usage()
            raise
        self.usage += reply.usage
        return reply

    @contextmanager
    def measure_time(self, stage: Stage) -> Iterator[None]:
        """Count the time of a block to a stage."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - began

    def to_stages(self) -> StageSeconds:
        """Return the seconds spent so far."""
        return StageSeconds(**self.seconds)


AgentFunction = Callable[[AgentState, AgentContext], AgentState]
"""An agent: reads the state, returns what it changes, its route included."""


ENTRY_NODES: Mapping[Strategy, Route] = {"staged": "qir", "direct": "direct"}
"""The node at which each strategy begins."""


def make_refusal(code: ReasonCode, why: str, **fields: Any) -> Answer:
    """Return the answer that tells why the engine does not know: ``why`` is the end of a sentence."""
    return Answer(reason=Reason(code, f"I do not know, because {why}"), **fields)


def make_not_stated_refusal(sparql: str = "") -> Answer:
    """Return the answer to a question that the graph does not state anything about."""
    return make_refusal("not-stated", "the graph does not state it.", sparql=sparql)


def make_empty_answer(why: str, sparql: str) -> Answer:
    """Return the answer to a question whose query is right and has no result: ``why`` is the end of a sentence."""
    return Answer(without_values="empty", notes=(f"None: {why}",), sparql=sparql)
