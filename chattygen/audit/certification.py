"""Certificates: what engines, witness, names, ties and a model say about each gold answer, and the verdict on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from chattyshared import benchmark
from chattyshared.benchmark import Benchmark
from chattyshared.certificates import certificate_from_json
from chattyshared.check import Finding
from chattyshared.dialogue import Certificate, CertificateVerdict, ResultDigest, Triples
from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import QUERY_ERRORS, BudgetSpent, EndpointUnavailable, ModelUnavailable
from chattyshared.formats.gold import GoldFile
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from chattyshared.sparql.analysis import analyze_query
from chattyshared.sparql.gold_queries import QueryRun, run_query

from chattygen.audit.alternatives import find_alternatives, find_ties
from chattygen.audit.answer_agreement import is_blank, result_digest, states_result
from chattygen.audit.back_translation import BackTranslator
from chattygen.audit.question_checks import ground_pattern
from chattygen.audit.report import AMBIGUOUS_KINDS, DEFECTIVE_KINDS, AuditReport, Verdict

MAX_SECOND_TRIPLES = 1_000_000
"""Triples up to which rdflib is the second engine of a graph in files; it takes some gigabytes and minutes for them."""
MAX_SHOWN_ANSWERS = 20
"""Answers of each engine that a certificate states where the engines disagree."""


@dataclass(frozen=True, slots=True)
class SecondEngine:
    """Another engine with the same triples: its name, and its view for untrusted queries."""

    name: str
    endpoint: Endpoint


@dataclass(frozen=True, slots=True)
class Certifier:
    """What certificates are made with: the graph, perhaps a second engine, and perhaps a model."""

    kg: KnowledgeGraph
    second: SecondEngine | None = None
    translator: BackTranslator | None = None

    def certify(self, verdict: Verdict, witness: Triples, former: Certificate) -> tuple[Verdict, Certificate]:
        """Return a question's verdict with further findings, and its certificate; ``former`` is the present one.

        Raises:
            EndpointUnavailable, ModelUnavailable, BudgetSpent: the run has to stop.
        """
        made = catch_unexpected(partial(self._certify, verdict, witness, former))
        if isinstance(made, UnexpectedError):
            finding = Finding("not-judged", made.sentence)
            findings = (*verdict.findings, finding)
            return replace(verdict, findings=findings, unexpected=str(made)), _conclude(former.exclusions, findings)
        findings, certificate = made
        return replace(verdict, findings=findings), certificate

    def _certify(
        self, verdict: Verdict, witness: Triples, former: Certificate
    ) -> tuple[tuple[Finding, ...], Certificate]:
        findings = [*verdict.findings]
        certificate = replace(former.exclusions, fingerprint=self.kg.fingerprint())
        query, run = analyze_query(verdict.question.sparql), verdict.query_run
        if run is not None:
            results = tuple(self._run_on_engines(verdict.question.sparql, run))
            certificate = replace(certificate, results=_show_disagreement(results))
            findings += _engine_findings(results)
        try:
            if run is not None and not run.failure:
                untrusted = self.kg.endpoint.untrusted_view()
                tied = find_ties(query, run, self.kg, untrusted)
                if choice := _stated_choice(verdict.question, run, tied):
                    run, tied = choice
                    findings = [finding for finding in findings if finding.kind != "differs"]
                findings += _answer_findings(run, tied)
                alternatives = find_alternatives(query, run, tied or QueryRun(), self.kg, untrusted)
                certificate = replace(certificate, alternatives=alternatives)
            checked = [pattern for triple in witness if (pattern := ground_pattern(triple))]
            missing = [pattern for pattern in checked if not self.kg.endpoint.ask(f"ASK {{ {pattern} }}")]
            certificate = replace(certificate, checked_triples=len(checked), missing_triples=len(missing))
            findings += (
                [Finding("witness-missing", f"{len(missing)} of {len(checked)}: {missing[0]}")] if missing else []
            )
            if self.translator is not None and not query.syntax_error:
                translation, failure = self.translator.translate(
                    verdict.question, query, self.kg, former.back_translation
                )
                certificate = replace(certificate, back_translation=translation)
                findings += [Finding("not-judged", failure)] if failure else []
                if translation is not None and not translation.is_same:
                    findings.append(Finding("asks-other", f'the query asks: "{translation.question}"'))
        except QUERY_ERRORS as error:
            findings.append(Finding("not-judged", f"in part: {' '.join(str(error).split())[:200]}"))
        return tuple(findings), _conclude(certificate, findings)

    def _run_on_engines(self, sparql: str, run: QueryRun) -> Iterator[tuple[ResultDigest, QueryRun]]:
        yield _engine_result(engine_name(self.kg.endpoint), run), run
        if self.second is not None:
            try:
                second = run_query(self.kg, sparql, self.second.endpoint)
            except EndpointUnavailable as error:
                second = QueryRun(failure=" ".join(str(error).split())[:200])
            yield _engine_result(self.second.name, second), second


def certify_report(
    report: AuditReport, certifier: Certifier, on_progress: Callable[[], None] = lambda: None
) -> AuditReport:
    """Return the report with certificates and their findings.

    If the model or the budget ends, the report has what is certified so far, and ``stopped`` says why.

    Raises:
        EndpointUnavailable: the endpoint does not answer.
    """
    witnesses = _witnesses(report.gold)
    verdicts, certificates, stopped = list(report.verdicts), dict[str, Certificate](), None
    for index, verdict in enumerate(report.verdicts):
        own = verdict.question.extra.get("certificate")
        former = certificate_from_json(own) if isinstance(own, dict) else Certificate(is_audit=True)
        try:
            verdicts[index], certificates[verdict.id] = certifier.certify(
                verdict, witnesses.get(verdict.id, ()), former
            )
        except (ModelUnavailable, BudgetSpent) as error:
            stopped = error
            break
        on_progress()
    return replace(report, verdicts=tuple(verdicts), certificates=certificates, stopped=stopped)


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


def _engine_result(engine: str, run: QueryRun) -> ResultDigest:
    return ResultDigest(engine, failure=run.failure) if run.failure else ResultDigest(engine, result_digest(run))


def _show_disagreement(results: Iterable[tuple[ResultDigest, QueryRun]]) -> tuple[ResultDigest, ...]:
    """Add the answers where the engines give different results."""
    pairs = tuple(results)
    if len({result.digest for result, _ in pairs if result.digest}) < 2:
        return tuple(result for result, _ in pairs)
    return tuple(replace(result, answers=run.values[:MAX_SHOWN_ANSWERS]) for result, run in pairs)


def _engine_findings(results: tuple[tuple[ResultDigest, QueryRun], ...]) -> Iterator[Finding]:
    failed = [result for result, _ in results[1:] if result.failure]
    if failed:
        yield Finding("not-confirmed", f"{failed[0].engine}: {failed[0].failure}")
    elif not results[0][0].failure and len({result.digest for result, _ in results}) > 1:
        texts = (
            f"{result.engine}: {', '.join(value.text for value in run.values[:3]) or 'nothing'}"
            + (f" and {len(run.values) - 3} more" if len(run.values) > 3 else "")
            for result, run in results
        )
        yield Finding("engines-disagree", "; ".join(texts))


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


def _answer_findings(run: QueryRun, tied: QueryRun | None) -> Iterator[Finding]:
    if tied is None:
        yield Finding("not-judged", "whether others have the same rank is not known")
    elif tied.rows:
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
