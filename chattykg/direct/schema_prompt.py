"""The schema prompt: the part of a KG's schema that a model gets to write a whole query, in prefixed names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from chattyshared.kg import Hit, KnowledgeGraph
from chattyshared.kg.vocabulary import ClassEntry, PredicateEntry
from chattyshared.language.morphology import normalize_text
from chattyshared.profile import SUBCLASS_PREDICATES, TYPE_PREDICATES
from chattyshared.terms import iri_to_words, n3
from rdflib import RDF, RDFS, XSD, URIRef

from chattykg.linking.mention_detection import Mention
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.linking.vocabulary_card_text import render_objects

MAX_CHARACTERS = 4_500
"""Most characters of a schema prompt, about 1,125 tokens."""
CLASSES, PREDICATES = 40, 120
"""Most classes and predicates that are shown if they fit: those near the question first, then the most used."""
NAMED, FURTHER = 800, 200
"""Most characters of the line of further predicates, and most predicates in all."""
MAX_END_CLASSES = 4
"""Classes that are shown at each end of a predicate."""
_MAX_VALUE_CHARACTERS = 30
MAX_VERTICES, MAX_NAMESAKES = 12, 4
"""Vertices in all, and those of one mention."""
_COMMENT = re.compile(
    r'("{3}.*?"{3}|\'{3}.*?\'{3}|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|<[^<>\s]*>)|#[^\n]*', re.DOTALL
)
_LOCAL_NAME = re.compile(r"^[A-Za-z_]\w*(?:[-.]\w+)*$")
_NAMESPACE_SPLIT = re.compile(r"^(.*[#/:])([^#/:]+)$", re.DOTALL)
_VERTEX = re.compile(r"(?<![\w<:])e:(\d+)(?![\w-])")
_STANDARD_PREFIXES = {"rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}


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
        """Return its line."""
        return f'e:{self.number} = {self.label[:80]} [{self.kind or "thing"}], said as "{self.mention[:60]}"'


@dataclass(frozen=True, slots=True)
class SchemaPrompt:
    """Prefixes, vertices, values, classes and predicates, the most relevant first.

    ``is_complete``: it describes each class and predicate of the KG, so that what it does not show does not exist.
    """

    prefixes: tuple[tuple[str, str], ...]
    vertices: tuple[MentionedVertex, ...]
    lines: tuple[str, ...]
    is_complete: bool = False

    def as_prompt_text(self) -> str:
        """Return the text in the prompt."""
        return "\n".join((*(vertex.as_prompt_text() for vertex in self.vertices), *self.lines))

    def prefixed_name(self, iri: str) -> str:
        """Return the name of an IRI in the prompt: prefixed, if its namespace has a prefix."""
        return _prefixed(iri, {space: name for name, space in self.prefixes})

    def expand_query(self, sparql: str) -> str:
        """Return the model's query without comments, with declared prefixes, with IRIs instead of vertex numbers.

        A number that was not shown stays, and will not parse as a known IRI.
        """
        iri_of = {vertex.number: vertex.iri for vertex in self.vertices}
        sparql = _COMMENT.sub(lambda m: m[1] or " ", sparql).strip()
        text = _VERTEX.sub(lambda m: n3(URIRef(iri_of[int(m[1])])) if int(m[1]) in iri_of else m[0], sparql)
        declared = {name for name in re.findall(r"(?i)\bPREFIX\s+([\w-]*):", text)}
        used = [(name, space) for name, space in self.prefixes if f"{name}:" in text and name not in declared]
        return "".join(f"PREFIX {name}: <{space}>\n" for name, space in used) + text


def build_schema_prompt(kg: KnowledgeGraph, card: VocabularyCard, rejected: Set[str] = frozenset()) -> SchemaPrompt:
    """Build the schema prompt of a question from its vocabulary card, without a request.

    ``rejected`` are the things that the user does not mean.
    """
    vocabulary = kg.vocabulary
    superclasses = {
        iri for entry in vocabulary.classes.values() if entry.instance_count for iri in entry.direct_superclasses
    }
    classes = [
        e for e in vocabulary.classes.values() if (e.instance_count or e.iri in superclasses) and not e.is_metadata
    ]
    near_iris = {entry.iri for entry in card.predicates}
    standard_predicates = frozenset((*TYPE_PREDICATES, *kg.profile.types, *kg.profile.labels)) - near_iris
    predicates = [
        entry
        for entry in vocabulary.predicates.values()
        if not entry.is_metadata and entry.iri not in standard_predicates
    ]
    near: tuple[PredicateEntry | ClassEntry, ...] = (*card.predicates, *card.classes)
    rank = {entry.iri: index for index, entry in enumerate(near)}
    classes.sort(key=lambda entry: (rank.get(entry.iri, len(rank)), -entry.instance_count))
    predicates.sort(key=lambda entry: (rank.get(entry.iri, len(rank)), -entry.triple_count))
    entry_count = len(classes) + len(predicates)
    classes, predicates = classes[:CLASSES], predicates[:FURTHER]
    labels = [iri for iri in kg.profile.labels if iri in vocabulary.predicates] or list(kg.profile.labels[:1])
    typing, wider = (
        _if_unusual(kg.profile.types, TYPE_PREDICATES),
        _if_unusual(kg.profile.subclasses, SUBCLASS_PREDICATES),
    )
    names = _Names([*labels, *typing, *wider, *(e.iri for e in classes), *(e.iri for e in predicates)])
    lines = [_class_line(entry, names) for entry in classes]
    rows = [(names(entry.iri), _predicate_line(entry, names)) for entry in predicates]
    head = f"labels of things: {', '.join(names(iri) for iri in labels)}" if labels else "things carry no labels"
    vertices = _vertices(card, kg, rejected)
    characters = MAX_CHARACTERS - sum(len(vertex.as_prompt_text()) + 1 for vertex in vertices)
    modelling = [f"a class is stated by {'|'.join(map(names, typing))}, not by a"] if typing else []
    modelling += [f"a wider class is stated by {'|'.join(map(names, wider))}, not by rdfs:subClassOf"] if wider else []
    fitting = _fit_lines([head, *modelling, *_value_lines(card, names), *lines], rows, characters)
    entry_lines = {*lines, *(line for _, line in rows)}
    is_complete = len(entry_lines) == entry_count and entry_lines <= set(fitting)
    return SchemaPrompt(names.prefixes, vertices, fitting, is_complete)


def _if_unusual(predicates: tuple[str, ...], usual: tuple[str, ...]) -> tuple[str, ...]:
    return predicates if predicates != usual else ()


def _fit_lines(lines: Iterable[str], rows: Sequence[tuple[str, str]], characters: int) -> tuple[str, ...]:
    """Return the lines that fit, then those of predicates (name, line); a last line names the other predicates."""
    kept: list[str] = []
    for line in lines:
        characters -= len(line) + 1
        if characters < 0:
            return tuple(kept)
        kept.append(line)
    if len(rows) <= PREDICATES and sum(len(line) + 1 for _, line in rows) <= characters:
        return (*kept, *(line for _, line in rows))
    characters_for_rows, index = characters - min(NAMED, characters // 4), 0
    while index < min(len(rows), PREDICATES) and characters_for_rows >= len(rows[index][1]) + 1:
        characters_for_rows -= len(rows[index][1]) + 1
        kept.append(rows[index][1])
        index += 1
    return (*kept, *_name_line([name for name, _ in rows[index:]], min(NAMED, characters // 4)))


def _name_line(names: Sequence[str], max_characters: int) -> list[str]:
    """Return the line of names, as many as fit."""
    line = "further predicates:"
    for index, name in enumerate(names):
        if len(line) + len(name) + 2 > max_characters:
            break
        line += f"{',' if index else ''} {name}"
    return [line] if not line.endswith(":") else []


class _Names:
    """Prefixed names: one prefix for each namespace, the most frequent first."""

    def __init__(self, iris: Sequence[str]) -> None:
        spaces = Counter(match[1] for iri in iris if (match := _NAMESPACE_SPLIT.match(iri)))
        fixed = {space: name for name, space in _STANDARD_PREFIXES.items()}
        namespaces = [space for space, _ in spaces.most_common() if space not in fixed]
        self._names = fixed | {space: f"p{index}" if index else "p" for index, space in enumerate(namespaces)}

    @property
    def prefixes(self) -> tuple[tuple[str, str], ...]:
        """The prefixes with their namespaces."""
        return tuple((name, space) for space, name in self._names.items())

    def __call__(self, iri: str) -> str:
        return _prefixed(iri, self._names)


def _prefixed(iri: str, names: Mapping[str, str]) -> str:
    match = _NAMESPACE_SPLIT.match(iri)
    if match and _LOCAL_NAME.match(match[2]) and match[1] in names:
        return f"{names[match[1]]}:{match[2]}"
    return n3(URIRef(iri))


def _vertices(card: VocabularyCard, kg: KnowledgeGraph, rejected: Set[str]) -> tuple[MentionedVertex, ...]:
    vertices: dict[str, MentionedVertex] = {}
    classes = kg.vocabulary.classes
    mentions = card.mentions_of_kind("vertex")
    for mention in mentions:
        if any(_is_part(mention, other) for other in mentions):
            continue
        hits = [hit for hit in mention.hits if hit.iri not in rejected]
        for hit in _best_hits(hits):
            if hit.iri not in vertices and len(vertices) < MAX_VERTICES:
                type_ = next(iter(hit.types), "")
                kind = classes[type_].label if type_ in classes else iri_to_words(type_) if type_ else ""
                vertices[hit.iri] = MentionedVertex(
                    len(vertices) + 1, hit.iri, hit.label, kind, mention.text, hit.types
                )
    return tuple(vertices.values())


def _best_hits(hits: Sequence[Hit]) -> Sequence[Hit]:
    """Return the best hits of a mention: two, or all of the best one's name."""
    name = normalize_text(hits[0].label) if hits else ""
    return [hit for at, hit in enumerate(hits) if at < 2 or normalize_text(hit.label) == name][:MAX_NAMESAKES]


def _is_part(mention: Mention, other: Mention) -> bool:
    """Tell whether a mention lies inside another one that is the whole label of a vertex."""
    return (
        other.start <= mention.start
        and mention.end <= other.end
        and len(mention.text) < len(other.text)
        and any(hit.label.casefold() == other.text.casefold() for hit in other.hits)
    )


def _value_lines(card: VocabularyCard, names: _Names) -> list[str]:
    lines = []
    for mention in card.mentions_of_kind("value"):
        for hit in mention.values[:2]:
            predicates = ", ".join(names(iri) for iri in hit.predicates[:3])
            lines.append(
                f'value {" ".join(hit.value.n3()[:80].split())} under {predicates}, said as "{mention.text[:60]}"'
            )
    return lines[:8]


def _class_line(entry: ClassEntry, names: _Names) -> str:
    label_note = "" if _equals_local_name(entry.iri, entry.label) else f' "{entry.label[:40]}"'
    kind_of = (
        f" < {', '.join(names(iri) for iri in entry.direct_superclasses[:2])}" if entry.direct_superclasses else ""
    )
    return f"class {names(entry.iri)}{kind_of}{label_note} {entry.instance_count}x"


def _predicate_line(entry: PredicateEntry, names: _Names) -> str:
    """Return the line of a predicate: name, label, domain and range, number of triples, an example."""
    label_note = "" if _equals_local_name(entry.iri, entry.label) else f' "{entry.label[:40]}"'
    domain = "|".join(names(iri) for iri in entry.domains[:MAX_END_CLASSES]) or "thing"
    ends = entry.ranges if entry.object_kind == "iri" else entry.datatypes
    range_ = "|".join(names(iri) for iri in ends[:MAX_END_CLASSES]) or (
        "thing" if entry.object_kind == "iri" else "text"
    )
    objects = render_objects(entry, _MAX_VALUE_CHARACTERS)
    example = f"; {objects}" if objects else f"; e.g. {entry.example[1][:30]}" if entry.example[1] else ""
    comment = f" ({entry.comment[:60]})" if entry.comment else ""
    return f"{names(entry.iri)}{label_note}{comment}: {domain} -> {range_} {entry.triple_count}x{example}"


def _equals_local_name(iri: str, label: str) -> bool:
    return iri_to_words(iri).casefold() == label.casefold()
