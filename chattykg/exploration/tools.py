"""The tools that look into a graph: one registry, for the agent and for programs that connect from outside."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from chattyshared.kg import KnowledgeGraph
from chattyshared.model import ToolSpec

from chattykg.exploration.class_statistics import (
    ClassPredicates,
    ValueCounts,
    count_class_predicates,
    count_values,
    find_class,
    find_predicate,
)
from chattykg.exploration.entity_description import describe_entity
from chattykg.exploration.graph_tools import (
    DescribedThing,
    FoundEntity,
    FoundVocabulary,
    SelectedTable,
    VocabularyList,
    find_thing,
    list_vocabulary,
    run_query,
    search_entities,
    search_vocabulary,
)

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class GraphTool:
    """A tool: its name for programs, a title, a description, and the JSON Schema of its arguments.

    ``agent_name`` is its name for the agent, ``summary`` the line in the agent's prompt; "" where the agent lacks it.
    """

    name: str
    title: str
    description: str
    parameters: Mapping[str, Any]
    agent_name: str = ""
    summary: str = ""

    def to_spec(self) -> ToolSpec:
        """Return the tool as the agent calls it: how much it returns is not the agent's choice."""
        properties = {key: value for key, value in self.parameters["properties"].items() if key != "limit"}
        return ToolSpec(self.agent_name, self.summary, {**self.parameters, "properties": properties})

    def with_defaults(self, arguments: Arguments) -> dict[str, Any]:
        """Return arguments together with the defaults of those that are not given."""
        properties = self.parameters["properties"]
        return {**{key: value["default"] for key, value in properties.items() if "default" in value}, **arguments}


@lru_cache(maxsize=1)
def load_tools() -> tuple[GraphTool, ...]:
    """Return all tools for programs, also the one that answers whole questions."""
    entries = json.loads(files("chattydata").joinpath("agent_tools.json").read_bytes())
    return tuple(
        GraphTool(
            entry["name"],
            entry["title"],
            entry["description"],
            entry["inputSchema"],
            entry.get("agent_name", entry["name"]) if "summary" in entry else "",
            entry.get("summary", ""),
        )
        for entry in entries
    )


def load_agent_tools() -> Mapping[str, GraphTool]:
    """Return the tools of the agent by their names there."""
    return {tool.agent_name: tool for tool in load_tools() if tool.agent_name}


def look_up(kg: KnowledgeGraph, tool: GraphTool, arguments: Arguments) -> Any:
    """Call a tool with checked arguments; return what it found, as a record.

    Raises:
        ConfigError: nothing has a name that an argument holds.
        UnsafeQuery: the guard refuses a query.
        EndpointError: the KG could not be asked, or a query failed.
    """
    return _LOOK_UPS[tool.name](kg, tool.with_defaults(arguments))


def _search_entities(kg: KnowledgeGraph, arguments: Arguments) -> tuple[FoundEntity, ...]:
    class_iri = find_class(kg, arguments["class"])
    return search_entities(kg, arguments["text"], class_iri=class_iri, limit=arguments["limit"])


def _search_predicates(kg: KnowledgeGraph, arguments: Arguments) -> FoundVocabulary | ClassPredicates:
    class_iri, text = find_class(kg, arguments["class"]), arguments["text"].strip()
    if class_iri and not text:
        return count_class_predicates(kg, class_iri)
    found = search_vocabulary(kg, text, limit=arguments["limit"])
    if not class_iri:
        return found
    near = kg.vocabulary.subclasses(class_iri) | kg.vocabulary.superclasses(class_iri)
    own = tuple(one for one in found.predicates if near & {end.iri for end in (*one.domains, *one.ranges)})
    return FoundVocabulary((), own, 0, len(own), found.is_loose) if own else count_class_predicates(kg, class_iri)


def _describe(kg: KnowledgeGraph, arguments: Arguments) -> DescribedThing:
    iri, namesakes = find_thing(kg, arguments["thing"])
    return DescribedThing(describe_entity(kg, iri, shown_values=arguments["limit"]), namesakes)


def _values(kg: KnowledgeGraph, arguments: Arguments) -> ValueCounts:
    predicate, class_iri = find_predicate(kg, arguments["predicate"]), find_class(kg, arguments["class"])
    return count_values(kg, predicate, class_iri, limit=arguments["limit"])


def _vocabulary(kg: KnowledgeGraph, arguments: Arguments) -> VocabularyList:
    return list_vocabulary(kg, arguments["words"], limit=arguments["limit"])


def _select(kg: KnowledgeGraph, arguments: Arguments) -> SelectedTable:
    return run_query(kg, arguments["query"], limit=arguments["limit"])


_LOOK_UPS: Mapping[str, Callable[[KnowledgeGraph, Arguments], Any]] = {
    "search_entities": _search_entities,
    "search_predicates": _search_predicates,
    "describe": _describe,
    "values": _values,
    "vocabulary": _vocabulary,
    "select": _select,
}
