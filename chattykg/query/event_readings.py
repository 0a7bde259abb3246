"""Event readings: a question as what one reified relation links, and what is asked of it, however it is worded.

People ask for timetables, posts and fares by key words ("last ferry Customs House to Vik, Saturday"). Each word must
name a filler, a slot or the event itself, or say nothing of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.lexicon import load_lexicon
from chattyshared.language.morphology import (
    AUXILIARY,
    FUNCTION_WORDS,
    GENERIC_WORDS,
    NAMING,
    PREPOSITIONS,
    analyze_phrase,
    lemma_of,
    lemma_stem_of,
    related_stems,
)
from chattyshared.language.tokenizer import Token, tokenize
from chattyshared.language.wordnet import noun_kinds
from rdflib import URIRef
from rdflib.namespace import XSD

from chattykg.linking.answer_types import class_type_fit, is_numeric_predicate
from chattykg.linking.reified_relations import (
    ReifiedRelation,
    Role,
    find_naming_predicates,
    find_reified_relations,
    find_unlabelled_classes,
)
from chattykg.linking.relation_phrases import is_light_verb_phrase
from chattykg.linking.similarity import lexical_similarity
from chattykg.linking.vocabulary_card import Mention, VocabularyCard
from chattykg.qir import QIR, Filter, Operator, Order, QuestionReading, Relation
from chattykg.query.event_phrases import (
    EVENT_VERBS,
    PRESENT_WORDS,
    content_stems,
    filler_nouns,
    is_done_by,
    is_moment,
    is_past_verb,
    read_clock,
    restrict_to_now,
    tie,
    today_of,
    turned,
    verbs_of,
)

_ASKING = {key: frozenset(words) for key, words in load_lexicon("events")["asking"].items()}
# Origin of the numbers below: set by hand on the development sets.
_MIN_PARTS = 2
"""Fillers and named slots from which a question is read so."""
_MIN_FILLER_SCORE = 0.65
"""Score (0..1) of a mention from which it names a filler."""
_MIN_PERSON_FIT = 0.9
"""Fit (0..1, exclusive) of the classes of a role from which people fill it."""
_MIN_LIKENESS = 0.9
"""Similarity (0..1) of a word and the label of a filler from which it names the filler."""
_MAX_TIME_TOKENS = 5
"""Tokens of the longest time with its preposition."""
_OPERATORS: Mapping[str, Operator] = {"before": "<", "after": ">", "in": "=", "on": "=", "during": "=", "since": ">="}
_YEAR = re.compile(r"[12]\d{3}")
_EVENT = (("",),)
"""What is asked for if the nodes themselves are counted."""


@dataclass(frozen=True, slots=True)
class EventQuestion:
    """The words of a question, and its mentions with the predicates and directions at their vertices."""

    tokens: tuple[Token, ...]
    card: VocabularyCard
    kg: KnowledgeGraph
    mentions: tuple[tuple[Mention, frozenset[tuple[str, str]]], ...]
    nameless: frozenset[str]

    @property
    def words(self) -> tuple[str, ...]:
        """The words in lower case."""
        return tuple(token.lower for token in self.tokens)

    def classes_at(self, token: Token) -> frozenset[str]:
        """Return the classes that a word names."""
        mentions = (m for m in self.card.mentions_of_kind("class") if m.start <= token.start < m.end)
        return frozenset(iri for mention in mentions for iri in mention.iris)


def read_events(question: str, card: VocabularyCard, kg: KnowledgeGraph) -> tuple[QuestionReading, ...]:
    """Return the readings of a question as one about a reified relation, that with most fillers first.

    Raises:
        EndpointError: the KG could not be asked.
    """
    labels = find_naming_predicates(kg)
    relations = find_reified_relations(kg.vocabulary, labels) if card.language.has_words("events") else ()
    tokens = tuple(token for token in tokenize(question) if token.kind != "mark")
    if not relations or not tokens or tokens[0].lower in _ASKING["truth"]:
        return ()
    nameless = frozenset(find_unlabelled_classes(kg.vocabulary, labels))
    asked = EventQuestion(tokens, card, kg, tuple(_with_predicates(card, kg)), nameless)
    readers = [EventReader(asked, relation) for relation in relations]
    read = sorted((r for r in readers if r.read()), key=lambda reader: (-len(reader.fillers), reader.count_unsaid()))
    read = [reader for reader in read if reader.count_unsaid() <= read[0].count_unsaid()]
    read = [reader for reader in read if reader.is_done] or read
    if any(reader.is_now() for reader in read):
        read = [reader for reader in read if reader.made.end_attribute]
    return tuple(reading for reader in read for reading in reader.readings())


def _with_predicates(card: VocabularyCard, kg: KnowledgeGraph) -> Iterator[tuple[Mention, frozenset[tuple[str, str]]]]:
    """Yield the mentions of vertices and values, longest first, with the predicates at them."""
    mentions = [m for m in card.mentions if m.kind in ("vertex", "value") and m.score >= _MIN_FILLER_SCORE]
    terms = tuple(dict.fromkeys(URIRef(hit.iri) for mention in mentions for hit in mention.hits))
    around = kg.predicates_of(terms) if terms else {}
    for mention in sorted(mentions, key=lambda m: (m.start - m.end, m.kind == "value", -m.score)):
        found = {(iri, way) for hit in mention.hits for iri, way, _ in around[URIRef(hit.iri)]}
        yield mention, frozenset(found | {(iri, "is") for value in mention.values for iri in value.predicates})


@dataclass(slots=True)
class EventReader:
    """Reads a question as one about a reified relation: what fills its slots, and which slots are asked for."""

    asked: EventQuestion
    made: ReifiedRelation
    fillers: dict[Role, Mention] = field(default_factory=dict)
    named: list[Role] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)
    limits: list[tuple[Operator, str]] = field(default_factory=list)
    neighbour: tuple[Role, Mention, bool] | None = None
    held: dict[Role, str] = field(default_factory=dict)
    explained: set[int] = field(default_factory=set)
    is_event_named: bool = False
    is_done: bool = False
    is_over: bool = False

    def read(self) -> bool:
        """Tell whether all words say something of this relation."""
        self._limit()
        is_read = self._fill() and all(self._explain(token) for token in self.asked.tokens)
        parts = len(self.fillers) + len(self.named) + self.is_event_named
        is_read = is_read and parts >= _MIN_PARTS and self._owners() <= {*self.fillers, *self.named[:1]}
        is_read = is_read and not (self.is_over and self.made.end_attribute is None)
        return is_read and (self.is_event_named or not self._is_stated_directly())

    def _is_stated_directly(self) -> bool:
        """Tell whether things of the role that is asked for are tied to all that is named themselves."""
        classes = {iri for role in self.named[:1] for iri in role.filler_classes}
        entries, around = self.asked.kg.vocabulary.predicates, dict(self.asked.mentions)
        at_fillers = [around.get(mention, frozenset()) for mention in self.fillers.values()]
        return bool(classes) and all(
            any(way != "out" and classes & set(entries[iri].domains) for iri, way in each) for each in at_fillers
        )

    def count_unsaid(self) -> int:
        """Return the number of words in the labels of the slots that are named that the question does not say."""
        stems = {*self.asked.words, *map(lemma_stem_of, self.asked.words)}
        labels = (analyze_phrase(slot.entry.label) for slot in self.named)
        return sum(len(label.stems.union(PREPOSITIONS.intersection(label.words)) - stems) for label in labels)

    def _owners(self) -> set[Role]:
        """Return the roles of things that have a node each as their part ("opening hours"): no node is meant alone."""
        nodes = self.made.entry.instance_count
        return {role for role in self.made.roles if not role.is_outward and role.entry.triple_count >= nodes}

    def _fill(self) -> bool:
        """Find the fillers; where several roles are open to one, the preposition before it tells which."""
        found: list[tuple[Mention, list[Role]]] = []
        nameless = self.asked.nameless
        named = [r for r in self.made.roles if not r.filler_classes or set(r.filler_classes) - nameless]
        for mention, around in self.asked.mentions:
            roles = [role for role in named if self._hold(role, mention, around)]
            roles = roles or [r for r in named if (r.entry.iri, "in" if r.is_outward else "out") in around]
            roles = roles or [role for role in named if self._number_of(role, around)]
            if roles and not any(m.start < mention.end and mention.start < m.end for m, _ in found):
                found.append((mention, roles))
        for mention, roles in sorted(found, key=lambda pair: not self._said_role(*pair)):
            free = [role for role in roles if role not in self.fillers]
            role = self._said_role(mention, roles) or (free[0] if len(free) == 1 else None)
            before = [token for token in self.asked.tokens if token.end <= mention.start][-1:]
            if role and before and before[0].lower in ("before", "after"):
                self.neighbour = role, mention, before[0].lower == "before"
                self.explained.update(
                    (before[0].start, *(t.start for t in self.asked.tokens if mention.start <= t.start < mention.end))
                )
                continue
            if role is None or role in self.fillers:
                return False
            self.fillers[role] = mention
        return bool(self.fillers)

    def _limit(self) -> None:
        """Find the times of the day and the dates that limit the event: "after 3 pm", "before May 2023"."""
        tokens, words = self.asked.tokens, self.asked.card.language.morphology
        for at, token in enumerate(tokens):
            if token.lower == "before" and {each.lower for each in tokens[at + 1 :]} <= _ASKING["earlier"]:
                self.is_over = True
                self.explained.update(each.start for each in tokens[at:])
            operator = _OPERATORS.get(token.lower)
            if operator is None:
                continue
            for end in range(min(len(tokens), at + _MAX_TIME_TOKENS), at + 1, -1):
                text = " ".join(t.lower for t in tokens[at + 1 : end])
                clock = read_clock(text) if any(str(XSD.time) in e.datatypes for e in self.made.attributes) else ""
                if time := clock or words.read_date(text) or (text if _YEAR.fullmatch(text) else ""):
                    self.limits.append((operator, time))
                    self.explained.update(t.start for t in tokens[at:end])
                    break

    def _number_of(self, role: Role, around: frozenset[tuple[str, str]]) -> str:
        """Return the predicate by which a value tells the fillers of a role apart ("F2": the number of a line)."""
        entries = self.asked.kg.vocabulary.predicates
        own = (
            entries[iri] for iri, way in around if way == "is" and set(entries[iri].domains) & set(role.filler_classes)
        )
        return next((entry.iri for entry in own if entry.is_inverse_functional), "")

    def _hold(self, role: Role, mention: Mention, around: frozenset[tuple[str, str]]) -> bool:
        """Tell whether a filler of a role is named as what a thing has: "the line's operator"."""
        behind = [token for token in self.asked.tokens if token.start >= mention.end][:2]
        is_owner = len(behind) == 2 and behind[0].kind == "possessive"
        entries = (self.asked.kg.vocabulary.predicates[iri] for iri, way in around if way == "out" and is_owner)
        own = (e for e in entries if set(e.ranges) & set(role.filler_classes))
        found = [e.iri for e in own if related_stems(behind[1].lower) & set(content_stems(e))]
        self.held |= dict.fromkeys((role,), found[0]) if found else {}
        self.explained.update(token.start for token in behind if found)
        return bool(found)

    def _said_role(self, mention: Mention, roles: Sequence[Role]) -> Role | None:
        """Return the only role whose label begins with the preposition before a mention ("to Vik": to pier)."""
        before = {token.lower for token in [t for t in self.asked.tokens if t.end <= mention.start][-2:]} & PREPOSITIONS
        said = [role for role in roles if before & set(analyze_phrase(role.entry.label).words[:1])]
        return said[0] if len(said) == 1 else None

    def _explain(self, token: Token) -> bool:
        """Tell whether a word belongs to a filler, names a slot or the event, or says nothing of its own."""
        is_filler = any(mention.start <= token.start < mention.end for mention in self.fillers.values())
        if is_filler or token.start in self.explained:
            return True
        slots, word, is_event = self._slots_named(token), token.lower, self._names_event(token)
        self.is_event_named |= is_event
        doers = (noun for role in self.made.roles for noun in filler_nouns(role, self.asked.kg.vocabulary))
        main = {role.filler_classes[0] for role in self.made.roles if role.filler_classes}
        self.is_done |= is_done_by(word, doers) or bool(self.asked.classes_at(token) & main)
        if slots or is_event:
            self.named += [slot for slot in slots if slot not in self.named and not is_event]
        elif value := self._value_named(token):
            self.fillers |= value
        elif not self._is_silent(word):
            is_carrier = self.asked.classes_at(token) and not _ASKING["order"].isdisjoint(self.asked.words)
            self.unused += [token.text] if is_carrier else []
            return bool(is_carrier)
        return True

    def _names_event(self, token: Token) -> bool:
        stems = analyze_phrase(self.made.entry.label.split(" of ")[0]).stems
        return lemma_stem_of(token.lower) in stems and token.lower not in GENERIC_WORDS

    def _lists_events(self) -> bool:
        """Tell whether the question asks for the nodes by their noun: "which repair requests", "any loans"."""
        tokens = self.asked.tokens
        ends = [
            at for at, token in enumerate(tokens) if self._names_event(token) and lemma_of(token.lower) != token.lower
        ]
        before = (next((t for t in tokens[: at + 1][::-1] if not self._names_event(t)), tokens[0]) for at in ends)
        return _ASKING["order"].isdisjoint(self.asked.words) and any(t.lower in _ASKING["listing"] for t in before)

    def _value_named(self, token: Token) -> dict[Role, Mention]:
        """Return the only one of a few fillers whose label has a word, or a word like it: "a single", "commands"."""
        found = {
            (role, label)
            for role in self.made.roles
            if token.lower not in FUNCTION_WORDS | PREPOSITIONS | AUXILIARY | _ASKING["question"]
            and lemma_of(token.lower) not in EVENT_VERBS
            and role not in self.fillers
            and role.entry.has_all_values
            for label in role.entry.values
            if label.islower()
            if token.lower in label.lower().split() or lexical_similarity(token.lower, label) >= _MIN_LIKENESS
        }
        return {
            role: Mention(label, token.start, token.end, "vertex", _MIN_LIKENESS)
            for role, label in found
            if len(found) == 1
        }

    def _is_silent(self, word: str) -> bool:
        language = self.asked.card.language
        if word in _ASKING["restricting"]:
            return False
        known = (language.function_words, language.closed_words, language.wrappers, PRESENT_WORDS, *_ASKING.values())
        said = {said for slot in self._attributes() for said in analyze_phrase(slot.entry.label).words}
        is_verb_of_event = lemma_of(word) in verbs_of(self.made) | EVENT_VERBS or is_light_verb_phrase(word)
        return word in NAMING - said or is_verb_of_event or word.isdigit() or any(word in words for words in known)

    def _slots_named(self, token: Token) -> list[Role]:
        """Return the slots that a word names by their labels; a role also by the class of its fillers."""
        if self._is_silent(token.lower):
            return []
        stems, groups = related_stems(token.lower), self.asked.classes_at(token)
        free = [role for role in self.made.roles if role not in self.fillers]
        superclasses = self.asked.kg.vocabulary.superclasses
        by_class = [role for role in free if groups & superclasses(*role.filler_classes)]
        slots = (*self.made.roles, *self._attributes())
        by_label = [slot for slot in slots if stems & set(content_stems(slot.entry))]
        said = [slot for slot in by_label if slot in self.fillers]  # "score" names the scorer
        return by_class if len(by_class) == 1 else (said or by_label)[:1]

    def _attributes(self) -> tuple[Role, ...]:
        return tuple(Role(entry, True) for entry in self.made.attributes)

    # ---------------------------------------------------------------------------------------------------- what is asked
    def readings(self) -> Iterator[QuestionReading]:
        """Yield the readings: one for each thing that the question may ask of the relation."""
        for targets in filter(None, self._targets()):
            yield QuestionReading(self._write(targets), 0.0, tuple(self.unused))

    def _targets(self) -> Iterator[tuple[tuple[str, ...], ...]]:
        """Yield what may be asked for: columns, each as the predicates that lead from the node to it."""
        words, free = set(self.asked.words), [slot for slot in self.named if slot not in self.fillers]
        people = sorted(filter(self._is_for_people, self._open_roles()), key=lambda role: not self._is_human(role))
        things = {word for role in free if role in self.made.roles for word in analyze_phrase(role.entry.label).words}
        if words & _ASKING["price"] - things:
            yield from self._prices()
        elif words & _ASKING["time"]:
            yield tuple((slot.entry.iri,) for slot in self._moments(words))
        elif words & (_ASKING["person"] | NAMING):
            yield from (((role.entry.iri,),) for role in people[:1])
        elif words & _ASKING["place"]:
            places = [role for role in self._open_roles() if role not in people] or people
            yield from (((role.entry.iri,),) for role in places)
        elif words & _ASKING["many"] and self.is_event_named and not free:
            yield _EVENT
        elif self._lists_events():
            yield ((self._open_roles()[0].entry.iri,),) if len(self._open_roles()) == 1 else _EVENT
        elif free:
            yield ((free[0].entry.iri,),)
        elif words & _ASKING["order"] or self.is_event_named:
            yield tuple((slot.entry.iri,) for slot in self._moments(words))
        elif words.isdisjoint(_ASKING["question"]):
            yield from (((role.entry.iri,),) for role in people[:1])

    def _open_roles(self) -> list[Role]:
        return [role for role in self.made.roles if role not in self.fillers]

    def _is_for_people(self, role: Role) -> bool:
        return class_type_fit("person", role.filler_classes, self.asked.kg.vocabulary) > _MIN_PERSON_FIT

    def _is_human(self, role: Role) -> bool:
        """Tell whether the fillers of a role are people, not organizations."""
        entries = map(self.asked.kg.vocabulary.classes.get, role.filler_classes)
        return any(e and noun_kinds(lemma_of(e.label.split()[-1].lower()))[:1] == ("person",) for e in entries)

    def _moments(self, words: set[str]) -> list[Role]:
        """Return the times that are asked for: those that are named, begin and end of hours, or else the begin."""
        moments = [slot for slot in self._attributes() if is_moment(slot.entry)]
        begin, end = (
            [s for s in moments if s.entry == e] for e in (self.made.begin_attribute, self.made.end_attribute)
        )
        is_state = "when" in words and bool(words & {"is", "are"}) and any(slot in moments for slot in self.named)
        if words & _ASKING["hours"] or self.asked.words.count("when") > 1 or is_state and len(moments) == 2:
            return [*begin, *end] or moments
        if words & _ASKING["until"]:
            return end
        named = [slot for slot in self.named if slot in moments]
        event = set(analyze_phrase(self.made.entry.label).stems)
        alike = [slot for slot in moments if event & set(content_stems(slot.entry))]
        return (named or begin or alike or moments)[:1]

    def _prices(self) -> Iterator[tuple[tuple[str, ...], ...]]:
        """Yield the paths to an amount and its currency: of the node itself, and of a measure that it has."""
        predicates = self.asked.kg.vocabulary.predicates.values()
        for path, group in (
            ((), self.made.entry.iri),
            *(((r.entry.iri,), g) for r in self._open_roles() for g in r.filler_classes),
        ):
            literals = [e for e in predicates if group in e.domains and e.object_kind == "literal"]
            amounts = [e for e in literals if is_numeric_predicate(e) and self._is_price(e)]
            units = [e for e in literals if _ASKING["currency"] & set(analyze_phrase(e.label).lemmas)]
            if len(amounts) == 1:
                yield tuple((*path, entry.iri) for entry in (*amounts, *units[:1]))

    def _is_price(self, entry: PredicateEntry) -> bool:
        return bool(_ASKING["price"] & set(analyze_phrase(entry.label).lemmas))

    # ---------------------------------------------------------------------------------------------------------- writing
    def _write(self, targets: tuple[tuple[str, ...], ...]) -> QIR:
        node, words, targets = "?event", set(self.asked.words), () if targets == _EVENT else targets
        triples = [relation for role in self.fillers for relation in self._tied(node, role)]
        columns = [f"?asked{number}" for number in range(len(targets))]
        between: dict[str, str] = {}
        for column, path in zip(columns, targets, strict=True):
            for step in path[:-1]:
                if step not in between:
                    between[step] = f"?part{len(between)}"
                    triples.append(Relation(node, step, between[step]))
            triples.append(Relation(between.get(path[0], node) if len(path) > 1 else node, path[-1], column))
        triples = [turned(relation, self.made.roles) for relation in triples]
        negated: list[Relation] = []
        filters: list[Filter] = []
        for operator, time in self.limits:
            self._write_limit((operator, time), (triples, negated, filters))
        if self.neighbour and columns:
            filters += self._write_neighbour(columns[0], self.neighbour, triples)
        order = Order(columns[0], bool(words & _ASKING["last"])) if words & _ASKING["order"] and columns else None
        numeric = {slot.entry.iri for slot in self._attributes() if is_numeric_predicate(slot.entry)}
        entries = self.asked.kg.vocabulary.predicates
        named = {word for path in targets for word in analyze_phrase(entries[path[-1]].label).words}
        is_many = len(targets) < 2 and bool(words & _ASKING["many"] - named)
        is_sum = len(targets) == 1 and targets[0][-1] in numeric and (is_many or bool(words & _ASKING["total"]))
        asked = QIR(
            "table" if len(columns) > 1 else "number" if is_sum else "count" if is_many else "list",
            columns[0] if columns else node,
            tuple(triples),
            ((node, self.made.entry.iri),),
            negated=tuple(negated),
            filters=tuple(filters),
            order=order,
            aggregate="sum" if is_sum else "",
            targets=tuple(columns) if len(columns) > 1 else (),
        )
        end = self.made.end_attribute
        if self.is_over and end:
            return replace(asked, triples=(*asked.triples, Relation(node, end.iri, "?over")))
        return restrict_to_now(asked, node, end) if end and self.is_now(targets) else asked

    def _write_limit(
        self, limit: tuple[Operator, str], written: tuple[list[Relation], list[Relation], list[Filter]]
    ) -> None:
        """Write a time of the day of the event, or that what lasts overlaps a date."""
        (operator, time), (triples, negated, filters) = limit, written
        begin, end = self.made.begin_attribute, self.made.end_attribute
        moment = next(iter(self._moments(set(self.asked.words))), None)
        if ":" in time or begin is None:
            known = next((r.object for r in triples if moment and r.relation == moment.entry.iri), "?time")
            triples += [Relation("?event", moment.entry.iri, known)] if moment and known == "?time" else []
            filters.append(Filter(known, operator, time))
            return
        if operator in ("=", "<"):
            triples.append(Relation("?event", begin.iri, "?begin"))
            filters.append(Filter("?begin", "<=" if operator == "=" else "<", time))
        if end and operator != "<":
            negated.append(Relation("?event", end.iri, "?over"))
            filters.append(Filter("?over", "<=" if operator == ">" else "<", time))

    def _write_neighbour(
        self, column: str, neighbour: tuple[Role, Mention, bool], triples: list[Relation]
    ) -> list[Filter]:
        """Write that an event ends before another one with the same fillers begins, or the other way round."""
        role, mention, is_earlier = neighbour
        begin, end = self.made.begin_attribute, self.made.end_attribute
        if not begin or not end:
            return []
        triples += [tie("?other", known, self.fillers[known].text) for known in self.fillers]
        first, second = ("?event", "?other") if is_earlier else ("?other", "?event")
        triples += [
            tie("?other", role, mention.text),
            Relation(first, end.iri, "?end"),
            Relation(second, begin.iri, "?begin"),
        ]
        return [Filter("?end", "<=", "?begin")]

    def _tied(self, node: str, role: Role) -> Iterator[Relation]:
        """Yield the relation between the node and a filler, which a value may stand for."""
        mention = self.fillers[role]
        around = next((around for known, around in self.asked.mentions if known is mention), frozenset())
        number = self._number_of(role, around) if mention.kind == "value" else ""
        filler = f"?filler{mention.start}" if number or role in self.held else mention.text
        yield tie(node, role, filler)
        if role in self.held:
            yield Relation(mention.text, self.held[role], filler)
        if number:
            yield Relation(filler, number, mention.text)

    def is_now(self, targets: tuple[tuple[str, ...], ...] = ()) -> bool:
        """Tell whether a question in the present asks for what is not over, and the graph has such relations."""
        end, words = self.made.end_attribute, set(self.asked.words)
        times = {entry.iri for entry in (end, self.made.begin_attribute) if entry} & {path[-1] for path in targets}
        is_timed = bool(self.limits or self.neighbour or times)
        is_past = bool(words & _ASKING["past"]) or any(map(is_past_verb, self.asked.tokens))
        is_present = bool(words & PRESENT_WORDS) or not is_timed and (not is_past or "does" in words)
        if not is_present or end is None:
            return False
        return self.asked.kg.endpoint.ask(
            f"ASK {{ ?x a <{self.made.entry.iri}> FILTER NOT EXISTS {{ ?x <{end.iri}> ?over "
            f'FILTER(STR(?over) < "{today_of(end)}") }} }}'
        )
