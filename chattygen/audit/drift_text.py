"""A drift report as a table and a listing, and as Markdown for the comment of a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.text_table import Column, render_rows

from chattygen.audit.drift import DRIFT_KINDS, DriftReport

MAX_LISTED = 50
"""Questions that the Markdown summary lists; a comment has a limit."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#~])")


def render_drift(report: DriftReport, most: int) -> Iterator[str]:
    """Yield the table and the listing, at most ``most`` questions of each kind (0: all)."""
    yield f"{report.gold.path.name} ({report.gold.format}): {_summarize(report)}"
    rows = [(kind, str(count) if count else "-", DRIFT_KINDS[kind]) for kind, count in report.by_kind.items()]
    for line in render_rows((Column(min_width=18), Column(right=True, min_width=6), Column()), rows):
        yield f"  {line}"
    yield from _notes(report)
    sections = {kind: [*_messages(report, kind)] for kind in DRIFT_KINDS}
    sections["not compared"] = [(str(drift.question.id), drift.failure) for drift in report.failed]
    for kind, messages in sections.items():
        if messages:
            yield f"\n{kind}:"
        yield from (f"  {id}: {message}" for id, message in messages[: most or None])
        if most and len(messages) > most:
            yield f"  ... {len(messages) - most} more (--verbose lists them)"


def render_markdown(report: DriftReport) -> Iterator[str]:
    """Yield the lines of a summary in Markdown."""
    yield f"### {'Gold drifted' if report.drifted else 'Gold is unchanged'}: {_escape(report.gold.path.name)}"
    yield ""
    yield f"{_escape(_summarize(report))}. Old graph: {_escape(report.old_graph)}; new: {_escape(report.new_graph)}."
    if report.drifted:
        yield from ("", "| change | questions | meaning |", "| --- | ---: | --- |")
        yield from (f"| `{kind}` | {count} | {DRIFT_KINDS[kind]} |" for kind, count in report.by_kind.items() if count)
        yield from ("", "| question | change | what |", "| --- | --- | --- |")
        for drift in report.drifted[:MAX_LISTED]:
            kinds = ", ".join(f"`{finding.kind}`" for finding in drift.findings)
            what = ". ".join(_escape(finding.message) for finding in drift.findings)
            yield f"| {_escape(str(drift.question.id))}: {_escape(drift.question.question)} | {kinds} | {what} |"
        if len(report.drifted) > MAX_LISTED:
            yield from ("", f"{len(report.drifted) - MAX_LISTED} more are not listed.")
    for note in _notes(report):
        yield from ("", _escape(note))


def _summarize(report: DriftReport) -> str:
    count = len(report.drifted)
    parts = [f"{len(report.drifts)} queries on both graphs", f"{count} {'has' if count == 1 else 'have'} drifted"]
    failed = [f"{len(report.failed)} not compared"] if report.failed else []
    return ", ".join([*parts, f"{report.unchanged} unchanged", *failed])


def _notes(report: DriftReport) -> Iterator[str]:
    if report.blank_count:
        yield f"{report.blank_count} have blank nodes as answers: only their number is compared"
    skipped = len(report.gold.questions) - len(report.drifts)
    if skipped:
        yield f"{skipped} questions have no query and are not compared"
    yield from report.gold.user_notes()


def _messages(report: DriftReport, kind: str) -> Iterator[tuple[str, str]]:
    for drift in report.drifted:
        yield from ((str(drift.question.id), finding.message) for finding in drift.findings if finding.kind == kind)


def _escape(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", " ".join(text.split()))
