"""The comparison of results: what a file states, what its query gives, and what the query gives elsewhere.

Answers are sets; numbers and dates are compared by value, IRIs of a file with or without escapes.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from urllib.parse import unquote

from rdflib import URIRef

from chattyshared.dialogue import Turn, Value
from chattyshared.jsonlines import to_json_line, to_lexical_form
from chattyshared.literals import DAY, format_number, parse_boolean, parse_moment, parse_number
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun
from chattyshared.terms import DATE_DATATYPES, is_writable

ComparisonKey = tuple[str, str]

_TRUTHS = {"yes": "true", "no": "false"}


def answer_key(value: Value) -> ComparisonKey:
    """Return a key that is equal for equal answers of one graph: the kind and the value, a number by its value."""
    number = parse_number(value.value) if value.kind == "number" else None
    return (value.kind, value.value) if number is None else ("number", format_number(number))


def compare_answers(
    stated: Iterable[Value], given: Iterable[Value], key: Callable[[Value], Hashable] = answer_key
) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    """Return the stated answers that are not given, and the given ones that are not stated; both are empty if the
    answers are the same, in any order. ``key`` is equal for equal answers."""
    stated_by_key, given_by_key = ({key(value): value for value in values} for values in (stated, given))
    missing = tuple(value for each, value in stated_by_key.items() if each not in given_by_key)
    return missing, tuple(value for each, value in given_by_key.items() if each not in stated_by_key)


def gold_values(turn: Turn, query_run: QueryRun) -> tuple[Value, ...]:
    """Return the values of a result as the gold of a turn states them: a literal that is a boolean is a literal, and
    what a yes-no question about something unknown gives is no answer."""
    if turn.sparql.lstrip().upper().startswith("ASK") or turn.form == "boolean":
        return () if not turn.answerable and is_no(query_run.values) else query_run.values
    return tuple(replace(value, kind="literal") if value.kind == "boolean" else value for value in query_run.values)


def is_no(values: Iterable[Value]) -> bool:
    """Tell whether values are the answer "no" alone."""
    return [(value.kind, value.value) for value in values] == [("boolean", "false")]


def agrees_with_gold(question: Question, query_run: QueryRun) -> bool:
    """Tell whether a question's gold equals the result of its query; the question must have gold.

    A table is compared row by row, ignoring the names and the order of its columns, and the query may select more
    columns; a list is compared with all values of the result, or with one of its columns.
    """
    rows = question.extra.get("rows")
    columns = question.extra.get("cols")
    if isinstance(rows, list) and isinstance(columns, int) and columns > 1:
        stated_rows = {_row_key(map(to_lexical_form, filter(None, row))) for row in rows if isinstance(row, list)}
        return _rows_match(stated_rows, {_row_key(value.value for value in row if value) for row in query_run.rows})
    stated = [{comparison_key(text) for text in texts} for texts in question.gold() or ()]
    columns_of_table = range(len(query_run.columns) if query_run.is_table else 0)
    candidates = [query_run.values, *([row[index] for row in query_run.rows] for index in columns_of_table)]
    return any(_values_match(stated, [_value_keys(value) for value in candidate if value]) for candidate in candidates)


def states_result(question: Question, query_run: QueryRun) -> bool:
    """Tell whether a question's gold is the result of its query; "no" is that of an unanswerable yes-no question."""
    is_unanswerable = question.extra.get("answerable") is False
    return (is_unanswerable and is_no(query_run.values)) or agrees_with_gold(question, query_run)


def comparison_key(text: str) -> ComparisonKey:
    """Return a key that is equal for two texts of the same value."""
    text = text.strip()
    number, moment = parse_number(text), parse_moment(text)
    if number is not None:
        return "number", format_number(number)
    if moment is not None and moment.is_midnight:
        return "date", str(moment.local_start[0])
    if "://" in text or text.startswith("urn:"):
        return "iri", unquote(text)
    folded = " ".join(unicodedata.normalize("NFC", text).casefold().split())
    return "text", _TRUTHS.get(folded, folded)


def is_blank(value: Value) -> bool:
    """Tell whether a value of a result is a blank node; Virtuoso gives them IRIs of its own scheme."""
    return value.kind == "iri" and (not is_writable(value.value) or value.value.startswith("nodeID:"))


def result_rows(query_run: QueryRun) -> tuple[tuple[ComparisonKey, ...], ...]:
    """Return the rows of a result in an order and a form that all engines share.

    Numbers, dates and booleans are told apart by value, texts as they are written; blank nodes are all alike, so equal
    rows that hold one are kept.
    """
    rows = list(map(row_key, query_run.rows))
    blank = result_key(Value("", "iri"))
    return tuple(sorted((*{row for row in rows if blank not in row}, *(row for row in rows if blank in row))))


def row_key(row: Iterable[Value | None]) -> tuple[ComparisonKey, ...]:
    """Return a key that is equal for equal rows of two engines."""
    return tuple(("", "") if value is None else result_key(value) for value in row)


def result_digest(query_run: QueryRun) -> str:
    """Return the digest of a result set, equal for equal sets of any engine."""
    return hashlib.sha256(to_json_line(result_rows(query_run)).encode(errors="backslashreplace")).hexdigest()[:16]


def result_key(value: Value) -> ComparisonKey:
    """Return a key that is equal for equal values of two engines."""
    if value.kind == "iri":
        return ("blank", "") if is_blank(value) else ("iri", value.value)
    if value.kind == "boolean":
        truth = parse_boolean(value.value)
        return "boolean", value.value if truth is None else str(truth).lower()
    if value.kind == "number":
        return comparison_key(value.value)
    moment = parse_moment(value.value) if URIRef(value.datatype) in DATE_DATATYPES else None
    if moment is not None and moment.precision >= DAY:
        return "date", f"{moment.start[0]} {format_number(moment.start[1])}"
    return f"text {value.lang.casefold()}".strip(), value.value


def _row_key(texts: Iterable[str]) -> tuple[ComparisonKey, ...]:
    return tuple(sorted(comparison_key(text) for text in texts))


def _rows_match(gold_rows: set[tuple[ComparisonKey, ...]], result_rows: set[tuple[ComparisonKey, ...]]) -> bool:
    """Tell whether rows are equal, except for additional cells in the result's."""
    if gold_rows == result_rows or not gold_rows or not result_rows:
        return gold_rows == result_rows
    cell_counts = [(Counter(row), row) for row in result_rows]
    matches = {row: {row_key for cells, row_key in cell_counts if not Counter(row) - cells} for row in gold_rows}
    return all(matches.values()) and set().union(*matches.values()) == result_rows


def _value_keys(value: Value) -> set[ComparisonKey]:
    return {comparison_key(value.value)} | ({comparison_key(value.label)} if value.label else set())


def _values_match(gold: list[set[ComparisonKey]], result: list[set[ComparisonKey]]) -> bool:
    def covered(values: list[set[ComparisonKey]], others: list[set[ComparisonKey]]) -> bool:
        all_keys = set().union(*others) if others else set()
        return all(keys & all_keys for keys in values)

    return covered(gold, result) and covered(result, gold)
