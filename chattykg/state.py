"""The state that travels through the graph, and the context in which one question is answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypedDict

from chattyshared.agent import Agent, CheckedReply
from chattyshared.dialogue import Answer, History, Reason, ReasonCode, StageSeconds
from chattyshared.errors import ContextTooLong, ModelError, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.morphology import lemma_of
from chattyshared.model import LanguageModel, Usage
from chattyshared.text import join_texts

from chattykg.conversation.context import DialogueWords
from chattykg.conversation.referents import Referent
from chattykg.engines.switches import ChattySwitches
from chattykg.experience.experience_file import ExampleSource, ExperienceItem
from chattykg.exploration.escalation import AttemptLog
from chattykg.linking.candidates import EntityCandidate, EntityLink
from chattykg.linking.similarity import LexicalSimilarity, Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, QuestionReading
from chattykg.settings import LabelPolicy, Settings
from chattykg.steps import AnswerProgress
from chattykg.strategies import ModelStrategy, PromptSize, Strategy, find_model_strategy

SystemMode = Literal["single", "multi"]
EntryNode = Literal["qir", "direct", "agent", "mkgqagent", "triad"]
Stage = Literal["understanding", "linking", "selection", "execution"]
_QUERY_WRITERS = ("answer/direct", "answer/agent")
"""Agents whose checks run the query: no switch turns them off."""


class AgentState(TypedDict, total=False):
    """What the agents read and write; the edges of the graph decide by it which node comes next.

    ``standalone`` is the question without references to the conversation, in the KG's language unless a model reads it
    as it is. ``foreign_language`` is the tag of its language if that is not the KG's; ``needs_translation``: a model
    translates it first; ``is_untranslated``: it gave no usable translation. ``needs_context``: it may refer to earlier
    turns; ``is_follow_up``: the classifier says that it does. ``known_words`` are the words of the conversation that
    the KG knows. ``questions`` are the standalone questions, if a follow-up asks several. ``names`` pairs each
    translated name in ``standalone`` with its original. ``with_quoted_names`` is ``standalone`` with all names in
    quotes that look like numbers or sentences; it is asked if ``standalone`` finds nothing.
    ``readings`` are those of an ambiguous question that are left, the present one first; ``best_reading`` is the
    answer of the best one so far, with its total score.
    ``strategy`` is tried now, ``remaining_strategies`` come after it. An agent that sets ``answer`` ends the strategy;
    ``earlier_answer`` is the answer without values of the strategies before. ``attempt_log`` is that of the direct
    strategy, ``reason_to_explore`` what it leaves to be looked up ("": nothing). ``rejected`` are the IRIs that the
    user did not mean, and ``meant`` the labels of those that were chosen, if the user has answered a clarification.
    ``namesakes`` are the vertices that one mention may name. ``parse_score`` (0 to 1) tells how well the question
    parses; no parser sets it yet. ``features`` are those of the
    confidence of ``answer``.
    """

    question: str
    history: History
    system_mode: SystemMode
    needs_translation: bool
    is_untranslated: bool
    foreign_language: str
    needs_context: bool
    is_follow_up: bool
    strategy: Strategy
    remaining_strategies: tuple[Strategy, ...]
    standalone: str
    known_words: DialogueWords
    questions: tuple[str, ...]
    names: tuple[tuple[str, str], ...]
    with_quoted_names: str
    referents: tuple[Referent, ...]
    card: VocabularyCard
    qir: QIR
    readings: tuple[QuestionReading, ...]
    best_reading: tuple[Answer, float] | None
    linked: Mapping[str, tuple[EntityLink, ...]]
    namesakes: Mapping[str, tuple[EntityCandidate, ...]]
    rejected: frozenset[str]
    meant: tuple[str, ...]
    parse_score: float
    answer: Answer | None
    features: Mapping[str, float]
    earlier_answer: Answer | None
    attempt_log: AttemptLog
    reason_to_explore: str


@dataclass(frozen=True, slots=True)
class EngineResult:
    """An answer, the representation of its question (None: none was made), and the features of its confidence."""

    answer: Answer
    qir: QIR | None = None
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verification:
    """The judge of candidate queries: the model of the verification agent, by its spec.

    ``labels`` tells what becomes of a query with an IRI that the graph gives no label: ``name``: its local name stands
    for it; ``drop``: the query is deleted.
    """

    name: str
    labels: LabelPolicy = "name"

    def to_manifest(self) -> dict[str, str]:
        """Return its part of the entry of an engine in a manifest."""
        return {"verify": self.name, "labels": self.labels}


@dataclass(slots=True)
class AgentContext:
    """What the agents share while they answer one question, and what they have used so far.

    ``models`` holds the models of single agents; the key "" holds the model of all others. ``strategies`` are tried
    in their order. ``seconds`` holds the time of each stage. ``candidate_queries`` counts the requests that ran
    candidate queries, rejected ones included. ``progress`` takes the steps and stops the work. ``examples`` finds
    solved questions for prompts. ``verification`` judges candidate queries (None: all are kept).
    """

    kg: KnowledgeGraph
    models: Mapping[str, LanguageModel]
    settings: Settings
    similarity: Similarity = field(default_factory=LexicalSimilarity)
    strategies: tuple[Strategy, ...] = ("staged",)
    usage: Usage = field(default_factory=Usage)
    seconds: dict[Stage, float] = field(default_factory=dict)
    candidate_queries: int = 0
    progress: AnswerProgress = field(default_factory=AnswerProgress)
    examples: ExampleSource | None = None
    verification: Verification | None = None

    def model_of(self, agent: str) -> LanguageModel:
        """Return the agent's own model, else the model of all agents."""
        return self.models[agent] if agent in self.models else self.models[""]

    def model_strategy_of(self, agent: str) -> ModelStrategy:
        """Return what is known of the agent's model."""
        return find_model_strategy(self.model_of(agent).name)

    @property
    def prompt_size(self) -> PromptSize:
        """How much the prompt for a whole query shows."""
        chosen = self.settings.prompt
        return self.model_strategy_of("direct").prompt if chosen == "auto" else chosen

    def request_reply(self, agent: Agent, variables: Mapping[str, Any], *, theta: int | None = None) -> CheckedReply:
        """Ask the model of an agent at most ``theta`` times (None: as set); count the usage of failed calls too.

        Raises:
            ModelError: as one of its kinds; ReplyInvalid if no reply passed the checks.
        """
        model = self.model_of(agent.name.rpartition("/")[2])
        if agent.name not in _QUERY_WRITERS and not self.settings.switches_of(ChattySwitches).validators:
            agent = replace(agent, checks=())
        try:
            reply = agent(model, variables, theta=theta or self.settings.theta)
        except ModelError as error:
            self.usage += error.usage or Usage()
            raise
        self.usage += reply.usage
        return reply

    def try_reply(self, agent: Agent, variables: Mapping[str, Any], *, theta: int | None = None) -> Any:
        """Return the value of a reply that passes the checks; None where the model gives none.

        Raises:
            ModelError: the model cannot be reached.
        """
        try:
            return self.request_reply(agent, variables, theta=theta).value
        except (ReplyInvalid, ModelRefused, ContextTooLong):
            return None

    def find_examples(self, question: str, card: VocabularyCard) -> tuple[ExperienceItem, ...]:
        """Return the solved questions that are shown with a question, nearest first; none without an experience."""
        return self.examples.find_examples(question, card, self.kg) if self.examples else ()

    @contextmanager
    def measure_time(self, stage: Stage) -> Iterator[None]:
        """Add the time of a block to a stage."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start

    def to_stages(self) -> StageSeconds:
        """Return the seconds spent so far."""
        return StageSeconds(**self.seconds)


AgentFunction = Callable[[AgentState, AgentContext], AgentState]
"""An agent: reads the state and returns what it changes."""

ENTRY_NODES: Mapping[Strategy, EntryNode] = {
    "staged": "qir", "direct": "direct", "agent": "agent", "mkgqagent": "mkgqagent", "triad": "triad",
}  # fmt: skip
"""The first node of each strategy."""


def make_refusal(code: ReasonCode, why: str, **fields: Any) -> Answer:
    """Return an answer that tells why the engine does not know; ``why`` ends the sentence."""
    return Answer(reason=Reason(code, f"I do not know, because {why}"), **fields)


def make_unused_refusal(words: Sequence[str]) -> Answer:
    """Return the answer to a question with words that restrict it and that the graph does not know."""
    return make_refusal("unknown-qualifier", f"this graph does not know {quote_words(words)}.", unused=tuple(words))


def without_labels(words: Sequence[str], card: VocabularyCard) -> tuple[str, ...]:
    """Return the words that no class and no predicate of a card is called by."""
    labels = " ".join([*(entry.label for entry in card.classes), *(entry.label for entry in card.predicates)])
    known = set(map(lemma_of, labels.lower().split()))
    return tuple(word for word in words if lemma_of(word.lower()) not in known)


def quote_words(words: Sequence[str]) -> str:
    """Return words in quotes as a list in a sentence ("a", "b" or "c")."""
    return join_texts([f'"{word[:60]}"' for word in dict.fromkeys(words)], "or")


def make_not_stated_refusal(sparql: str = "") -> Answer:
    """Return the answer to a question about which the graph states nothing."""
    return make_refusal("not-stated", "the graph does not state it.", sparql=sparql)


def make_empty_answer(sparql: str, why: str = "") -> Answer:
    """Return the answer to a question whose query is right and has no result.

    ``why`` ends the sentence; "" leaves the reason to what completes the answers of all strategies.
    """
    return Answer(without_values="empty", notes=(f"None: {why}",) if why else (), sparql=sparql)
