"""Clarifications: labels that tell options apart, and what a user's reply to a clarification means."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from chattyshared.dialogue import Answer, Clarification, ClarificationOption, Exchange, History, LinkedTerm
from chattyshared.kg import Edge, KnowledgeGraph
from chattyshared.language.languages import ENGLISH
from chattyshared.language.lexicon import alternation, load_lexicon, word_list, word_set
from chattyshared.language.morphology import FUNCTION_WORDS, STOP_WORDS, lemma_of, normalize_text
from chattyshared.language.tokenizer import tokenize
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import iri_to_words, local_name
from rdflib import Literal, URIRef

from chattykg.conversation.referents import class_labels

MAX_OPTIONS = 8
"""Options of one clarification."""
MIN_REPLY_COVERAGE = 0.5
"""Share (0..1) of the content words of a reply that the options must know; set by hand on the development set."""
MIN_NAME_SCORE = 0.6
"""Label score (0..1) from which a reply names a thing; that of a name of which one word of two is given."""
_NEAR_BEST_SHARE = 0.93
_MAX_FACTS = 200
"""Triples of an option that are read, in each direction."""
_MAX_FACT_CHARACTERS = 60
"""Characters of the longest value that describes an option."""
_OTHER = "other"
_PLACES = ENGLISH.ordinals | load_lexicon("followups")["positions"]
_DATE = re.compile(r"\d{4}-")
_POINTING, _SEVERAL = (
    re.compile(rf"(?i)\b(?:{alternation(word_list('clarification', name))})\b")
    for name in ("pointing_phrases", "several_words")
)
_FILLERS = FUNCTION_WORDS | STOP_WORDS | word_set("clarification", "fillers")
_REQUEST_WORDS = word_set("function_words", "question_words", "auxiliaries") | word_set(
    "clarification", "request_words"
)


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A phrase of a question that may mean each of some terms (IRI and label), with what is answered for each.

    ``predicates`` are those of what was asked, which no option of a question back may show.
    """

    phrase: str
    terms: tuple[tuple[str, str], ...]
    answers: tuple[frozenset[str], ...]
    predicates: frozenset[str]

    @property
    def answer_count(self) -> int:
        """The number of different answers."""
        return len({*self.answers})


@dataclass(frozen=True, slots=True)
class Resolution:
    """What the replies to clarifications mean: the question to answer now, and the things that are and are not meant.

    ``topic`` is the turn in which the user named a missing referent; None for a choice of options.
    """

    question: str
    meant: tuple[str, ...] = ()
    rejected: frozenset[str] = frozenset()
    topic: Exchange | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """What is known of an option, as lemmas: those of its label and classes, and those of its values and neighbours."""

    names: frozenset[str]
    facts: frozenset[str]


def resolve_clarification(reply: str, history: History, kg: KnowledgeGraph) -> Resolution | None:
    """Return what a reply to the clarification at the end of a history means; None if the reply is another question.

    An answer with noted alternatives, and a refusal because of them, are replied to in the same way.

    Raises:
        EndpointError: the KG could not be asked.
    """
    last = history[-1]
    clarification, is_switched = last.answer.clarification, False
    if clarification is None and content_words(reply) == [_OTHER] and _earlier_resolution(history, kg).meant:
        clarification, is_switched = history[-2].answer.clarification, True
    if clarification is None:
        return None
    if not clarification.options:
        topic = _named_topic(reply, kg)
        return Resolution(last.question, (topic.answer.entities[0].label,), topic=topic) if topic else None
    is_open = is_switched or not last.answer.values or points_at_option(reply, last.answer)
    used = frozenset(linked.iri for linked in (*last.answer.entities, *last.answer.relations))
    chosen = choose_option(reply, clarification, kg, used) if is_open else None
    if chosen is None:
        return None
    earlier = Resolution("") if is_switched else _earlier_resolution(history, kg)
    rejected = frozenset(one.iri for one in clarification.options if one.iri != chosen.iri)
    return Resolution(
        last.answer.standalone or last.question, (*earlier.meant, chosen.label), earlier.rejected | rejected
    )


def _earlier_resolution(history: History, kg: KnowledgeGraph) -> Resolution:
    """Return what the last turn chose itself, if it was the reply to an earlier clarification of the same question."""
    earlier, last = history[:-1], history[-1]
    if earlier and earlier[-1].answer.clarification and earlier[-1].answer.standalone == last.answer.standalone:
        return resolve_clarification(last.question, earlier, kg) or Resolution("")
    return Resolution("")


def choose_option(
    reply: str, clarification: Clarification, kg: KnowledgeGraph, used: frozenset[str] = frozenset()
) -> ClarificationOption | None:
    """Return the option that a reply chooses by its label, its position or its description; None if it chooses none.

    "The other one" is the only option that an answer has not ``used``.
    """
    options = clarification.options
    named = [one for one in options if normalize_text(one.label) == normalize_text(reply)]
    if len(named) == 1:
        return named[0]
    if is_request(reply):
        return None
    named = [one for one in options if _is_named(one, reply)]
    if len(named) == 1:
        return named[0]
    words = content_words(reply)
    position = _position(words, len(options))
    if position is not None:
        return options[position]
    if words == [_OTHER]:
        others = [one for one in options if one.iri not in used]
        return others[0] if len(others) == 1 and len(options) > 1 else None
    best = most_telling(words, describe([one.iri for one in options], kg))
    return next((one for one in options if one.iri == best), None)


def _is_named(option: ClarificationOption, reply: str) -> bool:
    """Tell whether a reply says the label of an option, and nothing else that may describe something."""
    before, label, after = normalize_text(reply).partition(normalize_text(option.label))
    return bool(label) and not content_words(f"{before} {after}")


def points_at_option(reply: str, answer: Answer) -> bool:
    """Tell whether a reply chooses another reading of a question that is answered, and does not go on from there.

    It names an option, or its position, and nothing else, says what was meant, or points at one of several.
    """
    if _SEVERAL.search(reply):
        return False
    options = answer.clarification.options if answer.clarification else ()
    is_position = _position(content_words(reply), len(options)) is not None
    return is_position or bool(_POINTING.search(reply)) or any(_is_named(one, reply) for one in options)


def is_request(text: str) -> bool:
    """Tell whether a text is a question or a request of its own, and no reply."""
    words = [token.lower for token in tokenize(text) if token.kind != "mark"]
    return not words or words[0] in _REQUEST_WORDS or text.rstrip().endswith("?")


def most_telling(words: Sequence[str], descriptions: Mapping[str, Description]) -> str:
    """Return the term whose description has most of the words that tell it from the others; "" if none is best.

    Words of its own name and classes count before those of its values and neighbours.
    """
    names = {term: one.names for term, one in descriptions.items()}
    facts = {term: one.names | one.facts for term, one in descriptions.items()}
    known = [word for word in words if any(word in each for each in facts.values())]
    if not words or len(known) < MIN_REPLY_COVERAGE * len(words):
        return ""

    def count(term: str, of: Mapping[str, frozenset[str]]) -> int:
        return len(of[term].difference(frozenset.intersection(*of.values())).intersection(known))

    ranked = sorted(((count(term, names), count(term, facts)), term) for term in descriptions)
    is_best = ranked and any(ranked[-1][0]) and (len(ranked) == 1 or ranked[-1][0] > ranked[-2][0])
    return ranked[-1][1] if is_best else ""


def _position(words: Sequence[str], count: int) -> int | None:
    """Return the index of the option that the content words of a reply name by its position and nothing else."""
    places = {**_PLACES, **{str(place): place for place in range(1, count + 1)}}
    place = places.get(words[0], 0) if len(words) == 1 else 0
    return (place - (place > 0)) % count if place and abs(place) <= count else None


def content_words(text: str) -> list[str]:
    """Return the distinct lemmas of a text that may describe something."""
    return [word for word in dict.fromkeys(_lemmas(text)) if word not in _FILLERS]


def _lemmas(*texts: str) -> Iterator[str]:
    """Yield the normalized lemma of each word; an ordinal stays as it is, and a date has its year too."""
    for token in (token for text in texts for token in tokenize(text)):
        if token.kind not in ("mark", "possessive"):
            yield token.lower if token.lower in _PLACES else lemma_of(normalize_text(token.lower))
            yield from (token.lower[:4] for _ in range(bool(_DATE.match(token.lower))))


def describe(iris: Sequence[str], kg: KnowledgeGraph) -> Mapping[str, Description]:
    """Return what is known of each thing or predicate, in words.

    Raises:
        EndpointError: the KG could not be asked.
    """
    predicates = kg.vocabulary.predicates
    vertices = [URIRef(iri) for iri in iris if iri not in predicates]
    edges = kg.neighbourhoods(vertices, limit=_MAX_FACTS) if vertices else {}
    types = kg.types_of(vertices) if vertices else {}
    labels = kg.labels(vertices) if vertices else {}
    descriptions: dict[str, Description] = {}
    for iri in iris:
        entry, vertex = predicates.get(iri), URIRef(iri)
        if entry is not None:
            names, facts = (entry.label, *entry.alt_labels), [entry.comment]
        else:
            names = (labels[vertex], *class_labels(types.get(vertex, ()), kg))
            told = ((edge, predicates.get(str(edge.predicate))) for edge in edges.get(vertex, ()))
            facts = [f"{_value_text(edge)} {known.label if known else ''}" for edge, known in told]
        descriptions[iri] = Description(frozenset(_lemmas(*names)), frozenset(_lemmas(*facts)))
    return descriptions


def _value_text(edge: Edge) -> str:
    """Return the short text of an edge's far end, else ""."""
    text = str(edge.far_end) if isinstance(edge.far_end, Literal) else edge.label
    return text if len(text) <= _MAX_FACT_CHARACTERS else ""


def label_options(
    terms: Sequence[tuple[str, str]], kg: KnowledgeGraph, *, hidden: frozenset[str] = frozenset()
) -> tuple[ClarificationOption, ...]:
    """Return things, given by IRI and label, as options; equal labels get a class or a telling fact in brackets.

    ``hidden`` are predicates that no fact may show: their values are what was asked.

    Raises:
        EndpointError: the KG could not be asked.
    """
    labels = [normalize_text(label) for _, label in terms]
    alike = [iri for (iri, _), label in zip(terms, labels, strict=True) if labels.count(label) > 1]
    hints = _telling_facts(alike, kg, hidden) if alike else {}
    return tuple(ClarificationOption(f"{label} ({hints[iri]})" if iri in hints else label, iri) for iri, label in terms)


def _telling_facts(iris: Sequence[str], kg: KnowledgeGraph, hidden: frozenset[str]) -> Mapping[str, str]:
    """Return a text for each thing that no other one has: its class, else a value, else its local name."""
    types = kg.types_of([URIRef(iri) for iri in iris])
    by_class = {iri: next(iter(class_labels(types.get(URIRef(iri), ()), kg)), "") for iri in iris}
    kinds = list(by_class.values())
    own = {iri: kind for iri, kind in by_class.items() if kind and kinds.count(kind) == 1}
    iris = [iri for iri in iris if iri not in own]
    if not iris:
        return own
    edges = kg.neighbourhoods([URIRef(iri) for iri in iris], limit=_MAX_FACTS)
    unshown = {*TYPE_PREDICATES, *kg.profile.types, *kg.profile.labels, *hidden}
    facts: dict[tuple[str, str], dict[str, str]] = {}
    for iri in iris:
        for edge in edges.get(URIRef(iri), ()):
            text = _value_text(edge)
            if text not in ("", "true", "false") and str(edge.predicate) not in unshown:
                facts.setdefault((edge.direction, str(edge.predicate)), {}).setdefault(iri, text)
    ranked = sorted(facts, key=lambda fact: (_fact_rank(fact, kg), fact))
    telling = [fact for fact in ranked if len(set(facts[fact].values())) == len(iris)][:1] or ranked
    for iri in iris:
        fact = next((fact for fact in telling if list(facts[fact].values()).count(facts[fact].get(iri, "")) == 1), None)
        own[iri] = _fact_text(fact, facts[fact][iri], kg) if fact else local_name(iri)
    return own


def _fact_rank(fact: tuple[str, str], kg: KnowledgeGraph) -> tuple[bool, ...]:
    """Rank facts for people: outgoing, a named thing, few values ("dog"), one value at a time."""
    direction, predicate = fact
    entry = kg.vocabulary.predicates.get(predicate)
    if entry is None:
        return True, True, True, True
    return direction != "out", entry.object_kind != "iri", not entry.has_all_values, not entry.is_functional


def _fact_text(fact: tuple[str, str], text: str, kg: KnowledgeGraph) -> str:
    direction, predicate = fact
    entry = kg.vocabulary.predicates.get(predicate)
    label = entry.label if entry else iri_to_words(predicate)
    if direction == "in":
        return f"{label} of {text}"
    return text if entry and entry.has_all_values and entry.object_kind == "iri" else f"{label} {text}"


def _named_topic(reply: str, kg: KnowledgeGraph) -> Exchange | None:
    """Return a reply that names a thing as a turn about it; None if it names nothing or is a request."""
    if is_request(reply):
        return None
    bare = " ".join(token.text for token in tokenize(reply) if token.lower not in _FILLERS and token.kind != "mark")
    texts = [text for text in dict.fromkeys((reply.strip(" .!"), bare)) if text]
    hits = [hit for found in kg.search(texts, limit=MAX_OPTIONS).values() for hit in found]
    best = max((hit.score for hit in hits), default=0.0)
    if best < MIN_NAME_SCORE:
        return None
    near = {hit.iri: hit for hit in hits if hit.score >= _NEAR_BEST_SHARE * best}
    links = tuple(LinkedTerm(bare or reply, hit.iri, hit.label, hit.score) for hit in near.values())
    return Exchange(reply, Answer(entities=links, standalone=reply))
