"""Questions over two hops: what the graph states about the answer to another question."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

from chattyshared.dialogue import LinkName
from chattyshared.language.inflection import denote_places, head_noun, plain_label
from chattyshared.question_forms import FORM_BY_NAME, LOOKUP_FORMS

from chattygen.context.dialogue_context import Context
from chattygen.context.facts import Bridge, Fact, HiddenEnds, Step
from chattygen.context.predicate_salience import tells
from chattygen.context.predicate_use import is_worldwide
from chattygen.context.subgraph import term_text
from chattygen.form_registry import Form, register
from chattygen.forms.lookups import compile_query, expect, is_unclear
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.rulebook.fact_questions import realize_end
from chattygen.rulebook.referring_expressions import IT
from chattygen.rulebook.set_questions import word_turn
from chattygen.run import RunContext
from chattygen.turns import TurnSpec


def offer(run: RunContext, context: Context, topic: Any, link: LinkName, rng: Random) -> Iterator[TurnSpec]:
    """Yield questions for what the KG states about an answer of the seed, and not about the seed itself."""
    if topic is not context.seed:
        return
    stated = {end for hidden in context.seed.hidden for end in hidden.ends}
    for bridge in context.bridges:
        ends = (context.seed.entity.class_labels, bridge.fact.class_labels)
        if bridge.fact.last_step.direction == "out" and (
            not run.is_worded_by_rules or _has_short_phrase(bridge.fact.last_step, *ends)
        ):
            for end_fact, end_hidden in bridge.summary.facts_with_ends:
                if (
                    end_fact.last_step.direction == "out"
                    and end_fact.forms[0] in LOOKUP_FORMS
                    and not (end_hidden.langs or is_unclear(end_fact) or stated.issuperset(end_hidden.ends))
                    and not (_leads_away(context, bridge, end_fact) or _is_told(context, bridge, end_hidden))
                ):
                    yield _two_hop(context, bridge, end_fact, end_hidden)


def _has_short_phrase(step: Step, kinds: tuple[str, ...], end_kinds: tuple[str, ...]) -> bool:
    """Tell whether a phrase without a clause says the entity behind a step: *its owner*, not *the person who found it*.

    ``kinds`` are the class labels of the thing, ``end_kinds`` those of the entity.
    """
    return _CLAUSE.search(realize_end(step, IT, kinds, end_kinds)) is None


_CLAUSE = re.compile(r" (?:who|that|where|whose) ")


def _leads_away(context: Context, bridge: Bridge, end_fact: Fact) -> bool:
    """Tell whether a fact is about the country of a person or work, or about a place they are in, but not where that
    is."""
    if denote_places(context.seed.entity.class_labels):
        return False
    step = end_fact.last_step
    clauses = lexicalize_predicate(step.label, step.comment, end_fact.shape).clauses
    is_in = denote_places([head_noun(plain_label(step.label))]) or any(clause.preposition == "in" for clause in clauses)
    tells_where = end_fact.shape in ("entity", "text") and is_in
    return is_worldwide(bridge.fact) or (denote_places(bridge.fact.class_labels) and not tells_where)


def _is_told(context: Context, bridge: Bridge, end_hidden: HiddenEnds) -> bool:
    """Tell whether the name of an answer of the seed tells what the KG states about it."""
    labels = context.neighbourhoods.labels
    names = f"{bridge.summary.entity.label} {labels.get(bridge.summary.entity.iri, '')}"
    return any(tells(names, term_text(end, labels.get(end, ""))) for end in end_hidden.ends)


def _two_hop(context: Context, bridge: Bridge, end_fact: Fact, end_hidden: HiddenEnds) -> TurnSpec:
    fact, hidden = bridge.reach(end_fact, end_hidden)
    told = frozenset({(str(bridge.summary.entity.iri), end_fact.last_step.predicate)})
    return TurnSpec(0, "two-hop", "topic", context.seed.entity, fact, hidden=hidden, told_keys=told)


register(Form(FORM_BY_NAME["two-hop"], offer, compile_query, expect, word_turn))
