"""The turns that a context offers: found once for each thing that they are about, for many plans to draw on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, TypeVar

from chattyshared.dialogue import LinkName
from chattyshared.language.inflection import head_noun
from chattyshared.language.scripts import contains_name
from chattyshared.question_forms import ANSWER_LINKS
from rdflib import URIRef

from chattygen.context.answer_sets import MAX_SET_SIZE, AnswerSet
from chattygen.context.class_sets import class_context
from chattygen.context.dialogue_context import Context, summary_of_other
from chattygen.context.distractors import is_related
from chattygen.context.facts import Entity, Summary
from chattygen.context.predicate_salience import tells
from chattygen.context.subgraph import term_text
from chattygen.form_registry import all_forms
from chattygen.planning.coherence import keys_of_telling_facts, turn_interest
from chattygen.planning.plan import quota_name
from chattygen.planning.unanswerable_turns import unanswerable_turns
from chattygen.run import RunContext
from chattygen.turns import QuestionKey, TurnSpec, question_key

CachedItem = TypeVar("CachedItem")
Topic = Summary | AnswerSet | tuple[Summary, ...]
"""What turns are about: an entity, a set, or the siblings that the seed is compared with."""


class Offers:
    """The turns that a context offers; each kind is made on its first request.

    Its content depends on the context only, not on the order of requests. ``steps_by_path``, the number of
    ``drafts`` and the ``most_turns`` of one are for the walks over it.
    """

    def __init__(self, run: RunContext, context: Context) -> None:
        self.run, self.context = run, context
        self.sets = {question_key(each.owner, each.fact): each for each in context.answer_sets}
        self.steps_by_path: dict[Any, Any] = {}
        self.drafts = self.most_turns = 0
        self._cache: dict[tuple[Any, ...], Any] = {}

    def quota_name(self, turn: TurnSpec) -> str:
        """Return the name under which the mix counts a turn."""
        return quota_name(turn, self.run.options.mix_names)

    def about(self, summary: Summary, link: LinkName) -> tuple[TurnSpec, ...]:
        """Return the turns about one entity: those of all forms, and those without an answer."""

        def make(rng: Random) -> Iterator[TurnSpec]:
            yield from self._turns_of_forms(summary, link, rng)
            if summary is self.context.seed or link in ANSWER_LINKS:
                yield from unanswerable_turns(self.run, self.context, summary, link, rng)

        return self._cached(("about", summary.entity.iri, link), make)

    def lookups(self, summary: Summary, link: LinkName) -> tuple[TurnSpec, ...]:
        """Return the lookups about an entity, one for each fact that allows one."""

        def make(rng: Random) -> Iterator[TurnSpec]:
            return self._turns_of_forms(summary, link, rng, lookups_only=True)

        return self._cached(("lookups", summary.entity.iri, link), make)

    def selections(self, answer_set: AnswerSet, link: LinkName) -> tuple[TurnSpec, ...]:
        """Return the turns that select from a set, count what a condition selects, or list the set in order."""
        key = ("selections", question_key(answer_set.owner, answer_set.fact), link)
        seed = (self.context.seed.entity.iri,)
        turns = partial(self._turns_of_forms, answer_set, link)
        return self._cached(key, lambda rng: (turn for turn in turns(rng) if turn.expected != seed))

    def of_class(self, entity: Entity) -> tuple[TurnSpec, ...]:
        """Return the turns that select from all things of the class of an entity, or count what a condition selects."""

        def make(rng: Random) -> Iterator[TurnSpec]:
            context = class_context(self.run, entity.type)
            if context is not None:
                beside = Offers(self.run, replace(context, seed=Summary(entity, (), ())))
                for turn in beside._turns_of_forms(context.answer_sets[0], "opens", rng):
                    if len(turn.members) <= MAX_SET_SIZE and not turn.is_ordered:
                        yield turn

        return self._cached(("class", entity.iri), make)

    def comparisons(self) -> tuple[TurnSpec, ...]:
        """Return the comparisons of the seed with its siblings: each as a choice, and as a yes-no question."""
        return self._cached(("comparison",), lambda rng: self._turns_of_forms(self._near_siblings(), "topic", rng))

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
        """Tell whether a turn is a lookup that lists a set which can be selected from, leads to the owner of one, or is
        the first step of a question of two."""
        if not turn.kind.is_lookup:
            return False
        numbers = {each.seed_fact_number for each in self.context.answer_sets}
        steps = (each.fact.steps for each in self.about(self.context.seed, "topic") if len(each.fact.steps) > 1)
        is_owned = self.context.seed.entity.iri == turn.entity.iri
        is_first = is_owned and (turn.fact.number in numbers or turn.fact.last_step in {first for first, *_ in steps})
        return is_first or question_key(turn.entity, turn.fact) in self.sets

    def names_seen(self) -> frozenset[str]:
        """Return the names of the mix of the turns that walks could take so far."""
        return frozenset(step.quota for steps in self.steps_by_path.values() for step in steps)

    def interest(self, turn: TurnSpec) -> float:
        """Return how likely a person wants to know what a turn asks, 0..1."""
        predicate = turn.condition.step.predicate if turn.condition is not None else turn.fact.last_step.predicate
        key = ("interest", turn.entity.type, predicate, turn.condition is None, turn.unanswerable)
        return self._cached(key, lambda _: [turn_interest(self.run.kg, turn)])[0]

    def _turns_of_forms(
        self, topic: Topic, link: LinkName, rng: Random, *, lookups_only: bool = False
    ) -> Iterator[TurnSpec]:
        """Yield the turns about a topic that do not give themselves away."""
        for form in all_forms().values():
            if form.question.is_lookup or not lookups_only:
                turns = form.offer(self.run, self.context, topic, link, rng)
                turns = self._with_telling_keys(topic, turns) if isinstance(topic, Summary) else turns
                yield from turns if isinstance(topic, tuple) else self._without_leaks(turns)

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
            rng = Random(f"{self.run.options.seed}/offers/{self.context.seed.entity.iri}/{key}")
            self._cache[key] = tuple(make(rng))
        items: tuple[CachedItem, ...] = self._cache[key]
        return items


def _leaks_answer(context: Context, turn: TurnSpec) -> bool:
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
