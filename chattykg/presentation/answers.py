"""Answers as people read them: the sentence, the evidence with labels, and the classes of what is shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain

from chattyshared.dialogue import Answer, EvidenceTriple, History, Triples, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.literals import to_value
from chattyshared.model import LanguageModel
from chattyshared.terms import Term, is_iri
from rdflib import BNode, Literal, URIRef
from rdflib.util import from_n3

from chattykg.agents.verbalizer import verbalize_answer, verbalize_by_template
from chattykg.conversation.language_id import detect_conversation_language
from chattykg.conversation.referent_lookup import class_labels

MAX_TYPED_THINGS = 100
"""Things of an answer whose classes are read."""


@dataclass(frozen=True, slots=True)
class Presenter:
    """Completes answers over one graph for people; ``verbalizer`` writes the sentences (None: a template does)."""

    kg: KnowledgeGraph
    verbalizer: LanguageModel | None = field(default=None)

    def present(self, question: str, answer: Answer, history: History = ()) -> Answer:
        """Return an answer with its sentence and with its evidence; one request, for labels.

        Raises:
            EndpointError: the KG could not be asked.
            ModelError: the verbalizer cannot be reached.
        """
        return replace(
            answer, text=self._text(question, answer, history), evidence=collect_evidence(answer.witness, self.kg)
        )

    def _text(self, question: str, answer: Answer, history: History) -> str:
        language = detect_conversation_language(question, history)
        if self.verbalizer is None:
            return verbalize_by_template(answer, language)
        return verbalize_answer(answer.standalone or question, answer, self.verbalizer, language)


def collect_evidence(witness: Triples, kg: KnowledgeGraph) -> tuple[EvidenceTriple, ...]:
    """Return witness triples with the labels of their terms; one request.

    Raises:
        EndpointError: the KG could not be asked.
    """
    triples = [tuple(map(_parse_term, triple)) for triple in witness]
    labels = kg.labels({term for term in chain.from_iterable(triples) if isinstance(term, URIRef)}) if triples else {}
    values = [tuple(to_value(term, labels.get(term, "")) for term in triple) for triple in triples]
    return tuple(EvidenceTriple(*triple) for triple in values)


def find_class_labels(answer: Answer, kg: KnowledgeGraph) -> Mapping[str, str]:
    """Return the label of the most specific class of the things in an answer, by IRI; one request.

    Raises:
        EndpointError: the KG could not be asked.
    """
    terms = (value for triple in answer.evidence for value in (triple.subject, triple.object))
    things = [URIRef(iri) for iri in _iris(chain(answer.values, chain.from_iterable(answer.rows), terms))]
    types = kg.types_of(things[:MAX_TYPED_THINGS]) if things else {}
    named = ((str(thing), class_labels(classes, kg)) for thing, classes in types.items())
    return {iri: labels[0] for iri, labels in named if labels}


def _iris(values: Iterable[Value]) -> Iterable[str]:
    return dict.fromkeys(value.value for value in values if value.kind == "iri" and is_iri(value.value))


def _parse_term(text: str) -> Term:
    """Return the term of a witness: an IRI without brackets, a blank node, or a literal."""
    term = from_n3(text) if text.startswith(('"', "_:")) else None
    return term if isinstance(term, Literal | BNode) else URIRef(text)
