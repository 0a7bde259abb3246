"""Gold answers as SPARQL 1.1 Query Results JSON, as in QALD and similar formats."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chattyshared.formats.json_paths import JsonNode


@dataclass(frozen=True, slots=True)
class ResultTable:
    """The values of a result: ``answers``, each once, and ``rows`` if it has several columns (``cols``)."""

    answers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    cols: int = 1

    def question_keys(self) -> dict[str, object]:
        """Return the further keys of our questions whose answers are a table."""
        if self.cols < 2:
            return {}
        return {"cols": self.cols, "nrows": len(self.rows), "rows": [list(row) for row in self.rows]}


def parse_sparql_results(results: Iterable[JsonNode]) -> ResultTable | None:
    """Parse the list of result objects under ``answers``; None if no object in it holds a result.

    Published files hold one object; the rows of several are concatenated. An IRI may have angle brackets.

    Raises:
        BenchmarkInvalid: an object is no SPARQL result.
    """
    with_result = [node for node in results if node.mapping() and ("boolean" in node or "results" in node)]
    if not with_result:
        return None
    boolean = next((node["boolean"] for node in with_result if "boolean" in node), None)
    if boolean is not None:
        return ResultTable((_parse_boolean(boolean),))
    return parse_bindings(row for node in with_result for row in node["results"]["bindings"].elements())


def parse_bindings(bindings: Iterable[JsonNode]) -> ResultTable:
    """Parse the solutions of a SELECT, each once; columns are in the order of their first appearance.

    Raises:
        BenchmarkInvalid: a solution is no object, or a term has no value.
    """
    rows = [{name: _parse_term(row[name]) for name in row.mapping()} for row in bindings]
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    distinct_rows = tuple(dict.fromkeys(tuple(row.get(name, "") for name in names) for row in rows))
    answers = tuple(dict.fromkeys(cell for line in distinct_rows for cell in line if cell))
    return ResultTable(answers, distinct_rows if len(names) > 1 else (), max(1, len(names)))


def _parse_boolean(node: JsonNode) -> str:
    text = node.lexical_form().casefold()
    if text not in ("true", "false"):
        raise node.wrong_type("true or false")
    return text


def _parse_term(node: JsonNode) -> str:
    value = node["value"].lexical_form()
    is_iri = node.value.get("type") == "uri" and value.startswith("<") and value.endswith(">")
    return value[1:-1] if is_iri else value
