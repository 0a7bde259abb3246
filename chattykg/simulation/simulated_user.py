"""The simulated user: pursues goal after goal in one conversation, and decides by rules what to do after each reply.

The user follows what it believes, not the gold. A wrong answer with nothing to see against it is believed, and what
hangs on it is asked about the wrong thing, as people do: of several wrong values, about the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Literal

from chattyshared.dialogue import Answer, Exchange, History, Value
from chattyshared.errors import EndpointError, EndpointTimeout, EndpointUnavailable, ModelError, ModelUnavailable
from chattyshared.http_client import ReplyTooLarge
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import LanguageModel, Usage
from chattyshared.pages.samples import value_name
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from rdflib import URIRef

from chattykg.agents.verbalizer import verbalize_by_template
from chattykg.engine import Engine
from chattykg.evaluation.answer_matching import element_from_answer
from chattykg.evaluation.metrics import SystemAnswer, score_turn
from chattykg.simulation.goals import MAX_NAME_CHARACTERS, Goal, GoalPlan, occurs
from chattykg.simulation.messages import (
    Act,
    VisibleError,
    draft_clarification,
    draft_correction,
    find_visible_error,
    word_message,
)

ConversationStatus = Literal["done", "given-up", "loop", "too-long", "max-turns", "error"]
GoalStatus = Literal["accepted", "given-up", "cut-off", "skipped", "not-asked"]
Basis = Literal["", "right", "wrong", "none"]
"""What a goal hangs on: nothing, right answers, a wrong one that the user believes, or one that it never got."""
MAX_REPEATS = 4
"""Equal replies in a row, none of them right, from which a system loops."""
MAX_VALUE_CHARACTERS = 100_000
"""Characters of one value of an answer beyond which nobody reads on."""


@dataclass(frozen=True, slots=True)
class UserSettings:
    """What the users of a run share.

    The limits of their patience: further tries of a goal, goals given up in a row, and messages in all. ``model`` words
    their messages (None: by the rules), in ``theta`` attempts. ``kg`` is what they know names from (None: the plan
    alone). With ``answers_in_names``, the system knows no IRIs.
    """

    patience: int = 2
    give_up: int = 3
    max_turns: int = 40
    model: LanguageModel | None = None
    theta: int = 3
    kg: KnowledgeGraph | None = None
    answers_in_names: bool = False


@dataclass(frozen=True, slots=True)
class TalkTurn:
    """A message of the user, and the reply to it: an answer, or the ``error`` that there was in its place.

    ``visible_error`` is what the user saw to be wrong.
    """

    goal: int
    act: Act
    text: str
    answer: Answer = Answer()
    is_right: bool = False
    error: str = ""
    visible_error: VisibleError = ""

    @property
    def reply(self) -> str:
        """What the system says."""
        return self.error or verbalize_by_template(self.answer)

    @property
    def is_answered(self) -> bool:
        """Whether the reply is an answer with values."""
        return not self.error and self.answer.status == "answered"

    @property
    def offers_options(self) -> bool:
        """Whether the reply is a clarification, or a refusal that names options."""
        return self.asks_back or bool(self.answer.options)

    @property
    def asks_back(self) -> bool:
        """Whether the reply is a clarification."""
        return not self.error and self.answer.status == "clarification"


@dataclass(frozen=True, slots=True)
class GoalOutcome:
    """What became of a goal, with the talk about it; ``reason`` tells why it was not asked."""

    goal: Goal
    status: GoalStatus
    talk: tuple[TalkTurn, ...] = ()
    basis: Basis = ""
    reason: str = ""

    @property
    def is_reached(self) -> bool:
        """Whether the user believes the right answer; without gold: the system has said that it does not know, has
        never given an answer, and has not failed or asked back in the end."""
        last = self.talk[-1] if self.talk else None
        if last is None or self.goal.gold.elements:
            return last is not None and self.status == "accepted" and last.is_right
        return not last.error and not last.asks_back and not any(turn.is_answered for turn in self.talk)


@dataclass(slots=True)
class SimulatedUser:
    """One user in one conversation with an engine: how it went, and the outcome of each goal of the plan.

    ``believed`` are the answers that it believes, by goal; ``goes_as_planned`` tells whether the last goal ended as the
    plan assumes: a follow-up can refer to it. ``failure`` is the error of an unreachable system, or an unexpected one.
    """

    engine: Engine
    plan: GoalPlan
    settings: UserSettings
    outcomes: list[GoalOutcome] = field(default_factory=list)
    talk: list[TalkTurn] = field(default_factory=list)
    believed: dict[int, TalkTurn] = field(default_factory=dict)
    goes_as_planned: bool = True
    usage: Usage = Usage()
    status: ConversationStatus = "done"
    reason: str = ""
    failure: EndpointError | ModelError | UnexpectedError | None = None

    @property
    def history(self) -> History:
        """The messages that got an answer, for the engine."""
        return tuple(Exchange(turn.text, turn.answer) for turn in self.talk if not turn.error)

    def converse(self) -> SimulatedUser:
        """Pursue the goals of the plan until they are done, or the conversation ends; return the user.

        Raises:
            BudgetSpent: the run has to stop.
            EndpointError, ModelError: the graph or the model of the user itself failed.
        """
        failed_in_row = 0
        for goal in self.plan.goals:
            outcome = replace(self._pursue(goal), basis=self._basis(goal))
            self.outcomes.append(outcome)
            self.goes_as_planned = outcome.status == "accepted" or (not goal.gold.elements and outcome.is_reached)
            failed_in_row = failed_in_row + 1 if outcome.status == "given-up" else 0 if outcome.talk else failed_in_row
            if failed_in_row >= self.settings.give_up:
                self._end("given-up", f"{failed_in_row} goals failed in a row")
        if self.status in ("done", "given-up") and self.talk and all(turn.error for turn in self.talk):
            self.status, self.reason = "error", self.talk[0].error
        return self

    def _pursue(self, goal: Goal) -> GoalOutcome:
        """Ask for a goal until the user believes an answer or gives up."""
        if self.status != "done":
            return GoalOutcome(goal, "not-asked", reason="the conversation had ended")
        unheard = [number for _, number in goal.learned if number not in self.believed]
        if unheard:
            return GoalOutcome(goal, "skipped", reason=f"only the answer to goal {unheard[0]} tells its name")
        for name, number in goal.learned:
            goal = self._with_belief(goal, name, number)
        start = len(self.talk)
        for act, draft in self._steps(goal):
            if len(self.talk) >= self.settings.max_turns:
                self._end("max-turns", f"{self.settings.max_turns} messages were sent")
                break
            turn = self._say(goal, act, draft)
            if self.status != "done":
                break
            if turn.is_answered and not turn.visible_error:
                self.believed[goal.number] = turn
                return GoalOutcome(goal, "accepted", tuple(self.talk[start:]))
        talk = tuple(self.talk[start:])
        status: GoalStatus = "given-up" if self.status == "done" else "cut-off" if talk else "not-asked"
        return GoalOutcome(goal, status, talk)

    def _steps(self, goal: Goal) -> Iterator[tuple[Act, str]]:
        """Yield the next act and its draft, given the last reply of the talk, while the patience lasts."""
        follows = self.goes_as_planned and all(number in self.believed for number in goal.hangs_on)
        wordings = [goal.turn.question if follows else goal.turn.standalone, goal.turn.standalone, goal.paraphrase]
        drafts = list(dict.fromkeys(filter(None, wordings)))
        asked_back: set[str] = set()
        yield "ask", drafts.pop(0)
        for tries_left in range(self.settings.patience, -1, -1):
            while (last := self.talk[-1]).offers_options and str(last.answer.clarification) not in asked_back:
                asked_back.add(str(last.answer.clarification))
                yield "clarify", draft_clarification(goal, last.answer, self.plan.lang, self._referent(goal))
            if not tries_left:
                return
            if last.visible_error and last.act != "correct":
                drafts = [draft for draft in drafts if draft != goal.turn.standalone]
                error, lang = last.visible_error, self.plan.lang
                yield "correct", draft_correction(goal, last.answer, error, lang, self.settings.kg)
            elif drafts:
                yield "rephrase", drafts.pop(0)
            elif self.settings.model is not None:
                yield "rephrase", goal.paraphrase or goal.turn.standalone
            else:
                return

    def _basis(self, goal: Goal) -> Basis:
        states = {self.believed[n].is_right if n in self.believed else None for n in goal.hangs_on}
        return "wrong" if False in states else "none" if None in states else "right" if states else ""

    def _with_belief(self, goal: Goal, name: str, number: int) -> Goal:
        """Return a goal about the answer that the user believes, in the place of the gold answer of this name."""
        turn = self.believed[number]
        values, rights = turn.answer.values, next(g for g in self.plan.goals if g.number == number).turn.answers
        is_told = any(value.text == name for value in values) and len(values) <= len(rights)
        return goal if turn.is_right or is_told else goal.with_belief(name, values[0])

    def _referent(self, goal: Goal) -> str:
        """Return the name of what the follow-up wording of a goal refers to: of an earlier answer as the user believes
        it; "" if only the question that stands alone says it, as of a list."""
        if not goal.refers_to:
            return goal.referent
        values = self.believed[goal.refers_to].answer.values if goal.refers_to in self.believed else ()
        named = [value.text for value in values if occurs(value.text, goal.turn.standalone)]
        return next(iter(named), values[0].text if len(values) == 1 else "")[:MAX_NAME_CHARACTERS]

    def _say(self, goal: Goal, act: Act, draft: str) -> TalkTurn:
        """Send a message, keep the talk, and end the conversation if the reply says so."""
        model = self.settings.model
        if model is not None:
            lines = [line for turn in self.talk for line in (f"Person: {turn.text}", f"System: {turn.reply[:500]}")]
            draft, usage = word_message(model, act, draft, goal, lines, theta=self.settings.theta)
            self.usage += usage
        turn = self._ask(goal, act, draft)
        self.talk.append(turn)
        self.usage += turn.answer.usage
        if any(len(value.text) > MAX_VALUE_CHARACTERS for value in turn.answer.values):
            self._end("too-long", f"a value has more than {MAX_VALUE_CHARACTERS} characters")
        recent = self.talk[-MAX_REPEATS:]
        is_same = len(recent) == MAX_REPEATS and len({each.reply for each in recent}) == 1
        if is_same and not any(each.is_right for each in recent) and (turn.is_answered or turn.asks_back):
            self._end("loop", f"the last {MAX_REPEATS} replies are the same, and none is right")
        return turn

    def _ask(self, goal: Goal, act: Act, text: str) -> TalkTurn:
        """Ask the engine, and look at the reply as a person does."""
        try:
            answer = catch_unexpected(lambda: self.engine.answer(text, self.history, span=goal.gold.id))
        except (EndpointError, ModelError) as error:
            if _is_too_large(error):
                self._end("too-long", "the reply is too large")
            elif isinstance(error, EndpointUnavailable | EndpointTimeout | ModelUnavailable):
                self.failure = error
                self._end("error", str(error))
            return TalkTurn(goal.number, act, text, error=str(error) or type(error).__name__)
        if isinstance(answer, UnexpectedError):
            self.failure = answer
            self._end("error", answer.sentence)
            return TalkTurn(goal.number, act, text, error=answer.sentence)
        answer = replace(answer, values=self._named(answer.values))
        elements = tuple(
            element_from_answer(value.value, value.label, answers_in_names=self.settings.answers_in_names)
            for value in answer.values
        )
        is_right = score_turn(goal.gold, SystemAnswer(elements)).is_exact and answer.status != "clarification"
        told = (self.believed[number].answer.values for number in goal.hangs_on if number in self.believed)
        seen = find_visible_error(goal, answer, elements, [*chain(*told)]) if answer.values else ""
        return TalkTurn(goal.number, act, text, answer, is_right, visible_error=seen)

    def _named(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        """Return the values of an answer with a name for each thing: people do not talk in IRIs."""
        bare = [URIRef(value.value) for value in values if value.kind == "iri" and not value.label]
        labels = self.settings.kg.labels(bare) if self.settings.kg and bare else {}
        return tuple(
            value if value.label or value.kind != "iri"
            else replace(value, label=labels.get(URIRef(value.value)) or value_name(value))
            for value in values
        )  # fmt: skip

    def _end(self, status: ConversationStatus, reason: str) -> None:
        if self.status == "done":
            self.status, self.reason = status, reason


def _is_too_large(error: BaseException | None) -> bool:
    """Tell whether an error comes from a reply with too many bytes, or from a text that is too long."""
    if len(getattr(error, "text", "")) > MAX_VALUE_CHARACTERS:
        return True
    while error is not None and not isinstance(error, ReplyTooLarge):
        error = error.__cause__
    return error is not None
