"""The routes about a graph itself: what is in it, what it says of a thing, and queries of the client's own."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qs

from chattyshared.errors import ConfigError, EndpointError, EndpointTimeout, UnsafeQuery
from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.analysis import parse_query_shape
from pydantic import BaseModel
from rdflib import Variable
from rdflib.query import Result as SparqlResult
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chattykg.exploration.entity_description import EntityDescription, FactGroup, describe_entity
from chattykg.exploration.graph_tools import SelectedTable, run_query
from chattykg.service.access.accounts import client_of
from chattykg.service.datasets import ServedDataset
from chattykg.service.dependencies import find_dataset, parts_of, read_body
from chattykg.service.errors import Failure, describe_failure
from chattykg.service.examples import Examples
from chattykg.service.request_pool import Work
from chattykg.service.turns import bound_texts, show_value
from chattykg.steps import AnswerProgress, StoppableEndpoint

Result = TypeVar("Result")
SHOWN_CLASSES = 12
"""Classes that the description of a graph lists."""
SHOWN_ROWS = 200
"""Rows of a client's query that are returned."""
_RESULT_TYPES = {
    "json": "application/sparql-results+json", "xml": "application/sparql-results+xml", "csv": "text/csv",
}  # fmt: skip
_GROUP_FIELDS = ("predicate", "label", "count", "is_count_exact", "is_cut", "is_metadata")


class SelectRequest(BaseModel):
    """The body of POST /select: a SELECT or ASK query, and a data set (default: the only one)."""

    sparql: str
    dataset: str = ""


async def get_graph(request: Request) -> Response:
    """Return the size, the classes and example questions of a graph; ask again while they are not complete."""
    parts = parts_of(request)
    served = find_dataset(parts, request.query_params.get("dataset", ""))
    return JSONResponse(await parts.pool.run(lambda _: _graph_to_json(served, parts.examples.of(served))))


async def get_thing(request: Request) -> Response:
    """Return what a graph states of a thing."""
    parts, given = parts_of(request), request.query_params
    served = find_dataset(parts, given.get("dataset", ""))
    description = await parts.pool.run(
        lambda progress: describe_entity(_stoppable_graph(served, progress), given.get("iri", ""))
    )
    if not description.is_stated:
        raise Failure(404, f"{served.name} states nothing of it")
    return JSONResponse(bound_texts(_description_to_json(description)))


async def select(request: Request) -> Response:
    """Run a query of the client: guarded, in a sandbox, with a row limit, and with labels."""
    body = await read_body(request, SelectRequest)
    served = find_dataset(parts_of(request), body.dataset)
    work = lambda progress: run_query(_stoppable_graph(served, progress), body.sparql, limit=SHOWN_ROWS)  # noqa: E731
    try:
        table = await _run_in_turn(request, work)
    except (UnsafeQuery, ConfigError) as error:
        raise Failure(422, describe_failure(error).detail) from error
    return JSONResponse(bound_texts(_table_to_json(table)))


async def run_protocol(request: Request) -> Response:
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
        raise Failure(400, "one query is taken, and the graph is always the whole data set")
    served = find_dataset(parts_of(request), request.path_params.get("dataset", ""))
    try:
        result = await _run_in_turn(request, partial(_run_protocol, served, parameters["query"][0]))
    except EndpointError as error:
        status = 504 if isinstance(error, EndpointTimeout) else 400
        raise Failure(status, describe_failure(error).detail) from error
    accepted = request.headers.get("accept", "")
    kind = next((kind for kind, media_type in _RESULT_TYPES.items() if media_type in accepted), "json")
    return Response(result.serialize(format=kind), media_type=_RESULT_TYPES[kind])


async def _run_in_turn(request: Request, work: Work[Result]) -> Result:
    """Run a query of a client: one after the other, and none takes the place of a question."""
    queries = parts_of(request).queries
    async with queries.hold_session(client_of(request)):
        return await queries.run(work)


def _run_protocol(served: ServedDataset, sparql: str, progress: AnswerProgress) -> SparqlResult:
    endpoint = StoppableEndpoint(served.kg.endpoint, progress).untrusted_view()
    shape = parse_query_shape(sparql)
    if shape is not None and shape.form == "ASK":
        truth = SparqlResult("ASK")
        truth.askAnswer = endpoint.ask(sparql)
        return truth
    rows, result = endpoint.select(sparql), SparqlResult("SELECT")
    names = (shape.variables if shape else ()) or dict.fromkeys(name for row in rows for name in row)
    result.vars = [Variable(name) for name in names]
    result.bindings = [{Variable(name): term for name, term in row.items()} for row in rows]
    return result


def _stoppable_graph(served: ServedDataset, progress: AnswerProgress) -> KnowledgeGraph:
    return served.kg.with_endpoint(StoppableEndpoint(served.kg.endpoint, progress))


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
    told = {name: getattr(group, name) for name in _GROUP_FIELDS}
    return {**told, "values": [show_value({one.value.value: one.class_label}, one.value) for one in group.values]}


def _table_to_json(table: SelectedTable) -> dict[str, Any]:
    rows = [[show_value({}, cell) if cell else None for cell in row] for row in table.rows]
    truth = {} if table.truth is None else {"boolean": table.truth}
    return {"columns": list(table.columns), "rows": rows, "is_cut": table.is_cut, **truth}
