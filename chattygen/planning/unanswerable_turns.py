"""Turns that the KG cannot answer, drawn from the KG itself: the query of each gives nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from chattyshared.dialogue import Certificate, LinkName
from chattyshared.language.inflection import denote_persons
from chattyshared.question_forms import ANSWER_LINKS, FORM_BY_NAME
from chattyshared.terms import n3
from rdflib import Literal

from chattygen.context.dialogue_context import Context, names_in_class
from chattygen.context.facts import ABSENT_ENTITY, MISSING_KINDS, Summary
from chattygen.context.names import invent_name
from chattygen.run import RunContext
from chattygen.turns import TurnSpec, patterns_to_text

MAX_PER_KIND = 2
"""Turns of each kind about one entity that are offered, so that no kind prevails; set by hand."""
INVENTED_ODDS = 0.6
"""Probability that an entity is offered a question about an invented name, which costs a search; set by hand."""


def unanswerable_turns(
    run: RunContext, context: Context, summary: Summary, link: LinkName, rng: Random
) -> Iterator[TurnSpec]:
    """Yield a few turns of each kind: about facts that the entity lacks, and about one with an invented name.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    entity = summary.entity
    for kind in MISSING_KINDS:
        missing = [each for each in context.missing_facts.get(entity.iri, ()) if each.kind == kind]
        for each in rng.sample(missing, min(MAX_PER_KIND, len(missing))):
            yield TurnSpec(0, each.fact.forms[0], link, entity, each.fact, unanswerable=each.kind)
    if link not in ANSWER_LINKS and denote_persons(entity.class_labels) and rng.random() < INVENTED_ODDS:
        yield from _invented_entity_turns(run, summary, rng)


def _invented_entity_turns(run: RunContext, summary: Summary, rng: Random) -> Iterator[TurnSpec]:
    """Yield a question that fits the entity, a person, about one with an invented name."""
    entity = summary.entity
    facts = [fact for fact in summary.facts if FORM_BY_NAME[fact.forms[0]].is_lookup]
    names = [entity.label, *(names_in_class(run, entity.type) if entity.type else ())]
    name = invent_name(run.kg, names, rng) if facts else ""
    if not name:
        return
    fact = rng.choice(facts)
    tags = sorted({"", *run.kg.profile.languages})
    values = " ".join(n3(Literal(name, lang=tag or None)) for tag in tags)
    absent = replace(entity, iri=ABSENT_ENTITY, label=name, gender="")
    turn = TurnSpec(
        0, fact.forms[0], "shift", absent, fact, unanswerable="entity", certificate=Certificate(names=(name,))
    )
    body = f"VALUES ?name {{ {values} }} ?entity ?naming ?name . {patterns_to_text(turn.pattern)}"
    yield replace(turn, query=f"SELECT DISTINCT ?x WHERE {{ {body} }}")
