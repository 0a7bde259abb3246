"""Findings as text: how many there are of each kind, and a list of them, kind by kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from chattyshared.check import Finding, list_first
from chattyshared.text import Column, render_rows

MAX_PLACES = 20
"""Places with the same message that are listed."""
FoundAt = tuple[str, Finding]
"""A finding and its place: the id of a question, a turn or a dialogue."""


def count_findings(found: Iterable[FoundAt], kinds: Iterable[str]) -> dict[str, int]:
    """Return in how many places each kind was found."""
    places = {(finding.kind, place) for place, finding in found}
    return {kind: sum(kind == other for other, _ in places) for kind in kinds}


def render_counts(counts: Mapping[str, int], total: int, kinds: Mapping[str, str]) -> Iterator[str]:
    """Yield a line a kind that was found: its number, its share of ``total`` places, and what it means."""
    rows = [(kind, str(n), f"{100 * n / total:.1f} %", kinds.get(kind, "")) for kind, n in counts.items() if n]
    for line in render_rows((Column(min_width=18), Column(right=True), Column(right=True), Column()), rows):
        yield f"  {line}"


def render_listing(found: Sequence[FoundAt], kinds: Iterable[str], most: int) -> Iterator[str]:
    """Yield the findings kind by kind, at most ``most`` messages of each (0: all), those of most places first; places
    with the same message share a line."""
    for kind in kinds:
        groups: dict[str, dict[str, None]] = {}
        for place, finding in found:
            if finding.kind == kind:
                groups.setdefault(finding.message, {})[place] = None
        if groups:
            yield f"\n{kind}:"
        for message, places in sorted(groups.items(), key=lambda group: -len(group[1]))[: most or None]:
            ids = list_first(places, MAX_PLACES if most else len(places))
            yield f"  {ids}: {message}" if len(places) == 1 else f"  {message}: {len(places)} questions: {ids}"
        if most and len(groups) > most:
            yield f"  ... {len(groups) - most} more (--verbose lists them)"
