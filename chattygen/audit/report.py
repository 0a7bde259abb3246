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
DRIFT_KINDS: Mapping[str, str] = {
    "data-changed": "triples that the query touches came, or came and went",
    "data-lost": "triples that the query touches went",
    "schema-renamed": "a predicate or class is renamed; the rewritten query gives the old gold",
    "query-broken": "the query fails on the new graph alone",
    "gold-was-wrong": "the old graph does not give the stated gold",
    "label-changed": "answers, or things that the question names, have other labels",
}
"""The kinds of drift."""
NOT_COMPARED = "not-compared"
"""The kind of what is no drift: a query that fails on the old graph, or a graph that did not answer."""
NOT_ASKED = "not asked: earlier queries took too long"
"""Why the second engine gives no result after ``MAX_ENDED_QUERIES`` queries in a row that it did not finish."""
MAX_ENDED_QUERIES = 3
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

    @property
    def query(self) -> str:
        """The query that the repaired copy gets."""
        return self.question.sparql


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
    def summary(self) -> str:
        """How many questions and queries there are."""
        return f"{len(self.verdicts)} questions, {self.query_count} with a query"

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
    def defect_count(self) -> int:
        """How many questions have a finding."""
        return sum(1 for verdict in self.verdicts if verdict.findings)

    @property
    def query_count(self) -> int:
        """How many questions have a query."""
        return sum(1 for verdict in self.verdicts if verdict.question.sparql)

    @property
    def added_gold_count(self) -> int:
        """How many questions had a query and no answers: their answers are added."""
        return sum(
            1
            for each in self.verdicts
            if each.question.gold() is None and each.query_run and not each.query_run.failure
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What else the user has to know: of the answers, of the second engine, and of the file's reader."""
        added = f"{self.added_gold_count} questions had no answers: what their queries give is their gold"
        not_asked = [r.engine for each in self.certificates.values() for r in each.results if r.failure == NOT_ASKED]
        given_up = (f"{not_asked[0]} took too long {MAX_ENDED_QUERIES} times in a row, and is not asked any more: "
                    f"{len(not_asked)} results are not confirmed") if not_asked else ""  # fmt: skip
        return (*filter(None, (added if self.added_gold_count else "", given_up)), *self.gold.user_notes())

    def to_json(self) -> dict[str, Any]:
        """Return everything as one object: figures, findings by question, and what was repaired on reading."""
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
                {"id": verdict.question.id, "kind": finding.kind, "said": finding.message}
                for verdict in self.verdicts
                for finding in verdict.findings
            ],
            "notes": list(self.notes),
            **(self._certificates_to_json() if self.certificates else {}),
        }

    def _certificates_to_json(self) -> dict[str, Any]:
        certificates = [{"id": id, **certificate_to_json(each)} for id, each in self.certificates.items()]
        return {"verdicts": dict(self.by_certificate), "certificates": certificates}
