"""Vocabulary card: the classes and predicates nearest to a question, and the mentions that it holds."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.languages import ENGLISH, QuestionLanguage, language_of
from chattyshared.language.morphology import FUNCTION_WORDS, parse_degree
from chattyshared.language.tokenizer import tokenize
from chattyshared.profile import TYPE_PREDICATES
from chattyshared.terms import has_opaque_name, iri_to_words
from rdflib import URIRef

from chattykg.linking.candidates import IncidentPredicates
from chattykg.linking.label_lexicon import VOCABULARY_KINDS, lexicon_of
from chattykg.linking.mentions import Mention, MentionKind, find_mentions
from chattykg.linking.statement_nodes import find_statement_nodes
from chattykg.linking.vocabulary_card_text import (
    MAX_NAMES_CHARACTERS,
    MAX_WITH_EXAMPLE,
    render_card,
    render_names,
)

__all__ = ["VocabularyCard", "Mention", "MentionKind", "build_vocabulary_card"]


_IncidentPredicates = tuple[tuple[str, IncidentPredicates], ...]
_Entries = tuple[tuple[ClassEntry, ...], tuple[PredicateEntry, ...]]


@dataclass(frozen=True, slots=True)
class VocabularyCard:
    """Mentions in the question, and the classes and predicates nearest to it, most relevant first.

    ``incident_predicates`` are the predicates at each mentioned vertex (its IRI first): IRI, direction, count.
    ``class_hierarchy`` are the mentioned classes, each with its super- and subclasses. ``labels`` are those of classes
    and predicates that their IRIs do not give (``Q5``). ``unlisted`` is the rest of a small vocabulary. ``language`` is
    that of ``question``.
    ``countries`` are those that nationalities mention ("Japanese": Japan); the rules read nationalities themselves.
    ``details`` are some values of the nearest predicates, and the subclasses of classes without direct members.
    """

    mentions: tuple[Mention, ...] = ()
    classes: tuple[ClassEntry, ...] = ()
    predicates: tuple[PredicateEntry, ...] = ()
    incident_predicates: _IncidentPredicates = ()
    class_hierarchy: tuple[tuple[str, frozenset[str]], ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    unlisted: _Entries = ((), ())
    language: QuestionLanguage = ENGLISH
    question: str = ""
    countries: tuple[Mention, ...] = ()
    details: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def mentions_of_kind(self, kind: MentionKind) -> tuple[Mention, ...]:
        """Return the mentions of one kind, in order of position."""
        return tuple(mention for mention in self.mentions if mention.kind == kind)

    def expand_classes(self, classes: Sequence[str]) -> frozenset[str]:
        """Return classes together with the super- and subclasses of those that are mentioned."""
        hierarchy = dict(self.class_hierarchy)
        return frozenset(classes).union(*(hierarchy.get(iri, ()) for iri in classes))

    def as_prompt_text(self) -> str:
        """Return the card for a prompt: at most about 1,200 tokens, most relevant first.

        If no predicate is near to the question, the most frequent ones are shown.
        """
        classes, others = self.unlisted
        frequent = tuple(sorted(others, key=lambda each: -each.triple_count))
        shown, named = (self.predicates, others) if self.predicates else (frequent, ())
        text = render_card(
            (*self.mentions, *self.countries),
            self.classes,
            shown,
            (classes, named),
            dict(self.labels),
            dict(self.details),
        )
        return text or "(nothing of the question's words is known)"


# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
MAX_CANDIDATES = 20
"""Candidates of a mention that a card holds."""
MAX_NEAR_PREDICATES, MAX_NEAR_CLASSES = 40, 15
"""Predicates and classes of a card that are near to the question; three times as many predicates in all."""
MENTION_BONUS = 1.0
"""Added to the score (0..1) of a class or predicate that is mentioned."""
INCIDENT_CLASS_BONUS = 0.25
"""Added to the score of a predicate for each of domain and range that is mentioned."""
MENTIONED_TYPE_SCORE = 0.2
"""Least score of the type of a mentioned vertex."""
_MAX_HITS, _MAX_CLASSES = 3, 3
"""Vertices of a mention, and domains or ranges of a predicate, that are read."""
_MAX_VERTEX_MENTIONS, _MAX_VERTICES = 6, 12
"""Mentions and vertices whose incident predicates are read."""
_MAX_SUBCLASSES = 5
"""Subclasses that stand for a class without direct members."""
_MAX_MENTIONED_CLASSES = 60
"""Mentioned classes whose super- and subclasses are read."""


def build_vocabulary_card(
    question: str, kg: KnowledgeGraph, *, limit: int = MAX_CANDIDATES, aliases: Sequence[tuple[str, str]] = ()
) -> VocabularyCard:
    """Read a question against a KG: its mentions, and the classes and predicates nearest to it.

    At most ``limit`` candidates a mention; one lookup of labels, one of values, one of the predicates at the vertices.
    ``aliases`` are names in the question, each with an alias (of another language): one lookup more.

    The latest cards are kept.

    Raises:
        EndpointError: the KG could not be asked.
    """
    key = question, limit, tuple(aliases)
    return kg.remember("card", key, lambda: _build_card(question, kg, limit, aliases))


def _build_card(question: str, kg: KnowledgeGraph, limit: int, aliases: Sequence[tuple[str, str]]) -> VocabularyCard:
    language, vocabulary = language_of(question), kg.vocabulary
    mentions, countries = find_mentions(question, kg, language, limit=limit, aliases=aliases)
    types = [t for m in mentions if m.kind == "vertex" for hit in m.hits[:_MAX_HITS] for t in hit.types]
    mentioned = dict.fromkeys((*(iri for m in mentions if m.kind == "class" for iri in m.iris), *types))
    near_classes, near_predicates = _rank_vocabulary(question, kg, mentions, mentioned)
    classes = [vocabulary.classes[iri] for iri in near_classes[:MAX_NEAR_CLASSES] if iri in vocabulary.classes]
    incident = _incident_predicates(kg, mentions)
    at_vertices = [iri for _, around in incident for iri, _, _ in around]
    tying = [node for node in find_statement_nodes(kg) if any(role.entry.iri in at_vertices for role in node.roles)]
    ends = [node.end.entry.iri for node in tying if node.end]  # without it nobody tells what holds now
    ranked = (*near_predicates[:MAX_NEAR_PREDICATES], *ends, *at_vertices, *near_predicates[MAX_NEAR_PREDICATES:])
    named = {iri for mention in mentions if mention.kind == "predicate" for iri in mention.iris}
    excluded = {*TYPE_PREDICATES, *kg.profile.types, *kg.profile.labels} - named  # everything has a label and a type
    kept = [iri for iri in dict.fromkeys(ranked) if iri in vocabulary.predicates and iri not in excluded]
    predicates = [vocabulary.predicates[iri] for iri in kept[: 3 * MAX_NEAR_PREDICATES]]
    excluded |= {entry.iri for entry in classes} | {entry.iri for entry in predicates}
    return VocabularyCard(
        mentions=mentions,
        classes=tuple(classes),
        predicates=tuple(predicates),
        incident_predicates=incident,
        class_hierarchy=tuple(
            (iri, vocabulary.superclasses(iri) | vocabulary.subclasses(iri))
            for iri in list(mentioned)[:_MAX_MENTIONED_CLASSES]
        ),
        labels=tuple(_find_labels(kg, (*mentions, *countries), predicates)),
        unlisted=_unlisted_vocabulary(kg, excluded),
        language=language,
        question=question,
        countries=countries,
        details=tuple(_find_details(kg, classes, predicates)),
    )


def _rank_vocabulary(
    question: str, kg: KnowledgeGraph, mentions: Sequence[Mention], mentioned: Collection[str]
) -> tuple[list[str], list[str]]:
    """Rank classes and predicates by the words of the question, its mentions, and the classes of these."""
    lexicon = lexicon_of(kg.vocabulary, language_of(question))
    words = [token.lower for token in tokenize(question) if token.kind == "word"]
    words += [parse_degree(word)[0] for word in words if parse_degree(word)[0]]
    words = [word for word in words if word not in FUNCTION_WORDS]
    scores_by_kind: dict[str, dict[str, float]] = {
        kind: lexicon.score_by_words(kind, words) for kind in VOCABULARY_KINDS
    }
    for mention in mentions:
        scores = scores_by_kind.get(mention.kind, {})
        for iri, score in zip(mention.iris, mention.scores, strict=True):
            scores[iri] = max(scores.get(iri, 0.0), MENTION_BONUS + score)
    classes, predicates = scores_by_kind["class"], scores_by_kind["predicate"]
    for entry in kg.vocabulary.predicates.values():
        ends = (set(mentioned).intersection(iris[:_MAX_CLASSES]) for iris in (entry.domains, entry.ranges))
        if entry.is_metadata:
            predicates.pop(entry.iri, None)
        elif met := sum(map(bool, ends)):
            predicates[entry.iri] = predicates.get(entry.iri, 0.0) + met * INCIDENT_CLASS_BONUS
    for type_ in mentioned:
        classes.setdefault(type_, MENTIONED_TYPE_SCORE)

    def rank(scores: Mapping[str, float]) -> list[str]:
        return sorted(scores, key=lambda iri: (-scores[iri], -lexicon.frequencies.get(iri, 0), iri))

    return rank(classes), rank(predicates)


def _incident_predicates(kg: KnowledgeGraph, mentions: Sequence[Mention]) -> _IncidentPredicates:
    vertices = [mention for mention in mentions if mention.kind == "vertex"]
    vertices.sort(key=lambda m: (-(m.end - m.start) * m.score, m.start))
    iris = dict.fromkeys(hit.iri for mention in vertices[:_MAX_VERTEX_MENTIONS] for hit in mention.hits[:_MAX_HITS])
    terms = tuple(map(URIRef, iris))[:_MAX_VERTICES]
    predicates = kg.predicates_of(terms) if terms else {}
    return tuple((str(term), tuple(predicates.get(term, ()))) for term in terms)


def _unlisted_vocabulary(kg: KnowledgeGraph, listed: Container[str]) -> _Entries:
    """Return the classes and predicates that a card does not list, if their names fit into a prompt."""
    vocabulary = kg.vocabulary
    classes = tuple(
        e for e in vocabulary.classes.values() if e.iri not in listed and e.instance_count and not e.is_metadata
    )
    predicates = tuple(e for e in vocabulary.predicates.values() if e.iri not in listed and not e.is_metadata)
    size = len(render_names("classes", classes)) + len(render_names("predicates", predicates))
    return (classes, predicates) if size <= MAX_NAMES_CHARACTERS else ((), ())


def _find_labels(
    kg: KnowledgeGraph, mentions: Sequence[Mention], predicates: Sequence[PredicateEntry]
) -> Iterator[tuple[str, str]]:
    """Yield the labels of the IRIs in the lines of a card, without those that the IRI gives itself."""
    iris = [type_ for mention in mentions for hit in mention.hits[:3] for type_ in hit.types[:1]]
    iris += [iri for mention in mentions for value in mention.values[:2] for iri in value.predicates[:3]]
    iris += [iri for mention in mentions for iri in mention.iris[:2] if has_opaque_name(iri)]
    iris += [iri for entry in predicates for iri in (*entry.domains[:2], *entry.ranges[:2])]
    for iri in dict.fromkeys(iris):
        entry = kg.vocabulary.classes.get(iri) or kg.vocabulary.predicates.get(iri)
        if entry is not None and entry.label.casefold() != iri_to_words(iri).casefold():
            yield iri, entry.label


def _find_details(
    kg: KnowledgeGraph, classes: Sequence[ClassEntry], predicates: Sequence[PredicateEntry]
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield predicates with some of their values, which show how dates, codes and numbers are written, and classes
    without direct members with the labels of subclasses that have some."""
    samples, known = kg.value_samples, kg.vocabulary.classes
    for entry in predicates[:MAX_WITH_EXAMPLE]:
        if values := tuple(" ".join(str(value).split()) for value in samples.get(entry.iri, ())):
            yield entry.iri, values
    for empty in (each for each in classes if not each.instance_count):
        below = sorted(kg.vocabulary.subclasses(empty.iri) - {empty.iri})
        members = [known[iri] for iri in below if iri in known and known[iri].instance_count]
        members.sort(key=lambda each: -each.instance_count)
        if members:
            yield empty.iri, tuple(each.label for each in members[:_MAX_SUBCLASSES])
