"""Certificates: what engines, witness, names, ties and a model say about each gold answer, and the verdict on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock

from chattyshared.benchmark import Benchmark, turn_id
from chattyshared.certificates import digest_of_gold
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import ResultDigest, Triples
from chattyshared.endpoint import Endpoint
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ContextTooLong, EndpointUnavailable, ModelRefused, ReplyInvalid
from chattyshared.formats.gold import GoldFile
from chattyshared.kg import KnowledgeGraph
from chattyshared.questions import Question
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.result_comparison import is_blank, result_digest, states_result

from chattygen.audit.alternatives import find_alternatives, find_inner_ties, find_ties
from chattygen.audit.question_checks import BackTranslator, check_triples, triple_text
from chattygen.audit.verdict import ASKS_OTHER, CERTIFICATE_KINDS, NOT_JUDGED, Check, Verdict, quote_error

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
                return QueryRun(failure=quote_error(error))
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

    def checks(self, gold: GoldFile) -> tuple[Check, ...]:
        """Return the checks that make the certificates of a file, in order."""
        witnesses = {
            turn_id(dialogue, turn): turn.witness
            for dialogue in (gold.content if isinstance(gold.content, Benchmark) else ())
            for turn in dialogue.turns
        }
        check_witness = partial(self.check_witness, witnesses)
        return self.check_engines, self.check_answers, check_witness, self.check_translation

    def check_engines(self, verdict: Verdict) -> Iterator[Finding]:
        """State the result of each engine, with answers where they differ."""
        question, run = verdict.question, verdict.query_run
        gold_digest = digest_of_gold(question.sparql, question.answers or ())
        verdict.certify(fingerprint=self.kg.fingerprint(), gold_digest=gold_digest)
        if run is None:
            if not question.sparql and question.gold() is not None and verdict.proof is None:
                yield Finding("no-evidence", "no query: nothing shows that the answers are right")
            return
        runs = [(engine_name(self.kg.endpoint), run)]
        if self.second is not None:
            runs.append((self.second.name, self.second.run(self.kg, question.sparql)))
        results = [ResultDigest(name, "" if each.failure else result_digest(each), each.failure) for name, each in runs]
        if len(results) > 1 and results[1].failure:
            yield Finding("not-confirmed", f"{results[1].engine}: {results[1].failure}")
        elif not run.failure and len({result.digest for result in results}) > 1:
            texts = (f"{name}: {list_first(value.text for value in each.values)}" for name, each in runs)
            yield Finding("engines-disagree", "; ".join(texts))
            results = [replace(result, answers=each.values[:MAX_SHOWN_ANSWERS])
                       for result, (_, each) in zip(results, runs, strict=True)]  # fmt: skip
        verdict.certify(results=tuple(results))

    def check_answers(self, verdict: Verdict) -> Iterator[Finding]:
        """State ties, blank nodes and alternatives; gold that is another choice among tied things is not wrong."""
        run, query, untrusted = verdict.query_run, verdict.analysis, self.kg.endpoint.untrusted_view()
        if run is None or run.failure:
            return
        tied = find_ties(query, run, self.kg, untrusted)
        if choice := _stated_choice(verdict.question, run, tied):
            run, tied = choice
            verdict.findings = [finding for finding in verdict.findings if finding.kind != "differs"]
        ties = [tied, *find_inner_ties(query, self.kg, untrusted)]
        if None in ties:
            yield Finding(NOT_JUDGED, "whether others have the same rank is not known")
        for each in ties:
            if each is not None and each.rows:
                names = ", ".join(value.text for value in each.values[:3])
                yield Finding("tie", f"{len(each.rows)} more with the same rank, such as {names}")
        if any(map(is_blank, run.values)):
            yield Finding("blank-answer", "an answer is a blank node, which has no name")
        verdict.certify(alternatives=find_alternatives(query, run, tied or QueryRun(), self.kg, untrusted))

    def check_witness(self, witnesses: Mapping[str, Triples], verdict: Verdict) -> Iterator[Finding]:
        """State how many triples of the witness the graph contains."""
        present, missing = check_triples(witnesses.get(verdict.id, ()), self.kg.endpoint.untrusted_view())
        checked = len(present) + len(missing)
        verdict.certify(checked_triples=checked, missing_triples=len(missing))
        if missing:
            yield Finding("witness-missing", f"{len(missing)} of {checked}: {triple_text(missing[0])}")

    def check_translation(self, verdict: Verdict) -> Iterator[Finding]:
        """State the question that a model reads in the query alone."""
        if self.translator is None or verdict.analysis.syntax_error or verdict.proof is not None:
            return
        try:
            translation = self.translator.translate(verdict, self.kg)
        except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
            yield Finding(NOT_JUDGED, f"no back-translation: {quote_error(error)}")
            return
        verdict.certify(back_translation=translation)
        if not translation.is_same:
            yield Finding(ASKS_OTHER, f'the query asks: "{translation.question}"')


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
