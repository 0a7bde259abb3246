"""The turns that a context offers: found once for each thing that they are about, for many plans to draw on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, TypeVar

from chattyshared.dialogue import LinkName
from chattyshared.language.inflection import denote_places, head_noun, plain_label
from chattyshared.language.scripts import contains_name
from chattyshared.question_forms import COMPARABLE_FORMS, LOOKUP, LOOKUP_FORMS, SET_FORMS, UNANSWERABLE
from rdflib import URIRef

from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.planning.coherence import keys_of_telling_facts, tells, turn_interest
from chattygen.planning.conditions import (
    SelectedMembers,
    bound_conditions,
    comparable_predicates,
    has_adjective,
    is_gradable,
    is_obscure,
    order_conditions,
    superlative_conditions,
    value_conditions,
)
from chattygen.planning.distractors import is_related, true_and_false_offers
from chattygen.planning.missing_facts import word_stems
from chattygen.planning.plan_context import PlanContext, summary_of_other
from chattygen.planning.set_attributes import AnswerSet
from chattygen.planning.unanswerable_turns import unanswerable_turns
from chattygen.rulebook.question_realizer import realize_intermediate
from chattygen.rulebook.referring_expressions import IT
from chattygen.run import RunContext
from chattygen.subgraph.bridge_entities import Bridge
from chattygen.subgraph.extraction import term_text
from chattygen.subgraph.facts import Fact, HiddenEnds, Step, Summary
from chattygen.subgraph.predicate_salience import repeats_label
from chattygen.subgraph.predicate_use import MIN_COUNTED, are_things, is_worldwide
from chattygen.turns import Condition, ConditionKind, QuestionKey, TurnSpec, question_key

CachedItem = TypeVar("CachedItem")


def quota_name(turn: TurnSpec) -> str:
    """Return the name under which a mix counts a turn: its form, one name for all lookups and one for turns without an
    answer."""
    if turn.unanswerable:
        return UNANSWERABLE
    return LOOKUP if turn.form in LOOKUP_FORMS else turn.form


class Offers:
    """The turns that a context offers; each kind is made on its first request.

    Its content depends on the context only, not on the order of requests.
    """

    def __init__(self, run: RunContext, context: PlanContext) -> None:
        self.run, self.context = run, context
        self.sets = {question_key(each.owner, each.fact): each for each in context.answer_sets}
        self._cache: dict[tuple[Any, ...], Any] = {}

    def about(self, summary: Summary, link: LinkName) -> tuple[TurnSpec, ...]:
        """Return the turns about one entity, in the order of their forms: lookups, counts, yes-no questions, questions
        over two hops, and turns without an answer."""
        is_seed = summary is self.context.seed

        def make(rng: Random) -> Iterator[TurnSpec]:
            plain = (*_count_turns(summary, link), *self._yes_no_turns(summary, rng, link))
            yield from self.lookups(summary, link)
            yield from self._with_telling_keys(summary, plain)
            yield from self._without_leaks(_two_hop_turns(self.context)) if is_seed else ()
            if is_seed or link == "answer":
                yield from unanswerable_turns(self.run, self.context, summary, link, rng)

        return self._cached(("about", summary.entity.iri, link), make)

    def lookups(self, summary: Summary, link: LinkName) -> tuple[TurnSpec, ...]:
        """Return the lookups about an entity, one for each fact that allows one."""

        def make(_: Random) -> Iterator[TurnSpec]:
            return self._without_leaks(self._with_telling_keys(summary, _lookup_turns(summary, link)))

        return self._cached(("lookups", summary.entity.iri, link), make)

    def selections(self, answer_set: AnswerSet, link: LinkName) -> tuple[TurnSpec, ...]:
        """Return the turns that select from a set, or count what a condition selects."""

        def make(_: Random) -> Iterator[TurnSpec]:
            for form in (*SET_FORMS, "count"):
                turns = (each.turn(answer_set, form, link=link) for each in self._conditions(answer_set, form))
                yield from self._without_leaks(turns)

        return self._cached(("selections", question_key(answer_set.owner, answer_set.fact), link), make)

    def orders(self, answer_set: AnswerSet) -> tuple[TurnSpec, ...]:
        """Return the turns that list a set in an order."""
        return tuple(each.turn(answer_set, "list") for each in self._conditions(answer_set, "list"))

    def comparisons(self) -> tuple[TurnSpec, ...]:
        """Return the comparisons of the seed with its siblings: each as a choice, and as a true and a false yes-no
        question."""
        return self._cached(
            ("comparison",), lambda rng: _comparison_turns(self.context.seed, self._near_siblings(), rng)
        )

    def shifts(self) -> tuple[TurnSpec, ...]:
        """Return the lookups about the siblings of the seed that people would bring in."""
        return self._cached(
            ("shift",), lambda _: (turn for each in self._near_siblings() for turn in self.lookups(each, "shift"))
        )

    def summary_of(self, iri: URIRef) -> Summary | None:
        """Return what can be asked about an entity with an unambiguous name; None if there is nothing."""
        if not self.context.names.name_of(iri):
            return None
        if iri == self.context.seed.entity.iri:
            return self.context.seed
        known = (*(bridge.summary for bridge in self.context.bridges), *self.context.siblings)

        def make(_: Random) -> Iterator[Summary | None]:
            found = next((each for each in known if each.entity.iri == iri), None)
            yield found or summary_of_other(self.run, self.context, iri)

        return self._cached(("summary", iri), make)[0]

    def is_lead(self, turn: TurnSpec) -> bool:
        """Tell whether a lookup lists a set that can be selected from, or leads to the owner of one."""
        keys = {question_key(turn.entity, turn.fact)}
        owned = self.context.seed.entity.iri == turn.entity.iri
        numbers = {each.seed_fact_number for each in self.context.answer_sets}
        return not keys.isdisjoint(self.sets) or (owned and turn.fact.number in numbers)

    def forms(self) -> frozenset[str]:
        """Return the forms, as a mix names them, and the links ``position`` and ``shift`` that the context offers."""

        def make(_: Random) -> Iterator[str]:
            bridges = [each.summary for each in self.context.bridges]
            for summary in (self.context.seed, *bridges):
                yield from map(quota_name, self.about(summary, "topic" if summary is self.context.seed else "answer"))
            for answer_set in self.context.answer_sets:
                yield from map(quota_name, self.selections(answer_set, "among"))
                yield from ["position"] if self.orders(answer_set) else []
            yield from (name for _ in self.comparisons()[:1] for name in ("comparison", "position"))
            relations = {_relation(turn) for turn in self.lookups(self.context.seed, "topic")}
            yield from ["shift"] if any(_relation(turn) in relations for turn in self.shifts()) else []

        return frozenset(self._cached(("forms",), lambda rng: dict.fromkeys(make(rng))))

    def interest(self, turn: TurnSpec) -> float:
        """Return how likely a person wants to know what a turn asks, 0..1."""
        predicate = turn.condition.step.predicate if turn.condition is not None else turn.fact.last_step.predicate
        key = ("interest", turn.entity.type, predicate, turn.condition is None, turn.unanswerable)
        return self._cached(key, lambda _: [turn_interest(self.run.kg, turn)])[0]

    def _yes_no_turns(self, summary: Summary, rng: Random, link: LinkName) -> Iterator[TurnSpec]:
        """Yield yes-no questions, each once with a true and once with a false value."""
        for fact, hidden in summary.facts_with_ends:
            if "boolean" in fact.forms and not hidden.is_truncated:
                offers = true_and_false_offers(self.run.kg, self.context, summary, fact, hidden, rng)
                yield from (TurnSpec(0, "boolean", link, summary.entity, offer, hidden=ends) for offer, ends in offers)

    def _near_siblings(self) -> tuple[Summary, ...]:
        """Return the siblings that people would bring in: those with a name of their own that something relates to the
        seed."""
        context, seed = self.context, self.context.seed.entity.iri
        found = (each for each in context.siblings if context.names.name_of(each.entity.iri))
        return self._cached(
            ("siblings",), lambda _: (each for each in found if is_related(self.run.kg, context, each.entity.iri, seed))
        )

    def _with_telling_keys(self, summary: Summary, turns: Iterable[TurnSpec]) -> Iterator[TurnSpec]:
        """Let no two turns of a dialogue ask facts of which one tells the other."""
        make_keys = partial(keys_of_telling_facts, summary, self.context.neighbourhoods.labels)
        keys = self._cached(("telling", summary.entity.iri), lambda _: [make_keys()])[0]
        for turn in turns:
            more_keys: frozenset[QuestionKey] = keys.get(turn.fact.number, frozenset())
            yield replace(turn, told_keys=turn.told_keys | more_keys) if more_keys else turn

    def _conditions(self, answer_set: AnswerSet, form: str) -> tuple[SelectedMembers, ...]:
        key = ("conditions", form, question_key(answer_set.owner, answer_set.fact))
        return self._cached(key, lambda rng: _conditions(self.run, self.context, answer_set, form, rng))

    def _without_leaks(self, turns: Iterable[TurnSpec]) -> Iterator[TurnSpec]:
        """Leave out turns that would contain their own answer, or whose entity's class tells it."""
        labels = self.context.neighbourhoods.labels
        for turn in turns:
            ends = turn.expected if isinstance(turn.expected, tuple) and turn.condition is None else ()
            values = [term_text(end, labels.get(end, "")) for end in ends]
            full_name = labels.get(turn.entity.iri, "")
            names = " ".join((turn.entity.label, full_name, *turn.entity.class_labels[:1]))
            noun = head_noun(next(iter(turn.fact.class_labels), ""))
            if not _leaks_answer(self.context, turn) and not any(tells(names, value, noun) for value in values):
                yield turn

    def _cached(self, key: tuple[Any, ...], make: Callable[[Random], Iterable[CachedItem]]) -> tuple[CachedItem, ...]:
        if key not in self._cache:
            rng = Random(f"{self.run.options.seed}/menu/{self.context.seed.entity.iri}/{key}")
            self._cache[key] = tuple(make(rng))
        items: tuple[CachedItem, ...] = self._cache[key]
        return items


def _relation(turn: TurnSpec) -> tuple[str, str]:
    return turn.fact.last_step.predicate, turn.form


def _leaks_answer(context: PlanContext, turn: TurnSpec) -> bool:
    """Tell whether a question contains its own answer, in a name, a value or a predicate."""
    if not isinstance(turn.expected, tuple):
        return False
    value = turn.condition.value if turn.condition is not None else ""
    question_text = " ; ".join((turn.entity.label, value, *(step.label for step in turn.fact.steps))).casefold()
    for end in turn.expected:
        name = term_text(end, context.neighbourhoods.labels.get(end, ""))
        if name and name.casefold() in question_text and contains_name(question_text, name.casefold()):
            return True
    return False


def _lookup_turns(summary: Summary, link: LinkName) -> Iterator[TurnSpec]:
    for fact, hidden in summary.facts_with_ends:
        if fact.forms and fact.forms[0] in LOOKUP_FORMS and not _is_obscure(fact):
            yield TurnSpec(0, fact.forms[0], link, summary.entity, fact, hidden=hidden)


def _is_obscure(fact: Fact) -> bool:
    step = fact.last_step
    if fact.shape == "number" and not lexicalize_predicate(step.label, step.comment, fact.shape).can_tell_number:
        return True
    return fact.shape in ("number", "text") and is_obscure(step.label)


def _count_turns(summary: Summary, link: LinkName) -> Iterator[TurnSpec]:
    """Yield questions for the number of an entity's values, unless the KG may state the same number."""
    for fact, hidden in summary.facts_with_ends:
        stems = word_stems(fact.last_step.label, *fact.class_labels[:1])
        is_stated = any(
            other.shape == "number" and stems & word_stems(other.last_step.label) for other in summary.facts
        )
        if "count" in fact.forms and not is_stated:
            yield TurnSpec(0, "count", link, summary.entity, fact, hidden=hidden)


def _two_hop_turns(context: PlanContext) -> Iterator[TurnSpec]:
    """Yield questions for what the KG states about an answer of the seed, and not about the seed itself."""
    stated = {end for hidden in context.seed.hidden for end in hidden.ends}
    for bridge in context.bridges:
        ends = (context.seed.entity.class_labels, bridge.fact.class_labels)
        if bridge.fact.last_step.direction == "out" and _has_short_phrase(bridge.fact.last_step, *ends):
            for end_fact, end_hidden in bridge.summary.facts_with_ends:
                if (
                    end_fact.last_step.direction == "out"
                    and end_fact.forms[0] in LOOKUP_FORMS
                    and not (end_hidden.langs or _is_obscure(end_fact) or stated.issuperset(end_hidden.ends))
                    and not (_leads_away(context, bridge, end_fact) or _is_told(context, bridge, end_hidden))
                ):
                    yield _two_hop(context, bridge, end_fact, end_hidden)


def _has_short_phrase(step: Step, kinds: tuple[str, ...], end_kinds: tuple[str, ...]) -> bool:
    """Tell whether a phrase without a clause says the entity behind a step: *its owner*, not *the person who found it*.

    ``kinds`` are the class labels of the thing, ``end_kinds`` those of the entity.
    """
    return _CLAUSE.search(realize_intermediate(step, IT, kinds, end_kinds)) is None


_CLAUSE = re.compile(r" (?:who|that|where|whose) ")


def _leads_away(context: PlanContext, bridge: Bridge, end_fact: Fact) -> bool:
    """Tell whether a fact is about the country of a person or work, or about a place they are in, but not where that
    is."""
    if denote_places(context.seed.entity.class_labels):
        return False
    step = end_fact.last_step
    clauses = lexicalize_predicate(step.label, step.comment, end_fact.shape).clauses
    is_in = denote_places([head_noun(plain_label(step.label))]) or any(clause.preposition == "in" for clause in clauses)
    tells_where = end_fact.shape in ("entity", "text") and is_in
    return is_worldwide(bridge.fact) or (denote_places(bridge.fact.class_labels) and not tells_where)


def _is_told(context: PlanContext, bridge: Bridge, end_hidden: HiddenEnds) -> bool:
    """Tell whether the name of an answer of the seed tells what the KG states about it."""
    labels = context.neighbourhoods.labels
    names = f"{bridge.summary.entity.label} {labels.get(bridge.summary.entity.iri, '')}"
    return any(tells(names, term_text(end, labels.get(end, ""))) for end in end_hidden.ends)


def _two_hop(context: PlanContext, bridge: Bridge, end_fact: Fact, end_hidden: HiddenEnds) -> TurnSpec:
    steps = (bridge.fact.last_step, end_fact.last_step)
    fact = replace(
        end_fact, steps=steps, forms=("two-hop",), offered_value="", via_class_labels=bridge.fact.class_labels
    )
    hidden = replace(end_hidden, triples=(*bridge.hidden.triples, *end_hidden.triples))
    told = frozenset({(str(bridge.summary.entity.iri), end_fact.last_step.predicate)})
    return TurnSpec(0, "two-hop", "topic", context.seed.entity, fact, hidden=hidden, told_keys=told)


def _comparison_turns(seed: Summary, siblings: Iterable[Summary], rng: Random) -> Iterator[TurnSpec]:
    """Yield comparisons of the seed with near siblings, by numbers or dates that an adjective, a verb or counted things
    compare; as yes-no questions only by what has an adjective."""
    seed_facts = _comparable_facts(seed)
    labels = seed.entity.class_labels
    for sibling in siblings:
        sibling_facts = _comparable_facts(sibling)
        for relation in comparable_predicates(
            {name: hidden.ends[0] for name, (_, hidden) in seed_facts.items()},
            {name: hidden.ends[0] for name, (_, hidden) in sibling_facts.items()},
        ):
            (fact, hidden), other_hidden = seed_facts[relation], sibling_facts[relation][1]
            measure = (fact.last_step, fact.shape, fact.datatype)
            kinds: list[ConditionKind] = ["most", "least"]
            rng.shuffle(kinds)
            turns = (
                TurnSpec(
                    0, "comparison", "topic", seed.entity, fact, Condition(kind, *measure), sibling.entity,
                    hidden=hidden, other_hidden=other_hidden,
                ) for kind in kinds
            )  # fmt: skip
            if is_gradable(*measure, labels):
                yield next(turns)
            if has_adjective(*measure, labels):
                yield from (replace(turn, is_yes_no=True) for turn in turns)


def _comparable_facts(summary: Summary) -> dict[str, tuple[Fact, HiddenEnds]]:
    """Return the facts with one number or date by relation, values of another unit apart."""
    return {
        f"{fact.last_step.predicate} {fact.last_step.label}": (fact, hidden)
        for fact, hidden in summary.facts_with_ends
        if fact.forms[0] in COMPARABLE_FORMS
    }


def _conditions(
    run: RunContext, context: PlanContext, answer_set: AnswerSet, form: str, rng: Random
) -> Iterator[SelectedMembers]:
    """Yield the conditions that a set offers for a form; for ``list``, its orders. A count is of several things. What
    the names of the members tell is no condition."""
    if form == "count" and not are_things(run.kg, answer_set.fact):
        return
    values = partial(value_conditions, run.kg, context.neighbourhoods, context.names, answer_set)
    found: Iterable[SelectedMembers] = ()
    if form == "superlative":
        found = (*superlative_conditions(answer_set, "most"), *superlative_conditions(answer_set, "least"))
        found = (each for each in found if each.members[0] != context.seed.entity.iri)
    elif form in ("filter", "count"):
        found = (*bound_conditions(answer_set, "over", rng), *bound_conditions(answer_set, "under", rng))
        found = (*found, *values("with")) if form == "count" else found
    elif form == "list":
        found = (*order_conditions(answer_set, "rising"), *order_conditions(answer_set, "falling"))
    else:
        found = values("with" if form == "conjunction" else "without")
    for selection in found:
        is_enough = form != "count" or len(selection.members) >= MIN_COUNTED
        if is_enough and not _is_told_by_names(context, selection):
            yield selection


def _is_told_by_names(context: PlanContext, selection: SelectedMembers) -> bool:
    """Tell whether the names of most members tell what a condition is about: their year, the entrant of an entry."""
    labels, condition = context.neighbourhoods.labels, selection.condition
    if condition.shape == "number":
        return False
    values = selection.attribute.values
    if condition.shape == "date":
        told = [any(str(end)[:4] in labels.get(member, "") for end in ends) for member, ends in values.items()]
    else:
        told = [repeats_label(condition.value, labels.get(member, ""))
                for member, ends in values.items() if selection.condition.term in ends]  # fmt: skip
    return 2 * sum(told) > len(told)
