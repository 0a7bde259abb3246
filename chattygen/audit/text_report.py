"""An audit, or the drift of a graph, as text: a table of findings by kind, and a listing."""

from __future__ import annotations

from collections.abc import Iterator

from chattyshared.certificates import describe_alternatives, describe_verdict
from chattyshared.check import list_first
from chattyshared.text import Column, render_rows

from chattygen.audit.report import ASKS_OTHER, AuditReport, Verdict

MAX_IDS = 20
"""Ids of the questions with the same message that are listed."""


def render_table(report: AuditReport) -> Iterator[str]:
    """Yield a line for the file, one for each kind of finding, and the notes."""
    total, clean = len(report.verdicts), sum(1 for verdict in report.verdicts if not verdict.findings)
    yield f"{report.gold.path.name} ({report.gold.format}): {total} questions, {report.query_count} with a query"
    counts = {**report.by_kind, "nothing found": clean}
    rows = [(kind, str(n), f"{100 * n / total:.1f} %", report.kinds.get(kind, "")) for kind, n in counts.items() if n]
    for line in render_rows((Column(min_width=18), Column(right=True), Column(right=True), Column()), rows):
        yield f"  {line}"
    if report.certificates:
        yield from _render_verdicts(report)
    yield from report.user_notes


def _render_verdicts(report: AuditReport) -> Iterator[str]:
    """Yield what the verdicts of the certificates are, and what confirms them."""
    certificates = report.certificates.values()
    yield f"certificates: {', '.join(f'{count} {verdict}' for verdict, count in report.by_certificate.items())}"
    engines = dict.fromkeys(result.engine for each in certificates for result in each.results)
    same = sum(1 for each in certificates if len(each.results) > 1 and len({r.digest for r in each.results}) == 1)
    if len(engines) > 1:
        yield f"{same} results are the same on {' and '.join(engines)}"
    elif engines:
        yield f"no second engine: the results are those of {', '.join(engines)} alone"
    if ASKS_OTHER not in report.kinds:
        yield "no --model: whether a query asks what its question asks is not checked"
    accepted = sum(1 for each in certificates if each.alternatives)
    if accepted:
        yield f"questions with other answers that are accepted: {accepted} (--verbose lists them)"


def render_listing(report: AuditReport, most: int) -> Iterator[str]:
    """Yield the findings kind by kind, at most ``most`` of each (0: all), and with all of them the certificates that
    say more than that a question is certain. Questions with the same message share a line."""
    for kind in report.kinds:
        groups = _group_by_message(report, kind)
        if groups:
            yield f"\n{kind}:"
        for message, verdicts in groups[: most or None]:
            ids = list_first((verdict.id for verdict in verdicts), MAX_IDS if most else len(verdicts))
            yield f"  {ids}: {message}" if len(verdicts) == 1 else f"  {message}: {len(verdicts)} questions: {ids}"
        if most and len(groups) > most:
            yield f"  ... {len(groups) - most} more (--verbose lists them)"
    certificates = [(id, each) for id, each in report.certificates.items() if each.reasons or each.alternatives]
    if certificates and not most:
        yield "\ncertificates:"
        for id, certificate in certificates:
            accepted = describe_alternatives(certificate)
            more = f"; accepted: {list_first(accepted, separator='; ')}" if accepted else ""
            yield f"  {id}: {describe_verdict(certificate)}{more}"


def _group_by_message(report: AuditReport, kind: str) -> list[tuple[str, list[Verdict]]]:
    """Return the messages of a kind of findings, each with its questions; those of most questions first."""
    groups: dict[str, list[Verdict]] = {}
    for verdict in report.verdicts:
        for message in dict.fromkeys(finding.message for finding in verdict.findings if finding.kind == kind):
            groups.setdefault(message, []).append(verdict)
    return sorted(groups.items(), key=lambda group: -len(group[1]))
