"""Contexts of several seeds are read together, and the triples of a seed once."""

from typing import Any

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from rdflib import URIRef

from chattygen import RULEBOOK, Options
from chattygen.context.dialogue_context import Context
from chattygen.context.names import profile_naming
from chattygen.context.neighbourhoods import MAX_ROWS, fetch_relations
from chattygen.context.predicate_salience import unaskable_predicates
from chattygen.context.reader import read_candidates, read_contexts
from chattygen.run import RunContext

FILMS = [URIRef(f"https://chatty.example/demo/{name}") for name in ("The_Dark_Knight", "Inception", "Interstellar")]


def run_on(kg: KnowledgeGraph) -> RunContext:
    return RunContext(kg, profile_naming(kg), Options(), unaskable_predicates(kg, ()), RuleModel(RULEBOOK))


def read(run: RunContext, iris: list[URIRef]) -> dict[URIRef, Context]:
    begun = {iri: each for iri, each in read_candidates(run, [(iri, "") for iri in iris]).items()}
    contexts = read_contexts(run, {iri: each for iri, each in begun.items() if isinstance(each, Context)})
    return {iri: each for iri, each in contexts.items() if isinstance(each, Context)}


def test_contexts_of_many_seeds_take_the_requests_of_one(counting: Any):
    def requests_for(iris: list[URIRef]) -> int:
        endpoint = counting(open_kg("demo").endpoint)
        run = run_on(KnowledgeGraph(endpoint, use_index=False, index_up_to=0))
        before = endpoint.count
        assert len(read(run, iris)) == len(iris)
        return endpoint.count - before

    assert requests_for(FILMS) <= requests_for(FILMS[:1]) + 4


def test_what_a_seed_offers_does_not_depend_on_the_others():
    alone = read(run_on(open_kg("demo")), FILMS[:1])[FILMS[0]]
    together = read(run_on(open_kg("demo")), FILMS)[FILMS[0]]
    for name in ("seed", "bridges", "answer_sets", "siblings", "distractors", "missing_facts", "names"):
        assert getattr(alone, name) == getattr(together, name), name


@pytest.mark.parametrize("incoming", [False, True])
def test_of_an_entity_with_too_many_triples_none_are_read(open_turtle: Any, incoming: bool):
    kg = open_turtle("\n".join(f"<urn:x:hub> <urn:x:p> <urn:x:e{n}> ." for n in range(MAX_ROWS + 1)))
    hub, end = URIRef("urn:x:hub"), URIRef("urn:x:e1")
    read_ends = fetch_relations(kg.endpoint, [hub], [end] if incoming else [])
    assert not read_ends[hub]
    assert not incoming or read_ends[end] == {("in", URIRef("urn:x:p")): (hub,)}
