"""Rules for the order of turns: a bridge before the second step, a list before its count and its subsets, and no fact
that an earlier turn has given away."""

from __future__ import annotations

from collections.abc import Iterator
from os.path import commonprefix

from chattyshared.check import Finding

from chattygen.lint.dialogue_view import (
    DialogueView,
    TurnView,
    folded_words,
    mentions_name,
    mentions_part_of_name,
    value_text,
)
from chattygen.lint.kg_facts import KGFacts
from chattygen.lint.query_parts import AskedFact, conditioned_lists, facts_of, first_hop

SHARED_STEM = 0.5
"""Share of the longer word, 0..1, that two names of one thing have in common at their beginning; set by hand."""


def order_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge whether each turn comes at its place."""
    passed_facts: dict[AskedFact, TurnView] = {}
    for turn in dialogue.turns:
        if turn.query.syntax_error or turn.unanswerable:
            continue
        yield from _unknown_bridge(dialogue, turn)
        yield from _unlisted_base(dialogue, turn)
        yield from _given_away(dialogue, turn, passed_facts)
        hop = first_hop(turn.query)
        if hop is not None:
            passed_facts.setdefault(hop.fact, turn)


def _unknown_bridge(dialogue: DialogueView, turn: TurnView) -> Iterator[Finding]:
    """A question of two steps comes after its bridge: an earlier turn has named it, or has asked the first step.

    A question of another form passes a node that nobody names.
    """
    hop = first_hop(turn.query)
    if hop is None and len(turn.query.iris) == 1 and turn.number > 1 and turn.link != "shift":
        yield from _unnamed_entity(dialogue, turn, turn.query.iris[0])
    if hop is None or turn.form not in ("", "two-hop"):
        return
    entity, predicate, side = hop.fact
    ends = {o if side == "out" else s for s, p, o in turn.witness if (s if side == "out" else o) == entity}
    if not ends & dialogue.mentioned_before(turn) and not any(
        hop.fact in facts_of(earlier.query) for earlier in dialogue.before(turn)
    ):
        yield turn.finding("before-bridge", "asks about what no turn has named")


def _unnamed_entity(dialogue: DialogueView, turn: TurnView, iri: str) -> Iterator[Finding]:
    """What a query speaks of was named before, or is named in the question."""
    names = dialogue.names_of(iri)
    is_named = iri in dialogue.mentioned_before(turn) or any(
        mentions_part_of_name(turn.question, name) for name in names
    )
    if names and not is_named:
        yield turn.finding("before-bridge", f'no turn has named "{names[0]}"')


def _unlisted_base(dialogue: DialogueView, turn: TurnView) -> Iterator[Finding]:
    """A condition on a list comes after the list."""
    readings = list(conditioned_lists(turn.query))
    if not readings or first_hop(turn.query) is not None or turn.query.form == "ASK":
        return
    listed = {fact for earlier in dialogue.before(turn) for fact in facts_of(earlier.query)}
    is_listed = not listed.isdisjoint(reading.fact for reading in readings)
    is_known = bool(turn.answer_iris) and dialogue.answered_before(turn).issuperset(turn.answer_iris)
    if any(reading.conditions for reading in readings) and not is_listed and not is_known:
        yield turn.finding("before-list", "selects from a list that no turn has asked for")


def _given_away(dialogue: DialogueView, turn: TurnView, passed_facts: dict[AskedFact, TurnView]) -> Iterator[Finding]:
    """An earlier answer, or a name in the question, tells the answer."""
    for fact in facts_of(turn.query):
        earlier = passed_facts.get(fact)
        if earlier is not None and (turn.query.form == "ASK" or _share_stem(earlier, turn)):
            yield turn.finding("given-away", f"follows from turn {earlier.number}")
            return
    for reading in conditioned_lists(turn.query):
        members = {text for earlier in dialogue.before(turn) if reading.fact in facts_of(earlier.query)
                   for text in earlier.answer_texts}  # fmt: skip
        names = [name for iri in turn.query.iris if iri != reading.fact[0] for name in dialogue.names_of(iri)]
        telling = [text for name in names if len(folded_words(name)) > 1
                   for text in sorted(members) if mentions_name(text, name)]  # fmt: skip
        if reading.conditions and telling and len(members) > 1:
            yield turn.finding("given-away", f'"{telling[0]}" tells it by its name')
            return


def _share_stem(earlier: TurnView, turn: TurnView) -> bool:
    """Tell whether the only answers of two turns are forms of one word: ``Scottish`` and ``Scotland``."""
    if len(earlier.answers or ()) != 1 or len(turn.answers or ()) != 1:
        return False
    left, right = (folded_words(value_text(values[0])) for values in (earlier.answers or (), turn.answers or ()))
    stems = (
        len(commonprefix((one, other))) / max(len(one), len(other)) for one, other in zip(left, right, strict=False)
    )
    return len(left) == len(right) > 0 and all(share >= SHARED_STEM for share in stems)
