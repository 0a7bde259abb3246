"""Certificates: what engines, witness, names, ties and a model say about each gold answer, and the verdict on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock

from chattyshared.certificates import certificate_from_json, digest_of_gold
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Certificate, CertificateVerdict, ResultDigest, Triples
from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import QUERY_ERRORS, EndpointUnavailable
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.sparql.analysis import analyze_query
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.result_comparison import is_blank, result_digest, states_result

from chattygen.audit.alternatives import find_alternatives, find_inner_ties, find_ties
from chattygen.audit.question_checks import BackTranslator, check_triples, triple_text
from chattygen.audit.report import (
    ASKS_OTHER,
    CERTIFICATE_KINDS,
    DEFECTIVE_KINDS,
    HARMLESS_KINDS,
    Verdict,
)

MAX_SECOND_TRIPLES = 1_000_000
"""Triples up to which rdflib is the second engine of a graph in files; it takes some gigabytes and minutes for them."""
MAX_ENDED_QUERIES = 3
"""Queries in a row that the second engine may fail to finish before it is not asked any more."""
MAX_SHOWN_ANSWERS = 20
"""Answers of each engine that a certificate states where the engines disagree."""


class SecondEngine:
    """Another engine with the same triples, by its name and its view for untrusted queries.

    It is not asked any more after ``MAX_ENDED_QUERIES`` queries in a row that took too long or too much memory.
    """

    def __init__(self, name: str, endpoint: Endpoint) -> None:
        self.name, self._endpoint, self._ended, self._skipped = name, endpoint, 0, 0
        self._lock = Lock()

    def run(self, kg: KnowledgeGraph, sparql: str) -> QueryRun:
        """Return the result of a query; a failure of any kind is a result. Threads ask one after the other."""
        with self._lock:
            if self._ended >= MAX_ENDED_QUERIES:
                self._skipped += 1
                return QueryRun(failure="not asked: earlier queries took too long")
            try:
                run = run_query(kg, sparql, self._endpoint)
            except EndpointUnavailable as error:
                return QueryRun(failure=" ".join(str(error).split())[:200])
            self._ended = self._ended + 1 if run.was_ended else 0
            return run

    @property
    def notes(self) -> tuple[str, ...]:
        """A sentence on the queries that it was not asked."""
        reason = f"{self.name} took too long {MAX_ENDED_QUERIES} times in a row, and is not asked any more"
        return (f"{reason}: {self._skipped} results are not confirmed",) if self._skipped else ()


@dataclass(frozen=True, slots=True)
class Certifier:
    """What certificates are made with: the graph, perhaps a second engine, and perhaps a model."""

    kg: KnowledgeGraph
    second: SecondEngine | None = None
    translator: BackTranslator | None = None

    @property
    def kinds(self) -> Mapping[str, str]:
        """The kinds of findings that it looks for."""
        unchecked = {ASKS_OTHER} if self.translator is None else set()
        unchecked |= {"engines-disagree", "not-confirmed"} if self.second is None else set()
        return {kind: meaning for kind, meaning in CERTIFICATE_KINDS.items() if kind not in unchecked}

    def certify(self, verdict: Verdict, witness: Triples) -> Verdict:
        """Return the verdict on a question with its certificate and what that has found.

        Raises:
            EndpointUnavailable, ModelUnavailable, BudgetSpent: the run has to stop.
        """
        findings, question, run = [*verdict.findings], verdict.question, verdict.query_run
        former = former_certificate(question)
        is_proof = former.exclusions != Certificate(is_audit=True)
        gold_digest = digest_of_gold(question.sparql, question.answers or ())
        made = replace(former.exclusions, fingerprint=self.kg.fingerprint(), gold_digest=gold_digest)
        if run is not None:
            results, disagreement = self._compare_engines(question.sparql, run)
            made = replace(made, results=results)
            findings += disagreement
        elif not question.sparql and question.gold() is not None and not is_proof:
            findings.append(Finding("no-evidence", "no query: nothing shows that the answers are right"))
        try:
            if run is not None and not run.failure:
                findings, made = self._judge_answers(question, run, findings, made)
            present, missing = check_triples(witness, self.kg.endpoint.untrusted_view())
            checked = len(present) + len(missing)
            made = replace(made, checked_triples=checked, missing_triples=len(missing))
            if missing:
                findings.append(Finding("witness-missing", f"{len(missing)} of {checked}: {triple_text(missing[0])}"))
        except QUERY_ERRORS as error:
            findings.append(_not_judged(error))
        query = analyze_query(question.sparql)
        if self.translator is not None and not query.syntax_error and not is_proof:
            try:
                translation, found = self.translator.translate(question, query, self.kg, former.back_translation)
            except QUERY_ERRORS as error:
                translation, found = None, (_not_judged(error),)
            made = replace(made, back_translation=translation)
            findings += found
        return conclude(replace(verdict, findings=tuple(findings)), made)

    def _compare_engines(self, sparql: str, run: QueryRun) -> tuple[tuple[ResultDigest, ...], list[Finding]]:
        """Return the result of each engine, with answers where they differ, and what is to be said about it."""
        runs = [(engine_name(self.kg.endpoint), run)]
        if self.second is not None:
            runs.append((self.second.name, self.second.run(self.kg, sparql)))
        results = [ResultDigest(name, "" if each.failure else result_digest(each), each.failure) for name, each in runs]
        if len(results) > 1 and results[1].failure:
            return tuple(results), [Finding("not-confirmed", f"{results[1].engine}: {results[1].failure}")]
        if run.failure or len({result.digest for result in results}) == 1:
            return tuple(results), []
        texts = (f"{name}: {list_first(value.text for value in each.values)}" for name, each in runs)
        shown = (replace(result, answers=each.values[:MAX_SHOWN_ANSWERS])
                 for result, (_, each) in zip(results, runs, strict=True))  # fmt: skip
        return tuple(shown), [Finding("engines-disagree", "; ".join(texts))]

    def _judge_answers(
        self, question: Question, run: QueryRun, findings: list[Finding], certificate: Certificate
    ) -> tuple[list[Finding], Certificate]:
        """Add ties, blank nodes and alternatives."""
        query, untrusted = analyze_query(question.sparql), self.kg.endpoint.untrusted_view()
        tied = find_ties(query, run, self.kg, untrusted)
        if choice := _stated_choice(question, run, tied):
            run, tied = choice
            findings = [finding for finding in findings if finding.kind != "differs"]
        findings += _answer_findings(run, [tied, *find_inner_ties(query, self.kg, untrusted)])
        alternatives = find_alternatives(query, run, tied or QueryRun(), self.kg, untrusted)
        return findings, replace(certificate, alternatives=alternatives)


def _not_judged(error: Exception) -> Finding:
    return Finding("not-judged", f"in part: {' '.join(str(error).split())[:200]}")


def former_certificate(question: Question) -> Certificate:
    """Return the present certificate of a question; without one, an empty one of an audit."""
    own = question.extra.get("certificate")
    return certificate_from_json(own) if isinstance(own, dict) else Certificate(is_audit=True)


def rdflib_engine(kg: KnowledgeGraph) -> SecondEngine | None:
    """Return rdflib as the second engine of a graph in files or in memory; None for others, and for large ones."""
    import rdflib

    if not isinstance(kg.endpoint, LocalEndpoint) or kg.endpoint.triple_count > MAX_SECOND_TRIPLES:
        return None
    return SecondEngine(f"rdflib {rdflib.__version__}", kg.endpoint.rdflib_view())


def engine_name(endpoint: Endpoint) -> str:
    """Return the name and the version of an endpoint's engine; the endpoint's name if it does not tell."""
    return " ".join(str(getattr(endpoint, "engine", "") or endpoint.name).split())


def _stated_choice(question: Question, run: QueryRun, tied: QueryRun | None) -> tuple[QueryRun, QueryRun] | None:
    """Return the tied solution that the file states in place of the engine's own choice, and the others; None if it
    states none of them."""
    if tied is None or len(run.rows) != 1 or question.gold() is None or states_result(question, run):
        return None
    for row in tied.rows:
        chosen = replace(run, rows=(row,))
        if states_result(question, chosen):
            return chosen, replace(tied, rows=(*run.rows, *(other for other in tied.rows if other != row)))
    return None


def _answer_findings(run: QueryRun, ties: Sequence[QueryRun | None]) -> Iterator[Finding]:
    if None in ties:
        yield Finding("not-judged", "whether others have the same rank is not known")
    for tied in filter(None, ties):
        if tied.rows:
            names = ", ".join(value.text for value in tied.values[:3])
            yield Finding("tie", f"{len(tied.rows)} more with the same rank, such as {names}")
    if any(map(is_blank, run.values)):
        yield Finding("blank-answer", "an answer is a blank node, which has no name")


def conclude(verdict: Verdict, certificate: Certificate) -> Verdict:
    """Return a verdict with a certificate that says what its findings make of the gold."""
    kinds = tuple(dict.fromkeys(finding.kind for finding in verdict.findings))
    conclusion: CertificateVerdict = "ambiguous" if {*kinds} - HARMLESS_KINDS else "certain"
    if DEFECTIVE_KINDS & {*kinds}:
        conclusion = "defective"
    return replace(verdict, certificate=replace(certificate, verdict=conclusion, reasons=kinds))
