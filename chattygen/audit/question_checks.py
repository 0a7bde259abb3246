"""Checks of a question: its translation back, ambiguous names, answers within it, triples that are not there."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from chattyshared.agent import load_agent
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import BackTranslation, Triples, Value
from chattyshared.endpoint import Endpoint
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.jsonlines import to_json_line
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import batches, count_of, union_pattern
from chattyshared.model import LanguageModel
from chattyshared.questions import Question
from chattyshared.sparql.analysis import QueryAnalysis, is_rdf_type
from chattyshared.terms import iri_to_words, n3
from rdflib import Literal, URIRef

from chattygen.lint.dialogue_view import mentions_name

MAX_ENTITIES = 20
"""The most entities of one query whose names are looked up."""
_TRIPLES_AT_ONCE = 40
"""Triples that one query looks for: the guard takes no query of more than a thousand tokens."""


def ambiguous_names(question: Question, query: QueryAnalysis, kg: KnowledgeGraph) -> Iterator[str]:
    """Yield the names in a question that an entity outside its query also has, by the same predicate.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    texts = f"{question.question}\n{question.standalone}"
    terms = [URIRef(iri) for iri in query.iris][:MAX_ENTITIES]
    labels = {iri: name for iri, name in kg.labels(terms).items() if name and mentions_name(texts, name)}
    pairs = " ".join(pair for iri, name in labels.items() if (pair := _pair(URIRef(iri), name)))
    if not pairs:
        return
    rows = kg.endpoint.select(
        f"SELECT DISTINCT ?thing ?other WHERE {{ VALUES (?thing ?said) {{ {pairs} }} ?thing ?by ?name . "
        "FILTER(isLiteral(?name) && STR(?name) = ?said) ?other ?by ?name . "
        "FILTER(?other != ?thing && isIRI(?other)) } ORDER BY ?thing ?other"
    )
    others: dict[str, list[str]] = {}
    for row in rows:
        if str(row["other"]) not in query.iris:
            others.setdefault(str(row["thing"]), []).append(str(row["other"]))
    for iri, other_iris in others.items():
        yield f'"{labels[URIRef(iri)]}" is <{iri}>, but also {list_first((f"<{o}>" for o in other_iris), 1)}'


def check_triples(triples: Triples, endpoint: Endpoint) -> tuple[Triples, Triples]:
    """Return the triples of a benchmark that a graph contains, and those that it does not.

    Those with a variable or a blank node cannot be looked up. The endpoint must take untrusted queries.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    texts = {triple: triple_text(triple) for triple in triples if not any(p.startswith(("?", "_:")) for p in triple)}
    stated = _find_stated(texts.values(), endpoint)
    present = tuple(triple for triple, text in texts.items() if text in stated)
    return present, tuple(triple for triple in texts if triple not in present)


def triple_text(triple: Iterable[str]) -> str:
    """Return a triple of a benchmark in SPARQL's syntax.

    Raises:
        ValueError: an IRI cannot be written into a query.
    """
    return " ".join(part if part.startswith('"') else n3(URIRef(part)) for part in triple)


def _find_stated(triples: Iterable[str], endpoint: Endpoint) -> set[str]:
    """Return those of some triples, in SPARQL's syntax, that a graph contains.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    stated = set()
    for batch in batches(sorted(triples), _TRIPLES_AT_ONCE):
        branches = [f"BIND({number} AS ?n) {triple}" for number, triple in enumerate(batch)]
        rows = endpoint.select(f"SELECT DISTINCT ?n WHERE {{ {union_pattern(branches)} }}")
        stated |= {batch[count_of(row, "n")] for row in rows}
    return stated


def leaked_answer(question: Question, query: QueryAnalysis, answers: tuple[Value, ...]) -> str:
    """Return which answer a question contains; empty if none. Choices between several answers and short numbers do not
    count."""
    if query.form == "ASK" or query.counted_variables:
        return ""
    for answer in answers:
        name = answer.label or (iri_to_words(answer.value) if answer.kind == "iri" else answer.value)
        if answer.value in query.iris or answer.kind == "boolean" or len(name) < (3 if answer.kind == "number" else 2):
            continue
        for text in (question.question, question.standalone):
            quoted = rf"[\"'“‘]?{re.escape(name)}[\"'”’]?"
            offered = re.search(rf"\bor (?:the )?{quoted}|{quoted},? or\b", text, re.IGNORECASE)
            if mentions_name(text, name) and not offered:
                return f'"{name}" is in: "{text}"'
    return ""


def _pair(iri: URIRef, name: str) -> str:
    try:
        return f"({n3(iri)} {n3(Literal(name))})"
    except ValueError:  # the IRI cannot be written into a query
        return ""


TRANSLATOR, JUDGE = load_agent("judge/back_translation"), load_agent("answer/verification")


@dataclass(frozen=True, slots=True)
class BackTranslator:
    """The model that translates and judges, its name, and how often it may try."""

    model: LanguageModel
    name: str
    theta: int

    def translate(
        self, question: Question, query: QueryAnalysis, kg: KnowledgeGraph, former: BackTranslation | None
    ) -> tuple[BackTranslation | None, tuple[Finding, ...]]:
        """Return the back-translation of a query and what is to be said about it; None if the model gives none.

        ``former`` is returned if it is of the same model, query and question: it need not be paid for again.

        Raises:
            EndpointError: the labels cannot be read.
            ModelError, BudgetSpent: the model cannot be asked.
        """
        text, *labels = _describe(query, kg)
        asked = question.standalone or question.question
        shown = to_json_line([asked, "\n".join((text, *labels)), TRANSLATOR.prompt.digest, JUDGE.prompt.digest])
        digest = hashlib.sha256(shown.encode(errors="backslashreplace")).hexdigest()[:16]
        made = former
        if made is None or (made.model, made.digest) != (self.name, digest):
            try:
                reply = TRANSLATOR(self.model, {"candidate": (text, *labels)}, theta=self.theta)
                words = " ".join(reply.value["question"].split())
                candidate = (text, f"In words: {words}", *labels)
                verdict = JUDGE(self.model, {"question": asked, "candidate": candidate}, theta=self.theta)
            except (ReplyInvalid, ModelRefused, ContextTooLong) as error:
                message = f"no back-translation: {' '.join(str(error).split())[:200]}"
                return None, (Finding("not-judged", message),)
            made = BackTranslation(words, verdict.value["verdict"] == "yes", self.name, digest)
        is_other = Finding("asks-other", f'the query asks: "{made.question}"')
        return made, () if made.is_same else (is_other,)


def _describe(query: QueryAnalysis, kg: KnowledgeGraph) -> list[str]:
    """Return the text of a query, and a line with the label of each IRI."""
    classes = (str(o) for _, p, o in query.patterns if is_rdf_type(p) and isinstance(o, URIRef))
    iris = [iri for iri in dict.fromkeys((*query.iris, *query.predicates, *classes)) if not is_rdf_type(iri)]
    labels = kg.labels([URIRef(iri) for iri in iris])
    lines = (f"<{iri}> = {' '.join(label.split())}" for iri in iris if (label := labels.get(URIRef(iri))))
    return [f"Query: {' '.join(query.text.split())}", *lines]
