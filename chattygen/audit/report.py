"""The kinds of findings of an audit, the verdict for one question, and the report for a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from chattyshared.certificates import certificate_to_json, describe_alternatives, describe_verdict
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Certificate, CertificateVerdict
from chattyshared.errors import ChattyError
from chattyshared.formats.gold import GoldFile
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun
from chattyshared.text import Column, render_rows

FINDING_KINDS: Mapping[str, str] = {
    "no-gold": "neither a query nor answers",
    "not-sparql": "the query cannot be read, or names no known prefix",
    "dialect": "the query was no SPARQL 1.1; it was converted",
    "does-not-run": "the query is not run: refused, too slow, or too many rows",
    "empty": "the query gives nothing",
    "refuted": "marked as unanswerable, and yet the graph has a name of the certificate",
    "differs": "the query gives other answers than the file states",
    "ambiguous-name": "another entity has a name that the question uses",
    "answer-in-question": "the question contains its own answer",
    "duplicate": "an earlier question is the same, or an earlier query of the same dialogue",
    "not-judged": "the question is judged in part: the graph did not answer, or an unexpected error occurred",
}
"""Every kind of finding with what it means."""
ASKS_OTHER = "asks-other"
CERTIFICATE_KINDS: Mapping[str, str] = {
    "engines-disagree": "the second engine gives another result",
    "not-confirmed": "the second engine gives no result: refused, too slow, or not there",
    "witness-missing": "triples of the witness are not in the graph",
    "tie": "the query cuts off others with the same rank",
    "blank-answer": "an answer is a blank node: it has no name that a system could give",
    "no-evidence": "answers without a query: nothing shows that they are right",
    ASKS_OTHER: "a model that reads the query alone finds another question in it",
}
"""Further kinds, of certificates."""
NOT_COMPARED = "not-compared"
DRIFT_KINDS: Mapping[str, str] = {
    "data-changed": "the query gives other answers on the new graph",
    "data-lost": "answers, or all of a predicate or class, are gone, or the query fails there",
    "schema-renamed": "a predicate or class is renamed; the query is rewritten",
    NOT_COMPARED: "the query fails on the old graph, or a graph did not answer",
}
"""The kinds of drift, and that of what is none."""
DEFECTIVE_KINDS = frozenset(("no-gold", "not-sparql", "does-not-run", "refuted", "differs", "witness-missing"))
"""What makes a question defective: its gold is missing or wrong."""
AMBIGUOUS_KINDS = frozenset(
    ("empty", "ambiguous-name", "not-judged", "engines-disagree", "tie", "blank-answer", "no-evidence", ASKS_OTHER)
)
"""What makes a question ambiguous: other answers may be right, or nobody can tell."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings for one question, and the run of its query (None if it has none that can be run).

    ``unexpected`` is the type and place of an unexpected exception that ended the audit or the query, if one did.
    """

    question: Question
    findings: tuple[Finding, ...] = ()
    query_run: QueryRun | None = None
    unexpected: str = ""

    @property
    def id(self) -> str:
        """The question's id."""
        return str(self.question.id)

    @property
    def query(self) -> str:
        """The query that the repaired copy gets."""
        return self.question.sparql

    @property
    def details(self) -> Mapping[str, Any]:
        """What is known about the findings besides their messages."""
        return {}


@dataclass(frozen=True, slots=True)
class AuditReport:
    """A file, and the verdict for each of its questions in the file's order.

    ``kinds`` are the kinds of findings that were looked for, with what they mean. ``notes`` are sentences on all
    questions. ``certificates`` are those of the questions by id, if they were asked for; ``stopped`` says why some are
    missing.
    """

    gold: GoldFile
    verdicts: tuple[Verdict, ...]
    kinds: Mapping[str, str] = field(default_factory=lambda: FINDING_KINDS)
    notes: tuple[str, ...] = ()
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    stopped: ChattyError | None = None

    @property
    def by_certificate(self) -> Mapping[str, int]:
        """How many questions have a certificate with each verdict."""
        counts = Counter(certificate.verdict for certificate in self.certificates.values())
        return {verdict: counts[verdict] for verdict in get_args(CertificateVerdict)}

    @property
    def by_kind(self) -> Mapping[str, int]:
        """How many questions have a finding of each kind."""
        counts = Counter(kind for verdict in self.verdicts for kind in {f.kind for f in verdict.findings})
        return {kind: counts[kind] for kind in self.kinds}

    @property
    def unexpected(self) -> Counter[str]:
        """How many questions ended in unexpected errors, by type and place."""
        return Counter(verdict.unexpected for verdict in self.verdicts if verdict.unexpected)

    @property
    def query_count(self) -> int:
        """How many questions have a query."""
        return sum(1 for verdict in self.verdicts if verdict.question.sparql)

    @property
    def defect_count(self) -> int:
        """How many questions have a finding; that graphs cannot be compared is none."""
        return sum(1 for verdict in self.verdicts if any(f.kind != NOT_COMPARED for f in verdict.findings))

    @property
    def added_gold_count(self) -> int:
        """How many questions had a query and no answers: their answers are added."""
        runs = (verdict.query_run for verdict in self.verdicts if verdict.question.gold() is None)
        return sum(1 for run in runs if run and not run.failure)

    @property
    def user_notes(self) -> tuple[str, ...]:
        """Sentences for the user, also on added answers and of the file's reader."""
        count = self.added_gold_count
        added = (f"{count} questions had no answers: what their queries give is their gold",) if count else ()
        return (*self.notes, *added, *self.gold.user_notes())

    def to_json(self) -> dict[str, Any]:
        """Return everything as one object: figures, findings by question, and what was repaired on reading."""
        certificates = [{"id": id, **certificate_to_json(each)} for id, each in self.certificates.items()]
        optional = {
            "verdicts": dict(self.by_certificate) if certificates else {},
            "certificates": certificates,
        }
        return {
            "file": str(self.gold.path),
            "format": self.gold.format,
            "questions": len(self.verdicts),
            "queries": self.query_count,
            "mended": sum(1 for change in self.gold.changes if change.changes),
            "hopeless": sum(1 for change in self.gold.changes if change.fault),
            "answers_made": self.added_gold_count,
            "with_findings": self.defect_count,
            "by_kind": dict(self.by_kind),
            "found": [
                {"id": verdict.question.id, "kind": finding.kind, "said": finding.message, **verdict.details}
                for verdict in self.verdicts
                for finding in verdict.findings
            ],
            "notes": list(self.user_notes),
            **{key: value for key, value in optional.items() if value},
        }


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
