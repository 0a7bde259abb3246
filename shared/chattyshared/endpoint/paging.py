"""Long results of servers in pages, and the rows that a server gives at most without saying so."""

from __future__ import annotations

import logging
import math
import re
from collections.abc import Callable

from chattyshared.endpoint import Row
from chattyshared.errors import EndpointError, EndpointUnavailable, QueryRejected, ResultCut
from chattyshared.literals import read_count

_log = logging.getLogger(__name__)
_UNSUSPICIOUS_ROWS = 7
"""Rows that every server is taken to give."""
_MIN_PROBED_ROWS, _MAX_PROBED_ROWS = 100, 100_000
_USUAL_LIMITS = (10_000, 1_000, 100)
_TRAILING_LIMIT = re.compile(r"(?:\s+limit\s+(?P<limit>\d+))?(?:\s+offset\s+(?P<offset>\d+))?\s*$", re.IGNORECASE)
_UNPAGEABLE = re.compile(r"\boffset\s+\d+\s+limit\s+\d+\s*$|\bvalues\s*\S+\s*\{[^{}]*\}\s*$|#[^\n]*$", re.IGNORECASE)
_IRI_OR_STRING = re.compile(r"""<[^<>\s]*>|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_PROLOGUE = re.compile(r"\s*(?:(?:prefix\s+\S*\s*<[^>]*>|base\s*<[^>]*>)\s*)*", re.IGNORECASE)


class RowCap:
    """The rows that a server gives at most: it cuts longer results without a word, or refuses a larger LIMIT.

    Both are found when they matter, by queries that need no data: when a result is longer than all before, and when a
    query is refused. ``select`` sends a query as it is.
    """

    def __init__(self, select: Callable[[str], list[Row]], name: str) -> None:
        self._select, self._name = select, name
        self._cap = self._largest_limit = math.inf
        self._probed_rows: float = _UNSUSPICIOUS_ROWS
        self._knows_limits = False

    def select(self, query: str) -> list[Row]:
        """Return all rows of a query.

        Raises:
            ResultCut: the server gives only the first rows; ``fetch_pages`` fetches all.
            EndpointError: ``select`` raises it.
        """
        end = _TRAILING_LIMIT.search(query)
        limit = math.inf if end is None or end["limit"] is None else int(end["limit"])
        sent_limit = min(limit, self._largest_limit)
        is_shortened = end is not None and sent_limit < limit and _is_pageable(query)
        try:
            rows = self._select(
                f"{query[: end.start()]} LIMIT {sent_limit:.0f} OFFSET {end['offset'] or 0}"
                if end and is_shortened
                else query
            )
        except QueryRejected as error:
            message = re.sub(r"^: HTTP \d+", "", str(error).removeprefix(self._name))
            if self._knows_limits or not self._find_largest_limit(limit, message):
                raise
            return self.select(query)
        if len(rows) < limit and len(rows) >= min(sent_limit, self._find_cap(len(rows))):
            message = f"the server gives {len(rows):,} rows at most; the answer is not whole"
            raise ResultCut(message, endpoint=self._name, query=query, rows=len(rows))
        return rows

    def _find_cap(self, rows: int) -> float:
        """Return the most rows that the server gives, after a result of so many."""
        if rows > self._probed_rows and self._cap == math.inf:
            wanted = max(10 ** len(str(rows)), _MIN_PROBED_ROWS)
            self._probed_rows = min(wanted, _MAX_PROBED_ROWS, self._largest_limit)
            try:
                given = len(self._select(rows_query(int(self._probed_rows))))
            except EndpointUnavailable:
                raise
            except EndpointError as error:
                _log.warning("%s: it is unknown whether the server cuts long answers (%s)", self._name, error)
            else:
                self._cap = given if given < self._probed_rows else math.inf
        return self._cap

    def _find_largest_limit(self, limit: float, message: str) -> bool:
        """Find the largest LIMIT that is taken, after a refusal; tell whether it is smaller than that of the query."""

        def is_taken(number: float) -> bool:
            try:
                self._select(
                    f"SELECT ?a WHERE {{ VALUES ?a {{ 1 }} }}{'' if number == math.inf else f' LIMIT {number}'}"
                )
            except QueryRejected:
                return False
            return True

        said = set(map(int, re.findall(r"(?<!\d)\d{1,9}(?!\d)", message)))
        if not said and "limit" not in message.casefold():
            return False
        self._knows_limits = True
        if not is_taken(limit):
            numbers = said.union(_USUAL_LIMITS)
            smaller = sorted((number for number in numbers if 0 < number < limit), reverse=True)
            self._largest_limit = next(filter(is_taken, smaller), math.inf)
        return self._largest_limit < limit


def rows_query(rows: int) -> str:
    """Return a query that needs no data and has ``rows`` rows, at most a million."""
    digits = " ".join(str(digit) for digit in range(10))
    blocks = " ".join(f"VALUES ?{name} {{ {digits} }}" for name in "abcdef"[: len(str(rows - 1))])
    return f"SELECT ?a WHERE {{ {blocks} }} LIMIT {rows}"


def fetch_pages(select: Callable[[str], list[Row]], query: str, error: ResultCut, *, max_rows: int) -> list[Row]:
    """Return all rows of a SELECT query whose result a server has cut, at most ``max_rows + 1``, in pages.

    Pages without ORDER BY may overlap: the numbers of rows, and of distinct rows if some are equal, are compared with
    the server's own counts, and where they differ the pages are read again in a fixed order.

    Raises:
        ResultCut: ``error`` itself, if the query cannot be paged or the number of rows is wrong.
        EndpointError: ``select`` raises it.
    """
    end = _TRAILING_LIMIT.search(query)
    if error.rows < 1 or end is None or not _is_pageable(query):
        raise error
    body, offset = query[: end.start()], int(end["offset"] or 0)
    row_count = min(max_rows + 1, int(end["limit"] or max_rows + 1))
    rows = _read_pages(select, body, offset, row_count, error)
    distinct_count = len({frozenset(row.items()) for row in rows})
    if distinct_count < len(rows) and distinct_count != _count_rows(select, body, "DISTINCT"):
        tail = _IRI_OR_STRING.sub("<>", body).rpartition("}")[2]
        order = "" if re.search(r"\border\s+by\b", tail, re.IGNORECASE) else " ORDER BY"
        names = sorted({name for row in rows for name in row})
        rows = _read_pages(select, f"{body}{order} {' '.join(f'?{name}' for name in names)}", offset, row_count, error)
    return rows


def _read_pages(
    select: Callable[[str], list[Row]], body: str, offset: int, row_count: int, error: ResultCut
) -> list[Row]:
    rows: list[Row] = []
    while len(rows) < row_count:
        page = select(f"{body} LIMIT {min(error.rows, row_count - len(rows))} OFFSET {offset + len(rows)}")
        rows += page
        if not page:
            break
    if len(rows) < row_count and len(rows) != _count_rows(select, body) - offset:
        raise error
    return rows


def _is_pageable(query: str) -> bool:
    return not _UNPAGEABLE.search(_IRI_OR_STRING.sub("<>", query))


def _count_rows(select: Callable[[str], list[Row]], body: str, modifier: str = "") -> int:
    prologue = _PROLOGUE.match(body)
    body_start = prologue.end() if prologue else 0
    rows = select(
        f"{body[:body_start]} SELECT (COUNT(*) AS ?chatty_rows) WHERE {{ {{ SELECT {modifier} * WHERE {{ "
        f"{{ {body[body_start:]} }} }} }} }} LIMIT 1"
    )
    return read_count(rows[0]["chatty_rows"]) if rows else -1
