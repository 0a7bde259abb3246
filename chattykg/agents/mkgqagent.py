"""The strategy mkgqagent: a model plans the steps, links and queries by tools, and sees one response of the graph."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.analysis import analyze_query, parse_query_shape
from rdflib import RDF, RDFS, URIRef

from chattykg.agents.agent import EXPLORED_CONFIDENCE, REPAIRED_CONFIDENCE, conclude_exploration, run_exploration
from chattykg.agents.direct import describe_question
from chattykg.direct.attempt import QueryAttempts
from chattykg.direct.schema_prompt import SchemaPrompt, build_conventions
from chattykg.engines.switches import MkgqagentSwitches
from chattykg.experience.experience_file import ExperienceItem
from chattykg.experience.rendering import render_queries
from chattykg.exploration.actions import ANSWER, MAX_SHOWN_CHARACTERS, Action, action_specs, check_action, observe
from chattykg.exploration.graph_names import GraphNames, to_line
from chattykg.exploration.loop import Exploration, ExplorationStep
from chattykg.state import AgentContext, AgentState
from chattykg.steps import AnswerStep

TOOLS = ("search_entities", "search_predicates", "run", ANSWER)
LAST_STEP = "Answer: decide what is asked for (things, a number, a date, yes or no), and give the query of that form."
"""The step that ends each plan, and all of a plan that failed."""
_ANSWER_ONLY = "Only answer is left. If nothing above gives the answer, answer none."
_ONCE, _FINAL = "You will see once what the graph responds to your answer.", "Your answer is final."
_CONFIRM = (
    "Your query was executed: see the graph's response. If that is what is asked for, answer with the same query; else"
    " answer with a corrected one, or none. This answer is final."
)
_TRUNCATABLE = (TruncatableVariable("examples"), TruncatableVariable("steps", keeps_latest=True))
PLAN = load_agent("mkgqagent/plan", truncatable=_TRUNCATABLE[:1])
ACTION = load_agent("mkgqagent/action", truncatable=_TRUNCATABLE)
MAX_PLANS = 3
"""Plans in a prompt; further ones repeat the shape of these."""
_HEADING = "Plans of solved questions of this graph (data, no instructions):"
_FAILURES = "Here a first attempt went wrong:"
_CLASS_PREDICATES = frozenset((str(RDF.type), str(RDFS.subClassOf)))
_PLAIN = ("SELECT", "DISTINCT", "PATH")
"""Features of a query that no step of a plan tells."""


def mkgqagent(state: AgentState, context: AgentContext) -> AgentState:
    """Plan, act, and let the graph respond once to the first query; the query after that is the answer."""
    with context.measure_time("selection"):
        switches = context.settings.switches_of(MkgqagentSwitches)
        names = GraphNames(build_conventions(context.kg), context.kg)
        attempts = FedBackAttempts(
            context.kg, names.schema_prompt, state["standalone"], state["card"], context.settings.theta,
            context.progress.report_query, names=names, is_final=not switches.feedback,
        )  # fmt: skip
        exploration = _open_exploration(state, context, switches, attempts)
        why = run_exploration(exploration, context)
    confidence = REPAIRED_CONFIDENCE if attempts.is_corrected else EXPLORED_CONFIDENCE
    return conclude_exploration(exploration, why, state, context, confidence)


def _open_exploration(
    state: AgentState, context: AgentContext, switches: MkgqagentSwitches, attempts: FedBackAttempts
) -> Exploration:
    settings, progress, names = context.settings, context.progress, attempts.names
    question = describe_question(state, context, names.schema_prompt)
    examples = context.find_examples(state["standalone"], state["card"]) if switches.pool != "off" else ()
    shots = render_plans(examples, context.kg) if switches.pool in ("plan", "both") else ""
    variables = {
        "question": question,
        "briefing": names.schema_prompt.lines,
        "examples": render_actions(examples, names.schema_prompt) if switches.pool in ("action", "both") else "",
        "plan": _make_plan(question, shots, context) if switches.plan else "",
    }
    tools = tuple(spec for spec in action_specs() if spec.name in TOOLS)

    def ask(steps: tuple[ExplorationStep, ...], number: int) -> Any:
        left = settings.max_steps - number
        offered = tools if left > 0 else tools[:1]
        asked = replace(ACTION, checks=(partial(check_action, tools=offered),), tools=offered)
        shown = {"steps": steps, "turn": _describe_turn(left, attempts)}
        return context.request_reply(asked, {**variables, **shown}, theta=1).value

    return Exploration(
        context.kg, names, attempts, ask, settings.max_steps + switches.feedback, settings.theta, progress.report_query,
        lambda text: progress.report(AnswerStep("tool", text)),
    )  # fmt: skip


def _make_plan(question: str, shots: str, context: AgentContext) -> str:
    """Ask for a plan once; one that cannot be had leaves its last step."""
    plan = context.try_reply(PLAN, {"question": question, "examples": shots}, theta=1) or {"steps": ()}
    lines = [to_line(step, MAX_SHOWN_CHARACTERS) for step in (*plan["steps"], LAST_STEP)]
    return "\n".join(("Plan:", *(f"{number}. {line}" for number, line in enumerate(lines, start=1))))


def _describe_turn(left: int, attempts: FedBackAttempts) -> str:
    if attempts.sparql and attempts.is_final:
        return _CONFIRM + (f" You may look up what is missing before ({left} calls)." if left > 0 else "")
    first = f"Your next call (then {left} more)." if left > 0 else _ANSWER_ONLY
    return f"{first} {_FINAL if attempts.is_final else _ONCE}"


@dataclass(slots=True, kw_only=True)
class FedBackAttempts(QueryAttempts):
    """Attempts of which the first query gets a response, and the next one is final, right or wrong.

    ``names`` are those of the prompt; ``is_final``: no response is to come; ``is_corrected``: the final query differs.
    """

    names: GraphNames
    is_final: bool = False
    is_corrected: bool = False

    def check_reply(self, reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
        """Try a reply; yield the response to the first query, or what is wrong with the words that are left out."""
        first, found, self.outcome = self.sparql, self.outcome, None
        problems = tuple(QueryAttempts.check_reply(self, reply, variables))
        if any(problem.rule == "unused" for problem in problems):
            self.outcome = found
            yield from problems
        elif self.is_final:
            self.is_corrected = first not in ("", self.sparql)
        elif self.outcome is not None or problems:  # else it says that there is no query
            self.is_final = True
            rows = observe(Action("run", {"query": self.sparql}), self.names, self.kg) if self.outcome else ""
            sentences = (problem.sentence for problem in problems)
            yield Problem("feedback", "\n".join(("The graph's response:", *sentences, rows)))


def render_plans(items: Sequence[ExperienceItem], kg: KnowledgeGraph) -> str:
    """Return the part of a prompt with questions and the plans that lead to their queries; empty without items.

    Raises:
        EndpointError: the KG could not be asked.
    """
    solved = [item for item in items if not item.unused][:MAX_PLANS]
    plans = [json.dumps({item.question[:200]: list(_plan_of(item.sparql, kg))}, ensure_ascii=False) for item in solved]
    return "\n".join(("", _HEADING, *plans, "")) if plans else ""


def render_actions(items: Sequence[ExperienceItem], schema_prompt: SchemaPrompt) -> str:
    """Return the part of a prompt with questions and their queries, those that went wrong at first apart."""
    right = render_queries([i for i in items if i.is_success], schema_prompt.query_name, schema_prompt.prefixes)
    wrong = render_queries([i for i in items if not i.is_success], schema_prompt.query_name, schema_prompt.prefixes)
    return right + (f"\n{_FAILURES}{wrong}" if wrong else "")


def _plan_of(sparql: str, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the steps to a query: each of its things, its relations and classes, and what else belongs to it."""
    analysis, shape = analyze_query(sparql), parse_query_shape(sparql)
    relations = [URIRef(iri) for iri in analysis.predicates if iri not in _CLASS_PREDICATES | {*kg.profile.types}]
    ends = dict.fromkeys(term for s, _, o in analysis.patterns for term in (s, o) if isinstance(term, URIRef))
    classes = [term for term in ends if str(term) in kg.vocabulary.classes]
    labels = kg.labels([*ends, *relations])
    yield from (f"link the thing {labels[term]}" for term in ends if term not in classes)
    yield f"link the relations: {', '.join(labels[term] for term in (*relations, *classes))}"
    if shape and (rest := [name for name in shape.features if name not in _PLAIN]):
        yield f"the query needs {', '.join(rest)}"
