"""The report of an audit: its verdicts as figures, findings and certificates, in JSON and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from chattyshared.certificates import certificate_to_json, describe_alternatives, describe_verdict
from chattyshared.check import list_first
from chattyshared.dialogue import Certificate, CertificateVerdict
from chattyshared.errors import ChattyError
from chattyshared.findings import FoundAt, count_findings, render_counts, render_listing
from chattyshared.formats.gold import GoldFile

from chattygen.audit.verdict import ASKS_OTHER, Verdict


@dataclass(frozen=True, slots=True)
class AuditReport:
    """A file, and the verdict for each of its questions in the file's order.

    ``kinds`` are the kinds of findings that were looked for, with what they mean. ``notes`` are sentences on all
    questions; ``stopped`` says why some certificates are missing.
    """

    gold: GoldFile
    verdicts: tuple[Verdict, ...]
    kinds: Mapping[str, str]
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
    def figures(self) -> Mapping[str, int]:
        """How many questions there are, how many of them have a query, a repaired or a hopeless one, answers by their
        query alone, and a finding."""
        runs = (verdict.query_run for verdict in self.verdicts if verdict.question.gold() is None)
        return {
            "questions": len(self.verdicts),
            "queries": sum(bool(verdict.question.sparql) for verdict in self.verdicts),
            "mended": sum(bool(change.changes) for change in self.gold.changes),
            "hopeless": sum(bool(change.fault) for change in self.gold.changes),
            "answers_made": sum(run is not None and not run.failure for run in runs),
            "with_findings": sum(bool(verdict.findings) for verdict in self.verdicts),
        }

    @property
    def user_notes(self) -> tuple[str, ...]:
        """Sentences for the user, also on added answers and of the file's reader."""
        count = self.figures["answers_made"]
        added = (f"{count} questions had no answers: what their queries give is their gold",) if count else ()
        return (*self.notes, *added, *self.gold.user_notes())

    def to_json(self) -> dict[str, Any]:
        """Return everything as one object: figures, findings by question, and what was repaired on reading."""
        certificates = [{"id": id, **certificate_to_json(each)} for id, each in self.certificates.items()]
        return {
            "file": str(self.gold.path),
            "format": self.gold.format,
            **self.figures,
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
    figures, total = report.figures, len(report.verdicts)
    yield f"{report.gold.path.name} ({report.gold.format}): {total} questions, {figures['queries']} with a query"
    yield from render_counts({**report.by_kind, "nothing found": total - figures["with_findings"]}, total, report.kinds)
    yield from _render_certificates(report)
    yield from report.user_notes
    yield from render_listing(report.found, report.kinds, most)
    listed = [(id, each) for id, each in report.certificates.items() if each.reasons or each.alternatives]
    yield from ["\ncertificates:"] if listed and not most else []
    for id, certificate in listed if not most else ():
        accepted = describe_alternatives(certificate)
        more = f"; accepted: {list_first(accepted, separator='; ')}" if accepted else ""
        yield f"  {id}: {describe_verdict(certificate)}{more}"


def _render_certificates(report: AuditReport) -> Iterator[str]:
    """Yield what the verdicts of the certificates are, and what confirms them."""
    certificates = report.certificates.values()
    if not certificates:
        return
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
