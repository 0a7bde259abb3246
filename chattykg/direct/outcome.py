"""Replies and outcomes: the query that a model replies, what it gives and whether the graph states that; its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.check import Problem
from chattyshared.dialogue import Answer, LinkedTerm, Value
from chattyshared.endpoint import Row
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import is_number, parse_number, read_number, to_value
from chattyshared.model.reply_values import find_json_values
from chattyshared.sparql.analysis import analyze_query, iterate_nodes, parse_algebra, parse_query_shape
from chattyshared.sparql.rewriting import closing_bracket
from chattyshared.terms import Term
from pyparsing import ParseResults
from rdflib import BNode, Literal, URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from chattykg.direct.schema_prompt import SchemaPrompt


@dataclass(frozen=True, slots=True)
class QueryOutcome:
    """The result of a query: its text, the shape that the model announced, rows (for an ASK: ``truth``).

    ``unused`` are the words of the question that the model says the query leaves out. ``either`` are the numbers of the
    vertices of which the question does not say which one is meant; the query is that of the first. ``repairs`` names
    what was mended in the query that the model wrote.
    """

    sparql: str
    shape: str
    rows: tuple[Row, ...] = ()
    truth: bool | None = None
    unused: tuple[str, ...] = ()
    either: tuple[int, ...] = ()
    repairs: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The variables that are bound, in the order of the query."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row))

    @property
    def is_empty(self) -> bool:
        """Tell whether a SELECT gave no rows."""
        return self.truth is None and not self.rows

    @property
    def is_negative(self) -> bool:
        """Tell whether it is a no or a count of nothing, as a query gives that can match nothing."""
        is_zero = self.shape in ("count", "number") and bool(self.rows) and read_number(self.first_term()) == 0
        return self.truth is False or is_zero

    @property
    def is_numeric(self) -> bool:
        """Tell whether the first column holds numbers."""
        return bool(self.rows) and is_number(self.first_term())

    @property
    def is_nameless(self) -> bool:
        """Tell whether it has rows, and nothing but blank nodes in them."""
        return bool(self.rows) and all(isinstance(term, BNode) for row in self.rows for term in row.values())

    def first_term(self) -> Term:
        """Return the first term of the first row."""
        return next(iter(self.rows[0].values()))

    def fits_shape(self) -> bool:
        """Tell whether the first term is a number or a date, if the model announced one; either may be kept as text."""
        if self.shape not in ("count", "number", "date"):
            return True
        first = self.first_term()
        if self.shape == "date":
            return isinstance(first, Literal) and any(character.isdigit() for character in first)
        return isinstance(first, Literal) and (is_number(first) or parse_number(str(first)) is not None)

    def render_first_row(self) -> str:
        """Return the first row as the model sees it."""
        return ", ".join(f"{name} = {str(term)[:40]}" for name, term in self.rows[0].items())


def find_stated_answer(outcome: QueryOutcome) -> Problem | None:
    """Return why a result is no answer of the graph, None if it is one.

    A query without a triple pattern asks nothing of the graph. The first column, which holds the answers, must depend
    on a triple pattern, or hold things; a text or number by itself is the model's own. This is no proof: functions can
    turn any value into any text.
    """
    patterns = analyze_query(outcome.sparql).patterns
    if not patterns:
        return Problem(
            "source", "The query asks nothing of the graph: it has no triple pattern. If nothing fits, say none."
        )
    if not outcome.rows:
        return None
    column = outcome.columns[0]
    bound = {str(term) for pattern in patterns for term in pattern if isinstance(term, Variable)}
    if column in _find_grounded(parse_algebra(outcome.sparql), bound):
        return None
    told = f"?{column} holds what the query itself states ({outcome.render_first_row()}), not what the graph states"
    return Problem("source", f"{told}: select a thing or a value of the graph first. If nothing fits, say none.")


def _find_grounded(algebra: CompValue | None, bound: set[str]) -> set[str]:
    """Return the variables that depend on the graph; ``bound`` are those of triple patterns."""
    nodes = list(iterate_nodes(algebra))
    grounded = bound | {str(node["term"]) for node in nodes if node.name == "Graph"}
    for node in nodes:
        if node.name == "values":
            grounded |= {str(name) for row in node["res"] for name, term in row.items() if isinstance(term, URIRef)}
    assigned = [pair for node in nodes for pair in _assignments(node)]
    for _ in assigned:  # each round grounds one variable at least, or none is left
        found = {name for name, value in assigned if name not in grounded and _is_grounded(value, grounded)}
        if not found:
            break
        grounded |= found
    return grounded


def _assignments(node: CompValue) -> Iterator[tuple[str, Any]]:
    if node.name == "Extend":
        yield str(node["var"]), node["expr"]
    elif node.name.startswith("Aggregate_"):
        yield str(node["res"]), node["vars"]


def _is_grounded(value: Any, grounded: set[str]) -> bool:
    """Tell whether the value of an expression depends on the graph."""
    if isinstance(value, Variable):
        return str(value) in grounded
    if isinstance(value, URIRef) or value == "*":
        return True
    if not isinstance(value, CompValue):
        return isinstance(value, (list, ParseResults)) and any(_is_grounded(part, grounded) for part in value)
    if value.name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
        return True
    if value.name == "Builtin_IF":  # two texts to choose from are stated, whatever the condition
        branches = value["arg2"], value["arg3"]
        is_text = all(isinstance(branch, Literal) and not branch.datatype for branch in branches)
        return not is_text and any(_is_grounded(part, grounded) for part in (value["arg1"], *branches))
    return any(_is_grounded(part, grounded) for key, part in value.items() if key not in ("_vars", "iri"))


# -------------------------------------------------------------------------------------------------------------- replies


_FENCE = re.compile(r"```\w*\n?(.*?)(?:```|\Z)", re.DOTALL)
_START = re.compile(r"\b(?:PREFIX\s+[\w.-]*:\s*<|SELECT\b(?=[^{}]*\{)|ASK\b(?=\s*(?:WHERE\s*)?\{))", re.IGNORECASE)
_MODIFIERS = re.compile(r"(?:\s*\b(?:(?:GROUP|ORDER)\s+BY|HAVING|LIMIT|OFFSET)\b[^\n]*)*", re.IGNORECASE)
_TEXT = re.compile(r"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|<[^<>\s]*>")
_NOTE = re.compile(r"(\"(?:[^\"\\\n]|\\.)*\"|<[^<>\s]*>)|(?<=\s)#\s[^{}\n]*")
"""A note behind a pattern of the prompt, which a model copied into the middle of its line."""
_NONE = re.compile(r"\W*none\b", re.IGNORECASE)
_ASK = re.compile(r"(?:(?:PREFIX|BASE)\s+(?:[\w.-]*:\s*)?<[^<>]*>\s*)*ASK\b", re.IGNORECASE)
_SELECT_CLAUSE = re.compile(r"\bSELECT\b([^{]*)", re.IGNORECASE)


def read_reply(text: str) -> dict[str, Any] | None:
    """Return the reply that a text stands for which is not the JSON that was asked for; None if it is no reply.

    A query counts wherever it stands; what else was said around it is a hint at most.
    """
    values = [value for value in find_json_values(text) if isinstance(value, dict)]
    texts = [part for value in values for part in value.values() if isinstance(part, str)]
    for part in (*texts, *_FENCE.findall(text), text):
        if query := find_written_query(part):
            return read_bare_query(query)
    return {"shape": "none", "sparql": ""} if _NONE.match(text) else None


def read_bare_query(sparql: str) -> dict[str, Any]:
    """Return the reply that a query stands for which a model wrote without the JSON around it."""
    clause = _SELECT_CLAUSE.search(sparql)
    columns = clause[1] if clause else ""
    if is_ask(sparql):
        shape = "boolean"
    elif "count(" in columns.lower().replace(" ", ""):
        shape = "count"
    else:
        shape = "table" if len(re.findall(r"[?$]\w", columns)) > 1 else "list"
    return {"shape": shape, "sparql": sparql}


def is_ask(sparql: str) -> bool:
    """Tell whether a query is an ASK."""
    return _ASK.match(sparql) is not None


def find_written_query(text: str) -> str:
    """Return the first query in a text, with its solution modifiers and without the prose around it; "" for none.

    A query whose last brackets are missing gets them.
    """
    start = _START.search(text)
    if start is None:
        return ""
    query = _NOTE.sub(lambda match: match[1] or "", text[start.start() :])
    masked = _TEXT.sub(lambda match: "_" * len(match[0]), query)
    end = closing_bracket(masked, masked.find("{"), "{}") if "{" in masked else None
    if end is None:
        return query.strip() + " }" * (masked.count("{") - masked.count("}"))
    modifiers = _MODIFIERS.match(masked, end)
    return query[: modifiers.end() if modifiers else end].strip()


# -------------------------------------------------------------------------------------------------------------- answers


def build_outcome_answer(
    outcome: QueryOutcome, schema_prompt: SchemaPrompt, kg: KnowledgeGraph, row_limit: int, confidence: float
) -> Answer:
    """Return the answer of an outcome: an empty one if it has no rows; one request, for labels.

    Raises:
        EndpointError: the KG could not be asked.
    """
    linked: dict[str, Any] = {
        "sparql": outcome.sparql,
        "confidence": confidence,
        "entities": _linked_entities(schema_prompt, outcome.sparql),
        "relations": _linked_predicates(kg, outcome.sparql),
    }
    if outcome.is_empty:
        return Answer(without_values="empty", **linked)
    terms = {term for row in outcome.rows[:row_limit] for term in row.values() if isinstance(term, URIRef)}
    labels = kg.labels(terms) if terms else {}
    values, rows = _answer_values(outcome, labels, row_limit), _answer_rows(outcome, labels, row_limit)
    notes = [f"The query of the model was mended: {', '.join(outcome.repairs)}."] * bool(outcome.repairs)
    notes += [f"Only the first {row_limit:,} answers are given."] * (len(outcome.rows) > row_limit)
    columns, scores = outcome.columns if rows else (), (confidence,) * len(values)
    return Answer(values=values, scores=scores, rows=rows, columns=columns, notes=tuple(notes), **linked)


def _answer_values(outcome: QueryOutcome, labels: Mapping[Term, str], limit: int) -> tuple[Value, ...]:
    """Return the truth value, or the distinct terms of the first column in the order of the query."""
    if outcome.truth is not None:
        return (Value("true" if outcome.truth else "false", "boolean"),)
    first = outcome.columns[0]
    terms = dict.fromkeys(row[first] for row in outcome.rows[:limit] if first in row)
    return tuple(to_value(term, labels.get(term, "")) for term in terms)


def _answer_rows(outcome: QueryOutcome, labels: Mapping[Term, str], limit: int) -> tuple[tuple[Value, ...], ...]:
    """Return the rows if the model announced a table of several columns."""
    columns = outcome.columns
    if outcome.shape != "table" or len(columns) < 2:
        return ()
    return tuple(
        tuple(
            to_value(row[name], labels.get(row[name], "")) if name in row else Value("", "literal") for name in columns
        )
        for row in outcome.rows[:limit]
    )


def _linked_entities(schema_prompt: SchemaPrompt, sparql: str) -> tuple[LinkedTerm, ...]:
    """Return the mentioned vertices that the query uses."""
    matches = (vertex for vertex in schema_prompt.vertices if f"<{vertex.iri}>" in sparql)
    return tuple(LinkedTerm(vertex.mention, vertex.iri, vertex.label) for vertex in matches)


def _linked_predicates(kg: KnowledgeGraph, sparql: str) -> tuple[LinkedTerm, ...]:
    """Return the predicates of the query; their labels stand for the mentions, which the model does not give."""
    shape, predicates = parse_query_shape(sparql), kg.vocabulary.predicates
    matches = (predicates[iri] for iri in (shape.predicates if shape else ()) if iri in predicates)
    return tuple(LinkedTerm(entry.label, entry.iri, entry.label) for entry in matches)
