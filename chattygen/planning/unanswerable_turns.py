"""Turns that the KG cannot answer, drawn from the KG itself: the query of each gives nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from chattyshared.dialogue import Certificate, LinkName
from chattyshared.language.inflection import denote_persons
from chattyshared.terms import n3
from rdflib import Literal

from chattygen.planning.invented_names import invent_name
from chattygen.planning.plan import PlannedTurn
from chattygen.planning.plan_context import PlanContext
from chattygen.planning.related_entities import names_in_class
from chattygen.planning.sparql_compiler import member_pattern, patterns_to_text
from chattygen.planning.turn_construction import missing_fact_turn
from chattygen.run import RunContext
from chattygen.subgraph.facts import ABSENT_ENTITY, MISSING_KINDS, Summary

MAX_PER_KIND = 2
"""Turns of each kind about one entity that are offered, so that no kind prevails; set by hand."""
INVENTED_ODDS = 0.6
"""Probability that an entity is offered a question about an invented name, which costs a search; set by hand."""


def unanswerable_turns(
    run: RunContext, context: PlanContext, summary: Summary, link: LinkName, rng: Random
) -> Iterator[PlannedTurn]:
    """Yield a few turns of each kind: about facts that the entity lacks, and about one with an invented name.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    entity = summary.entity
    for kind in MISSING_KINDS:
        missing = [each for each in context.missing_facts.get(entity.iri, ()) if each.kind == kind]
        for each in rng.sample(missing, min(MAX_PER_KIND, len(missing))):
            yield replace(missing_fact_turn(entity, each), link=link)
    if link == "topic" and denote_persons(entity.class_labels) and rng.random() < INVENTED_ODDS:
        yield from _invented_entity_turns(run, summary, rng)


def _invented_entity_turns(run: RunContext, summary: Summary, rng: Random) -> Iterator[PlannedTurn]:
    """Yield a question that fits the entity, a person, about one with an invented name."""
    entity = summary.entity
    facts = [fact for fact in summary.facts if fact.forms[0] not in ("count", "boolean")]
    names = [entity.label, *(names_in_class(run, entity.type) if entity.type else ())]
    name = invent_name(run.kg, names, rng) if facts else ""
    if not name:
        return
    fact = rng.choice(facts)
    tags = sorted({"", *run.kg.profile.languages})
    values = " ".join(n3(Literal(name, lang=tag or None)) for tag in tags)
    owner, absent = "?entity", str(ABSENT_ENTITY)
    pattern = tuple(
        (owner if s == absent else s, p, owner if o == absent else o) for s, p, o in member_pattern(ABSENT_ENTITY, fact)
    )
    body = f"VALUES ?name {{ {values} }} ?entity ?naming ?name . {patterns_to_text(pattern)}"
    yield PlannedTurn(
        fact.forms[0],
        replace(entity, iri=ABSENT_ENTITY, label=name, gender=""),
        fact,
        f"SELECT DISTINCT ?x WHERE {{ {body} }}",
        (),
        frozenset({("entity", name)}),
        "shift",
        pattern,
        answer_type=fact.class_labels[0] if fact.class_labels else fact.datatype or "entity",
        unanswerable="entity",
        certificate=Certificate(names=(name,)),
    )
