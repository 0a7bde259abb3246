"""An audit as text: a table of findings by kind, and a listing."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.text_table import Column, render_rows

from chattygen.audit.report import AuditReport


def render_table(audit: AuditReport) -> Iterator[str]:
    """Yield a line for the file, one for each kind of finding, and the notes of the file's reader."""
    asked = len(audit.verdicts)
    queries = sum(1 for verdict in audit.verdicts if verdict.question.sparql)
    clean = sum(1 for verdict in audit.verdicts if not verdict.findings)
    yield f"{audit.gold.path.name} ({audit.gold.format}): {asked} questions, {queries} with a query"
    rows = [(kind, str(count), _percent(count, asked), audit.kinds[kind]) for kind, count in audit.by_kind.items()]
    columns = Column(min_width=18), Column(right=True, min_width=6), Column(right=True, min_width=6), Column()
    for line in render_rows(columns, [*rows, ("nothing found", str(clean), f"{100 * clean / asked:.1f} %", "")]):
        yield f"  {line}"
    if audit.certificates:
        yield from _render_verdicts(audit)
    if audit.added_gold_count:
        yield f"{audit.added_gold_count} questions had no answers: what their queries give is their gold"
    yield from audit.gold.user_notes()


def _render_verdicts(audit: AuditReport) -> Iterator[str]:
    """Yield a line for each verdict of the certificates, and one on what confirms them."""
    certificates = audit.certificates.values()
    yield "certificates"
    rows = [(verdict, str(n), _percent(n, len(certificates))) for verdict, n in audit.by_certificate.items()]
    for line in render_rows((Column(min_width=18), Column(right=True, min_width=6), Column(right=True)), rows):
        yield f"  {line}"
    engines = dict.fromkeys(result.engine for each in certificates for result in each.results)
    same = sum(1 for each in certificates if len(each.results) > 1 and len({r.digest for r in each.results}) == 1)
    yield (
        f"{same} results are the same on {' and '.join(engines)}"
        if len(engines) > 1
        else (f"no second engine: the results are those of {', '.join(engines) or 'no query'} alone")
    )
    accepted = sum(1 for each in certificates if each.alternatives)
    if accepted:
        yield f"questions with other answers that are accepted: {accepted}"


def render_listing(audit: AuditReport, most: int) -> Iterator[str]:
    """Yield the findings kind by kind, at most ``most`` of each (0: all)."""
    for kind in audit.kinds:
        messages = [
            f"  {verdict.id}: {finding.message}"
            for verdict in audit.verdicts
            for finding in verdict.findings
            if finding.kind == kind
        ]
        if messages:
            yield f"\n{kind}:"
        yield from messages[: most or None]
        if most and len(messages) > most:
            yield f"  ... {len(messages) - most} more (--verbose lists them)"


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %" if count else "-"
