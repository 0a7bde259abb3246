"""The rule model's answer to ``generate/query``: the shown triples and conditions, under the head of the form."""

from __future__ import annotations

from typing import Any

from chattyshared.model import Request

from chattygen.rulebook.naming import unordered_query


def query(request: Request) -> dict[str, Any]:
    """Write the query of a question; an order that stands below its triples comes last."""
    *_, last = str(request.variables["triples"]).splitlines()
    sparql = str(unordered_query(request)["sparql"])
    if "?x" not in sparql.partition("{")[2]:
        return {"sparql": f"ASK {sparql[sparql.index('{') :]}"}
    if not last.startswith("ORDER BY "):
        return {"sparql": sparql}
    return {"sparql": f"{sparql.replace('DISTINCT ?x', '?x', 1)} {last}"}
