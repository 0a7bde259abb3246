"""The kinds of findings of an audit, the verdict for one question, and the report for a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, get_args

from chattyshared.certificates import certificate_to_json
from chattyshared.check import Finding
from chattyshared.dialogue import Certificate, CertificateVerdict
from chattyshared.errors import ChattyError
from chattyshared.formats.gold import GoldFile
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun

FINDING_KINDS: Mapping[str, str] = {
    "no-gold": "neither a query nor answers",
    "not-sparql": "the query cannot be read, or names no known prefix",
    "dialect": "the query was no SPARQL 1.1; it was converted",
    "does-not-run": "the query is not run: refused, too slow, or too many rows",
    "empty": "the query gives nothing",
    "refuted": "marked as unanswerable, and yet the graph has a word of the certificate",
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
    "asks-other": "a model that reads the query alone finds another question in it",
}
"""Further kinds, of certificates."""
DEFECTIVE_KINDS = frozenset(("no-gold", "not-sparql", "does-not-run", "refuted", "differs", "witness-missing"))
"""What makes a question defective: its gold is missing or wrong."""
AMBIGUOUS_KINDS = frozenset(
    ("empty", "ambiguous-name", "not-judged", "engines-disagree", "tie", "blank-answer", "asks-other")
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


@dataclass(frozen=True, slots=True)
class AuditReport:
    """A file, and the verdict for each of its questions in the file's order.

    ``certificates`` are those of the questions by id, if they were asked for; ``stopped`` says why some are missing.
    """

    gold: GoldFile
    verdicts: tuple[Verdict, ...]
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    stopped: ChattyError | None = None

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kinds of findings that were looked for, with what they mean."""
        return {**FINDING_KINDS, **(CERTIFICATE_KINDS if self.certificates else {})}

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
    def added_gold_count(self) -> int:
        """How many questions had a query and no answers: their answers are added."""
        return sum(
            1
            for each in self.verdicts
            if each.question.gold() is None and each.query_run and not each.query_run.failure
        )

    def to_json(self) -> dict[str, Any]:
        """Return everything as one object: figures, findings by question, and what was repaired on reading."""
        return {
            "file": str(self.gold.path),
            "format": self.gold.format,
            "questions": len(self.verdicts),
            "queries": sum(1 for verdict in self.verdicts if verdict.question.sparql),
            "mended": sum(1 for change in self.gold.changes if change.changes),
            "hopeless": sum(1 for change in self.gold.changes if change.fault),
            "answers_made": self.added_gold_count,
            "with_findings": sum(1 for verdict in self.verdicts if verdict.findings),
            "by_kind": dict(self.by_kind),
            "found": [
                {"id": verdict.question.id, "kind": finding.kind, "said": finding.message}
                for verdict in self.verdicts
                for finding in verdict.findings
            ],
            "notes": list(self.gold.user_notes()),
            **(self._certificates_to_json() if self.certificates else {}),
        }

    def _certificates_to_json(self) -> dict[str, Any]:
        certificates = [{"id": id, **certificate_to_json(each)} for id, each in self.certificates.items()]
        return {"verdicts": dict(self.by_certificate), "certificates": certificates}
