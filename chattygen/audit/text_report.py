"""An audit as text for the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from chattygen.audit.finding import FINDING_KINDS
from chattygen.audit.runner import AuditReport


def render_table(audit: AuditReport) -> Iterator[str]:
    """Yield a line for the file, one for each kind of finding, and what reading the file has shown."""
    asked = len(audit.verdicts)
    queries = sum(1 for verdict in audit.verdicts if verdict.question.sparql)
    yield f"{audit.gold.path.name} ({audit.gold.format}): {asked} questions, {queries} with a query"
    for kind, number in audit.by_kind.items():
        share = f"{100 * number / asked:5.1f} %" if number else "      -"
        yield f"  {kind:<20}{number:>6} {share}  {FINDING_KINDS[kind]}"
    clean = sum(1 for verdict in audit.verdicts if not verdict.findings)
    yield f"  {'nothing found':<20}{clean:>6} {100 * clean / asked:5.1f} %"
    if audit.added_gold_count:
        yield f"{audit.added_gold_count} questions had no answers: what their queries give is their gold"
    yield from audit.gold.user_notes()


def render_listing(audit: AuditReport, most: int) -> Iterator[str]:
    """Yield the findings kind by kind, the first ``most`` of each (0: all)."""
    for kind in FINDING_KINDS:
        found = [(v.id, f.message) for v in audit.verdicts for f in v.findings if f.kind == kind]
        if found:
            yield f"\n{kind}:"
        yield from (f"  {id}: {said}" for id, said in (found[:most] if most else found))
        if most and len(found) > most:
            yield f"  ... {len(found) - most} more (--verbose lists them)"
