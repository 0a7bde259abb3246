"""The schema prompt: the part of a KG's schema that a model gets to write a whole query, in prefixed names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import combinations

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.morphology import (
    GENERIC_WORDS,
    STOP_WORDS,
    label_stems_of,
    related_stems,
)
from chattyshared.language.tokenizer import tokenize
from chattyshared.profile import SUBCLASS_PREDICATES, TYPE_PREDICATES
from chattyshared.sparql.repair import unwrap_query
from chattyshared.terms import n3
from chattyshared.text import quote_text
from rdflib import URIRef

from chattykg.direct.mentioned_vertices import (
    MAX_OTHERS,
    MentionedVertex,
    find_mentioned_vertices,
    render_values,
    render_vertices,
    search_open_names,
)
from chattykg.direct.schema_lines import PrefixedNames, SchemaLines, to_prefixed_name
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.strategies import PromptSize

MAX_CHARACTERS = 2_600
"""Characters of a schema prompt whose vocabulary is chosen for the question; names of predicates may exceed them."""
CLASSES = 40
"""Classes that are shown at most: those near the question first, then the most used."""
SMALL_VOCABULARY, MAX_SHARED = 60, 2_600
"""Predicates of a graph that shows all of them to each question in one order, and characters of their lines at most."""
NEAR, DETAILED = 14, 8
"""Predicates that have a line of their own, at most and at least where there are so many; the others are named."""
LEAN_CLASSES, LEAN_PREDICATES, LEAN_VOCABULARY, LEAN_FACTS = 6, 10, 20, 14
"""Classes and predicates of a lean prompt, predicates of a graph that it shows whole, and patterns of named things."""
NAMED, FURTHER = 1_400, 200
"""Characters that the names of further predicates may take in any case, and most predicates in all."""
MAX_LIKE, MIN_LIKE_LETTERS = 8, 4
"""Predicates that words of the question are like and that come before others, and letters of the shortest such word."""
MIN_RIVAL_SHARE = 0.9
"""Share (0..1) of the best predicate's score from which a mention may as well mean another predicate."""
MAX_NAME_CHARACTERS = 60
"""Characters of a name that was searched in vain."""
_quote = partial(quote_text, limit=MAX_NAME_CHARACTERS)
_COMMENT = re.compile(
    r'("{3}.*?"{3}|\'{3}.*?\'{3}|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|<[^<>\s]*>)|#[^\n]*', re.DOTALL
)
_VERTEX = re.compile(r"(?<![\w<:])e:(\d+)(?![\w-])")


@dataclass(frozen=True, slots=True)
class SchemaPrompt:
    """Prefixes, vertices, values, classes and predicates, the most relevant first.

    ``shared`` are the lines that all questions over the KG have in common, byte for byte; they stand first, so that a
    server reads them once.
    ``named_share``: the share (0 to 1) of the classes and predicates of which it has at least the name.
    """

    prefixes: tuple[tuple[str, str], ...]
    vertices: tuple[MentionedVertex, ...]
    lines: tuple[str, ...]
    named_share: float = 0.0
    shared: tuple[str, ...] = ()

    def as_prompt_text(self) -> str:
        """Return the text in the prompt."""
        return "\n".join((*self.shared, *render_vertices(self.vertices), *self.lines))

    def prefixed_name(self, iri: str) -> str:
        """Return the name of an IRI in the prompt: prefixed, if its namespace has a prefix."""
        return to_prefixed_name(iri, {space: name for name, space in self.prefixes})

    def query_name(self, iri: str) -> str:
        """Return what a query in the prompt writes for an IRI: the number of a listed vertex, else its name."""
        numbers = {vertex.iri: vertex.number for vertex in self.vertices}
        return f"e:{numbers[iri]}" if iri in numbers else self.prefixed_name(iri)

    def expand_query(self, sparql: str) -> str:
        """Return the model's query without a fence and comments, with declared prefixes and IRIs for vertex numbers.

        A number that was not shown stays, and will not parse as a known IRI.
        """
        iri_of = {vertex.number: vertex.iri for vertex in self.vertices}
        sparql = _COMMENT.sub(lambda m: m[1] or " ", unwrap_query(sparql)).strip()
        text = _VERTEX.sub(lambda m: n3(URIRef(iri_of[int(m[1])])) if int(m[1]) in iri_of else m[0], sparql)
        declared = {name for name in re.findall(r"(?i)\bPREFIX\s+([\w-]*):", text)}
        used = [(name, space) for name, space in self.prefixes if f"{name}:" in text and name not in declared]
        return "".join(f"PREFIX {name}: <{space}>\n" for name, space in used) + text


def build_schema_prompt(
    kg: KnowledgeGraph,
    card: VocabularyCard,
    rejected: Set[str] = frozenset(),
    *,
    is_foreign: bool = False,
    size: PromptSize = "full",
) -> SchemaPrompt:
    """Build the schema prompt of a question from its vocabulary card; names that the card leaves open are searched.

    ``rejected`` are the things that the user does not mean; ``is_foreign``: the question is in another language than
    the labels, so that a name that is not found may be written otherwise.

    Raises:
        EndpointError: the KG could not be asked.
    """
    classes, predicates = _rank_classes(kg, card), _rank_predicates(kg, card)
    total = max(1, len(classes) + len(predicates))
    is_small = len(predicates) <= (LEAN_VOCABULARY if size == "lean" else SMALL_VOCABULARY)
    all_classes = sorted(classes, key=lambda entry: (-entry.instance_count, entry.iri))
    classes, predicates = classes[:CLASSES], predicates[:FURTHER]
    named = (all_classes, sorted(predicates, key=_by_use)) if is_small else (classes, predicates)
    names, shared = _tell_conventions(kg, [entry.iri for entries in named for entry in entries])
    writer = SchemaLines(kg, names, _rival_predicates(card, predicates))
    searched = search_open_names(card, kg)
    vertices = find_mentioned_vertices(card, kg, rejected, searched.vertices)
    told = render_values(card, kg, names, vertices, searched.values)
    told += [f"nothing is named {', '.join(map(_quote, searched.unknown))}"] * bool(searched.unknown and not is_foreign)
    if size == "lean":
        facts, stated = _render_facts(card, predicates, vertices, writer)
        others = [entry for entry in predicates if entry.iri not in stated]
        shown = sorted(predicates, key=_by_use) if is_small else others[:LEAN_PREDICATES]
        patterns = [writer.render_pattern(entry) for entry in shown]
        listed = all_classes[:CLASSES] if is_small and len(all_classes) <= LEAN_PREDICATES else classes[:LEAN_CLASSES]
        patterns = [f"classes: {', '.join(names(entry.iri) for entry in listed)}"] * bool(listed) + patterns
        shared, told = ([*shared, *patterns], told) if is_small else (shared, [*patterns, *told])
        return SchemaPrompt(names.prefixes, vertices, (*told, *facts), len(shown) / total, tuple(shared))
    class_iris = frozenset(entry.iri for entry in classes)
    if len(all_classes) <= CLASSES:
        shared += [writer.render_classes(all_classes, class_iris)] * bool(classes)
    else:
        told.append(writer.render_classes(classes, class_iris))
    whole = [line for _, line in writer.render_tail(sorted(predicates, key=_by_use))] if is_small else []
    if whole and sum(map(len, whole)) <= MAX_SHARED:
        told += map(writer.render_predicate, predicates[:DETAILED])
        return SchemaPrompt(names.prefixes, vertices, tuple(told), 1.0, (*shared, *whole))
    lines: list[str] = []
    left = MAX_CHARACTERS - sum(len(line) + 1 for line in (*shared, *render_vertices(vertices), *told))
    for entry in predicates[:NEAR]:
        line = writer.render_predicate(entry)
        if len(lines) >= DETAILED and left - len(line) < NAMED:
            break
        lines.append(line)
        left -= len(line) + 1
    further, count = writer.render_names(predicates[len(lines) :], max(left, NAMED))
    share = (min(CLASSES, len(all_classes)) + len(lines) + count) / total
    return SchemaPrompt(names.prefixes, vertices, (*told, *lines, *further), share, tuple(shared))


def _by_use(entry: PredicateEntry) -> tuple[int, str]:
    return -entry.triple_count, entry.iri


def _render_facts(
    card: VocabularyCard,
    predicates: Sequence[PredicateEntry],
    vertices: Sequence[MentionedVertex],
    writer: SchemaLines,
) -> tuple[list[str], Set[str]]:
    """Return a pattern for each predicate at the mentioned vertices, out and in, the nearest to the question first; and
    the predicates of these patterns."""
    incident, rank = dict(card.incident_predicates), {entry.iri: place for place, entry in enumerate(predicates)}
    facts = [
        (rank[iri], vertex.number, writer.render_pattern(predicates[rank[iri]], f"e:{vertex.number}", side), iri)
        for vertex in vertices
        for iri, side, _ in incident.get(vertex.iri, ())
        if iri in rank
    ]
    facts = sorted(facts)[:LEAN_FACTS]
    return [line for _, _, line, _ in facts], {iri for *_, iri in facts}


def build_conventions(kg: KnowledgeGraph) -> SchemaPrompt:
    """Build a schema prompt that tells only how the KG states labels and classes; all else is shown by tools."""
    names, head = _tell_conventions(kg, [*kg.vocabulary.classes, *kg.vocabulary.predicates])
    return SchemaPrompt(names.prefixes, (), tuple(head))


def _tell_conventions(kg: KnowledgeGraph, iris: Sequence[str]) -> tuple[PrefixedNames, list[str]]:
    """Return the names of the vocabulary that is shown, and the lines on labels and classes."""
    profile = kg.profile
    labels = [iri for iri in profile.labels if iri in kg.vocabulary.predicates] or list(profile.labels[:1])
    typing, wider = _if_unusual(profile.types, TYPE_PREDICATES), _if_unusual(profile.subclasses, SUBCLASS_PREDICATES)
    names = PrefixedNames([*labels, *typing, *wider, *iris])
    head = [f"labels of things: {', '.join(map(names, labels))}" if labels else "things carry no labels"]
    head += [f"a class is stated by {'|'.join(map(names, typing))}, not by a"] if typing else []
    head += [f"a wider class is stated by {'|'.join(map(names, wider))}, not by rdfs:subClassOf"] if wider else []
    return names, head


def _rank_classes(kg: KnowledgeGraph, card: VocabularyCard) -> list[ClassEntry]:
    """Return the classes with things, or with a subclass that has some: those near to the question first."""
    classes = [entry for entry in kg.vocabulary.classes.values() if not entry.is_metadata]
    superclasses = {iri for entry in classes if entry.instance_count for iri in entry.direct_superclasses}
    rank = {entry.iri: place for place, entry in enumerate(card.classes)}
    used = (entry for entry in classes if entry.instance_count or entry.iri in superclasses)
    return sorted(used, key=lambda entry: (rank.get(entry.iri, len(rank)), -entry.instance_count))


def _rank_predicates(kg: KnowledgeGraph, card: VocabularyCard) -> list[PredicateEntry]:
    """Return the predicates: those that the question names, those that it resembles or whose ends it mentions, those
    near to it."""
    rank = {entry.iri: place for place, entry in enumerate(card.predicates)}
    standard = frozenset((*TYPE_PREDICATES, *kg.profile.types, *kg.profile.labels)) - rank.keys()
    entries = [e for e in kg.vocabulary.predicates.values() if not e.is_metadata and e.iri not in standard]
    named = {iri for mention in card.mentions_of_kind("predicate") for iri in mention.iris}
    named |= {i for m in card.mentions_of_kind("value") for hit in m.values[:MAX_OTHERS] for i in hit.predicates[:1]}
    like = sorted(_like_predicates(entries, card), key=lambda iri: rank.get(iri, len(rank)))
    near = frozenset(like[:MAX_LIKE]).union(_connecting_predicates(entries, _mentioned_classes(card)))

    def sort_key(entry: PredicateEntry) -> tuple[int, int, int]:
        tier = 0 if entry.iri in named else 1 if entry.iri in near else 2
        return tier, rank.get(entry.iri, len(rank)), -entry.triple_count

    return sorted(entries, key=sort_key)


def _like_predicates(entries: Sequence[PredicateEntry], card: VocabularyCard) -> Iterator[str]:
    """Yield the predicates with a word of the family of a word of the question, or with one beginning with it."""
    tokens = (
        token for token in tokenize(card.question) if token.kind == "word" and len(token.text) >= MIN_LIKE_LETTERS
    )
    words = tuple({token.lower for token in tokens} - STOP_WORDS - GENERIC_WORDS)
    family = {stem for word in words for stem in related_stems(word)}
    for entry in entries:
        stems = label_stems_of(entry.label)
        starts = tuple(stem for stem in stems if len(stem) > MIN_LIKE_LETTERS)
        is_like = any(word.startswith(starts) for word in words) or any(stem.startswith(words) for stem in stems)
        if is_like or not family.isdisjoint(stems):
            yield entry.iri


def _mentioned_classes(card: VocabularyCard) -> list[frozenset[str]]:
    """Return, for each class or thing that the question mentions, its possible classes."""
    classes = [mention.iris[:1] for mention in card.mentions_of_kind("class")]
    classes += [
        mention.hits[0].types for mention in (*card.mentions_of_kind("vertex"), *card.countries) if mention.hits
    ]
    return list(dict.fromkeys(card.expand_classes(iris) for iris in classes if iris))


def _connecting_predicates(entries: Sequence[PredicateEntry], mentioned: Sequence[frozenset[str]]) -> Iterator[str]:
    """Yield the predicates between two mentioned classes, directly or from a class that leads to both of them."""
    edges = [(entry, entry.domains, entry.ranges) for entry in entries if entry.object_kind != "literal"]
    reached: dict[str, set[int]] = {}
    for _, domains, ranges in edges:
        for domain in domains:
            reached.setdefault(domain, set()).update(p for p, classes in enumerate(mentioned) if classes & set(ranges))
    for entry, domains, ranges in edges:
        starts = {place for place, classes in enumerate(mentioned) if classes & set(domains)}
        ends = {place for place, classes in enumerate(mentioned) if classes & set(ranges)}
        if len(starts | ends) > 1 and starts and ends or ends and any(len(reached[domain]) > 1 for domain in domains):
            yield entry.iri


def _rival_predicates(card: VocabularyCard, predicates: Sequence[PredicateEntry]) -> frozenset[str]:
    """Return the predicates that may be taken for each other: by one label in another, or by the same words."""
    rivals = set[str]()
    for mention in card.mentions_of_kind("predicate"):
        scored = zip(mention.iris, mention.scores, strict=False)
        near = [iri for iri, score in scored if score >= MIN_RIVAL_SHARE * mention.score]
        rivals.update(near if len(near) > 1 else ())
    words = {entry.iri: frozenset(entry.label.casefold().split()) for entry in predicates[:NEAR]}
    for entry, other in combinations(predicates[:NEAR], 2):
        is_within = words[entry.iri] <= words[other.iri] or words[other.iri] <= words[entry.iri]
        if is_within and not set(entry.domains).isdisjoint(other.domains):
            rivals.update((entry.iri, other.iri))
    return frozenset(rivals)


def _if_unusual(predicates: tuple[str, ...], usual: tuple[str, ...]) -> tuple[str, ...]:
    return predicates if predicates != usual else ()
