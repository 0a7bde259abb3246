"""Discourse referents: the entities and answers of a conversation that later questions may refer to, with their types,
gender and properties from the KG."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from chattyshared.dialogue import Answer, Exchange, History, LinkedTerm, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.lexicon import word_map, word_set
from chattyshared.language.morphology import analyze_phrase
from chattyshared.language.tokenizer import tokenize
from chattyshared.terms import iri_to_words, is_writable, local_name, n3
from rdflib import URIRef
from rdflib.namespace import RDF

from chattykg.linking.candidates import EXACT_SCORE
from chattykg.linking.mentions import Mention, vertex_mentions
from chattykg.linking.question_spans import extract_spans
from chattykg.query.graph_patterns import write_path

LONGEST = 160
"""Characters of a label that are shown: longer texts are not names."""
CHARACTERS = 16_000
"""Most characters of all referents in a prompt, about 4,000 tokens."""
MAX_TYPED_VERTICES = 60
"""Vertices whose types are looked up, latest first."""
MAX_DESCRIBED_VERTICES = 12
"""Topics and first answers whose predicates are looked up, latest first."""
MAX_LINKED_EXCHANGES = 6
"""Exchanges whose text answers are linked, latest first."""
MAX_LISTED_TEXTS = 10
"""Texts and numbers of one answer that later questions may refer to; longer lists are data. Set by hand."""
_MAX_HITS = 3
_MAX_SENTENCE_CHARACTERS = 500
_MIN_NAME_SCORE = 0.8
_GENDER_LABELS, _GENDER_VALUES = word_set("followups", "gender_labels"), word_map("followups", "gender_values")


@dataclass(frozen=True, slots=True)
class Property:
    """A predicate at a vertex: its label, and whether the vertex is its subject."""

    label: str
    is_outward: bool = True


@dataclass(frozen=True, slots=True)
class Referent:
    """A vertex or value of the conversation: its turn (from 1), role, and position in that turn's answer (from 1).

    ``topic``: named in the question; ``answer``: one of its answers. ``types`` are class labels, most specific first;
    ``gender`` is what the KG states (``female``, ``male`` or ""). ``answer_count`` counts the answers of that turn.
    ``properties`` are the predicates at it; empty if they were not looked up.
    """

    label: str
    iri: str
    turn: int
    role: Literal["topic", "answer"]
    position: int = 1
    answer_count: int = 1
    types: tuple[str, ...] = ()
    gender: str = ""
    properties: tuple[Property, ...] = ()

    def as_prompt_text(self) -> str:
        """Return the line that stands in a prompt."""
        role = "asked about" if self.role == "topic" else f"answer {self.position} of {self.answer_count}"
        return f"turn {self.turn}, {role}: {self.label[:LONGEST]}{self.kind}"

    @property
    def kind(self) -> str:
        """Types and gender in brackets, as a prompt shows them behind a name."""
        known = ", ".join((*self.types[:2], *([self.gender] if self.gender else [])))
        return f" ({known})"[:LONGEST] if self.types else ""


class Referents(tuple[Referent, ...]):
    """The referents of a conversation, in its order; a prompt shows the answers of one turn in one line."""

    __slots__ = ()

    def as_prompt_text(self) -> str:
        """Return the text in a prompt: a line for each topic, and for each run of answers of one kind.

        A single answer is left out if the context already shows all that is known of it; a topic is shown at its latest
        turn.
        """
        latest = {one.label + one.kind: one.turn for one in self if one.role == "topic"}
        telling = (
            one
            for one in self
            if (one.kind or one.role != "answer" or one.answer_count > 1)
            and (one.role != "topic" or one.turn == latest[one.label + one.kind])
        )
        return "\n".join(_line(list(run)) for _, run in groupby(telling, _line_key)) or "(nothing else)"


def _line_key(referent: Referent) -> tuple[object, ...]:
    """Return the key that referents of one line share; each topic has a line of its own."""
    return referent.turn, referent.role, referent.kind, "" if referent.role == "answer" else referent.label


def _line(run: Sequence[Referent]) -> str:
    if len(run) == 1:
        return run[0].as_prompt_text()
    first, last = run[0], run[-1]
    names = "; ".join(one.label[:LONGEST] for one in run)
    positions = f"{first.position} to {last.position} of {first.answer_count}"
    return f"turn {first.turn}, answers {positions}{first.kind}: {names}"


def truncate_referents(referents: Sequence[Referent], max_characters: int = CHARACTERS) -> Referents:
    """Return the referents that fit into ``max_characters``: latest turns first, then first positions."""
    kept: set[int] = set()
    for index in sorted(range(len(referents)), key=lambda index: (-referents[index].turn, index)):
        max_characters -= len(referents[index].as_prompt_text()) + 1
        if max_characters < 0:
            break
        kept.add(index)
    return Referents(referent for index, referent in enumerate(referents) if index in kept)


def find_referents(history: History, kg: KnowledgeGraph, limit: int) -> tuple[Referent, ...]:
    """Return the referents of a conversation, turn by turn: the topics, then the first ``limit`` answers.

    One request for the types and one for the genders of the latest ``MAX_TYPED_VERTICES``, one for the predicates at
    the latest ``MAX_DESCRIBED_VERTICES``, and one search for each question without an answer, to find its topic.

    Raises:
        EndpointError: the KG could not be asked.
    """
    referents = [one for turn, exchange in enumerate(history, 1) for one in _turn_referents(turn, exchange, limit, kg)]
    latest = list(dict.fromkeys(referent.iri for referent in reversed(referents) if referent.iri))[:MAX_TYPED_VERTICES]
    vertices = [URIRef(iri) for iri in latest if is_writable(iri)]
    types = {str(term): class_labels(iris, kg) for term, iris in kg.types_of(vertices).items()} if vertices else {}
    genders = _look_up_genders(vertices, kg)
    properties = _look_up_properties(referents, kg)
    described = [
        replace(r, types=types.get(r.iri, ()), gender=genders.get(r.iri, ""), properties=properties.get(r.iri, ()))
        for r in referents
    ]
    return truncate_referents(described)


def spoken_vertices(history: History) -> frozenset[str]:
    """Return the vertices that a conversation speaks of: answers, and topics of one meaning that no later turn corrects
    by linking their mention to another thing."""
    topics = [
        linked
        for exchange in history
        for linked in exchange.answer.entities
        if [other.mention for other in exchange.answer.entities].count(linked.mention) == 1
    ]
    latest = {linked.mention.casefold(): linked.iri for linked in topics}
    corrected = {linked.iri for linked in topics}.difference(latest.values())
    answers = (value.value for exchange in history for value in exchange.answer.values if value.kind == "iri")
    return frozenset((*answers, *latest.values())) - corrected


def link_text_answers(history: History, kg: KnowledgeGraph) -> History:
    """Return a history in which the latest text answers are linked to vertices of that name.

    A text that names one vertex becomes that vertex; a sentence becomes the vertices that it names and its question
    does not. An ambiguous name stays text. Three searches for each of at most ``MAX_LINKED_EXCHANGES`` exchanges.
    Answers from a model's memory are left out, so that no later answer is built on them.

    Raises:
        EndpointError: the KG could not be asked.
    """
    history = tuple(
        each if each.answer.grounded else replace(each, answer=Answer(standalone=each.answer.standalone))
        for each in history
    )
    indexes = [index for index, exchange in enumerate(history) if _is_text(exchange.answer)][-MAX_LINKED_EXCHANGES:]
    return tuple(_link_values(exchange, kg) if index in indexes else exchange for index, exchange in enumerate(history))


def _is_text(answer: Answer) -> bool:
    """Tell whether an answer is plain text, without a query or linked entities."""
    return bool(answer.values) and not (answer.entities or answer.sparql)


def _link_values(exchange: Exchange, kg: KnowledgeGraph) -> Exchange:
    topics = tuple(
        LinkedTerm(m.text, m.hits[0].iri, m.hits[0].label, m.score, next(iter(m.hits[0].types), ""))
        for m in _entity_mentions(exchange.question, kg)
    )
    values = exchange.answer.values
    texts = [value.value for value in values if value.kind == "literal"]
    hits_of = kg.search(texts, limit=_MAX_HITS, whole_only=frozenset(texts)) if texts else {}
    labels = kg.labels([URIRef(value.value) for value in values if value.kind == "iri" and is_writable(value.value)])
    linked_values: list[Value] = []
    for value in values:
        hits = {hit.iri: hit for hit in hits_of.get(value.value, ()) if hit.score >= EXACT_SCORE}
        unique_hits = list(hits.values())
        if value.kind == "literal" and not unique_hits and len(values) == 1:
            topic_iris = {topic.iri for topic in topics}
            hits = {m.hits[0].iri: m.hits[0] for m in _entity_mentions(value.value[:_MAX_SENTENCE_CHARACTERS], kg)}
            linked_values += [Value(iri, "iri", label=hit.label) for iri, hit in hits.items() if iri not in topic_iris]
        elif len(unique_hits) == 1:
            linked_values.append(Value(unique_hits[0].iri, "iri", label=unique_hits[0].label))
        else:
            linked_values.append(replace(value, label=labels.get(URIRef(value.value), "")))
    return replace(exchange, answer=replace(exchange.answer, values=tuple(linked_values) or values, entities=topics))


def _turn_referents(turn: int, exchange: Exchange, limit: int, kg: KnowledgeGraph) -> Iterator[Referent]:
    """Yield the topics of a turn, without members of a set that the question does not name, and its answers.

    An ambiguous mention stays a name: it is not known yet which vertex is meant. Classes are no things that "it" may
    be, and a long list of texts or numbers is none to refer to.
    """
    answer, classes = exchange.answer, kg.vocabulary.classes
    seen = set(classes)
    unmentioned = {linked.iri for linked in answer.entities if not _is_mentioned(linked, exchange.question)}
    for linked in answer.entities:
        same_mention = {other.iri for other in answer.entities if other.mention == linked.mention}
        if linked.iri not in seen and not (linked.iri in unmentioned and len(unmentioned) > 1):
            seen |= same_mention
            label = linked.mention if len(same_mention) > 1 and linked.mention else linked.label
            is_iri = "://" in linked.iri or linked.iri.startswith("urn:")
            yield Referent(label, linked.iri if is_iri else "", turn, "topic")
    if not answer.entities and not answer.values:
        for mention in _entity_mentions(answer.standalone or exchange.question, kg):
            if mention.hits[0].iri not in classes:
                yield Referent(mention.hits[0].label, str(mention.hits[0].iri), turn, "topic")
    if [value.kind for value in answer.values] == ["boolean"]:
        return
    for position, value in enumerate(answer.values[:limit], 1):
        iri = value.value if value.kind == "iri" else ""
        if iri in classes or not iri and len(answer.values) > MAX_LISTED_TEXTS:
            continue
        yield Referent(value.label or value.value, iri, turn, "answer", position, len(answer.values))


def _is_mentioned(linked: LinkedTerm, question: str) -> bool:
    text = question.casefold()
    return any(name.casefold() in text for name in (linked.label, linked.mention) if name)


def _entity_mentions(text: str, kg: KnowledgeGraph) -> list[Mention]:
    """Return the longest entity mentions of a text, in their order."""
    names = [m for m in vertex_mentions(kg, extract_spans(text, tokenize(text)), limit=_MAX_HITS) if _is_name(m)]
    chosen: list[Mention] = []
    for mention in sorted(names, key=lambda m: (m.start - m.end, -m.score, m.start)):
        if all(mention.end <= other.start or other.end <= mention.start for other in chosen):
            chosen.append(mention)
    return sorted(chosen, key=lambda m: m.start)


def _is_name(mention: Mention) -> bool:
    return mention.score >= _MIN_NAME_SCORE and (
        " " in mention.text or any(token.is_capitalized for token in tokenize(mention.text))
    )


def _look_up_properties(referents: Iterable[Referent], kg: KnowledgeGraph) -> Mapping[str, tuple[Property, ...]]:
    iris = [r.iri for r in referents if r.iri and is_writable(r.iri) and (r.role != "answer" or r.position == 1)]
    latest = list(dict.fromkeys(reversed(iris)))[:MAX_DESCRIBED_VERTICES]
    if not latest:
        return {}
    predicates = kg.predicates_of(tuple(URIRef(iri) for iri in latest))
    return {
        str(term): tuple(each for iri, side, _ in at for each in _properties(iri, side == "out", kg))
        for term, at in predicates.items()
    }


def _properties(iri: str, outward: bool, kg: KnowledgeGraph) -> tuple[Property, ...]:
    """Return a predicate at a vertex once for each of its labels."""
    entry = kg.vocabulary.predicates.get(iri)
    if entry is None:
        return (Property(iri_to_words(iri), outward),)
    return tuple(Property(label, outward) for label in (entry.label, *entry.alt_labels))


def _look_up_genders(vertices: Sequence[URIRef], kg: KnowledgeGraph) -> Mapping[str, str]:
    """Return the gender that the KG states of vertices, by a word or by a thing with such a name."""
    entries = kg.vocabulary.predicates.values()
    predicates = sorted(e.iri for e in entries if _GENDER_LABELS & set(analyze_phrase(e.label).content_lemmas))
    if not (predicates and vertices):
        return {}
    names = write_path(kg.profile.labels[:3] or (str(RDF.value),))
    rows = kg.endpoint.select(
        f"SELECT ?x ?gender ?name WHERE {{ VALUES ?x {{ {' '.join(map(n3, vertices))} }} "
        f"?x {write_path(predicates)} ?gender OPTIONAL {{ ?gender {names} ?name }} }}"
    )
    genders: dict[str, str] = {}
    for row in rows:
        term = row.get("name", row["gender"])
        words = analyze_phrase(local_name(str(term)) if isinstance(term, URIRef) else str(term)).words
        genders |= {str(row["x"]): _GENDER_VALUES[word] for word in words if word in _GENDER_VALUES}
    return genders


def class_labels(iris: Iterable[str], kg: KnowledgeGraph) -> tuple[str, ...]:
    """Return the labels of some classes and their superclasses, most specific first: deepest, then rarest."""
    classes = kg.vocabulary.classes
    known_iris = [iri for iri in iris if iri not in kg.profile.metadata_classes]
    known_iris = [iri for iri in known_iris if iri not in classes or not classes[iri].is_metadata]
    known_iris = sorted({superclass for iri in known_iris for superclass in (iri, *kg.vocabulary.superclasses(iri))})

    def rank(iri: str) -> tuple[int, int, str]:
        entry = classes.get(iri)
        return -len(kg.vocabulary.superclasses(iri)), entry.instance_count if entry else 0, iri

    ranked = sorted(known_iris, key=rank)
    return tuple(dict.fromkeys(classes[iri].label if iri in classes else iri_to_words(iri) for iri in ranked))
