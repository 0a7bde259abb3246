"""Estimates the calls, tokens and price of answering from a few conversations that the embedded rules answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.dialogue import Answer
from chattyshared.errors import ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Completion, Request, Usage, count_characters
from chattyshared.model.cost_estimate import ModelCostEstimate, RecordingModel, estimate_cost, price_of_spec
from chattyshared.model.prices import Price
from chattyshared.model.rules import RuleModel

from chattykg.agents.verbalizer import verbalize_answer
from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK
from chattykg.runs.answer_run import EngineConfig
from chattykg.runs.batch import answer_conversation, answer_question
from chattykg.runs.question_sets import Conversation

SAMPLED_QUESTIONS = 12
"""Questions in the sample, as whole conversations: at least one conversation."""


class RehearsalModel:
    """The embedded rules, which here also reply with whole queries (from their staged answer) and with sentences."""

    name = "rules"

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._rules = RuleModel(RULEBOOK)
        self._staged = ChattyEngine(kg, self._rules)

    def complete(self, request: Request) -> Completion:
        """Reply as the rules do.

        Raises:
            EndpointError: the KG's endpoint failed.
        """
        if request.agent in ("answer/direct", "answer/agent"):
            answer = self._staged.answer(request.variables["question"])
            query = {"shape": _shape(answer), "sparql": answer.sparql}
            is_direct = request.agent == "answer/direct"
            return _reply(request, query if is_direct else {"tool": "answer", "arguments": query})
        if request.agent == "answer/verbalizer":
            return _reply(request, {"sentence": ", ".join(request.variables["answers"])})
        return self._rules.complete(request)


def estimate_answering(  # noqa: PLR0913
    kg: KnowledgeGraph,
    conversations: Sequence[Conversation],
    specs: tuple[str, Mapping[str, str]],
    price_of: Callable[[str], Price | None],
    config: EngineConfig,
    *,
    question_count: int = 0,
    is_verbalized: bool = False,
) -> ModelCostEstimate:
    """Estimate the calls, tokens and US dollars of answering ``question_count`` questions (0: all).

    ``specs`` are the model and the models of single agents. ``price_of`` returns the price of a model's tokens, or None
    if it is unknown. ``config`` is the engine's without its models. With ``is_verbalized``, each question is asked
    without its conversation, and its answer is verbalized.

    Raises:
        ConfigError: there is no question.
        EndpointError: the KG's endpoint failed.
    """
    spec, agents = specs
    # The recording models have the names of the real ones, so that the engine chooses the same strategy.
    models = {name: RecordingModel(name, RehearsalModel(kg)) for name in dict.fromkeys((spec, *agents.values()))}
    components = replace(config.components, models={agent: models[name] for agent, name in agents.items()})
    engine = ChattyEngine(kg, models[spec], settings=config.settings, components=components)
    done = 0
    for conversation in _sample(conversations):
        done += len(conversation.items)
        if not is_verbalized:
            answer_conversation(engine, conversation)
            continue
        for item in conversation.items:
            verbalize_answer(item.question, answer_question(engine, item, ())[0], models[spec])
    if not done:
        raise ConfigError("there is no question: there is nothing to estimate")
    total = question_count or sum(len(conversation.items) for conversation in conversations)
    parts = [estimate_cost(model.usage, done, total, price_of_spec(model.name, price_of)) for model in models.values()]
    return sum(parts[1:], parts[0])


def _sample(conversations: Sequence[Conversation]) -> list[Conversation]:
    """Return some conversations, evenly spaced, because later ones may be of another kind."""
    filled = [conversation for conversation in conversations if conversation.items]
    mean = max(1, sum(len(conversation.items) for conversation in filled) // max(1, len(filled)))
    count = min(len(filled), max(1, SAMPLED_QUESTIONS // mean))
    return [filled[index * len(filled) // count] for index in range(count)]


def _shape(answer: Answer) -> str:
    if not answer.sparql:
        return "none"
    return "boolean" if [value.kind for value in answer.values] == ["boolean"] else "list"


def _reply(request: Request, value: Mapping[str, Any]) -> Completion:
    text = json.dumps(value, ensure_ascii=False)
    return Completion(text, Usage(1, count_characters(request) // 4, len(text) // 4, estimated=True))
