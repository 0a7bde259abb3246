"""Statements: relations of a QIR that one statement node ties together, as relations of that node.

"Who won the Silver Cup in 2015?" speaks of one result: its event is the cup, its year 2015, its rank 1, and its
participant is asked for. Linked relation by relation, each would be of another result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import count
from math import prod

from chattyshared.kg.vocabulary import Vocabulary
from chattyshared.language.lexicon import load_lexicon
from chattyshared.language.morphology import analyze_phrase, lemma_of, split_label
from chattyshared.language.quantities import normalize_quantity
from chattyshared.language.wordnet import is_verb

from chattykg.linking.answer_types import (
    class_type_fit,
    expected_types,
    is_date_predicate,
    is_numeric_predicate,
    is_year_predicate,
)
from chattykg.linking.class_linking import ClassLink, link_class
from chattykg.linking.relation_phrases import is_generic_phrase
from chattykg.linking.statement_nodes import NodeSlot, StatementNode, find_statement_nodes
from chattykg.qir import QIR, Filter, Operator, Relation, is_unknown
from chattykg.query.grounding import QueryContext

# Origin of the numbers below: set by hand on the development sets; benchmarks/calibrate.py varies them.
_MAX_TRIPLES = 6
"""Relations of the largest QIR that is searched."""
_MAX_VARIANTS = 4
"""Variants of one QIR."""
_MIN_SCORE = 0.6
"""Score (0..1) from which a relation fits a node."""
MIN_NAMED_SCORE = 0.75
"""Similarity (0..1) from which a phrase names a node, or one of its slots."""
_VERB_SCORE, _PREPOSITION_SCORE, _SILENT_SCORE = 0.85, 0.85, 0.65
"""Scores (0..1) of a verb that people use of such nodes, of a preposition of a label, and of no words."""
_WRONG_END_FACTOR = 0.5
"""Factor (0..1) of a phrase that names the role of the other end."""
MIN_PERSON_FIT = 0.9
"""Fit (0..1, exclusive) of the classes of a role from which people fill it."""
_UNNAMED_FIT = 0.8
"""Fit (0..1) of an unknown whose noun names neither role nor class."""
_PAST_FACTOR, _MOMENTARY_FACTOR = 0.97, 0.93
"""Factors (0..1) of a reading in which a present tense also means what is over, and of one by a node without an end
where a node that lasts states the same."""

_WORDS = {key: frozenset(words) for key, words in load_lexicon("events")["nodes"].items()}
PRESENT_WORDS = _WORDS["now"]
_EVENT_NOUNS = frozenset(("time", "times"))
_DO, _HAVE = frozenset(("do", "does")), frozenset(("have", "has"))
"""Forms of "do" and of what behind them is no perfect tense."""
_PAST_FORMS = frozenset("was were did been had has have ever".split())


@dataclass(frozen=True, slots=True)
class StatementQIR:
    """A QIR in which one node states several relations, and its weight (0..1).

    ``is_lasting``: the node has an end; ``is_current``: the end is not before today.
    """

    qir: QIR
    weight: float
    is_lasting: bool = False
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class _Filling:
    """Relations that one node states, a score of each, and the slots of their ends (None: the node itself)."""

    slots: Mapping[str, NodeSlot | None] = field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    scores: tuple[float, ...] = ()

    @property
    def weight(self) -> float:
        return float(prod(self.scores) ** (1 / len(self.scores)))


def tie_statements(context: QueryContext) -> tuple[StatementQIR, ...]:
    """Return the variants of a QIR in which one node states relations, best first."""
    if not 0 < len(context.qir.triples) <= _MAX_TRIPLES:
        return ()
    fillers = (_Filler(context, node) for node in find_statement_nodes(context.kg))
    variants = [variant for filler in fillers for variant in filler.variants()]
    if any(variant.is_current for variant in variants):
        variants = [v if v.is_lasting else replace(v, weight=v.weight * _MOMENTARY_FACTOR) for v in variants]
    return tuple(sorted(variants, key=lambda variant: -variant.weight)[:_MAX_VARIANTS])


class _Filler:
    """Fills the slots of one node with the ends of the relations of one QIR."""

    def __init__(self, context: QueryContext, node: StatementNode) -> None:
        self.qir, self.context, self.node = context.qir, context, node
        self.vocabulary = context.kg.vocabulary
        self.types = expected_types(context.question, context.qir)
        self.nouns = dict(context.qir.classes)
        self.words = frozenset(analyze_phrase(context.question).words)
        self.fits: dict[tuple[str, NodeSlot | None], float] = {}

    def variants(self) -> Iterator[StatementQIR]:
        """Yield the variants of the best filling."""
        fillings = [f for f in self._fillings(_Filling(), self.qir.triples) if f.relations and self._is_needed(f)]
        best = max(fillings, key=lambda f: (len(f.relations), f.weight), default=None)
        if best is None:
            return
        free = (f"?event{number}" for number in count(1))
        named = (end for end, slot in best.slots.items() if slot is None)
        node = next(named, "") or next(name for name in free if name not in self.qir.unknowns())
        weight, written = best.weight, self._write(best, node)
        if self.node.end and self._is_present(best):
            yield StatementQIR(restrict_to_now(written, node, self.node.end), weight, True, True)
            weight *= _PAST_FACTOR
        if not self.words & PRESENT_WORDS:
            yield StatementQIR(written, weight, self.node.end is not None)

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

    def _is_needed(self, filling: _Filling) -> bool:
        """Tell whether a filling needs the node; a statement of Wikibase, which has no class, does so for two ends
        beside its holder: all others have a direct claim."""
        slots = [slot for slot in filling.slots.values() if slot and slot.entry.iri != self.node.entry.iri]
        return self.node.entry.iri in self.vocabulary.classes or len(slots) > 1

    def _extended(self, filling: _Filling, relation: Relation) -> Iterator[_Filling]:
        """Yield a filling with one more relation, for each pair of slots that its ends fit."""
        for subject in self._slots_for(relation.subject, filling):
            slots = {**filling.slots, relation.subject: subject}
            for object_ in self._slots_for(relation.object, replace(filling, slots=slots)):
                score = self._fit(relation.subject, subject) * self._fit(relation.object, object_)
                score *= self._score_phrase(relation.relation, (subject, object_))
                if score >= _MIN_SCORE:
                    filled = {**slots, relation.object: object_}
                    scores = (*filling.scores, score)
                    yield _Filling(filled, (*filling.relations, relation), scores)

    def _slots_for(self, end: str, filling: _Filling) -> tuple[NodeSlot | None, ...]:
        """Return the slots that an end may fill: its own, or each that nothing else fills."""
        if end in filling.slots:
            return (filling.slots[end],)
        taken = filling.slots.values()
        return tuple(slot for slot in (None, *self.node.slots) if slot not in taken and self._fit(end, slot) > 0)

    # -------------------------------------------------------------------------------------------------- ends and slots
    def _fit(self, end: str, slot: NodeSlot | None) -> float:
        if (end, slot) not in self.fits:
            known = self._unknown_fit if is_unknown(end) else self._mention_fit
            self.fits[end, slot] = known(end, slot) if slot else self._node_fit(end)
        return self.fits[end, slot]

    def _node_fit(self, end: str) -> float:
        """Return whether an unknown stands for the node itself: by its class, or as a number of times."""
        link = self._class(end)
        if link and self.node.entry.iri in link.classes:
            return link.score
        return float(end == self.qir.target and end.strip("?_0123456789") in _EVENT_NOUNS)

    def _class(self, end: str) -> ClassLink | None:
        text = self.nouns.get(end, "")
        return link_class(text, self.context.card, self.context.kg, self.context.similarity) if text else None

    def _mention_fit(self, end: str, slot: NodeSlot) -> float:
        """Return whether the graph states that a mention fills a slot."""
        candidates = [c for link in self.context.candidate_links.get(end, ()) for c in link.candidates]
        around = {(iri, way) for c in candidates for iri, way, _ in c.incident_predicates}
        around |= {(iri, "in") for c in candidates for iri in c.predicates}
        is_number = bool(normalize_quantity(end)) and not candidates and slot in self.node.attributes
        return float((slot.entry.iri, slot.way) in around or is_number and is_numeric_predicate(slot.entry))

    def _unknown_fit(self, end: str, slot: NodeSlot) -> float:
        """Return how well what is known of an unknown fits a slot (0..1): its type, class and noun."""
        kind, is_literal, noun = self.types.get(end, ""), slot.entry.object_kind == "literal", self.nouns.get(end, "")
        word = noun or end.strip("?_0123456789").replace("_", " ")
        named = max(self.context.similarity(word, [slot.entry.label]))
        if kind in ("date", "number", "measure"):
            if is_literal and self._is_time(slot):
                return float(kind != "number")
            is_number = is_literal and kind == "number" and is_numeric_predicate(slot.entry)
            return (float(named >= MIN_NAMED_SCORE) or _UNNAMED_FIT) if is_number else 0.0
        is_person = class_type_fit("person", slot.classes, self.vocabulary) > MIN_PERSON_FIT
        if kind == "person" and (is_literal or not is_person) or kind == "place" and (is_literal or is_person):
            return 0.0
        if (link := self._class(end)) and not is_literal:
            own = self.vocabulary.superclasses(*slot.classes) | frozenset(slot.classes)
            return link.score if link.classes_with_subclasses & own else 0.0
        if noun or not kind:
            return named if named >= MIN_NAMED_SCORE else _UNNAMED_FIT * (not noun and not is_literal)
        return class_type_fit("place", slot.classes, self.vocabulary) if kind == "place" else 1.0

    def _is_time(self, slot: NodeSlot) -> bool:
        return is_date_predicate(slot.entry) or slot in self.node.times

    # --------------------------------------------------------------------------------------------------------- phrases
    def _score_phrase(self, phrase: str, ends: tuple[NodeSlot | None, NodeSlot | None]) -> float:
        """Return how well a relation between two slots fits a phrase (0..1)."""
        said, near = analyze_phrase(phrase), self.context.similarity
        words = said.content_lemmas if not is_generic_phrase(phrase) else ()
        if not words:
            labels = {word for slot in ends if slot for word in analyze_phrase(slot.entry.label).words}
            return _PREPOSITION_SCORE if labels & set(said.words) else _SILENT_SCORE
        rest, entry = " ".join(words), self.node.entry
        named = (*(slot.entry if slot else None for slot in ends), entry)
        subject, object_, event = (max(near(rest, [e.label, *e.alt_labels])) if e else 0.0 for e in named)
        verb = _VERB_SCORE if set(words) <= verbs_of(self.node) else 0.0
        if any(map(is_verb, words)):  # a manager is who manages, and what has a rent is rented
            done = [noun for slot in ends if slot for noun in nouns_of(slot, self.vocabulary)]
            held = (slot for slot in self.node.attributes if slot not in ends and not slot.is_moment)
            done += [slot.entry.label for slot in held]
            verb = max((verb, *(score for score in near(rest, done) if score >= MIN_NAMED_SCORE)))
        if max(subject, object_) >= MIN_NAMED_SCORE and max(subject, object_) > event:
            is_last = said.words[-1] in analyze_phrase(rest).lemmas
            names_subject = said.words[-1] != "by" and (said.words[-1] in ("of", "for", "at", "in") or not is_last)
            is_right = subject == object_ or (subject > object_) == names_subject
            return max(verb, max(subject, object_) * (1.0 if is_right else _WRONG_END_FACTOR))
        others = [slot.entry.label for slot in self.node.roles if slot not in ends]
        if max((*near(rest, others), 0.0)) > max(event, MIN_NAMED_SCORE):
            return 0.0
        return best if (best := max(event, verb)) >= MIN_NAMED_SCORE else 0.0

    def _is_present(self, filling: _Filling) -> bool:
        """Tell whether the question asks for what holds now: it says so, or stands in the present and asks no time."""
        verbs = {word for relation in filling.relations for word in analyze_phrase(relation.relation).words}
        is_timed = any(slot and self._is_time(slot) for slot in filling.slots.values())
        is_past = bool((_PAST_FORMS - _HAVE if self.words & _DO else _PAST_FORMS) & self.words)
        is_present = bool(self.words & ({"is", "are"} | _DO)) or any(map(_is_present_verb, verbs))
        return is_present and not is_timed and not is_past or bool(self.words & PRESENT_WORDS)

    # --------------------------------------------------------------------------------------------------------- writing
    def _write(self, filling: _Filling, node: str) -> QIR:
        """Return the QIR with relations of a node in the place of those that it states."""
        qir, slots = self.qir, {end: slot for end, slot in filling.slots.items() if slot}
        spans = {end: self._moment(slot, filling) for end, slot in slots.items() if self._is_time(slot)}
        triples = [slot.tie(node, end) for end, slot in slots.items() if end not in spans]
        filters = [f for f in qir.filters if f.unknown not in spans]
        negated: list[Relation] = []
        for end, moment in spans.items():
            conditions = [f for f in qir.filters if f.unknown == end]
            if moment is not None or not conditions:
                triples.append((moment or slots[end]).tie(node, end))
                filters += conditions
            else:
                begun, over, compared = self._overlap(node, end, conditions)
                triples, negated, filters = triples + begun, negated + over, filters + compared
        literals = {end for end, slot in slots.items() if slot.entry.object_kind == "literal"}
        classes = [pair for pair in qir.classes if pair[0] not in (literals | {node})]
        kept = [pair for pair in classes if pair[0] not in slots or self._class(pair[0])]
        iri = self.node.entry.iri
        return replace(
            qir,
            triples=(*triples, *(r for r in qir.triples if r not in filling.relations)),
            classes=(*kept, *(((node, iri),) if iri in self.vocabulary.classes else ())),
            filters=tuple(filters),
            negated=(*qir.negated, *negated),
        )

    def _moment(self, slot: NodeSlot, filling: _Filling) -> NodeSlot | None:
        """Return the attribute of a time; None for a time within the begin and the end of a node that lasts."""
        begin, over = self.node.begin, self.node.end
        words = {word for relation in filling.relations for word in analyze_phrase(relation.relation).lemmas}
        if over and (words & _WORDS["end"] or self.words & {"until", "till"}):
            return over
        if begin and (words & _WORDS["begin"] or not over):
            return begin
        return None if begin and slot in (begin, over) else slot

    def _overlap(
        self, node: str, end: str, conditions: Sequence[Filter]
    ) -> tuple[list[Relation], list[Relation], list[Filter]]:
        """Return relations, denied relations and filters: a node that lasts begins before a time ends, and is not over
        then."""
        triples, negated, filters = list[Relation](), list[Relation](), list[Filter]()
        begin, over = self.node.begin, self.node.end
        for condition in conditions:
            if begin and condition.operator in ("=", "<", "<="):
                triples.append(begin.tie(node, end))
                operator: Operator = "<" if condition.operator == "<" else "<="
                filters.append(replace(condition, unknown=end, operator=operator))
            if over and condition.operator in ("=", ">", ">="):
                negated.append(over.tie(node, "?over"))
                filters.append(Filter("?over", "<=" if condition.operator == ">" else "<", condition.value))
        return triples, negated, filters


def nouns_of(slot: NodeSlot, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the head noun of the most frequent class that fills a slot ("player" for football players)."""
    entry = vocabulary.classes.get(slot.classes[0]) if slot.classes else None
    return split_label(entry.label)[-1:] if entry else ()


def verbs_of(node: StatementNode) -> frozenset[str]:
    """Return the verbs that people use of a node with such attributes and labels."""
    names = [node.entry.label, *(slot.entry.label for slot in node.slots)]
    words = {word for name in names for word in analyze_phrase(name).lemmas}
    meant = {
        "lasting": node.begin, "begin": node.begin, "end": node.end,
        "played": words & _WORDS["parts"], "gained": words & _WORDS["prizes"],
    }  # fmt: skip
    return frozenset(verb for key, is_meant in meant.items() if is_meant for verb in _WORDS[key])


def restrict_to_now(qir: QIR, node: str, end: NodeSlot) -> QIR:
    """Return a QIR whose node has no end before today: none at all, or one in the future."""
    over = Filter("?over", "<", today_of(end))
    return replace(qir, negated=(*qir.negated, end.tie(node, "?over")), filters=(*qir.filters, over))


def today_of(end: NodeSlot) -> str:
    """Return today as a predicate writes it: the day, or the year alone."""
    today = date.today()
    is_day = is_date_predicate(end.entry) and not is_year_predicate(end.entry)
    return today.isoformat() if is_day else str(today.year)


def _is_present_verb(word: str) -> bool:
    """Tell whether a word is a verb in the third person of the present ("manages")."""
    return word.endswith("s") and lemma_of(word) != word and is_verb(lemma_of(word))
