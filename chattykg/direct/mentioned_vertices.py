"""The vertices and values that a question mentions, as a prompt for a whole query lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import dataclass

from chattyshared.kg import Hit, KnowledgeGraph
from chattyshared.kg.vocabulary import LiteralHit
from chattyshared.language.morphology import COUNTRIES_BY_DEMONYM, normalize_text
from chattyshared.language.tokenizer import tokenize
from chattyshared.terms import NUMERIC_DATATYPES, Term, iri_to_words, n3
from rdflib import Literal

from chattykg.direct.searched_names import are_words_of
from chattykg.linking.mentions import Mention, is_amount
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.linking.vocabulary_card_text import WHOLE_NAME_SCORE

MAX_VERTICES, MAX_NAMESAKES, MAX_OTHERS = 12, 8, 2
"""Vertices in all, vertices of one mention that share the name of the best one, and vertices of other names."""
MAX_VALUES, MAX_PREDICATES = 8, 3
"""Lines of values, and predicates of each."""
MAX_KINDS = 3
"""Classes of a vertex that are named."""
MIN_SHARE_OF_BEST = 0.85
"""Share (0..1) of the best hit's score that another hit needs; set by hand."""


@dataclass(frozen=True, slots=True)
class MentionedVertex:
    """A vertex that the question mentions: its number, its kind and its classes, and the words that mention it."""

    number: int
    iri: str
    label: str
    kind: str
    mention: str
    types: tuple[str, ...] = ()

    def as_prompt_text(self) -> str:
        """Return its label and its kind on one line; the words that mention it are told if they are not its label."""
        words = (
            ""
            if normalize_text(self.mention) == normalize_text(self.label)
            else f', said as "{self.mention[:60].rstrip("?!.,;")}"'
        )
        return " ".join(f"{self.label[:80]} [{self.kind or 'thing'}]{words}".split())


def render_vertices(vertices: Sequence[MentionedVertex]) -> list[str]:
    """Return the lines of vertices; those of one name and one kind share a line."""
    numbers: dict[str, list[str]] = {}
    for vertex in vertices:
        numbers.setdefault(vertex.as_prompt_text(), []).append(f"e:{vertex.number}")
    return [f"{', '.join(group)} = {text}" for text, group in numbers.items()]


def find_mentioned_vertices(
    card: VocabularyCard, kg: KnowledgeGraph, rejected: Set[str], searched: Sequence[Mention] = ()
) -> tuple[MentionedVertex, ...]:
    """Return the vertices that a question mentions, without the rejected ones and without noise; no request.

    ``searched`` are mentions that the card does not have.
    """
    vertices: dict[str, MentionedVertex] = {}
    classes, tokens = kg.vocabulary.classes, tokenize(card.question)
    terms = {*classes, *kg.vocabulary.predicates}  # they have lines of their own
    mentions = sorted((*card.mentions_of_kind("vertex"), *card.countries, *searched), key=lambda mention: mention.start)
    for mention in mentions:
        is_quantity = is_amount(mention, card.mentions, tokens, with_dates=True)
        if is_quantity or any(_is_part(mention, other) for other in mentions):
            continue
        hits = [hit for hit in mention.hits if hit.iri not in rejected and (hit.types or hit.iri not in terms)]
        for hit in _best_hits(mention, hits):
            if hit.iri not in vertices and len(vertices) < MAX_VERTICES:
                number, kind = len(vertices) + 1, _name_kinds(hit.types, kg)
                vertices[hit.iri] = MentionedVertex(number, hit.iri, hit.label, kind, mention.text, hit.types)
    return tuple(vertices.values())


def _name_kinds(types: Sequence[str], kg: KnowledgeGraph) -> str:
    """Return the labels of classes, without those that are above another one."""
    vocabulary = kg.vocabulary
    above = {iri for type_ in types for iri in vocabulary.superclasses(type_) - {type_}}
    kinds, known = [iri for iri in types if iri not in above] or types, vocabulary.classes
    return ", ".join(known[iri].label if iri in known else iri_to_words(iri) for iri in kinds[:MAX_KINDS])


def render_values(
    card: VocabularyCard,
    kg: KnowledgeGraph,
    prefixed_name: Callable[[str], str],
    vertices: Sequence[MentionedVertex],
    searched: Sequence[Mention] = (),
) -> list[str]:
    """Return the lines of mentioned values, without quantities, parts of names, and what listed vertices state."""
    class_spans = {(m.start, m.end) for m in card.mentions_of_kind("class") if m.score >= WHOLE_NAME_SCORE}
    names = [m for m in card.mentions_of_kind("vertex") if m.score >= WHOLE_NAME_SCORE]
    tokens, lines = tokenize(card.question), []
    for mention in (*card.mentions_of_kind("value"), *searched):
        is_quantity = is_amount(mention, card.mentions, tokens, with_dates=True)
        is_class = (mention.start, mention.end) in class_spans
        if is_quantity or is_class or any(_is_within(mention, name) for name in names):
            continue
        for hit in mention.values[:MAX_OTHERS]:
            is_same = normalize_text(str(hit.value)) == normalize_text(mention.text)
            predicates = [iri for iri in hit.predicates if iri not in kg.profile.labels]
            is_name = any(name.text == mention.text for name in names) and not predicates
            is_like = not is_same and mention.text.islower() and mention not in searched
            if is_name or is_like or any(_is_stated(vertex, hit, kg) for vertex in vertices):
                continue  # the name of a thing, or a word that is like a name
            words = "" if is_same else f', said as "{mention.text[:60]}"'
            under = ", ".join(map(prefixed_name, (predicates or hit.predicates)[:MAX_PREDICATES]))
            lines.append(f"value {_short_term(hit.value)} under {under}{words}")
    return lines[:MAX_VALUES]


def _is_stated(vertex: MentionedVertex, hit: LiteralHit, kg: KnowledgeGraph) -> bool:
    """Tell whether a vertex may have a value, and is called by it."""
    known = kg.vocabulary.predicates
    if normalize_text(vertex.label) != normalize_text(str(hit.value)):
        return False
    domains = (known[predicate].domains for predicate in hit.predicates if predicate in known)
    return all(kg.vocabulary.may_share_members(vertex.types, classes) for classes in domains)


def _is_within(mention: Mention, other: Mention) -> bool:
    is_shorter = mention.end - mention.start < other.end - other.start
    return is_shorter and other.start <= mention.start and mention.end <= other.end


def _short_term(term: Term) -> str:
    """Return a literal as a query writes it, a number without its type."""
    is_plain = isinstance(term, Literal) and term.datatype in NUMERIC_DATATYPES
    return " ".join((str(term) if is_plain else n3(term))[:80].split())


def _best_hits(mention: Mention, hits: Sequence[Hit]) -> Iterator[Hit]:
    """Yield the best hits: all of the best one's name, else the best; of a demonym, its country or its own name."""
    if not hits:
        return
    name, is_exact = normalize_text(hits[0].label), normalize_text(hits[0].label) == normalize_text(mention.text)
    country = COUNTRIES_BY_DEMONYM.get(mention.text.lower(), "")
    if country and not is_exact and normalize_text(country) != name:
        return
    for place, hit in enumerate(hits):
        is_near = place < MAX_OTHERS and not is_exact and hit.score >= MIN_SHARE_OF_BEST * hits[0].score
        if place == 0 or is_near or (place < MAX_NAMESAKES and normalize_text(hit.label) == name):
            yield hit


def _is_part(mention: Mention, other: Mention) -> bool:
    """Tell whether a mention lies inside another one whose words all stand in the label of a vertex."""
    return _is_within(mention, other) and any(are_words_of(other.text, hit.label) for hit in other.hits)
