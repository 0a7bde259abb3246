"""Counts and aggregates for each group: "How many boats does each harbour have?"."""

from __future__ import annotations

from collections.abc import Callable

from chattykg.forms import Form
from chattykg.qir import QIR, is_unknown
from chattykg.sparql import Reading


def grouped(qir: QIR, named: Callable[[str], str], rows: int, *, stated: bool, reading: Reading | None) -> Form | None:
    """Return the form of a count or aggregate for each group, its groups first and what is counted last.

    None where it is taken over all; a table where the number of each group stands in the graph (``stated``).
    ``reading`` is how what an aggregate is taken of reads.
    """
    groups = [end for end in qir.targets if is_unknown(end) and end != qir.target]
    if not groups or not (qir.shape in ("count", "number") or qir.aggregate):
        return None
    columns = tuple(dict.fromkeys(map(named, (*groups, qir.target))))
    if not qir.aggregate:
        return Form("table" if stated else "grouped", columns, rows)
    return Form("grouped", columns, rows, aggregate=qir.aggregate, reading=reading or "value")
