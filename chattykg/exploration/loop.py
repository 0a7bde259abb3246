"""The loop of the agent strategy, a sub-graph: think (ask the model), act (call a tool), observe (what came of it)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypedDict

from chattyshared.errors import ReplyInvalid
from chattyshared.kg import KnowledgeGraph

from chattykg.direct.attempt import QueryAttempts
from chattykg.exploration.actions import ANSWER, MAX_SHOWN_CHARACTERS, Action, observe, read_action
from chattykg.exploration.graph_names import GraphNames, to_line
from chattykg.exploration.observations import MAX_CHARACTERS

NODES_PER_STEP = 3
MAX_OBSERVATION = 2 * MAX_CHARACTERS
"""Characters of what came of an action, what is wrong with it included."""
_LAST_STEP = "This was the last step, and only answer was left."


@dataclass(frozen=True, slots=True)
class ExplorationStep:
    """One step: the action, or the reply that is none, and what came of it."""

    number: int
    action: str
    observation: str

    def as_prompt_text(self) -> str:
        """Return the step as the model sees it: each line of the observation is indented, so that none looks like a
        step."""
        lines = "\n".join(f"   {line}" for line in self.observation.splitlines())
        return f"{self.number or 'earlier'}. {self.action}\n{lines}"


class ExplorationState(TypedDict, total=False):
    """What travels through the loop: the steps so far, the action of this step (None: the reply is none, ``refused``
    tells why), and what came of it."""

    steps: tuple[ExplorationStep, ...]
    action: Action | None
    reply: str
    refused: str
    observation: str


@dataclass(slots=True)
class Exploration:
    """One run of the loop: what it works on, ``max_steps``, its most steps, and ``max_refused``, the replies in a row
    that are no action, or one that was done before, after which it ends.

    ``ask`` returns the model's reply to the steps so far and the number of this step. ``attempts`` checks answers and
    holds the outcome. ``executed_queries`` counts the queries that were run besides, ``answers`` the answers that were
    tried, ``refused`` the latest replies that are no new action; ``is_answered``: the last answer was accepted.
    """

    kg: KnowledgeGraph
    names: GraphNames
    attempts: QueryAttempts
    ask: Callable[[tuple[ExplorationStep, ...], int], Any]
    max_steps: int
    max_refused: int
    report_query: Callable[[str], None] = lambda _: None
    report_look: Callable[[str], None] = lambda _: None
    executed_queries: int = 0
    answers: int = 0
    refused: int = 0
    is_answered: bool = False
    seen: dict[str, int] = field(default_factory=dict)

    @property
    def is_repaired(self) -> bool:
        """Tell whether an answer was refused before."""
        return self.answers > 1

    @property
    def is_stuck(self) -> bool:
        """Tell whether the last replies were no actions, or no new ones."""
        return self.refused >= self.max_refused


def explore(exploration: Exploration) -> tuple[ExplorationStep, ...]:
    """Run the loop until an answer is accepted or the steps are used up; return the steps.

    Raises:
        ModelError: the model could not be asked; a reply that is no action only costs a step.
        EndpointError: the KG could not be asked.
    """
    limit = NODES_PER_STEP * exploration.max_steps + 1
    final = compile_loop().invoke({"steps": ()}, {"recursion_limit": limit}, context=exploration)
    return tuple(final["steps"])


@lru_cache(maxsize=1)
def compile_loop() -> Any:
    """Compile the sub-graph; LangGraph is imported here, not before."""
    from langgraph.graph import END, START, StateGraph
    from langgraph.runtime import Runtime

    def node(
        function: Callable[[ExplorationState, Exploration], ExplorationState],
    ) -> Callable[[ExplorationState, Runtime[Exploration]], ExplorationState]:
        return lambda state, runtime: function(state, runtime.context)

    builder: Any = StateGraph(ExplorationState, context_schema=Exploration)
    for name, function in (("think", think), ("act", act), ("observe", record_step)):
        builder.add_node(name, node(function))
    builder.add_edge(START, "think")
    builder.add_edge("think", "act")
    builder.add_edge("act", "observe")
    builder.add_conditional_edges(
        "observe", lambda state, runtime: after_step(state, runtime.context), {"think": "think", "end": END}
    )
    return builder.compile()


def think(state: ExplorationState, exploration: Exploration) -> ExplorationState:
    """Ask the model for the next action."""
    try:
        reply = exploration.ask(state["steps"], len(state["steps"]) + 1)
    except ReplyInvalid as error:
        exploration.refused += 1
        problems = " ".join(problem.sentence for problem in error.problems[:3])
        return {"action": None, "reply": error.text, "refused": problems[:MAX_SHOWN_CHARACTERS]}
    action = read_action(reply)
    exploration.refused = exploration.refused + 1 if action.key in exploration.seen else 0
    return {"action": action, "reply": "", "refused": ""}


def act(state: ExplorationState, exploration: Exploration) -> ExplorationState:
    """Do what the action says, unless it cannot be done."""
    action = state["action"]
    if action is None:
        return {"observation": state["refused"]}
    number = len(state["steps"]) + 1
    if action.tool == ANSWER:
        exploration.seen.setdefault(action.key, number)
        return {"observation": _try_answer(action.arguments, exploration)}
    return {"observation": _look_up(action, number, exploration)}


def record_step(state: ExplorationState, exploration: Exploration) -> ExplorationState:
    """Keep the step, which the next thought sees."""
    action, steps = state["action"], state["steps"]
    text = action.as_prompt_text() if action else to_line(state["reply"], MAX_SHOWN_CHARACTERS // 2) or "(nothing)"
    return {"steps": (*steps, ExplorationStep(len(steps) + 1, text, state["observation"][:MAX_OBSERVATION]))}


def after_step(state: ExplorationState, exploration: Exploration) -> str:
    """End with an accepted answer, when the steps are used up, or if the model replies nothing new."""
    is_over = len(state["steps"]) >= exploration.max_steps or exploration.is_stuck
    return "end" if exploration.is_answered or is_over else "think"


def _try_answer(arguments: Mapping[str, Any], exploration: Exploration) -> str:
    exploration.attempts.schema_prompt = exploration.names.schema_prompt
    exploration.answers += 1
    problems = tuple(exploration.attempts.check_reply(arguments, {}))
    exploration.is_answered = not problems
    return " ".join(problem.sentence for problem in problems) or "accepted"


def _look_up(action: Action, number: int, exploration: Exploration) -> str:
    if number >= exploration.max_steps:
        return _LAST_STEP
    if action.key in exploration.seen:
        return (
            f"That was step {exploration.seen[action.key]}: what came of it stands there. Do something else, or answer."
        )
    exploration.seen[action.key] = number
    if "query" not in action.arguments:
        exploration.report_look(f"Step {number}: {to_line(action.as_prompt_text(), MAX_SHOWN_CHARACTERS)}")
    else:
        exploration.executed_queries += 1
        exploration.report_query(exploration.names.schema_prompt.expand_query(action.arguments["query"]))
    return observe(action, exploration.names, exploration.kg)
