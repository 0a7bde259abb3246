"""Whether stated answers are what a query gives: as sets, numbers and dates by value, IRIs with escapes or without."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from chattyshared.dialogue import Value
from chattyshared.jsonlines import to_lexical_form
from chattyshared.literals import format_number, parse_moment, parse_number
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun

ComparisonKey = tuple[str, str]

_TRUTHS = {"yes": "true", "no": "false"}


def agrees_with_gold(question: Question, query_run: QueryRun) -> bool:
    """Tell whether a question's gold is the result of its query; gold must be there.

    A table is compared row by row, whatever its columns are called and in what order they stand, and the query may
    select more columns; a list is compared with all values of the result, or with one of its columns.
    """
    rows = question.extra.get("rows")
    columns = question.extra.get("cols")
    if isinstance(rows, list) and isinstance(columns, int) and columns > 1:
        stated_rows = {_row(map(to_lexical_form, filter(None, row))) for row in rows if isinstance(row, list)}
        return _covered(stated_rows, {_row(value.value for value in row if value) for row in query_run.rows})
    stated = [{comparison_key(text) for text in texts} for texts in question.gold() or ()]
    readings = [
        query_run.values,
        *(_column(query_run, place) for place in range(len(query_run.columns) if query_run.is_table else 0)),
    ]
    return any(_same(stated, [_keys(value) for value in reading]) for reading in readings)


def comparison_key(text: str) -> ComparisonKey:
    """Return what two texts share that say the same value."""
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


def _row(texts: Iterable[str]) -> tuple[ComparisonKey, ...]:
    return tuple(sorted(comparison_key(text) for text in texts))


def _covered(stated: set[tuple[ComparisonKey, ...]], given: set[tuple[ComparisonKey, ...]]) -> bool:
    """Tell whether rows are the same but for further cells that the given ones may have."""
    if stated == given or not stated or not given:
        return stated == given
    parts = [(Counter(row), row) for row in given]
    met = {row: {other for cells, other in parts if not Counter(row) - cells} for row in stated}
    return all(met.values()) and set().union(*met.values()) == given


def _column(ran: QueryRun, place: int) -> tuple[Value, ...]:
    return tuple(dict.fromkeys(value for row in ran.rows if (value := row[place]) is not None))


def _keys(value: Value) -> set[ComparisonKey]:
    return {comparison_key(value.value)} | ({comparison_key(value.label)} if value.label else set())


def _same(stated: list[set[ComparisonKey]], given: list[set[ComparisonKey]]) -> bool:
    def covered(some: list[set[ComparisonKey]], others: list[set[ComparisonKey]]) -> bool:
        every = set().union(*others) if others else set()
        return all(one & every for one in some)

    return covered(stated, given) and covered(given, stated)
