"""The filter of candidate queries: a judge tells of each whether it says what the question asks; the rest is deleted.

Source: Perevalov et al., SPARQL Query Candidate Filtering, 2025: candidates are deleted and never reordered, and the
result of the first that is kept is the answer. The judge, a model or the rules, reads queries with their labels.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from chattyshared.agent import load_agent
from chattyshared.dialogue import Answer, CandidateQuery, Value, Verdict
from chattyshared.endpoint.guard import MAX_QUERY_LENGTH
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import in_filter, values_block
from chattyshared.kg.labels import label_predicates
from chattyshared.profile import LABEL_PREDICATES, SUBCLASS_PREDICATES, TYPE_PREDICATES
from chattyshared.sparql.algebra import read_query, walk_terms
from chattyshared.sparql.analysis import analyze_query, parse_query_terms
from chattyshared.sparql.gold_queries import QueryRun, run_query
from chattyshared.sparql.repair import repair_query
from rdflib import URIRef

from chattykg.state import AgentContext, Verification, make_empty_answer, make_refusal
from chattykg.verbalization.sentences import verbalize_query

MAX_CANDIDATES = 100
"""Candidates of a question that are read, the first ones; a published system gives up to 60."""
_MAX_REASON = 200
"""Characters of the reason of a verdict."""
_UNNAMED = frozenset((*TYPE_PREDICATES, *SUBCLASS_PREDICATES, *LABEL_PREDICATES))
"""Predicates that a judge needs no label for."""

AGENT = load_agent("answer/verification")


def answer_from_candidates(
    question: str, candidates: Sequence[CandidateQuery], context: AgentContext, *, known: Answer | None = None
) -> Answer:
    """Return the result of the first candidate that is kept and runs, else a refusal, with the verdicts.

    ``known`` is an answer that is there: of its query it is the result, and nothing behind the first candidate that is
    kept is judged. Without it all are.

    Raises:
        EndpointError, ModelError: the KG or a model could not be asked.
    """
    answer: Answer | None = None
    judged: list[CandidateQuery] = []
    for candidate in candidates[:MAX_CANDIDATES]:
        if answer is None or known is None:
            sparql, candidate = _judge_candidate(question, candidate, context)
            if answer is None and candidate.is_kept:
                answer, candidate = _execute(sparql, candidate, context, known)
        judged.append(candidate)
    verdicts = Counter(each.verdict for each in judged)
    deleted = verdicts["no"] + verdicts["invalid"]
    if answer is None:
        why = f"of {len(judged)} candidate queries none is kept: {verdicts['no']} do not say what the question asks, "
        answer = make_refusal(
            "too-unsure", f"{why}{verdicts['invalid']} cannot be run{' or have no result' * (known is not None)}."
        )
    notes = [f"Deleted candidate queries: {deleted} of {len(judged)}."] if deleted and answer.reason is None else []
    notes += [f"Kept unjudged, the judge said neither yes nor no: {verdicts['unread']}."] if verdicts["unread"] else []
    cut = len(candidates) - MAX_CANDIDATES
    notes += [f"Candidate queries behind the first {MAX_CANDIDATES}, not read: {cut}."] if cut > 0 else []
    return replace(answer, candidates=tuple(judged), notes=(*answer.notes, *notes))


def verify_answer(answer: Answer, question: str, context: AgentContext) -> Answer:
    """Return the answer of a strategy if its query is kept, else the result of its first candidate that is and has one;
    without a judge the answer as it stands. The query of the answer stands first among the candidates.

    Raises:
        EndpointError, ModelError: the KG or a model could not be asked.
    """
    if not answer.sparql or answer.status not in ("answered", "empty"):
        return answer
    listed = {each.query: each for each in (CandidateQuery(answer.sparql, answer.confidence), *answer.candidates)}
    if context.verification is None:
        return replace(answer, candidates=tuple(listed.values())) if answer.candidates else answer
    return answer_from_candidates(question, tuple(listed.values()), context, known=answer)


def _judge_candidate(question: str, candidate: CandidateQuery, context: AgentContext) -> tuple[str, CandidateQuery]:
    """Return the query to run and the candidate with its verdict; a query that does not parse or writes is invalid."""
    repaired = repair_query(candidate.query[: MAX_QUERY_LENGTH + 1])
    if repaired.fault or len(repaired.text) > MAX_QUERY_LENGTH:
        return "", replace(candidate, verdict="invalid", reason=repaired.fault[:_MAX_REASON] or "longer than the limit")
    if context.verification is None:
        return repaired.text, candidate
    verdict, reason = judge_query(context.verification, question, repaired.text, context)
    return repaired.text, replace(candidate, verdict=verdict, reason=reason[:_MAX_REASON])


def _execute(
    sparql: str, candidate: CandidateQuery, context: AgentContext, known: Answer | None
) -> tuple[Answer | None, CandidateQuery]:
    """Run a query in the sandbox; one that fails is invalid, and one without a result beside a ``known`` answer."""
    if known is not None and candidate.query == known.sparql:
        return known, candidate
    context.candidate_queries += 1
    context.progress.report_query(sparql)
    run = run_query(context.kg, sparql)
    if run.failure:
        return None, replace(candidate, verdict="invalid", reason=f"cannot be run: {run.failure}"[:_MAX_REASON])
    if known is not None and not run.values:
        return None, replace(candidate, verdict="invalid", reason="it has no result")
    return build_run_answer(run, sparql, min(1.0, max(0.0, candidate.score))), candidate


def build_run_answer(run: QueryRun, sparql: str, confidence: float) -> Answer:
    """Return the result of a query: the distinct values of the first column, and the rows if there are several."""
    firsts = (next((cell for cell in row if cell is not None), None) for row in run.rows)
    values = tuple(dict.fromkeys(cell for cell in firsts if cell is not None))
    empty = Value("", "literal")
    rows = tuple(tuple(cell or empty for cell in row) for row in run.rows) if run.is_table else ()
    if not values:
        return replace(make_empty_answer(sparql), confidence=confidence)
    return Answer(values, (confidence,) * len(values), rows, sparql, confidence=confidence)


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query as a judge reads it: its text, a phrase that says it ("" without one), and the label of each IRI.

    ``names`` are the labels of its things, ``relations`` those of its predicates and classes, ``values`` its literals.
    """

    sparql: str
    phrase: str
    labels: tuple[tuple[URIRef, str], ...]
    names: tuple[str, ...]
    relations: tuple[str, ...]
    values: tuple[str, ...]
    is_ask: bool = False

    def as_prompt_text(self) -> str:
        """Return the query, its phrase, and a line for each label."""
        phrase = [f"In words: {self.phrase}"] if self.phrase else []
        lines = (f"<{iri}> = {' '.join(label.split())}" for iri, label in self.labels)
        return "\n".join((f"Query: {' '.join(self.sparql.split())}", *phrase, *lines))


def judge_query(verification: Verification, question: str, sparql: str, context: AgentContext) -> tuple[Verdict, str]:
    """Return the verdict on a query that parses, and the reason if it was not judged.

    Raises:
        EndpointError, ModelError: the KG or the model could not be asked.
    """
    query = label_query(sparql, context.kg, row_limit=context.settings.row_limit)
    drops = verification.labels == "drop"
    unlabelled = _find_unlabelled([iri for iri, _ in query.labels], context.kg) if drops else []
    if unlabelled:
        return "no", f"the graph has no label of {unlabelled[0]}"
    try:
        return context.request_reply(AGENT, {"question": question, "candidate": query}).value["verdict"], ""
    except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
        return "unread", f"the judge said neither yes nor no: {error}"


def label_query(sparql: str, kg: KnowledgeGraph, *, row_limit: int = 0) -> LabelledQuery:
    """Return a query with its labels; a request for them at most. ``row_limit`` is a LIMIT that means nothing.

    Raises:
        EndpointError: the KG could not be asked.
    """
    terms, phrase = parse_query_terms(sparql), verbalize_query(sparql, kg, row_limit=row_limit)
    schema = {*kg.vocabulary.classes, *kg.vocabulary.predicates}
    vertices = (terms.vertices if terms else frozenset()) - schema
    select = read_query(sparql)
    iris = dict.fromkeys(term for term in walk_terms(select) if isinstance(term, URIRef))
    labels = kg.labels(iri for iri in iris if str(iri) not in _UNNAMED)
    return LabelledQuery(
        sparql,
        phrase,
        tuple((iri, labels[iri]) for iri in iris if iri in labels),
        tuple(dict.fromkeys(label for iri, label in labels.items() if str(iri) in vertices)),
        tuple(dict.fromkeys(label for iri, label in labels.items() if str(iri) not in vertices)),
        tuple(map(str, analyze_query(sparql).literals)),
        select is not None and select.is_ask,
    )


def _find_unlabelled(iris: Iterable[URIRef], kg: KnowledgeGraph) -> list[URIRef]:
    """Return the IRIs that have no value of a label predicate."""
    known, predicates = set(), label_predicates(kg.profile)
    if predicates:
        pattern = f"{values_block('s', iris)} ?s ?q ?x {in_filter('q', predicates)}"
        known = {row["s"] for row in kg.endpoint.select(f"SELECT DISTINCT ?s WHERE {{ {pattern} }}")}
    return [iri for iri in iris if iri not in known]
