"""Reification: relations of a QIR that speak of one event, as relations of the node that states the event.

"Who won the Silver Cup in 2015?" speaks of one result: its event is the cup, its year 2015, its rank 1, and its
participant is asked for. Linked relation by relation, each would be of another result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.lexicon import word_list
from chattyshared.language.morphology import analyze_phrase, lemma_of
from chattyshared.language.quantities import normalize_quantity
from chattyshared.language.wordnet import is_verb
from rdflib import URIRef

from chattykg.linking.answer_types import (
    ExpectedType,
    class_type_fit,
    expected_types,
    is_date_predicate,
    is_numeric_predicate,
)
from chattykg.linking.candidates import EntityCandidate, EntityLink
from chattykg.linking.class_linking import ClassLink, link_class
from chattykg.linking.reified_relations import (
    ReifiedRelation,
    Role,
    find_naming_predicates,
    find_reified_relations,
    find_statement_relations,
)
from chattykg.linking.relation_phrases import is_generic_phrase, is_light_verb_phrase
from chattykg.linking.similarity import Similarity
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.qir import QIR, Filter, Operator, Relation, is_unknown
from chattykg.query.event_phrases import (
    BEGIN_VERBS,
    END_VERBS,
    MIN_NAMED_SCORE,
    PRESENT_WORDS,
    WIN_WORDS,
    filler_nouns,
    restrict_to_now,
    score_phrase,
)

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_MAX_TRIPLES = 6
"""Relations of the largest QIR that is searched."""
_MAX_VARIANTS = 4
"""Variants of one QIR."""
_MIN_SCORE = 0.6
"""Score (0..1) from which a relation fits a reified relation."""
_MIN_PERSON_FIT = 0.9
"""Fit (0..1, exclusive) of the classes of a role from which people fill it."""
_UNNAMED_FIT, _UNTYPED_FIT = 0.8, 0.95
"""Fit (0..1) of an unknown whose noun names neither role nor class, and of one without a noun."""
_PAST_FACTOR, _MOMENTARY_FACTOR = 0.97, 0.93
"""Factors (0..1) of a reading in which a present tense also means what is over, and of one by a node without an end
where a node that lasts states the same."""
_MIN_FILLER_SCORE = 0.95
"""Score (0..1) of a mention in a relation phrase from which it names a filler ("captain" of a role)."""

_ORDINALS = word_list("function_words", "ordinals")
_EVENT_NOUNS = frozenset(("time", "times"))
_PRESENT_FORMS = frozenset(("is", "are"))
_DO, _HAVE = frozenset(("do", "does")), frozenset(("have", "has"))
"""Forms of "do" and of what behind them is no perfect tense."""
_PAST_FORMS = frozenset("was were did been had has have ever".split())

Slots = Mapping[str, Role | None]
"""The role or attribute that each end fills; None for the node itself."""


@dataclass(frozen=True, slots=True)
class ReifiedQIR:
    """A QIR in which one node states several relations, its weight (0..1), and links of mentions that it adds.

    ``is_lasting``: the node has an end; ``is_current``: the end is not before today.
    """

    qir: QIR
    weight: float
    links: Mapping[str, Sequence[EntityLink]] = field(default_factory=dict)
    is_lasting: bool = False
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class ReificationContext:
    """Input of reification: the question, the links of its mentions, the card, the KG and a similarity."""

    question: str
    candidate_links: Mapping[str, Sequence[EntityLink]]
    card: VocabularyCard
    kg: KnowledgeGraph
    similarity: Similarity


@dataclass(frozen=True, slots=True)
class _Filling:
    """Relations that one node states: the slots of their ends, further fillers, ranks, and a score of each."""

    slots: Slots = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    scores: tuple[float, ...] = ()
    fillers: tuple[tuple[Role, EntityLink], ...] = ()
    rank: str = ""


def reify(qir: QIR, context: ReificationContext) -> tuple[ReifiedQIR, ...]:
    """Return the variants of a QIR in which one node states the relations of an event, best first."""
    if not qir.triples or len(qir.triples) > _MAX_TRIPLES:
        return ()
    labels = find_naming_predicates(context.kg)
    variants = [
        variant
        for reified in (
            *find_reified_relations(context.kg.vocabulary, labels),
            *find_statement_relations(context.kg.vocabulary),
        )
        for variant in _Reifier(qir, context, reified).variants()
    ]
    if any(variant.is_current for variant in variants):
        variants = [v if v.is_lasting else replace(v, weight=v.weight * _MOMENTARY_FACTOR) for v in variants]
    return tuple(sorted(variants, key=lambda variant: -variant.weight)[:_MAX_VARIANTS])


class _Reifier:
    """Fills the slots of one reified relation with the ends of the relations of one QIR."""

    def __init__(self, qir: QIR, context: ReificationContext, reified: ReifiedRelation) -> None:
        self.qir, self.context, self.reified = qir, context, reified
        self.vocabulary = context.kg.vocabulary
        self.slots = (*reified.roles, *(Role(entry, True) for entry in reified.attributes))
        self.types: Mapping[str, ExpectedType] = expected_types(context.question, qir)
        self.nouns = dict(qir.classes)
        self.words = frozenset(analyze_phrase(context.question).words)
        self.fits: dict[tuple[str, Role | None], float] = {}

    def variants(self) -> Iterator[ReifiedQIR]:
        """Yield the variants of the best filling."""
        fillings = [f for f in self._fillings(_Filling(), self.qir.triples) if f.relations and self._is_qualified(f)]
        best = max(fillings, key=lambda f: (len(f.relations), prod(f.scores) ** (1 / len(f.scores))), default=None)
        if best is None:
            return
        weight = prod(best.scores) ** (1 / len(best.scores))
        links = {link.text: (link,) for _, link in best.fillers}
        written = self._write(best)
        if self._is_present(best):
            end = self.reified.end_attribute
            current = restrict_to_now(written, self._node(best), end) if end else written
            yield ReifiedQIR(current, weight, links, True, True)
            weight *= _PAST_FACTOR
        if not self.words & PRESENT_WORDS:
            yield ReifiedQIR(written, weight, links, self.reified.end_attribute is not None)

    def _fillings(self, filling: _Filling, rest: tuple[Relation, ...]) -> Iterator[_Filling]:
        """Yield all ways in which the node states some of the relations; these are connected."""
        if not rest:
            yield filling
            return
        near = [r for r in rest if not filling.slots or set(r.ends()) & set(filling.slots)]
        relation = (near or rest)[0]
        others = tuple(each for each in rest if each is not relation)
        for wider in self._extended(filling, relation) if near else ():
            yield from self._fillings(wider, others)
        yield from self._fillings(filling, others)

    def _is_qualified(self, filling: _Filling) -> bool:
        """Tell whether a filling needs the node; a statement, which has no class, does so for two ends beside its
        holder: all others have a direct claim."""
        slots = [slot for slot in filling.slots.values() if slot and slot.entry.iri != self.reified.entry.iri]
        return self.reified.entry.iri in self.vocabulary.classes or len(slots) + len(filling.fillers) > 1

    def _extended(self, filling: _Filling, relation: Relation) -> Iterator[_Filling]:
        """Yield a filling with one more relation, for each pair of slots that its ends fit."""
        for subject in self._slots_for(relation.subject, filling):
            with_subject = {**filling.slots, relation.subject: subject}
            for object_ in self._slots_for(relation.object, replace(filling, slots=with_subject)):
                fits = self._fit(relation.subject, subject) * self._fit(relation.object, object_)
                words, fillers, rank = self._split(relation.relation, {*with_subject.values(), object_})
                ends = [slot for slot in (subject, object_) if slot and any(map(is_verb, words))]
                doers = tuple(noun for slot in ends for noun in filler_nouns(slot, self.vocabulary))
                score = fits * score_phrase(
                    relation.relation, words, (subject, object_), self.reified, self.context.similarity, doers
                ) if not (fillers and not words) else fits  # fmt: skip
                if score >= _MIN_SCORE:
                    yield _Filling(
                        {**with_subject, relation.object: object_},
                        (*filling.relations, relation),
                        (*filling.scores, score),
                        (*filling.fillers, *fillers),
                        rank or filling.rank,
                    )

    def _slots_for(self, end: str, filling: _Filling) -> tuple[Role | None, ...]:
        """Return the slots that an end may fill: its own, or each that nothing else fills."""
        if end in filling.slots:
            return (filling.slots[end],)
        taken = [*filling.slots.values(), *(role for role, _ in filling.fillers)]
        return tuple(slot for slot in (None, *self.slots) if slot not in taken and self._fit(end, slot) > 0)

    def _fit(self, end: str, slot: Role | None) -> float:
        if (end, slot) not in self.fits:
            fit = self._node_fit(end) if slot is None else self._unknown_fit(end, slot)
            self.fits[end, slot] = fit if slot is None or is_unknown(end) else self._mention_fit(end, slot)
        return self.fits[end, slot]

    def _node_fit(self, end: str) -> float:
        """Return whether an unknown stands for the node itself: by its class, or as a number of times."""
        if not is_unknown(end):
            return 0.0
        link = self._class(end)
        if link and self.reified.entry.iri in link.classes:
            return link.score
        return 1.0 if end == self.qir.target and end.strip("?_0123456789") in _EVENT_NOUNS else 0.0

    def _class(self, end: str) -> ClassLink | None:
        text = self.nouns.get(end, "")
        return link_class(text, self.context.card, self.context.kg, self.context.similarity) if text else None

    def _mention_fit(self, end: str, slot: Role) -> float:
        """Return whether the graph states that a mention fills a slot."""
        direction = "in" if slot.is_outward else "out"
        candidates = [c for link in self.context.candidate_links.get(end, ()) for c in link.candidates]
        around = {(iri, way) for c in candidates for iri, way, _ in c.incident_predicates}
        around |= {(iri, "in") for c in candidates for iri in c.predicates}
        if (slot.entry.iri, direction) in around:
            return 1.0
        is_number = bool(normalize_quantity(end)) and not candidates
        return float(is_number and slot.entry.object_kind == "literal" and is_numeric_predicate(slot.entry))

    def _unknown_fit(self, end: str, slot: Role) -> float:
        """Return how well what is known of an unknown fits a slot (0..1): its type, class and noun."""
        kind, entry = self.types.get(end, ""), slot.entry
        is_literal = entry.object_kind == "literal"
        if kind in ("date", "number", "measure"):
            return self._measure_fit(end, kind, slot) if is_literal else 0.0
        is_person = class_type_fit("person", slot.filler_classes, self.vocabulary) > _MIN_PERSON_FIT
        if kind == "person" and not (is_person and not is_literal) or kind == "place" and (is_person or is_literal):
            return 0.0
        if end in self.nouns or not kind:
            return self._noun_fit(end, slot)
        return class_type_fit("place", slot.filler_classes, self.vocabulary) if kind == "place" else 1.0

    def _measure_fit(self, end: str, kind: ExpectedType, slot: Role) -> float:
        """Return how well a date or number fits an attribute; a number must be named."""
        if self._is_moment(slot):
            return float(kind != "number")
        is_named = self._names(end, slot) >= MIN_NAMED_SCORE
        return float(is_named) or _UNNAMED_FIT if kind == "number" and is_numeric_predicate(slot.entry) else 0.0

    def _names(self, end: str, slot: Role) -> float:
        """Return how well the noun of an unknown names a slot (0..1)."""
        noun = self.nouns.get(end, "") or end.strip("?_0123456789").replace("_", " ")
        if slot.entry == self.reified.rank_attribute and set(analyze_phrase(noun).lemmas) & {"rank", "place"}:
            return 1.0
        return max(self.context.similarity(noun, [slot.entry.label]))

    def _noun_fit(self, end: str, slot: Role) -> float:
        link = self._class(end)
        if link and slot.entry.object_kind != "literal":
            own = self.vocabulary.superclasses(*slot.filler_classes) | frozenset(slot.filler_classes)
            return link.score if link.classes_with_subclasses & own else 0.0
        if (named := self._names(end, slot)) >= MIN_NAMED_SCORE:
            return named
        return 0.0 if end in self.nouns or slot.entry.object_kind == "literal" else _UNNAMED_FIT

    def _is_moment(self, slot: Role) -> bool:
        made = self.reified
        return is_date_predicate(slot.entry) or slot.entry in (
            made.begin_attribute, made.end_attribute, made.time_attribute,
        )  # fmt: skip

    def _split(
        self, phrase: str, slots: set[Role | None]
    ) -> tuple[tuple[str, ...], tuple[tuple[Role, EntityLink], ...], str]:
        """Return the words that are left of a phrase, the fillers that it names, and the rank that it says."""
        words = analyze_phrase(phrase).content_lemmas if not is_generic_phrase(phrase) else ()
        fillers: list[tuple[Role, EntityLink]] = []
        for role, link in self._fillers(phrase, slots):
            named = set(analyze_phrase(link.text).content_lemmas)
            if named <= set(words):
                words = tuple(word for word in words if word not in named)
                fillers.append((role, link))
        rank = next((str(_ORDINALS.index(word) + 1) for word in words if word in _ORDINALS), "")
        if self.reified.rank_attribute and (rank or set(words) & WIN_WORDS):
            words = tuple(word for word in words if word not in WIN_WORDS and word not in _ORDINALS)
            return words if not is_light_verb_phrase(" ".join(words)) else (), tuple(fillers), rank or "1"
        return words, tuple(fillers), ""

    def _fillers(self, phrase: str, slots: set[Role | None]) -> Iterator[tuple[Role, EntityLink]]:
        """Yield the roles that a mention of the card in a phrase fills: "captain" fills the role of a post."""
        incident = dict(self.context.card.incident_predicates)
        free = [role for role in self.reified.roles if role not in slots]
        for mention in self.context.card.mentions_of_kind("vertex") if free and phrase else ():
            if mention.score < _MIN_FILLER_SCORE or mention.text.lower() not in phrase.lower():
                continue
            for role in free:
                direction = "in" if role.is_outward else "out"
                found = [
                    EntityCandidate("vertex", URIRef(hit.iri), hit.label, hit.score, incident_predicates=around)
                    for hit in mention.hits
                    for around in [incident.get(str(hit.iri), ())]
                    if any((iri, way) == (role.entry.iri, direction) for iri, way, _ in around)
                ]
                if found:
                    yield role, EntityLink(mention.text, tuple(found), mention.score)

    def _is_present(self, filling: _Filling) -> bool:
        """Tell whether the question asks for what holds now: it says so, or stands in the present and asks no time."""
        if not self.reified.end_attribute:
            return False
        is_timed = any(slot and self._is_moment(slot) for slot in filling.slots.values())
        verbs = {word for relation in filling.relations for word in analyze_phrase(relation.relation).words}
        is_past = bool((_PAST_FORMS - _HAVE if self.words & _DO else _PAST_FORMS) & self.words)
        is_present = bool((_PRESENT_FORMS | _DO) & self.words) or any(map(_is_present_verb, verbs))
        return is_present and not is_timed and not is_past or bool(self.words & PRESENT_WORDS)

    def _node(self, filling: _Filling) -> str:
        taken = self.qir.unknowns()
        number = next(n for n in range(1, len(taken) + 2) if f"?event{n}" not in taken)
        return next((end for end, slot in filling.slots.items() if slot is None), f"?event{number}")

    def _write(self, filling: _Filling) -> QIR:
        """Return the QIR with relations of the node in the place of those that it states."""
        node, qir = self._node(filling), self.qir
        slots = {end: slot for end, slot in filling.slots.items() if slot is not None}
        spans = {end: self._moment(slot, filling) for end, slot in slots.items() if self._is_moment(slot)}
        triples = [_tie(node, slot, end) for end, slot in slots.items() if end not in spans]
        filters = [f for f in qir.filters if f.unknown not in spans]
        negated: list[Relation] = []
        for end, moment in spans.items():
            conditions = [f for f in qir.filters if f.unknown == end]
            if moment is not None or not conditions:
                triples.append(_tie(node, moment or slots[end], end))
                filters += conditions
            else:
                self._overlap(node, end, conditions, (triples, negated, filters))
        rank = self.reified.rank_attribute
        if filling.rank and rank:
            triples.append(Relation(node, rank.iri, "?rank_said"))
            filters.append(Filter("?rank_said", "=", filling.rank))
        triples += [_tie(node, role, link.text) for role, link in filling.fillers]
        kept = [(end, text) for end, text in qir.classes if end != node and self._is_kept(end, slots.get(end))]
        return replace(
            qir,
            triples=(*triples, *(r for r in qir.triples if r not in filling.relations)),
            classes=(*kept, *(((node, iri),) if (iri := self.reified.entry.iri) in self.vocabulary.classes else ())),
            filters=tuple(filters),
            negated=(*qir.negated, *negated),
        )

    def _is_kept(self, end: str, slot: Role | None) -> bool:
        """Tell whether the class of an unknown is kept: it is no literal, and a class of the graph."""
        return slot is None or slot.entry.object_kind != "literal" and self._class(end) is not None

    def _moment(self, slot: Role, filling: _Filling) -> Role | None:
        """Return the attribute of a time; None for a time within the begin and the end of a relation that lasts."""
        made = self.reified
        words = {word for relation in filling.relations for word in analyze_phrase(relation.relation).lemmas}
        if made.end_attribute and (words & END_VERBS or self.words & {"until", "till"}):
            return Role(made.end_attribute, True)
        if made.begin_attribute and (words & BEGIN_VERBS or not made.end_attribute):
            return Role(made.begin_attribute, True)
        if made.begin_attribute and slot.entry in (made.begin_attribute, made.end_attribute):
            return None
        return slot

    def _overlap(
        self,
        node: str,
        end: str,
        conditions: Sequence[Filter],
        written: tuple[list[Relation], list[Relation], list[Filter]],
    ) -> None:
        """Write that a relation that lasts overlaps a time: it begins before the time ends, and is not over then."""
        triples, negated, filters = written
        begin, over = self.reified.begin_attribute, self.reified.end_attribute
        for condition in conditions:
            if begin and condition.operator in ("=", "<", "<="):
                triples.append(Relation(node, begin.iri, end))
                operator: Operator = "<" if condition.operator == "<" else "<="
                filters.append(Filter(end, operator, condition.value))
            if over and condition.operator in ("=", ">", ">="):
                negated.append(Relation(node, over.iri, "?over"))
                filters.append(Filter("?over", "<=" if condition.operator == ">" else "<", condition.value))


def _is_present_verb(word: str) -> bool:
    """Tell whether a word is a verb in the third person of the present ("manages")."""
    return word.endswith("s") and lemma_of(word) != word and is_verb(lemma_of(word))


def _tie(node: str, slot: Role, end: str) -> Relation:
    """Return the relation between the node and what fills a slot."""
    return Relation(node, slot.entry.iri, end) if slot.is_outward else Relation(end, slot.entry.iri, node)
