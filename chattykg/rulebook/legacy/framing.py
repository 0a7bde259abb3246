"""Framing: a question about a relation with attributes, read as one connector with its roles, conditions and target.

"Who won the Silver Cup in 2015?" asks of one result: its event is the cup, its year 2015, its rank 1, and its
participant is what is wanted. Read relation by relation, each would be of another result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.vocabulary import PredicateEntry
from chattyshared.language.morphology import analyze_phrase, label_stems_of, related_stems

from chattykg.linking.answer_types import class_type_fit, is_numeric_predicate
from chattykg.linking.reified_relations import ReifiedRelation, Role, find_naming_predicates, find_reified_relations
from chattykg.linking.similarity import lexical_similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Filter, Having, Operator, Order, Relation
from chattykg.rulebook.legacy.connector_words import (
    BEGIN_VERBS,
    END_VERBS,
    GAIN_VERBS,
    PRESENT_ADVERBS,
    WIN_WORDS,
    find_nary_verbs,
)
from chattykg.rulebook.legacy.heard import Count, Heard, hear

_NODE = "?node"
_NAMES, _PERSONAL = 0.8, 0.9


def framed(question: str, card: VocabularyCard, kg: KnowledgeGraph) -> QIR | None:
    """Return the reading of a question as one connector, or None unless exactly one accounts for all that it says."""
    known = find_reified_relations(kg.vocabulary, find_naming_predicates(kg))
    if not known:
        return None
    heard = hear(question, card, kg, frozenset(each.entry.iri for each in known))
    if heard is None:
        return None
    found = [(frame.worth, frame) for each in known if (frame := _Frame(each, heard, kg)).fits()]
    found.sort(key=lambda pair: -pair[0])
    if not found or (len(found) > 1 and found[0][0] == found[1][0]):
        return None
    return found[0][1].qir()


@dataclass(frozen=True, slots=True)
class _Target:
    """What is asked for: a role, an attribute, the connector itself (in a count), or nothing but the truth."""

    role: Role | None = None
    attribute: PredicateEntry | None = None


class _Frame:
    """One connector, filled with what was heard; used up by one reading."""

    def __init__(self, connector: ReifiedRelation, heard: Heard, kg: KnowledgeGraph) -> None:
        self.connector, self.heard, self.kg = connector, heard, kg
        self.left = list(heard.words)
        self.filled: list[tuple[Role, str]] = []
        self.said: list[tuple[PredicateEntry, str]] = []
        self.target: _Target | None = None
        self.worth = 0

    def fits(self) -> bool:
        """Fill it; tell whether everything that was heard has its place."""
        self._state()
        self._aim()
        return self.target is not None and self._place() and self._date() and self._explain()

    def qir(self) -> QIR:
        """Return the reading."""
        triples = [_tie(role, name) for role, name in self.filled]
        triples += [Relation(_NODE, entry.iri, f"?said{at}") for at, (entry, _) in enumerate(self.said)]
        spans, filters, negated = self._spans()
        filters = (*filters, *(Filter(f"?said{at}", "=", value) for at, (_, value) in enumerate(self.said)))
        heard, target = self.heard, self.target or _Target()
        wanted = _NODE
        if target.role:
            wanted = "?found"
            triples.append(_tie(target.role, wanted))
        elif target.attribute:
            wanted = "?value"
            triples.append(Relation(_NODE, target.attribute.iri, wanted))
        qir = QIR("list", wanted, (*triples, *spans), ((_NODE, self.connector.entry.iri),), filters, negated)
        if heard.asks == "truth":
            return replace(qir, shape="boolean", target="")
        if heard.asks == "count" and not target.attribute:
            return replace(qir, shape="count", target=_NODE if heard.lemmas & GAIN_VERBS else wanted)
        if heard.counted:
            return self._counting(qir, heard.counted)
        return qir

    def _counting(self, qir: QIR, count: Count) -> QIR:
        """Return the reading with a condition on, or an order by, how many of a second role there are."""
        role = self._named_role(count.noun)
        by = "?counted"
        triples = (*qir.triples, _tie(role, by)) if role else qir.triples
        if not count.number:
            by = _NODE if self.heard.lemmas & GAIN_VERBS else by
            return replace(qir, triples=triples, order=Order(by, descending=True, count=True))
        having = Having(qir.target, by, count.operator, count.number)
        return replace(qir, triples=triples, having=(having,))

    def _state(self) -> None:
        """Bind ranks and texts to the connector's own attributes."""
        rank = self.connector.rank_attribute
        if self.heard.rank and rank:
            self.said.append((rank, self.heard.rank))
            self.left = [word for word in self.left if word not in self.heard.rank_words]
        elif self.heard.lemmas & WIN_WORDS and rank:
            self.said.append((rank, "1"))
            self.left = [word for word in self.left if word not in WIN_WORDS]
        for value in self.heard.values:
            entry = next((e for e in self.connector.attributes if e.iri in value.predicates), None)
            if entry is not None:
                self.said.append((entry, value.text))
                self.left = [word for word in self.left if word not in value.words]
        self.worth += 2 * len(self.said)

    def _aim(self) -> None:
        """Find what is asked for."""
        asks, noun = self.heard.asks, self.heard.noun
        if asks == "truth":
            self.target = _Target()
        elif asks in ("when", "since", "until"):
            self.target = self._time(asks)
        elif asks == "who":
            role = self._person()
            self.target = _Target(role) if role else None
        elif asks == "where":
            self.target = _Target(role) if (role := self._elsewhere()) else None
        elif noun:
            self._aim_at(noun)
        if self.target and self.target.role and self.heard.counted and not self._named_role(self.heard.counted.noun):
            self.target = None

    def _aim_at(self, noun: str) -> None:
        role, attribute = self._named_role(noun), self._named_attribute(noun)
        if noun == "time" and self.heard.asks == "count":
            self.target = _Target()
        elif noun in ("year", "date", "day"):
            self.target = self._time("when")
        elif attribute and self._near(noun, attribute) >= (self._near(noun, role.entry) if role else 0.0):
            numeric = self.heard.asks != "count" or is_numeric_predicate(attribute)
            self.target = _Target(None, attribute) if numeric else None
        elif role:
            self.target = _Target(role)
        if self.target:
            self.left = [word for word in self.left if word not in analyze_phrase(noun).lemmas]

    def _time(self, asks: str) -> _Target | None:
        made = self.connector
        if asks == "until" or self.heard.lemmas & END_VERBS:
            entry = made.end_attribute
        else:
            entry = made.begin_attribute or made.time_attribute
        return _Target(None, entry) if entry else None

    def _person(self) -> Role | None:
        """Return the role of whom "who" asks for: the one whose verb it does, or that is left for a person."""
        agent = self._agent()
        taken = self._at_vertices()
        people = [
            role
            for role in self.connector.roles
            if class_type_fit("person", role.filler_classes, self.kg.vocabulary) > _PERSONAL and role.is_outward
        ]
        if agent in people:
            others = [role for role in people if role is not agent]
            return agent if not self.heard.passive else others[0] if len(others) == 1 else None
        free = [role for role in people if role not in taken] or people
        return free[0] if len(free) == 1 else None

    def _elsewhere(self) -> Role | None:
        """Return the one role that no name and no person fills."""
        taken = [role for name in self.heard.names for role in self._roles_of(name.predicates)]
        free = [r for r in self.connector.roles if r.is_outward and r not in taken]
        free = [r for r in free if class_type_fit("person", r.filler_classes, self.kg.vocabulary) <= _PERSONAL]
        return free[0] if len(free) == 1 else None

    def _agent(self) -> Role | None:
        """Return the role whose name is the doer of the verb ("coached": coach)."""
        for role in self.connector.roles:
            said = set(label_stems_of(role.entry.label))
            if any(said & set(label_stems_of(word)) for word in self.left if word not in self.heard.nouns):
                return role
        return None

    def _at_vertices(self) -> list[Role]:
        return [role for name in self.heard.names for role in self._roles_of(name.predicates)][:1]

    def _roles_of(self, around: frozenset[tuple[str, str]]) -> list[Role]:
        return [r for r in self.connector.roles if (r.entry.iri, "in" if r.is_outward else "out") in around]

    def _named_role(self, noun: str) -> Role | None:
        """Return the role that a noun names: by its label, or by the class of what fills it."""
        scored = []
        for role in self.connector.roles:
            labels = [role.entry.label]
            labels += [c.label for iri in role.filler_classes[:3] if (c := self.kg.vocabulary.classes.get(iri))]
            scored.append((max(lexical_similarity(noun, label) for label in labels), role))
        best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        return best[1] if best[0] >= _NAMES else None

    def _named_attribute(self, noun: str) -> PredicateEntry | None:
        scored = [(self._near(noun, entry), entry) for entry in self.connector.attributes]
        best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
        return best[1] if best[0] >= _NAMES else None

    def _near(self, noun: str, entry: PredicateEntry) -> float:
        told = lexical_similarity(noun, entry.label)
        lemmas = set(analyze_phrase(noun).content_lemmas)
        if entry is self.connector.rank_attribute and lemmas & {"rank", "place", "position"}:
            return max(told, 0.9)
        kin = set().union(*(related_stems(word) for word in lemmas)) if lemmas else set()
        texts = {"role": ("character", "part", "position"), "score": ("point", "mark")}
        alike = any(
            word in texts and set(analyze_phrase(entry.label).content_lemmas) & set(texts[word]) for word in lemmas
        )
        return max(told, 0.85 if alike or kin & set(label_stems_of(entry.label)) else 0.0)

    def _place(self) -> bool:
        """Give each name its role."""
        taken = [self.target.role] if self.target and self.target.role else []
        agent = self._agent() if self.heard.passive or self.heard.asks in ("truth", "since", "until", "when") else None
        agent = agent or (self._agent() if not taken else None)
        for name in sorted(self.heard.names, key=lambda each: len(self._roles_of(each.predicates))):
            roles = [role for role in self._roles_of(name.predicates) if role not in taken]
            if not roles:
                return False
            first = agent if agent in roles and (self.heard.passive or name is self.heard.names[0]) else None
            role = first or next((r for r in roles if r is not agent), roles[0])
            taken.append(role)
            self.filled.append((role, name.text))
        self.worth += 2 * len(self.filled)
        return bool(self.filled) or bool(self.said and self.target) or bool(self.heard.counted)

    def _date(self) -> bool:
        return not self.heard.year or bool(self.connector.time_attribute or self.connector.begin_attribute)

    def _spans(self) -> tuple[tuple[Relation, ...], tuple[Filter, ...], tuple[Relation, ...]]:
        """Return what a year or "now" says of the connector: triples, filters, and what must not hold."""
        made, year = self.connector, self.heard.year
        if self.heard.lemmas & PRESENT_ADVERBS and made.end_attribute:
            return (), (), (Relation(_NODE, made.end_attribute.iri, "?end"),)
        if not year:
            return (), (), ()
        moment = (
            made.begin_attribute if made.begin_attribute and self.heard.lemmas & BEGIN_VERBS else made.time_attribute
        )
        moment = made.end_attribute if made.end_attribute and self.heard.lemmas & END_VERBS else moment
        sign = self.heard.sign
        if moment:
            return (Relation(_NODE, moment.iri, "?when"),), (Filter("?when", sign, year),), ()
        begun = (
            (Relation(_NODE, made.begin_attribute.iri, "?when"),)
            if made.begin_attribute and sign not in (">", ">=")
            else ()
        )
        filters = (Filter("?when", "<=" if sign == "=" else sign, year),) if begun else ()
        if made.end_attribute is None or sign == "<":
            return begun, filters, ()
        over: Operator = "<=" if sign == ">" else "<"
        return begun, (*filters, Filter("?end", over, year)), (Relation(_NODE, made.end_attribute.iri, "?end"),)

    def _explain(self) -> bool:
        """Tell whether the words that are left speak of such a connector; where two things are bound, one may not."""
        own = {stem for text in self._labels() for stem in label_stems_of(text)}
        kinds = {stem for text in self._kinds() for stem in label_stems_of(text)}
        manners, strange = find_nary_verbs(self.connector, self._labels()), 0
        for word in self.left:
            if self._is_told(word):
                return False
            if (set(label_stems_of(word)) | related_stems(word)) & own or word in manners:
                self.worth += 2
            elif set(label_stems_of(word)) & kinds or (self.connector.begin_attribute and word in self.heard.served):
                self.worth += 1
            else:
                strange += 1
        return not strange or (
            strange == 1 and len(self.filled) + len(self.said) > 1 and self.heard.asks in ("who", "which")
        )

    def _is_told(self, word: str) -> bool:
        """Tell whether the graph states of a named thing itself what a word says ("founded"), and of no connector."""
        known, roles = self.kg.vocabulary.predicates, {role.entry.iri for role in self.connector.roles}
        around = {iri for name in self.heard.names for iri, _ in name.predicates} - roles
        own = [known[iri] for iri in around if iri in known and not known[iri].is_metadata]
        nameless = {self.connector.entry.iri}
        return any(
            set(label_stems_of(word)) & set(label_stems_of(entry.label))
            for entry in own
            if not nameless & {*entry.domains, *entry.ranges}
        )

    def _labels(self) -> Sequence[str]:
        made = self.connector
        return (made.entry.label, *(r.entry.label for r in made.roles), *(e.label for e in made.attributes))

    def _kinds(self) -> Sequence[str]:
        known = self.kg.vocabulary.classes
        fillers = (iri for role in self.connector.roles for iri in role.filler_classes[:3])
        return tuple(known[iri].label for iri in fillers if iri in known)


def _tie(role: Role | None, end: str) -> Relation:
    """Return the relation between the connector and what fills a role."""
    iri = role.entry.iri if role else ""
    return Relation(_NODE, iri, end) if role is None or role.is_outward else Relation(end, iri, _NODE)
