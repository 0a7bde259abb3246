"""Gold answers that stand in a file as SPARQL 1.1 Query Results JSON, as QALD and its relatives keep them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chattyshared.formats.json_paths import JsonNode


@dataclass(frozen=True, slots=True)
class ResultTable:
    """What a result holds: ``answers``, each once; ``rows`` as well where it is a table of several ``cols``."""

    answers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    cols: int = 1

    def question_keys(self) -> dict[str, object]:
        """Return the keys that a question of ours has beside a table's answers."""
        if self.cols < 2:
            return {}
        return {"cols": self.cols, "nrows": len(self.rows), "rows": [list(row) for row in self.rows]}


def parse_sparql_results(results: Iterable[JsonNode]) -> ResultTable | None:
    """Read the list of result objects that stands as ``answers``; None if no object in it states a result.

    Published files hold one object; the rows of several are put together. An IRI may stand in angle brackets.

    Raises:
        BenchmarkInvalid: an object is no SPARQL result.
    """
    stated = [part for part in results if part.mapping() and ("boolean" in part or "results" in part)]
    if not stated:
        return None
    polar = next((part["boolean"] for part in stated if "boolean" in part), None)
    if polar is not None:
        return ResultTable((_truth(polar),))
    return parse_bindings(row for part in stated for row in part["results"]["bindings"].elements())


def parse_bindings(bindings: Iterable[JsonNode]) -> ResultTable:
    """Read the solutions of a SELECT: each once, columns in the order in which they first appear.

    Raises:
        BenchmarkInvalid: a solution is no object, or a term has no value.
    """
    rows = [{name: _term(row[name]) for name in row.mapping()} for row in bindings]
    names = tuple(dict.fromkeys(name for row in rows for name in row))
    lines = tuple(dict.fromkeys(tuple(row.get(name, "") for name in names) for row in rows))
    answers = tuple(dict.fromkeys(cell for line in lines for cell in line if cell))
    return ResultTable(answers, lines if len(names) > 1 else (), max(1, len(names)))


def _truth(part: JsonNode) -> str:
    said = part.lexical_form().casefold()
    if said not in ("true", "false"):
        raise part.wrong_type("true or false")
    return said


def _term(part: JsonNode) -> str:
    value = part["value"].lexical_form()
    is_iri = part.value.get("type") == "uri" and value.startswith("<") and value.endswith(">")
    return value[1:-1] if is_iri else value
