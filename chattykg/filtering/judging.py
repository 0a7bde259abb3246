"""The judge of candidate queries: a language model, or the rules in its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from chattyshared.agent import load_agent
from chattyshared.dialogue import Verdict
from chattyshared.errors import ContextTooLong, ModelRefused, ReplyInvalid
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.batches import in_filter, values_block
from chattyshared.kg.labels import label_predicates
from chattyshared.profile import LABEL_PREDICATES, SUBCLASS_PREDICATES, TYPE_PREDICATES
from chattyshared.sparql.analysis import analyze_query, parse_query_terms
from rdflib import URIRef

from chattykg.state import AgentContext, Verification
from chattykg.verbalization.algebra import read_query, walk_terms
from chattykg.verbalization.sentences import NO_PHRASE, verbalize_query

_UNNAMED = frozenset((*TYPE_PREDICATES, *SUBCLASS_PREDICATES, *LABEL_PREDICATES))
"""Predicates that a judge needs no label for."""

AGENT = load_agent("answer/verification")


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
        "" if phrase == NO_PHRASE else phrase,
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
