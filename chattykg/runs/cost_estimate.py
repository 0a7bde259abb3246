"""What answering would ask of its models, estimated from a few conversations that the embedded rules answer."""

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
"""Questions that are answered to estimate from, as whole conversations: at least one of these."""


class RehearsalModel:
    """The rules, who also write a whole query and say an answer: the query is what they come to in stages."""

    name = "rules"

    def __init__(self, kg: KnowledgeGraph) -> None:
        self._rules = RuleModel(RULEBOOK)
        self._staged = ChattyEngine(kg, self._rules)

    def complete(self, request: Request) -> Completion:
        """Reply as the rules do.

        Raises:
            EndpointError: the KG could not be asked.
        """
        if request.agent == "answer/direct":
            found = self._staged.answer(request.variables["question"])
            return _reply(request, {"shape": _shape(found), "sparql": found.sparql})
        if request.agent == "answer/saying":
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
    """Estimate calls, tokens and dollars of answering ``wanted`` questions (0: all of the conversations).

    ``specs`` are the model and those of single agents; ``price_of`` tells what a model's tokens cost, None if unknown;
    ``outfit`` is the engine's, its models apart; ``says``: each is asked for itself, and its answer said.

    Raises:
        ConfigError: there is no question.
        EndpointError: the KG could not be asked.
    """
    spec, agents = specs
    # Under the model's own name, so that the engine chooses the strategy that it would choose for the model.
    played = {one: RecordingModel(one, RehearsalModel(kg)) for one in dict.fromkeys((spec, *agents.values()))}
    crew = replace(config.components, models={agent: played[one] for agent, one in agents.items()})
    engine = ChattyEngine(kg, played[spec], settings=config.settings, components=crew)
    done = 0
    for conversation in _sample(conversations):
        done += len(conversation.items)
        if not is_verbalized:
            answer_conversation(engine, conversation)
            continue
        for asked in conversation.items:
            verbalize_answer(asked.question, answer_question(engine, asked, ())[0], played[spec])
    if not done:
        raise ConfigError("there is no question: there is nothing to estimate")
    number = question_count or sum(len(each.items) for each in conversations)
    parts = [estimate_cost(each.usage, done, number, price_of_spec(each.name, price_of)) for each in played.values()]
    return sum(parts[1:], parts[0])


def _sample(conversations: Sequence[Conversation]) -> list[Conversation]:
    """Return some conversations, taken evenly from all: their later parts may be of another kind."""
    filled = [each for each in conversations if each.items]
    mean = max(1, sum(len(each.items) for each in filled) // max(1, len(filled)))
    number = min(len(filled), max(1, SAMPLED_QUESTIONS // mean))
    return [filled[place * len(filled) // number] for place in range(number)]


def _shape(answer: Answer) -> str:
    if not answer.sparql:
        return "none"
    return "boolean" if [value.kind for value in answer.values] == ["boolean"] else "list"


def _reply(request: Request, value: Mapping[str, Any]) -> Completion:
    text = json.dumps(value, ensure_ascii=False)
    return Completion(text, Usage(1, count_characters(request) // 4, len(text) // 4, estimated=True))
