"""An audit, or the drift of a graph, as text: a table of findings by kind, a listing, and a summary in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.text_table import Column, render_rows

from chattygen.audit.report import AuditReport

MAX_LISTED = 50
"""Questions that the Markdown summary lists; a comment has a limit."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~])")


def render_table(report: AuditReport) -> Iterator[str]:
    """Yield a line for the file, one for each kind of finding, and the notes."""
    total, clean = len(report.verdicts), sum(1 for verdict in report.verdicts if not verdict.findings)
    yield f"{report.gold.path.name} ({report.gold.format}): {total} questions, {report.query_count} with a query"
    rows = [(kind, str(count), _percent(count, total), report.kinds[kind]) for kind, count in report.by_kind.items()]
    columns = Column(min_width=18), Column(right=True, min_width=6), Column(right=True, min_width=6), Column()
    for line in render_rows(columns, [*rows, ("nothing found", str(clean), f"{100 * clean / total:.1f} %", "")]):
        yield f"  {line}"
    if report.certificates:
        yield from _render_verdicts(report)
    yield from report.user_notes


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


def render_listing(report: AuditReport, most: int) -> Iterator[str]:
    """Yield the findings kind by kind, at most ``most`` of each (0: all)."""
    for kind in report.kinds:
        messages = [
            f"  {verdict.id}: {finding.message}"
            for verdict in report.verdicts
            for finding in verdict.findings
            if finding.kind == kind
        ]
        if messages:
            yield f"\n{kind}:"
        yield from messages[: most or None]
        if most and len(messages) > most:
            yield f"  ... {len(messages) - most} more (--verbose lists them)"


def render_markdown(report: AuditReport) -> Iterator[str]:
    """Yield the lines of a summary of drift, for the comment of a pull request."""
    drifted = [verdict for verdict in report.verdicts if verdict.findings]
    yield f"### {'Gold drifted' if report.defect_count else 'Gold is unchanged'}: {_escape(report.gold.path.name)}"
    yield ""
    graphs = f"Old graph: {_escape(report.since)}; new: {_escape(report.kg)}"
    yield f"{report.defect_count} of {report.query_count} queries have drifted. {graphs}."
    if drifted:
        yield from ("", "| change | questions | meaning |", "| --- | ---: | --- |")
        yield from (f"| `{kind}` | {count} | {report.kinds[kind]} |" for kind, count in report.by_kind.items() if count)
        yield from ("", "| question | change | what |", "| --- | --- | --- |")
        for verdict in drifted[:MAX_LISTED]:
            kinds = ", ".join(f"`{finding.kind}`" for finding in verdict.findings)
            what = ". ".join(_escape(finding.message) for finding in verdict.findings)
            yield f"| {_escape(verdict.id)}: {_escape(verdict.question.question)} | {kinds} | {what} |"
        if len(drifted) > MAX_LISTED:
            yield from ("", f"{len(drifted) - MAX_LISTED} more are not listed.")
    for note in report.user_notes:
        yield from ("", _escape(note))


def _escape(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %" if count else "-"
