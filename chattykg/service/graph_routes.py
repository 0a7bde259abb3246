"""The routes about a graph itself: what is in it, what it says of a thing, and queries of the client's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import parse_qs

from chattyshared.errors import ConfigError, EndpointError, EndpointTimeout, UnsafeQuery
from chattyshared.sparql.analysis import parse_query_shape
from fastapi import APIRouter, HTTPException, Request, Response
from rdflib import Variable
from rdflib.query import Result

from chattykg.exploration.entity_description import EntityDescription, FactGroup, describe_entity
from chattykg.exploration.graph_tools import SelectedTable, run_query
from chattykg.service.access.accounts import client_of
from chattykg.service.datasets import ServedDataset
from chattykg.service.dependencies import find_dataset, make_encodable, parts_of
from chattykg.service.examples import Examples
from chattykg.service.turns import show_value
from chattykg.steps import AnswerProgress, StoppableEndpoint

SHOWN_CLASSES = 12
"""Classes that the description of a graph lists."""
SHOWN_ROWS = 200
"""Rows of a client's query that are returned."""
router = APIRouter()


@dataclass(frozen=True)
class SelectRequest:
    """The body of POST /select: a SELECT or ASK query, and a data set (default: the only one)."""

    sparql: str
    dataset: str = ""


@router.get("/graph")
async def get_graph(request: Request, dataset: str = "") -> dict[str, Any]:
    """Return the size, the classes and example questions of a graph; ask again while they are not complete."""
    parts = parts_of(request)
    served = find_dataset(parts, dataset)
    return await parts.pool.run(lambda _: _graph_to_json(served, parts.examples.of(served)))


@router.get("/thing")
async def get_thing(request: Request, iri: str, dataset: str = "") -> dict[str, Any]:
    """Return what a graph states of a thing."""
    parts = parts_of(request)
    served = find_dataset(parts, dataset)
    description = await parts.pool.run(partial(_describe, served, make_encodable(iri)))
    if not description.is_stated:
        raise HTTPException(404, f"{served.name} states nothing of it")
    return _description_to_json(description)


@router.post("/select")
async def select(request: Request, body: SelectRequest) -> dict[str, Any]:
    """Run a query of the client: guarded, in a sandbox, with a row limit, and with labels.

    Queries of one client run one after the other, and none takes the place of a question.
    """
    parts = parts_of(request)
    served = find_dataset(parts, body.dataset)
    try:
        async with parts.queries.hold_session(client_of(request)):
            table = await parts.queries.run(partial(_select, served, make_encodable(body.sparql)))
    except (UnsafeQuery, ConfigError) as error:
        raise HTTPException(422, " ".join(str(error).split())[:500]) from error
    return _table_to_json(table)


@router.api_route("/sparql", methods=["GET", "POST"])
@router.api_route("/sparql/{dataset:path}", methods=["GET", "POST"])
async def run_protocol(request: Request, dataset: str = "") -> Response:
    """Run a query in SPARQL 1.1 Protocol, as ``select`` does, but with all rows up to the row limit of the graph.

    The result is in JSON, or in XML or CSV where the client accepts only that.
    """
    body = (await request.body()).decode("utf-8", "replace")
    parameters = parse_qs(request.url.query)
    if request.headers.get("content-type", "").startswith("application/sparql-query"):
        parameters["query"] = [body]
    elif request.method == "POST":
        parameters |= parse_qs(body)
    if len(parameters.get("query", ())) != 1 or {"default-graph-uri", "named-graph-uri"} & parameters.keys():
        raise HTTPException(400, "one query is taken, and the graph is always the whole data set")
    parts = parts_of(request)
    served = find_dataset(parts, dataset)
    try:
        async with parts.queries.hold_session(client_of(request)):
            result = await parts.queries.run(partial(_run_protocol, served, make_encodable(parameters["query"][0])))
    except EndpointError as error:
        status = 504 if isinstance(error, EndpointTimeout) else 400
        raise HTTPException(status, " ".join(str(error).split())[:500]) from error
    accepted = request.headers.get("accept", "")
    kinds = (
        ("json", "application/sparql-results+json"),
        ("xml", "application/sparql-results+xml"),
        ("csv", "text/csv"),
    )
    kind, media_type = next((pair for pair in kinds if pair[1] in accepted), kinds[0])
    return Response(result.serialize(format=kind), media_type=media_type)


def _run_protocol(served: ServedDataset, sparql: str, progress: AnswerProgress) -> Result:
    endpoint = StoppableEndpoint(served.kg.endpoint, progress).untrusted_view()
    shape = parse_query_shape(sparql)
    if shape is not None and shape.form == "ASK":
        truth = Result("ASK")
        truth.askAnswer = endpoint.ask(sparql)
        return truth
    rows, result = endpoint.select(sparql), Result("SELECT")
    names = (shape.variables if shape else ()) or dict.fromkeys(name for row in rows for name in row)
    result.vars = [Variable(name) for name in names]
    result.bindings = [{Variable(name): term for name, term in row.items()} for row in rows]
    return result


def _describe(served: ServedDataset, iri: str, progress: AnswerProgress) -> EntityDescription:
    return describe_entity(served.kg.with_endpoint(StoppableEndpoint(served.kg.endpoint, progress)), iri)


def _select(served: ServedDataset, sparql: str, progress: AnswerProgress) -> SelectedTable:
    return run_query(served.kg.with_endpoint(StoppableEndpoint(served.kg.endpoint, progress)), sparql, limit=SHOWN_ROWS)


def _graph_to_json(served: ServedDataset, examples: Examples) -> dict[str, Any]:
    classes = [{"iri": one.iri, "label": one.label, "count": one.count} for one in served.kg.types()[:SHOWN_CLASSES]]
    return {
        **served.to_json(),
        "classes": classes,
        "examples": list(examples.questions),
        "is_complete": examples.is_complete,
    }


def _description_to_json(description: EntityDescription) -> dict[str, Any]:
    named = {name: [show_value({}, v) for v in getattr(description, name)] for name in ("names", "classes", "texts")}
    facts = {name: list(map(_group_to_json, getattr(description, name))) for name in ("outgoing", "incoming")}
    return {"iri": description.iri, "label": description.label, **named, **facts, "is_cut": description.is_cut}


def _group_to_json(group: FactGroup) -> dict[str, Any]:
    return {
        "predicate": group.predicate,
        "label": group.label,
        "count": group.count,
        "is_count_exact": group.is_count_exact,
        "is_cut": group.is_cut,
        "is_metadata": group.is_metadata,
        "values": [show_value({one.value.value: one.class_label}, one.value) for one in group.values],
    }


def _table_to_json(table: SelectedTable) -> dict[str, Any]:
    rows = [[show_value({}, cell) if cell else None for cell in row] for row in table.rows]
    truth = {} if table.truth is None else {"boolean": table.truth}
    return {"columns": list(table.columns), "rows": rows, "is_cut": table.is_cut, **truth}
