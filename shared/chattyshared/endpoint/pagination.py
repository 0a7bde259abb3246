"""The rest of an answer that a server has cut: asked for in pages of the size that it sends, and counted."""

from __future__ import annotations

import re
from collections.abc import Callable

from chattyshared.endpoint import Row
from chattyshared.errors import ResultCut
from chattyshared.literals import read_count

_END = re.compile(r"(?:\s+limit\s+(?P<limit>\d+))?(?:\s+offset\s+(?P<offset>\d+))?\s*$", re.IGNORECASE)
_NO_PAGES = re.compile(r"\boffset\s+\d+\s+limit\s+\d+\s*$|\bvalues\s*\S+\s*\{[^{}]*\}\s*$|#[^\n]*$", re.IGNORECASE)
_QUOTED = re.compile(r"""<[^<>\s]*>|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'""")
_PROLOGUE = re.compile(r"\s*(?:(?:prefix\s+\S*\s*<[^>]*>|base\s*<[^>]*>)\s*)*", re.IGNORECASE)


def fetch_pages(select: Callable[[str], list[Row]], query: str, cut: ResultCut, *, max_rows: int) -> list[Row]:
    """Return all rows of a SELECT query that a server has cut, or one more than ``most``, with ``select`` to ask it.

    Without ORDER BY nothing but the server's habit keeps pages apart: so the rows are counted by the server as well.

    Raises:
        ResultCut: the same, where the query cannot be paged, or the pages hold another number of rows than there are.
        EndpointError: as ``select`` raises it.
    """
    end = _END.search(query)
    if cut.rows < 1 or end is None or _NO_PAGES.search(_QUOTED.sub("<>", query)):
        raise cut
    body, first = query[: end.start()], int(end["offset"] or 0)
    wanted = min(max_rows + 1, int(end["limit"] or max_rows + 1))
    rows: list[Row] = []
    while len(rows) < wanted:
        page = select(f"{body} LIMIT {min(cut.rows, wanted - len(rows))} OFFSET {first + len(rows)}")
        rows += page
        if not page:
            break
    if len(rows) < wanted and len(rows) != _counted(select, body) - first:
        raise cut
    return rows


def _counted(select: Callable[[str], list[Row]], body: str) -> int:
    prologue = _PROLOGUE.match(body)
    begins = prologue.end() if prologue else 0
    found = select(f"{body[:begins]} SELECT (COUNT(*) AS ?chatty_rows) WHERE {{ {{ {body[begins:]} }} }} LIMIT 1")
    return read_count(found[0]["chatty_rows"]) if found else -1
