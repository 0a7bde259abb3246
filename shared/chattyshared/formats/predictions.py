"""A system's answers in files of the field: ours, TEXT2SPARQL's answers.json and result sets, and QALD JSON."""

from __future__ import annotations

import json
from pathlib import Path

from chattyshared.answers import AnswerLine, read_answers
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.formats import text2sparql
from chattyshared.formats.detection import read_json_or_yaml
from chattyshared.formats.qald import parse_sparql_results
from chattyshared.formats.reading import JsonNode
from chattyshared.kg import KnowledgeGraph
from chattyshared.runs.runner import Runner
from chattyshared.sparql.gold_queries import run_queries
from chattyshared.sparql.repair import repair_query

_KNOWN_FORMATS = "lines of ours, answers.json or a result set of TEXT2SPARQL, or QALD JSON"


def read_predictions(
    path: Path, kg: KnowledgeGraph | None = None, *, runner: Runner | None = None
) -> tuple[AnswerLine, ...]:
    """Read a file of answers in any known format; ids are those that ``read_gold`` gives the questions.

    answers.json holds only queries: they are run on ``kg``, by ``runner`` if given. A query that fails becomes a line
    with an ``error``, an empty one a line without answers.

    Raises:
        ConfigError: the file does not exist or cannot be read, or holds only queries and ``kg`` is None.
        BenchmarkInvalid: its format is unknown, or the file breaks it.
        EndpointUnavailable: the endpoint of ``kg`` does not answer.
    """
    if _is_answer_lines(path):
        return read_answers(path)
    file = JsonNode(read_json_or_yaml(path, _KNOWN_FORMATS), str(path))
    if isinstance(file.value, list):
        return _run_answers_json(file, kg, runner)
    if "questions" in file:
        return tuple(_parse_qald_answer(item, number) for number, item in enumerate(file["questions"].elements(), 1))
    if isinstance(file.value, dict) and any(":" in name for name in file.value):
        return tuple(AnswerLine(id, answers) for id, answers in text2sparql.parse_result_set(file).items())
    raise BenchmarkInvalid(f"holds no answers in a known format: {_KNOWN_FORMATS}", file=str(path))


def _is_answer_lines(path: Path) -> bool:
    """Detect our own files by their first line, even if it is broken JSON.

    Raises:
        ConfigError: the file does not exist or cannot be read.
        BenchmarkInvalid: it is empty.
    """
    first = b""
    try:
        with path.open("rb") as file:
            first = next((line for line in file if line.strip(b" \t\r\n\xef\xbb\xbf")), b"")
        if not first:
            raise BenchmarkInvalid("the file is empty", file=str(path))
        value = json.loads(first.decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from error
    except (ValueError, RecursionError):
        line = first.strip(b" \t\r\n\xef\xbb\xbf")
        return line.startswith(b"{") and line.endswith(b"}")
    return isinstance(value, dict) and "id" in value


def _parse_qald_answer(item: JsonNode, number: int) -> AnswerLine:
    """Parse one question of a QALD file with a system's answer; without a result the line has no answers."""
    result = parse_sparql_results(item["answers"].elements())
    sparql = item["query"]["sparql"].text(is_required=False) if "query" in item else ""
    if result is None:
        return AnswerLine(item["id"].id(number), sparql=sparql)
    return AnswerLine(item["id"].id(number), result.answers, sparql=sparql, rows=result.rows)


def _run_answers_json(file: JsonNode, kg: KnowledgeGraph | None, runner: Runner | None) -> tuple[AnswerLine, ...]:
    """Run the queries of answers.json: a list of objects with a query and the question's qualified name."""
    if kg is None:
        raise ConfigError(f"{file.file}: holds queries and no answers: name the graph that they are to be run on")
    lines: list[AnswerLine] = []
    named_queries = [
        (item["qname"].text(), repair_query(item["query"].text(is_required=False))) for item in file.elements()
    ]
    results = iter(
        run_queries([query.text for _, query in named_queries if query.text and not query.fault], kg, runner)
    )
    for id, query in named_queries:
        run = next(results) if query.text and not query.fault else None
        failure = (query.fault or (run.failure if run else "")) if query.text else ""
        values = run.values if run else ()
        lines.append(
            AnswerLine(
                id,
                tuple(value.value for value in values),
                tuple(value.label or value.value for value in values),
                sparql=query.text,
                error=failure,
            )
        )
    return tuple(lines)
