"""A plan is a walk over what a context offers: each step draws a form by the mix, then a turn of that form that people
would ask next."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from math import fsum
from random import Random
from typing import Any

from chattyshared.question_forms import FORM_BY_NAME, LOOKUP
from rdflib import URIRef

from chattygen.context.answer_sets import AnswerSet
from chattygen.context.facts import Entity, Summary, same_kind
from chattygen.planning.coherence import can_open, closeness, is_prepared
from chattygen.planning.offers import Offers
from chattygen.planning.plan import opening_count_name
from chattygen.planning.plan_selection import LEAD
from chattygen.turns import QuestionKey, TurnSpec, question_key

POSITIONS = (1, 2, 3, -1)
"""Positions in an ordered list that are asked for (1: the first, -1: the last)."""
MIN_WEIGHT = 0.05
"""Closeness and interest below which a turn is still drawn now and then; this and the next are set by hand."""
AMONG_FACTOR = 4.0
"""How much more often a form is drawn that selects from what was just listed."""
MIN_WANTED = 0.05
"""Turns of a name that are wanted at least, so that no walk ends for lack of another."""
MAX_STEPS_TRIED = 60
"""Steps that a walk may take, those included that it takes back because nothing can follow."""
TURNS_BEFORE_YES_NO = 2
"""Turns before a yes-no question, at least: people first ask what is what."""
MAX_TURNS_AFTER_COMPARISON = 2
"""Turns after a comparison that does not open a dialogue, at most: no pronoun means its topic any more; set by hand."""
MAX_TURNS_AFTER_SHIFT = 1
"""Turns after a shift to another thing, at most; set by hand."""


@dataclass(frozen=True, slots=True)
class Talk:
    """What has been said: the turns, what they ask, and what a pronoun now means.

    ``path`` tells talks apart within the offers of one seed. ``focus`` is the entity that a pronoun means (None: no
    single one), ``focus_turn`` the number of the turn whose answer it was or that named it (0: it is the seed). After
    ``has_left_seed`` no pronoun means the seed.
    """

    turns: tuple[TurnSpec, ...] = ()
    path: tuple[tuple[int, int, int], ...] = ()
    asked: frozenset[QuestionKey] = frozenset()
    focus: Summary | None = None
    focus_turn: int = 0
    has_left_seed: bool = False


@dataclass(frozen=True, slots=True)
class NextTurn:
    """A turn that may come next, as it is offered, what it depends on, and what a pronoun means then (see ``Talk``).

    ``name`` is the one by which it is drawn, ``quota`` that in the mix, ``weight`` how likely people go on with it.
    """

    turn: TurnSpec
    focus: Summary | None
    focus_turn: int = 0
    antecedent_turn: int = 0
    position: int = 0
    name: str = ""
    quota: str = ""
    weight: float = 0.0

    def said_as(self, number: int) -> TurnSpec:
        """Return the turn as the one with a number."""
        link = "opens" if number == 1 else self.turn.link
        return replace(
            self.turn, number=number, link=link, antecedent_turn=self.antecedent_turn, position=self.position
        )


@dataclass(slots=True)
class Walk:
    """The walk of one draft: what is offered, how many turns it has, and how many of each name are wanted.

    ``wanted`` has the names of ``turn_targets``, ``asked`` the number of other dialogues by topic. Drafts of one seed
    want the same names, and the same forms may recur in them, since what can be said next is found once for all.
    """

    offers: Offers
    length: int
    wanted: Mapping[str, float]
    repeated_forms: frozenset[str]
    rng: Random
    asked: Mapping[str, int] = field(default_factory=dict)
    steps_left: int = field(default=MAX_STEPS_TRIED)

    def take(self) -> tuple[TurnSpec, ...]:
        """Return the turns in order, as they are asked and answered; fewer if the context does not suffice."""
        return self._extend(Talk(focus=self.offers.context.seed))

    def _extend(self, talk: Talk) -> tuple[TurnSpec, ...]:
        """Return the longest walk from here on that a few tries find."""
        if len(talk.turns) == self.length:
            return talk.turns
        longest, steps = talk.turns, self._weighed_steps(talk)
        while steps and self.steps_left > 0:
            self.steps_left -= 1
            step = self._draw(talk, steps)
            walked = self._extend(self._after(talk, step))
            if len(walked) == self.length:
                return walked
            longest = max(longest, walked, key=len)
            steps = [each for each in steps if each is not step]
        return longest

    def _weighed_steps(self, talk: Talk) -> Sequence[NextTurn]:
        """Return what can be said next, as it is drawn; found once for all drafts of a seed."""
        known: dict[Any, Sequence[NextTurn]] = self.offers.steps_by_path
        if talk.path not in known:
            known[talk.path] = [
                replace(
                    step,
                    name=self._name_of(talk, step.turn),
                    quota=self.offers.quota_name(step.turn),
                    weight=self._weigh(talk, step),
                )
                for step in self._possible_steps(talk)
            ]
        return known[talk.path]

    def _possible_steps(self, talk: Talk) -> Iterator[NextTurn]:
        """Yield what can be said next: of a wanted form, and nothing that was asked before."""
        number = len(talk.turns) + 1
        can_ask_yes_no = number > TURNS_BEFORE_YES_NO or self.length == 1
        for step in self._next_steps(talk):
            turn = step.turn
            if (
                {self.offers.quota_name(turn), turn.link_quota or LOOKUP} <= self.wanted.keys()
                and self._keys_of(turn).isdisjoint(talk.asked)
                and (can_ask_yes_no or not isinstance(turn.expected, bool))
                and not (turn.leaves_topic and number < self.length)
                and (self.length == 1 or is_prepared(turn, talk.turns))
            ):
                yield step

    def _name_of(self, talk: Talk, turn: TurnSpec) -> str:
        """Return the name by which a turn is drawn: its kind of opening, that of leads, a link that has its own share,
        or its name in the mix."""
        if not talk.turns:
            return opening_count_name(turn.form)
        if len(talk.turns) < self.length - 1 and self.offers.is_lead(turn):
            return LEAD
        return turn.link_quota or self.offers.quota_name(turn)

    def _keys_of(self, turn: TurnSpec) -> frozenset[QuestionKey]:
        """Return what no other turn may ask; a form that the mix wants often may recur."""
        return turn.question_keys if turn.form in self.repeated_forms else turn.exclusive_keys

    def _after(self, talk: Talk, step: NextTurn) -> Talk:
        """Return the talk after a step; who is of the same kind as what the turn mentions is no more meant by a
        pronoun."""
        turn, seed = step.said_as(len(talk.turns) + 1), self.offers.context.seed
        focus = step.focus
        if focus is not None and self._rivals(turn, focus.entity):
            focus = None
        has_left_seed = talk.has_left_seed or focus is not seed
        path = (*talk.path, (id(step.turn), step.antecedent_turn, step.position))
        return Talk((*talk.turns, turn), path, talk.asked | self._keys_of(turn), focus, step.focus_turn, has_left_seed)

    def _rivals(self, turn: TurnSpec, entity: Entity) -> bool:
        """Tell whether a turn mentions something else that a pronoun for an entity could mean as well."""
        if turn.leaves_topic:
            return True
        if not same_kind(turn.mentioned_class_labels, entity.class_labels):
            return False
        answer = self._answer_of(turn)
        found = self.offers.summary_of(answer) if answer is not None else None
        return found is None or not found.entity.differs_in_gender(entity)

    @staticmethod
    def _answer_of(turn: TurnSpec) -> URIRef | None:
        """Return the single entity that a turn asks for; None if there is none."""
        if turn.unanswerable or not isinstance(turn.expected, tuple) or len(turn.expected) != 1:
            return None
        answer = turn.expected[0]
        is_named = turn.kind.introduces_referent or turn.other_entity is not None
        return answer if isinstance(answer, URIRef) and is_named else None

    def _draw(self, talk: Talk, steps: Sequence[NextTurn]) -> NextTurn:
        """Draw a name by how many turns of it are still wanted, then a step of that name by how well it goes on and how
        few other dialogues ask it."""
        said = Counter(name for turn in talk.turns for name in {turn.link_quota, self.offers.quota_name(turn)})
        wanted = {name: max(MIN_WANTED, number - said[name]) for name, number in self.wanted.items()}
        led = fsum(min(1.0, wanted[name]) for name in wanted.keys() & FORM_BY_NAME if FORM_BY_NAME[name].follows_lookup)
        wanted[LEAD] = max(wanted[LOOKUP], led / (1 + sum(map(self.offers.is_lead, talk.turns))))
        by_name: dict[str, list[tuple[NextTurn, float]]] = defaultdict(list)
        for step in steps:
            weight = step.weight * (wanted[step.quota] if step.turn.is_of_class else 1.0)
            by_name[step.name].append((step, weight / (1 + self.asked.get(step.turn.topic, 0))))
        likely = {
            name: wanted[name]
            * max(step.weight * (AMONG_FACTOR if step.turn.picks_from_answers else 1.0) for step, _ in drawn)
            for name, drawn in by_name.items()
        }
        (name,) = self.rng.choices(list(likely), list(likely.values()))
        candidates, weights = zip(*by_name[name], strict=True)
        return self.rng.choices(candidates, weights)[0]  # type: ignore[no-any-return]

    def _weigh(self, talk: Talk, step: NextTurn) -> float:
        """Return how likely people go on with a step, up to a factor."""
        number = len(talk.turns)
        around, turns = self.offers.context.neighbourhoods, (*talk.turns, step.said_as(number + 1))
        near = closeness(around, turns, number) if number else 1.0
        return max(MIN_WEIGHT, near) * max(MIN_WEIGHT, self.offers.interest(step.turn))

    def _next_steps(self, talk: Talk) -> Iterator[NextTurn]:
        if not talk.turns:
            yield from self._openings()
            return
        last = talk.turns[-1]
        if last.leaves_topic:
            return
        yield from self._about_class(talk)
        yield from self._about_focus(talk)
        yield from self._about_answer(talk, last)
        yield from self._from_set(talk)
        yield from self._at_position(talk)
        is_again = last.form in self.repeated_forms and (last.other_entity is not None or last.repeats_question)
        if is_again or (talk.focus is self.offers.context.seed and not talk.has_left_seed):
            yield from self._about_siblings(talk, last)
        if last.other_entity is not None and not last.is_yes_no:
            yield from self._about_loser(last)

    def _openings(self) -> Iterator[NextTurn]:
        seed = self.offers.context.seed
        for turn in self.offers.of_class(seed.entity) if self.length > 1 else ():
            if turn.kind.introduces_referent and turn.expected == (seed.entity.iri,):
                yield NextTurn(turn, None)
        for step in (*self._about_seed(seed), *self._about_siblings(Talk(), None)):
            is_early = step.turn.other_entity is not None and self.length > 1
            if can_open(step.turn) and (not is_early or step.turn.form in self.repeated_forms):
                yield step

    def _about_seed(self, seed: Summary, listed: AnswerSet | None = None) -> Iterator[NextTurn]:
        """Yield the turns about the seed, selections from its sets included: but for the one that was ``listed`` just
        now, where people say *of them*."""
        yield from (NextTurn(turn, seed) for turn in self.offers.about(seed, "topic"))
        for answer_set in self.offers.context.answer_sets:
            if not answer_set.seed_fact_number and answer_set is not listed:
                for turn in self.offers.selections(answer_set, "topic"):
                    if not turn.is_ordered or "position" in self.wanted:
                        yield NextTurn(turn, seed)

    def _about_class(self, talk: Talk) -> Iterator[NextTurn]:
        """Yield the turns about all things of the class that was spoken of, by what was asked before, as the last one;
        earlier ones too, and by anything, if the mix wants their form often."""
        entities = [turn.entity for turn in reversed(talk.turns) if not turn.is_of_class][:1]
        is_last, topics = len(talk.turns) == self.length - 1, {turn.entity.iri for turn in talk.turns}
        asked = {step.predicate for turn in talk.turns for step in turn.fact.steps}
        for turn in (turn for entity in entities for turn in self.offers.of_class(entity)):
            assert turn.condition is not None
            is_told = turn.expected == (entities[0].iri,) or turn.condition.term in topics
            is_prepared = turn.condition.step.predicate in asked  # how many are higher, once a height was asked
            if not is_told and ((is_prepared and is_last) or turn.form in self.repeated_forms):
                yield NextTurn(turn, None)

    def _about_focus(self, talk: Talk) -> Iterator[NextTurn]:
        """Yield the turns about what was spoken of last."""
        focus, number = talk.focus, talk.focus_turn
        if focus is None:
            return
        if focus is self.offers.context.seed and not number:
            if not talk.has_left_seed:
                yield from self._about_seed(focus, self._listed_set(talk)[1])
            return
        if talk.turns[number - 1].other_entity is not None:
            return
        for turn in self.offers.about(focus, "answer"):
            if not turn.leaves_topic:
                yield NextTurn(turn, focus, number, number)

    def _about_answer(self, talk: Talk, last: TurnSpec) -> Iterator[NextTurn]:
        """Yield the turns about the one thing that the last turn asked for, unless a pronoun could mean another, as
        behind a comparison."""
        answer, run = self._answer_of(last) if last.other_entity is None else None, self.offers.run
        summary = self.offers.summary_of(answer) if answer is not None else None
        if summary is None or not run.options.allows_two_hops or run.options.chain <= 0:
            return
        is_picked = last.condition is not None
        if not is_picked and any(summary.entity.is_confusable_with(turn.entity) for turn in talk.turns):
            return
        known = {step.predicate for step in last.fact.steps}
        known |= {last.condition.step.predicate} if last.condition is not None else set()
        for turn in self.offers.about(summary, "answer"):
            is_back = turn.expected == (last.entity.iri,)
            if len(turn.fact.steps) == 1 and turn.fact.last_step.predicate not in known and not is_back:
                number = len(talk.turns)
                yield NextTurn(turn, summary, number, number)

    def _from_set(self, talk: Talk) -> Iterator[NextTurn]:
        """Yield selections from the list that was given last."""
        number, answer_set = self._listed_set(talk)
        steps = {turn.condition.step for turn in talk.turns if turn.condition is not None}
        for turn in self.offers.selections(answer_set, "among") if answer_set is not None else ():
            if turn.condition is not None and turn.condition.step not in steps and not turn.is_ordered:
                yield NextTurn(turn, talk.focus, talk.focus_turn, number)

    def _listed_set(self, talk: Talk) -> tuple[int, AnswerSet | None]:
        """Return the number of the turn that *them* means, if only picks from its answers follow it, and its set."""
        between = list(
            takewhile(lambda turn: turn.picks_from_answers and turn.kind.introduces_referent, reversed(talk.turns))
        )
        number = len(talk.turns) - len(between)
        listed = talk.turns[number - 1] if number else None
        if listed is None or listed.unanswerable or not listed.kind.is_lookup or listed.is_ordered:
            return 0, None
        return number, self.offers.sets.get(question_key(listed.entity, listed.fact))

    def _at_position(self, talk: Talk) -> Iterator[NextTurn]:
        """Yield lookups about things at positions of the ordered list that was given last."""
        between = list(takewhile(lambda turn: turn.is_at_position, reversed(talk.turns)))
        number = len(talk.turns) - len(between)
        listed = talk.turns[number - 1] if number else None
        if listed is None or not listed.is_ordered or listed.condition is None:
            return
        known = (listed.condition.step.predicate, listed.fact.last_step.predicate)
        for position in POSITIONS:
            iri = listed.members[position - 1 if position > 0 else position]
            summary = self.offers.summary_of(iri) if iri != self.offers.context.seed.entity.iri else None
            for turn in self.offers.lookups(summary, "position") if summary is not None else ():
                is_known = turn.fact.last_step.predicate in known or turn.expected == (listed.entity.iri,)
                if turn.fact.count == 1 and not is_known:
                    yield NextTurn(turn, None, 0, number, position)

    def _about_siblings(self, talk: Talk, last: TurnSpec | None) -> Iterator[NextTurn]:
        """Yield comparisons of the seed with its siblings, and the last question for a sibling."""
        turns_after = self.length - len(talk.turns) - 1
        can_compare = last is None or turns_after <= MAX_TURNS_AFTER_COMPARISON
        for turn in self.offers.comparisons():
            if (can_compare or turn.form in self.repeated_forms) and not (turn.is_yes_no and turns_after):
                yield NextTurn(turn, None)
        if last is None or not last.kind.is_lookup:
            return
        is_wanted = last.form in self.repeated_forms
        if last.entity != self.offers.context.seed.entity and not (is_wanted and last.repeats_question):
            return
        number = len(talk.turns)
        for turn in self.offers.shifts() if last.condition is None else ():
            is_same = (turn.fact.last_step, turn.form) == (last.fact.last_step, last.form)
            if is_same and turn.expected != last.expected and (is_wanted or turns_after <= MAX_TURNS_AFTER_SHIFT):
                yield NextTurn(turn, None, 0, number)

    def _about_loser(self, compared: TurnSpec) -> Iterator[NextTurn]:
        """Yield lookups about *the other one*: what the topic was compared with, if the answer names the topic."""
        assert compared.other_entity is not None
        if compared.expected == (compared.entity.iri,):
            loser = self.offers.summary_of(compared.other_entity.iri)
            for turn in self.offers.lookups(loser, "position") if loser is not None else ():
                if turn.expected != compared.expected:
                    yield NextTurn(turn, None, 0, compared.number, 2)
