"""The kinds of findings of an audit, the verdict for one question, and the report for a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from chattyshared.certificates import certificate_to_json, describe_alternatives, describe_verdict
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Certificate, CertificateVerdict
from chattyshared.errors import ChattyError
from chattyshared.findings import FoundAt, count_findings, render_counts, render_listing
from chattyshared.formats.gold import GoldFile
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError
from chattyshared.sparql.gold_queries import QueryRun
from chattyshared.sparql.rewriting import replace_iris

ASKS_OTHER, NOT_COMPARED = "asks-other", "not-compared"
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
DRIFT_KINDS: Mapping[str, str] = {
    "data-changed": "the query gives other answers on the new graph",
    "data-lost": "answers, or all of a predicate or class, are gone, or the query fails there",
    "schema-renamed": "a predicate or class is renamed; the query is rewritten",
    NOT_COMPARED: "the query fails on the old graph, or a graph did not answer",
}
"""The kinds of drift, and that of what is none."""
DEFECTIVE_KINDS = frozenset(("no-gold", "not-sparql", "does-not-run", "refuted", "differs", "witness-missing"))
"""What makes a question defective: its gold is missing or wrong."""
HARMLESS_KINDS = frozenset(("dialect", "answer-in-question", "duplicate", "not-confirmed"))
"""What changes no verdict. All others make a question ambiguous: other answers may be right, or nobody can tell."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The findings for one question, and the run of its query (None if it has none that can be run).

    ``unexpected`` is the type and place of an unexpected exception that ended the audit or the query, if one did.
    ``old_run`` is the result on the older one of two graphs, ``renames`` are the new names of predicates and classes of
    the query. ``certificate`` is there if it was asked for.
    """

    question: Question
    findings: tuple[Finding, ...] = ()
    query_run: QueryRun | None = None
    unexpected: str = ""
    old_run: QueryRun | None = None
    renames: Mapping[str, str] = field(default_factory=dict)
    certificate: Certificate | None = None

    @property
    def id(self) -> str:
        """The question's id."""
        return str(self.question.id)

    @property
    def query(self) -> str:
        """The query that the repaired copy gets."""
        return replace_iris(self.question.sparql, self.renames) if self.renames else self.question.sparql

    @property
    def details(self) -> Mapping[str, Any]:
        """The answers on two graphs, and the new names; empty if there is one graph."""
        if self.old_run is None:
            return {}
        runs = {"old": self.old_run, "new": self.query_run or QueryRun()}
        answers = {name: [value.value for value in run.values] for name, run in runs.items()}
        return {**answers, **({"renames": dict(self.renames), "rewritten": self.query} if self.renames else {})}

    def with_unexpected(self, error: UnexpectedError) -> Verdict:
        """Return the verdict with an unexpected error as a further finding."""
        findings = (*self.findings, Finding("not-judged", error.sentence))
        return replace(self, findings=findings, unexpected=str(error))


@dataclass(frozen=True, slots=True)
class AuditReport:
    """A file, and the verdict for each of its questions in the file's order.

    ``kinds`` are the kinds of findings that were looked for, with what they mean. ``notes`` are sentences on all
    questions; ``stopped`` says why some certificates are missing.
    """

    gold: GoldFile
    verdicts: tuple[Verdict, ...]
    kinds: Mapping[str, str] = field(default_factory=lambda: FINDING_KINDS)
    notes: tuple[str, ...] = ()
    stopped: ChattyError | None = None

    @property
    def certificates(self) -> Mapping[str, Certificate]:
        """The certificates by the ids of their questions."""
        return {verdict.id: verdict.certificate for verdict in self.verdicts if verdict.certificate is not None}

    @property
    def by_certificate(self) -> Mapping[str, int]:
        """How many questions have a certificate with each verdict."""
        counts = Counter(certificate.verdict for certificate in self.certificates.values())
        return {verdict: counts[verdict] for verdict in get_args(CertificateVerdict)}

    @property
    def found(self) -> list[FoundAt]:
        """All findings, each with the id of its question."""
        return [(verdict.id, finding) for verdict in self.verdicts for finding in verdict.findings]

    @property
    def by_kind(self) -> Mapping[str, int]:
        """How many questions have a finding of each kind."""
        return count_findings(self.found, self.kinds)

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
        return len({place for place, finding in self.found if finding.kind != NOT_COMPARED})

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
            **({"verdicts": dict(self.by_certificate), "certificates": certificates} if certificates else {}),
        }


def render_report(report: AuditReport, most: int) -> Iterator[str]:
    """Yield a line for the file, one for each kind of finding, the notes, and at most ``most`` findings of each kind
    (0: all); with all of them also the certificates that say more than that a question is certain."""
    total, clean = len(report.verdicts), sum(1 for verdict in report.verdicts if not verdict.findings)
    yield f"{report.gold.path.name} ({report.gold.format}): {total} questions, {report.query_count} with a query"
    yield from render_counts({**report.by_kind, "nothing found": clean}, total, report.kinds)
    if report.certificates:
        yield from _render_verdicts(report)
    yield from report.user_notes
    yield from render_listing(report.found, report.kinds, most)
    certificates = [(id, each) for id, each in report.certificates.items() if each.reasons or each.alternatives]
    if certificates and not most:
        yield "\ncertificates:"
        for id, certificate in certificates:
            accepted = describe_alternatives(certificate)
            more = f"; accepted: {list_first(accepted, separator='; ')}" if accepted else ""
            yield f"  {id}: {describe_verdict(certificate)}{more}"


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
    if accepted := sum(1 for each in certificates if each.alternatives):
        yield f"questions with other answers that are accepted: {accepted} (--verbose lists them)"
