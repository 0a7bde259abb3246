"""Key-word readings: a question as what one statement node ties, and what is asked of it, however it is worded.

People ask for timetables, posts and fares by key words ("last ferry Customs House to Vik, Saturday"). Each word must
name a filler, a slot or the node itself, or say nothing of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.lexicon import load_lexicon
from chattyshared.language.morphology import (
    GENERIC_WORDS,
    NAMING,
    PREPOSITIONS,
    analyze_phrase,
    lemma_of,
    lemma_stem_of,
    related_stems,
)
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.language.wordnet import is_verb
from rdflib import URIRef

from chattykg.linking.answer_types import class_type_fit, is_numeric_predicate
from chattykg.linking.relation_phrases import is_light_verb_phrase
from chattykg.linking.similarity import lexical_similarity
from chattykg.linking.statement_nodes import (
    NodeSlot,
    StatementNode,
    find_naming_predicates,
    find_statement_nodes,
    find_unlabelled_classes,
)
from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.qir import QIR, Order, QuestionReading, Relation
from chattykg.query.statements import (
    MIN_NAMED_SCORE,
    MIN_PERSON_FIT,
    PRESENT_WORDS,
    nouns_of,
    restrict_to_now,
    today_of,
    verbs_of,
)

_LEXICON = load_lexicon("events")
_ASKING = {key: frozenset(words) for key, words in _LEXICON["asking"].items()}
_LINKING_VERBS = frozenset(_LEXICON["nodes"]["linking"])
# Origin of the numbers below: set by hand on the development sets.
_MIN_PARTS = 2
"""Fillers and named slots from which a question is read so."""
_MIN_FILLER_SCORE = 0.65
"""Score (0..1) of a mention from which it names a filler."""
_NODE = ("",)
"""The path to what is asked for if the nodes themselves are counted."""
_Incident = list[tuple[Mention, set[tuple[str, str]]]]
"""Mentions with the predicates at their things, and the directions of these."""
_Path = tuple[str, ...]
"""The predicates that lead from the node to a column."""


def read_by_keywords(question: str, card: VocabularyCard, kg: KnowledgeGraph) -> tuple[QuestionReading, ...]:
    """Return the readings of a question as one about a statement node, that with most fillers first.

    Raises:
        EndpointError: the KG could not be asked.
    """
    tokens = tuple(token for token in tokenize(question) if token.kind != "mark")
    nodes = [node for node in find_statement_nodes(kg) if node.attributes and node.entry.iri in kg.vocabulary.classes]
    if not nodes or not card.language.has_words("events") or not tokens or tokens[0].lower in _ASKING["truth"]:
        return ()
    mentions = [m for m in card.mentions_of_kind("vertex") if m.score >= _MIN_FILLER_SCORE]
    mentions.sort(key=lambda m: (m.start - m.end, -m.score))
    around = kg.predicates_of(tuple(dict.fromkeys(URIRef(hit.iri) for m in mentions for hit in m.hits)))
    incident: _Incident = [
        (m, {(iri, way) for hit in m.hits for iri, way, _ in around[URIRef(hit.iri)]}) for m in mentions
    ]
    readers = [_Reader(tokens, card, kg, node) for node in nodes]
    read = [reader for reader in readers if reader.fill(incident) and reader.is_read()]
    read = [reader for reader in read if reader.is_done] or read
    most = max((len(reader.fillers) for reader in read), default=0)
    return tuple(each for reader in read if len(reader.fillers) == most for each in reader.readings())


@dataclass(slots=True)
class _Reader:
    """Reads a question as one about a node: what fills its slots, and which slots are asked for."""

    tokens: tuple[Token, ...]
    card: VocabularyCard
    kg: KnowledgeGraph
    node: StatementNode
    fillers: dict[NodeSlot, Mention] = field(default_factory=dict)
    named: list[NodeSlot] = field(default_factory=list)
    is_node_named: bool = False
    is_done: bool = False
    is_listed: bool = False

    @property
    def words(self) -> frozenset[str]:
        return frozenset(token.lower for token in self.tokens)

    @property
    def open_roles(self) -> list[NodeSlot]:
        return [role for role in self.node.roles if role not in self.fillers]

    def fill(self, incident: _Incident) -> bool:
        """Find the fillers, each of the one role that is open to it."""
        nameless = find_unlabelled_classes(self.kg.vocabulary, find_naming_predicates(self.kg))
        named = [role for role in self.node.roles if not role.classes or set(role.classes) - nameless.keys()]
        found: list[tuple[Mention, list[NodeSlot]]] = []
        for mention, around in incident:
            roles = [role for role in named if (role.entry.iri, role.way) in around]
            if roles and not any(m.start < mention.end and mention.start < m.end for m, _ in found):
                found.append((mention, roles))
        for mention, roles in found:
            free = [role for role in roles if role not in self.fillers]
            if len(free) != 1:
                return False
            self.fillers[free[0]] = mention
        return bool(self.fillers)

    def is_read(self) -> bool:
        """Tell whether all words say something of this node, and enough of it."""
        is_read = all(map(self._explain, self.tokens))
        return is_read and len(self.fillers) + len(self.named) + self.is_node_named >= _MIN_PARTS

    def _explain(self, token: Token) -> bool:
        """Tell whether a word belongs to a filler, names a slot or the node, or says nothing of its own."""
        if any(mention.start <= token.start < mention.end for mention in self.fillers.values()):
            return True
        stems = analyze_phrase(self.node.entry.label.split(" of ")[0]).stems
        if lemma_stem_of(token.lower) in stems and token.lower not in GENERIC_WORDS:
            self.is_node_named = True
            self.is_listed |= lemma_of(token.lower) != token.lower and self.words.isdisjoint(_ASKING["order"])
            return True
        if is_verb(lemma_of(token.lower)):  # managers manage
            doers = [noun for role in self.node.roles for noun in nouns_of(role, self.kg.vocabulary)]
            self.is_done |= any(lexical_similarity(token.lower, noun) >= MIN_NAMED_SCORE for noun in doers)
        slots = self._slots_named(token)
        self.named += [slot for slot in slots if slot not in self.named]
        return bool(slots) or self._is_silent(token.lower)

    def _is_silent(self, word: str) -> bool:
        if word in _ASKING["restricting"]:
            return False
        language = self.card.language
        known = (language.function_words, language.closed_words, language.wrappers, PRESENT_WORDS, *_ASKING.values())
        said = {said for slot in self.node.attributes for said in analyze_phrase(slot.entry.label).words}
        is_verb_of_node = lemma_of(word) in verbs_of(self.node) | _LINKING_VERBS or is_light_verb_phrase(word)
        return word in NAMING - said or is_verb_of_node or word.isdigit() or any(word in words for words in known)

    def _slots_named(self, token: Token) -> list[NodeSlot]:
        """Return the slots that a word names by their labels; a role also by the class of its fillers."""
        if self._is_silent(token.lower):
            return []
        mentions = (m for m in self.card.mentions_of_kind("class") if m.start <= token.start < m.end)
        groups = {iri for mention in mentions for iri in mention.iris}
        by_class = [role for role in self.open_roles if groups & self.kg.vocabulary.superclasses(*role.classes)]
        by_label = [slot for slot in self.node.slots if related_stems(token.lower) & set(_content_stems(slot))]
        said = [slot for slot in by_label if slot in self.fillers]  # "score" names the scorer
        return by_class if len(by_class) == 1 else (said or by_label)[:1]

    # ---------------------------------------------------------------------------------------------------- what is asked
    def readings(self) -> Iterator[QuestionReading]:
        """Yield the readings: one for each thing that the question may ask of the node."""
        for targets in filter(None, self._targets()):
            yield QuestionReading(self._write(targets))

    def _targets(self) -> Iterator[tuple[_Path, ...]]:
        """Yield what may be asked for: columns, each as the predicates that lead from the node to it."""
        words, free = self.words, [slot for slot in self.named if slot not in self.fillers]
        vocabulary = self.kg.vocabulary
        people = [r for r in self.open_roles if class_type_fit("person", r.classes, vocabulary) > MIN_PERSON_FIT]
        things = {word for slot in free if slot in self.node.roles for word in analyze_phrase(slot.entry.label).words}
        if words & _ASKING["price"] - things:
            yield from self._prices()
        elif words & _ASKING["time"]:
            yield tuple((slot.entry.iri,) for slot in self._moments())
        elif words & (_ASKING["person"] | NAMING):
            yield from (((role.entry.iri,),) for role in people[:1])
        elif words & _ASKING["place"]:
            places = [role for role in self.open_roles if role not in people] or people
            yield from (((role.entry.iri,),) for role in places)
        elif words & _ASKING["many"] and self.is_node_named and not free:
            yield (_NODE,)
        elif self.is_listed:
            yield ((self.open_roles[0].entry.iri,),) if len(self.open_roles) == 1 else (_NODE,)
        elif free:
            yield ((free[0].entry.iri,),)
        elif words & _ASKING["order"] or self.is_node_named:
            yield tuple((slot.entry.iri,) for slot in self._moments())
        elif words.isdisjoint(_ASKING["question"]):
            yield from (((role.entry.iri,),) for role in people[:1])

    def _moments(self) -> list[NodeSlot]:
        """Return the times that are asked for: those that are named, begin and end of hours, or else the begin."""
        moments = [slot for slot in self.node.attributes if slot.is_moment]
        bounds = [slot for slot in (self.node.begin, self.node.end) if slot in moments]
        if self.words & _ASKING["hours"]:
            return bounds or moments
        if self.words & _ASKING["until"]:
            return bounds[1:]
        node = set(analyze_phrase(self.node.entry.label).stems)
        named = [slot for slot in self.named if slot in moments] or bounds[:1]
        return (named or [slot for slot in moments if node & set(_content_stems(slot))] or moments)[:1]

    def _prices(self) -> Iterator[tuple[_Path, ...]]:
        """Yield the paths to an amount and its currency: of the node itself, and of a measure that it has."""
        predicates = self.kg.vocabulary.predicates.values()
        measures = (((role.entry.iri,), group) for role in self.open_roles for group in role.classes)
        for path, group in (((), self.node.entry.iri), *measures):
            literals = [e for e in predicates if group in e.domains and e.object_kind == "literal"]
            lemmas = {e.iri: set(analyze_phrase(e.label).lemmas) for e in literals}
            amounts = [e for e in literals if is_numeric_predicate(e) and _ASKING["price"] & lemmas[e.iri]]
            units = [e for e in literals if _ASKING["currency"] & lemmas[e.iri]]
            if len(amounts) == 1:
                yield tuple((*path, entry.iri) for entry in (*amounts, *units[:1]))

    # --------------------------------------------------------------------------------------------------------- writing
    def _write(self, targets: tuple[_Path, ...]) -> QIR:
        node, words, targets = "?event", self.words, () if targets == (_NODE,) else targets
        triples = [role.tie(node, mention.text) for role, mention in self.fillers.items()]
        slots = {slot.entry.iri: slot for slot in self.node.slots}
        columns = [f"?asked{number}" for number in range(len(targets))]
        between: dict[str, str] = {}
        for column, path in zip(columns, targets, strict=True):
            if len(path) == 1:
                triples.append(slots[path[0]].tie(node, column))
                continue
            if path[0] not in between:
                between[path[0]] = f"?part{len(between)}"
                triples.append(slots[path[0]].tie(node, between[path[0]]))
            triples.append(Relation(between[path[0]], path[-1], column))
        numeric = {slot.entry.iri for slot in self.node.attributes if is_numeric_predicate(slot.entry)}
        is_many = len(targets) < 2 and bool(words & _ASKING["many"])
        is_sum = len(targets) == 1 and targets[0][-1] in numeric and (is_many or bool(words & _ASKING["total"]))
        asked = QIR(
            "table" if len(columns) > 1 else "number" if is_sum else "count" if is_many else "list",
            columns[0] if columns else node,
            tuple(triples),
            ((node, self.node.entry.iri),),
            order=Order(columns[0], bool(words & _ASKING["last"])) if words & _ASKING["order"] and columns else None,
            aggregate="sum" if is_sum else "",
            targets=tuple(columns) if len(columns) > 1 else (),
        )
        end = self.node.end
        return restrict_to_now(asked, node, end) if end and self._is_now({path[-1] for path in targets}) else asked

    def _is_now(self, asked: set[str]) -> bool:
        """Tell whether a question in the present asks for what is not over, and the graph has such nodes."""
        begin, end, words = self.node.begin, self.node.end, self.words
        if begin is None or end is None:
            return False
        is_past = bool(words & _ASKING["past"]) or any(map(_is_past_verb, self.tokens))
        is_timed = bool({begin.entry.iri, end.entry.iri} & asked)
        if not words & PRESENT_WORDS and (is_timed or is_past and "does" not in words):
            return False
        return self.kg.endpoint.ask(
            f"ASK {{ ?x a <{self.node.entry.iri}> FILTER NOT EXISTS {{ ?x <{end.entry.iri}> ?over "
            f'FILTER(STR(?over) < "{today_of(end)}") }} }}'
        )


def _content_stems(slot: NodeSlot) -> Iterator[str]:
    """Yield the stems of the words of a label, with those of related words; no generic ones ("time")."""
    words = [word for word in analyze_phrase(slot.entry.label).words if word not in GENERIC_WORDS | PREPOSITIONS]
    yield from (stem for word in words if word not in _ASKING["time"] for stem in related_stems(word))


def _is_past_verb(token: Token) -> bool:
    """Tell whether a token is a verb in its regular past form."""
    lemma = lemma_of(token.lower)
    return token.lower.endswith("ed") and not token.is_capitalized and lemma != token.lower and is_verb(lemma)
