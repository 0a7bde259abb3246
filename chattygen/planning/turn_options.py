"""All turns that a context offers, found once, so that many drafts can be sampled from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, TypeVar

from chattyshared.dialogue import LinkName
from chattyshared.language.inflection import head_noun
from chattyshared.question_forms import SET_FORMS, SINGLE_ENTITY_FORMS, UNANSWERABLE
from rdflib import URIRef

from chattygen.planning.coherence import keys_of_telling_facts, tells, turn_interest
from chattygen.planning.conditions import SelectedMembers
from chattygen.planning.form_quotas import TurnRequest
from chattygen.planning.plan_context import PlanContext, summary_of_other
from chattygen.planning.set_attributes import AnswerSet
from chattygen.planning.turn_groups import (
    comparison_turns,
    count_turns,
    leaks_answer,
    lookup_turns,
    set_conditions,
    two_hop_turns,
    yes_no_turns,
)
from chattygen.planning.unanswerable_turns import unanswerable_turns
from chattygen.run import RunContext
from chattygen.subgraph.extraction import term_text
from chattygen.subgraph.facts import Summary
from chattygen.turns import TurnSpec, question_key

CachedItem = TypeVar("CachedItem")


class TurnOptions:
    """The turns that a context offers, by what they are about; each kind is made on its first request.

    Its content depends on the context only, not on the order of requests.
    """

    def __init__(self, run: RunContext, context: PlanContext) -> None:
        self.run, self.context = run, context
        self._cache: dict[tuple[Any, ...], Any] = {}
        self.repeated_forms = [form for form, share in run.options.mix if share * run.options.turns > 100]

    def interest(self, turn: TurnSpec) -> float:
        """Return how likely a person wants to know what a turn asks, 0..1."""
        predicate = turn.condition.step.predicate if turn.condition is not None else turn.fact.last_step.predicate
        key = ("interest", turn.entity.type, predicate, turn.condition is None, turn.unanswerable)
        return self._cached(key, lambda _: [turn_interest(self.run.kg, turn)])[0]

    def lookup_turns(self, summary: Summary, link: LinkName = "topic") -> tuple[TurnSpec, ...]:
        """Return the lookups about an entity."""
        key = ("lookups", summary.entity.iri, link)
        return self._cached(
            key,
            lambda _: self._without_leaks(
                self._with_telling_keys(
                    summary, lookup_turns(summary, link=link, antecedent_turn=_antecedent_turn(link))
                )
            ),
        )

    def simple_turns(self, request: TurnRequest, summary: Summary, link: LinkName = "topic") -> tuple[TurnSpec, ...]:
        """Return the turns of a form that needs one entity only: count, boolean, two-hop, unanswerable."""
        if request.form == "boolean":
            return self._cached(
                ("boolean", request.truth, summary.entity.iri, link),
                lambda _: [turn for turn in self._both_yes_no_turns(summary, link) if turn.expected is request.truth],
            )
        return self._cached(
            (request.form, summary.entity.iri, link),
            lambda rng: self._make_simple_turns(request.form, summary, link, rng),
        )

    def _both_yes_no_turns(self, summary: Summary, link: LinkName) -> tuple[TurnSpec, ...]:
        return self._cached(
            ("boolean", summary.entity.iri, link),
            lambda rng: self._with_telling_keys(
                summary,
                yes_no_turns(self.context, summary, rng, link=link, antecedent_turn=_antecedent_turn(link)),
            ),
        )

    def _with_telling_keys(self, summary: Summary, turns: Iterable[TurnSpec]) -> Iterator[TurnSpec]:
        """Let no two turns of a dialogue ask facts of which one tells the other."""
        make_keys = partial(keys_of_telling_facts, summary, self.context.neighbourhoods.labels)
        keys = self._cached(("telling", summary.entity.iri), lambda _: [make_keys()])[0]
        for turn in turns:
            more_keys = keys.get(turn.fact.number, frozenset())
            yield replace(turn, told_keys=turn.told_keys | more_keys) if more_keys else turn

    def _make_simple_turns(self, form: str, summary: Summary, link: LinkName, rng: Random) -> Iterable[TurnSpec]:
        if form == "count":
            return count_turns(summary, link=link, antecedent_turn=_antecedent_turn(link))
        if form == UNANSWERABLE:
            turns = unanswerable_turns(self.run, self.context, summary, link, rng)
            return (replace(turn, antecedent_turn=int(turn.link == "answer")) for turn in turns)
        return (
            self._without_leaks(two_hop_turns(self.context))
            if form == "two-hop" and summary is self.context.seed
            else ()
        )

    def comparison_turns(self, request: TurnRequest) -> tuple[TurnSpec, ...]:
        """Return the comparisons of the seed with its siblings."""
        key = ("comparison", request.is_yes_no, request.is_yes_no and request.truth)
        return self._cached(key, lambda rng: comparison_turns(self.context, request, rng))

    def set_conditions(self, answer_set: AnswerSet, form: str) -> tuple[SelectedMembers, ...]:
        """Return the conditions that a set offers for a form; for ``list``, its orders."""
        key = ("picks", form, question_key(answer_set.owner, answer_set.fact))
        return self._cached(key, lambda rng: set_conditions(self.run, self.context, answer_set, form, rng))

    def set_turns(self, answer_set: AnswerSet, form: str, link: LinkName = "topic") -> tuple[TurnSpec, ...]:
        """Return the turns of a form that select from a set."""

        def make(_: Random) -> Iterator[TurnSpec]:
            return self._without_leaks(
                selection.turn(answer_set, form, link=link) for selection in self.set_conditions(answer_set, form)
            )

        return self._cached(("picked", form, question_key(answer_set.owner, answer_set.fact), link), make)

    def summary_of_other(self, iri: URIRef) -> Summary | None:
        """Return what can be asked about an entity with an unambiguous name; None if there is nothing."""

        def make(_: Random) -> Iterator[Summary | None]:
            yield summary_of_other(self.run, self.context, iri) if self.context.names.name_of(iri) else None

        return self._cached(("beyond", iri), make)[0]

    def available_forms(self) -> tuple[str, ...]:
        """Return the forms (and ``answer``, ``shift``, ``position``) that the context offers."""
        return self._cached(("able",), lambda _: self._find_available_forms())

    def _find_available_forms(self) -> Iterator[str]:
        context = self.context
        summaries = [bridge.summary for bridge in context.bridges if context.names.name_of(bridge.summary.entity.iri)]
        yield from (
            form
            for form in SET_FORMS
            if any(self.set_conditions(answer_set, form) for answer_set in context.answer_sets)
        )
        for form in (*SINGLE_ENTITY_FORMS, UNANSWERABLE):
            if any(
                self.simple_turns(TurnRequest(form), summary, link)
                for summary, link in self._summaries_with_links(summaries)
            ) or (form == "count" and any(self.set_conditions(answer_set, form) for answer_set in context.answer_sets)):
                yield form
        if self.comparison_turns(TurnRequest("comparison")):
            yield "comparison"
        if summaries:
            yield "answer"
        if self.comparison_turns(TurnRequest("comparison")) or any(
            self.set_conditions(answer_set, "list") for answer_set in context.answer_sets
        ):
            yield "position"
        forms = {(turn.fact.last_step.predicate, turn.form) for turn in self.lookup_turns(context.seed)}
        if any(
            (p.fact.last_step.predicate, p.form) in forms
            for sibling in context.siblings
            for p in self.lookup_turns(sibling, "shift")
        ):
            yield "shift"

    def _summaries_with_links(self, summaries: Iterable[Summary]) -> Iterator[tuple[Summary, LinkName]]:
        yield self.context.seed, "topic"
        yield from ((summary, "answer") for summary in summaries)

    def _without_leaks(self, turns: Iterable[TurnSpec]) -> Iterator[TurnSpec]:
        """Leave out turns that would contain their own answer, or whose entity's class tells it."""
        labels = self.context.neighbourhoods.labels
        for turn in turns:
            ends = turn.expected if isinstance(turn.expected, tuple) and turn.condition is None else ()
            values = [term_text(end, labels.get(end, "")) for end in ends]
            full_name = labels.get(turn.entity.iri, "")
            names = " ".join((turn.entity.label, full_name, *turn.entity.class_labels[:1]))
            noun = head_noun(next(iter(turn.fact.class_labels), ""))
            if not leaks_answer(self.context, turn) and not any(tells(names, value, noun) for value in values):
                yield turn

    def _random(self, key: tuple[Any, ...]) -> Random:
        return Random(f"{self.run.options.seed}/menu/{self.context.seed.entity.iri}/{key}")

    def _cached(self, key: tuple[Any, ...], make: Callable[[Random], Iterable[CachedItem]]) -> tuple[CachedItem, ...]:
        if key not in self._cache:
            self._cache[key] = tuple(make(self._random(key)))
        items: tuple[CachedItem, ...] = self._cache[key]
        return items


def _antecedent_turn(link: LinkName) -> int:
    """Return the number, within its group, of the turn that a turn with this link depends on; 0 for none."""
    return int(link != "topic")
