"""The actions of the agent: a call of a tool as JSON, its checks, and what it looks up in the graph."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from chattyshared.check import Problem, make_schema_check
from chattyshared.errors import QUERY_ERRORS, ConfigError
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import ToolSpec
from chattyshared.option_specs import did_you_mean
from chattyshared.prompt import load_prompt

from chattykg.direct.empty_results import explain_empty_result
from chattykg.direct.mismatches import unknown_terms
from chattykg.exploration.graph_names import MAX_TEXT_CHARACTERS, GraphNames, to_line
from chattykg.exploration.graph_tools import SelectedTable, check_length
from chattykg.exploration.observations import Record, render_observation
from chattykg.exploration.tools import GraphTool, load_agent_tools, look_up

ANSWER = "answer"
"""The tool that ends an exploration; its arguments are a reply of the direct strategy."""
MAX_SHOWN_CHARACTERS = 600
"""Characters of an action that are shown again."""
_THOUGHT_FIELDS = ("thought", "tool", "arguments")


@dataclass(frozen=True, slots=True)
class Action:
    """A call of a tool."""

    tool: str
    arguments: Mapping[str, Any]

    @property
    def key(self) -> str:
        """A text that equal actions share, whatever their blanks."""
        arguments = {name: " ".join(v.split()) if isinstance(v, str) else v for name, v in self.arguments.items()}
        return json.dumps([self.tool, {k: v for k, v in arguments.items() if v not in ("", [])}], sort_keys=True)

    def as_prompt_text(self) -> str:
        """Return the action in one line."""
        arguments = json.dumps(self.arguments, ensure_ascii=False)
        return f"{self.tool} {arguments[:MAX_SHOWN_CHARACTERS]}"


def read_action(value: Any) -> Action:
    """Return the action that a reply states: its arguments stand in one object, or beside the tool."""
    arguments = value.get("arguments")
    if arguments is None:
        arguments = {name: part for name, part in value.items() if name not in _THOUGHT_FIELDS}
    return Action(value["tool"], arguments)


def check_action(value: Any, _: Mapping[str, Any], *, tools: Sequence[ToolSpec] = ()) -> Iterator[Problem]:
    """Yield why a reply is no call of a tool, by default of any (a check of the agent)."""
    action, specs = read_action(value), {spec.name: spec for spec in tools or action_specs()}
    if action.tool not in specs:
        hint = did_you_mean(action.tool, list(specs), list_known=True)
        yield Problem("tool", f"There is no tool {action.tool[:80]!r}{hint}" + ("" if hint.endswith("?") else "."))
        return
    for problem in make_schema_check(specs[action.tool].parameters)(action.arguments):
        yield Problem("arguments", f"{action.tool}: {problem.sentence}")


@lru_cache(maxsize=1)
def action_specs() -> tuple[ToolSpec, ...]:
    """Return all tools as the agent calls them, the answer first."""
    reply_schema = load_prompt("answer/direct").schema
    answer = ToolSpec(ANSWER, "the query that answers the question; this ends the search", reply_schema)
    return (answer, *(tool.to_spec() for tool in load_agent_tools().values()))


def observe(action: Action, names: GraphNames, kg: KnowledgeGraph) -> str:
    """Look up what an action asks for; return it as text, also what is wrong with the action.

    Raises:
        EndpointUnavailable: the KG could not be asked.
    """
    tools = load_agent_tools()
    try:
        record: Record = look_up(kg, *_expand_action(action, tools, names, kg))
        text = render_observation(record, names, kg)
        return f"{text}\n{_explain_empty(record, names, kg)}".strip()
    except _UnknownTerms as error:
        return str(error)
    except ConfigError as error:
        return f"This cannot be looked up: {_to_sentence(error)}"
    except QUERY_ERRORS as error:
        return f"The query cannot be run: {_to_sentence(error)}"


class _UnknownTerms(Exception):
    """A query has names that the graph does not have."""


def _expand_action(
    action: Action, tools: Mapping[str, GraphTool], names: GraphNames, kg: KnowledgeGraph
) -> tuple[GraphTool, dict[str, Any]]:
    """Return the tool of an action and its arguments with IRIs for names; a class or predicate describes its use."""
    arguments = {key: names.expand(text) for key, text in action.arguments.items() if key not in ("query", "text")}
    if "text" in action.arguments:
        arguments["text"] = action.arguments["text"]
    if "query" in action.arguments:
        check_length(action.arguments["query"])
        arguments["query"] = names.schema_prompt.expand_query(action.arguments["query"])
        if unknown := unknown_terms(arguments["query"], names.schema_prompt, kg):
            raise _UnknownTerms(
                f"The graph has no {', '.join(to_line(term, MAX_TEXT_CHARACTERS) for term in unknown[:4])}."
            )
    thing = arguments.get("thing", "").strip("<>")
    if thing in kg.vocabulary.classes:
        return tools["search_predicates"], {"class": thing}
    if thing in kg.vocabulary.predicates:
        return tools["values"], {"predicate": thing}
    return tools[action.tool], arguments


def _explain_empty(record: Record, names: GraphNames, kg: KnowledgeGraph) -> str:
    if isinstance(record, SelectedTable) and record.truth is None and not record.rows:
        return explain_empty_result(record.query, names.schema_prompt, kg)
    return ""


def _to_sentence(error: Exception) -> str:
    return f"{' '.join(str(error).split())[:300]}."
