"""Certificates: what engines, witness, names, ties and a model say about each gold answer, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from chattyshared import benchmark
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import certificate_from_json, digest_of_gold
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Certificate, CertificateVerdict, ResultDigest, Triples
from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import QUERY_ERRORS, BudgetSpent, EndpointUnavailable, ModelUnavailable
from chattyshared.formats.gold import GoldFile
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.runs.runner import ThreadRunner
from chattyshared.sparql.analysis import analyze_query
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.result_comparison import is_blank, result_digest, states_result

from chattygen.audit.alternatives import find_alternatives, find_inner_ties, find_ties
from chattygen.audit.question_checks import BackTranslator, check_triples, triple_text
from chattygen.audit.report import (
    AMBIGUOUS_KINDS,
    ASKS_OTHER,
    CERTIFICATE_KINDS,
    DEFECTIVE_KINDS,
    AuditReport,
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

    def run(self, kg: KnowledgeGraph, sparql: str) -> QueryRun:
        """Return the result of a query; a failure of any kind is a result."""
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

    def certify(self, verdict: Verdict, witness: Triples, former: Certificate) -> tuple[list[Finding], Certificate]:
        """Return the findings for a question, and its certificate; ``former`` is the present one.

        Raises:
            EndpointUnavailable, ModelUnavailable, BudgetSpent: the run has to stop.
        """
        findings, question, run = [*verdict.findings], verdict.question, verdict.query_run
        gold_digest = digest_of_gold(question.sparql, question.answers or ())
        certificate = replace(former.exclusions, fingerprint=self.kg.fingerprint(), gold_digest=gold_digest)
        if run is not None:
            results, disagreement = self._compare_engines(question.sparql, run)
            certificate = replace(certificate, results=results)
            findings += disagreement
        elif not question.sparql and question.gold() is not None and former.exclusions == Certificate(is_audit=True):
            findings.append(Finding("no-evidence", "no query: nothing shows that the answers are right"))
        try:
            if run is not None and not run.failure:
                findings, certificate = self._judge_answers(question, run, findings, certificate)
            present, missing = check_triples(witness, self.kg.endpoint.untrusted_view())
            checked = len(present) + len(missing)
            certificate = replace(certificate, checked_triples=checked, missing_triples=len(missing))
            if missing:
                findings.append(Finding("witness-missing", f"{len(missing)} of {checked}: {triple_text(missing[0])}"))
        except QUERY_ERRORS as error:
            findings.append(_not_judged(error))
        return findings, _conclude(certificate, findings)

    def translate(
        self, verdict: Verdict, certificate: Certificate, former: Certificate
    ) -> tuple[list[Finding], Certificate]:
        """Return the findings and the certificate of a question with the back-translation of its query, if it has one
        that is no proof of an unanswerable question.

        Raises:
            EndpointUnavailable, ModelUnavailable, BudgetSpent: the run has to stop.
        """
        findings, query = [*verdict.findings], analyze_query(verdict.question.sparql)
        if self.translator is None or query.syntax_error or former.exclusions != Certificate(is_audit=True):
            return findings, certificate
        try:
            made, found = self.translator.translate(verdict.question, query, self.kg, former.back_translation)
        except QUERY_ERRORS as error:
            made, found = None, (_not_judged(error),)
        findings += found
        return findings, _conclude(replace(certificate, back_translation=made), findings)

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


def certify_report(
    report: AuditReport, certifier: Certifier, on_progress: Callable[[], None] = lambda: None, *, workers: int = 1
) -> AuditReport:
    """Return the report with certificates and their findings; the model is asked about ``workers`` questions at a time.

    If the model or the budget ends, the report has what is certified so far, and ``stopped`` says why.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
    """
    witnesses, stopped = _witnesses(report.gold), None
    formers = [_former_certificate(verdict.question) for verdict in report.verdicts]
    verdicts, certificates = list(report.verdicts), dict[str, Certificate]()
    for index, (verdict, former) in enumerate(zip(report.verdicts, formers, strict=True)):
        made = catch_unexpected(partial(certifier.certify, verdict, witnesses.get(verdict.id, ()), former))
        verdicts[index], certificates[verdict.id] = _with_findings(verdict, former, made)
        if certifier.translator is None:
            on_progress()
    if certifier.translator is not None:
        items = list(zip(verdicts, formers, strict=True))
        untranslated, certificates = certificates, {}
        work = partial(_translate, certificates=untranslated)
        try:
            for index, made in ThreadRunner(workers).map_unordered(work, certifier, items):
                verdict, former = items[index]
                verdicts[index], certificates[verdict.id] = _with_findings(verdict, former, made)
                on_progress()
        except (ModelUnavailable, BudgetSpent) as error:
            stopped = error
    return replace(
        report,
        verdicts=tuple(verdicts),
        kinds={**report.kinds, **certifier.kinds},
        notes=certifier.second.notes if certifier.second else (),
        certificates={each.id: certificates[each.id] for each in verdicts if each.id in certificates},
        stopped=stopped,
    )


Certified = tuple[list[Finding], Certificate] | UnexpectedError


def _translate(
    certifier: Certifier, item: tuple[Verdict, Certificate], *, certificates: Mapping[str, Certificate]
) -> Certified:
    verdict, former = item
    return catch_unexpected(partial(certifier.translate, verdict, certificates[verdict.id], former))


def _with_findings(verdict: Verdict, former: Certificate, made: Certified) -> tuple[Verdict, Certificate]:
    """Return a verdict with its findings, and the certificate; after an unexpected error, one that says so."""
    if isinstance(made, UnexpectedError):
        findings = [*verdict.findings, Finding("not-judged", made.sentence)]
        unexpected = replace(verdict, findings=tuple(findings), unexpected=str(made))
        return unexpected, _conclude(former.exclusions, findings)
    return replace(verdict, findings=tuple(made[0])), made[1]


def _former_certificate(question: Question) -> Certificate:
    own = question.extra.get("certificate")
    return certificate_from_json(own) if isinstance(own, dict) else Certificate(is_audit=True)


def _not_judged(error: Exception) -> Finding:
    return Finding("not-judged", f"in part: {' '.join(str(error).split())[:200]}")


def rdflib_engine(kg: KnowledgeGraph) -> SecondEngine | None:
    """Return rdflib as the second engine of a graph in files or in memory; None for others, and for large ones."""
    import rdflib

    if not isinstance(kg.endpoint, LocalEndpoint) or kg.endpoint.triple_count > MAX_SECOND_TRIPLES:
        return None
    return SecondEngine(f"rdflib {rdflib.__version__}", kg.endpoint.rdflib_view())


def engine_name(endpoint: Endpoint) -> str:
    """Return the name and the version of an endpoint's engine; the endpoint's name if it does not tell."""
    return " ".join(str(getattr(endpoint, "engine", "") or endpoint.name).split())


def _witnesses(gold: GoldFile) -> Mapping[str, Triples]:
    """Return the witness of each turn by its id."""
    if not isinstance(gold.content, Benchmark):
        return {}
    return {
        benchmark.turn_id(dialogue, turn): turn.witness
        for dialogue in gold.content.dialogues
        for turn in dialogue.turns
    }


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


def _conclude(certificate: Certificate, findings: Iterable[Finding]) -> Certificate:
    """Return a certificate with the verdict that its findings make."""
    kinds = tuple(dict.fromkeys(finding.kind for finding in findings))
    verdict: CertificateVerdict = (
        "defective" if DEFECTIVE_KINDS & {*kinds} else "ambiguous" if AMBIGUOUS_KINDS & {*kinds} else "certain"
    )
    return replace(certificate, verdict=verdict, reasons=kinds)
