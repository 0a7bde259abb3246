"""Values for yes-no questions: stated ones, and distractors that something relates to these; and which things belong
into one conversation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from random import Random

from chattyshared.kg import KnowledgeGraph
from chattyshared.language.inflection import denote_grounds, denote_places, head_noun
from chattyshared.literals import parse_boolean
from chattyshared.terms import Term
from rdflib import Literal, URIRef

from chattygen.context.dialogue_context import MAX_SHARING, Context, is_shareable, like_entities
from chattygen.context.facts import Fact, FactWithEnds, HiddenEnds, Summary
from chattygen.context.neighbourhoods import Neighbourhoods, fetch_relations
from chattygen.context.predicate_salience import is_placeholder, is_writable, repeats_label, tells
from chattygen.context.predicate_use import looks_like_measure
from chattygen.context.subgraph import class_labels_of, is_gender_predicate, most_specific_classes
from chattygen.lexicalization.lexicon import COUNTRY_NOUNS, PLACE_NOUNS
from chattygen.run import RunContext

MAX_FOILS = 12
"""Values per seed whose triples are read, to find out what relates them to it; this and all limits are set by hand."""
MAX_TRUE_PEERS = 3
"""Stated values, at most, that a distractor may be related to."""
MAX_DISTRACTORS = 2
"""False values per fact."""
MAX_OFFERED = 4
"""True values, and false ones, of a fact that are offered."""
MAX_FACTS_WITH_DISTRACTORS = 4
"""Facts per seed that get distractors."""
MAX_TYPED_ENDS = 20
"""Values per fact whose classes are compared, to find distractors of the same class."""


def choose_distractors(run: RunContext, context: Context) -> dict[int, tuple[URIRef, ...]]:
    """Choose, for some facts of the seed whose values are entities, other entities of the same class: around the seed,
    around its values, or like a value, as far as these were read.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    around, chosen = context.neighbourhoods, dict[int, tuple[URIRef, ...]]()
    near_seed = around.all_ends(context.seed_iri)
    for fact, hidden in context.seed.facts_with_ends:
        if len(chosen) == MAX_FACTS_WITH_DISTRACTORS or fact.shape != "entity" or not fact.class_labels:
            continue
        ends = [end for end in hidden.ends[:MAX_TYPED_ENDS] if isinstance(end, URIRef)]
        shared = set.intersection(*(set(around.types.get(end, ())) for end in ends))
        specific = set(most_specific_classes(run.kg, shared))
        nearby = (*near_seed, *(end for iri in ends for end in around.all_ends(iri)))
        same_class = [iri for iri in nearby if specific & set(around.types.get(iri, ()))]
        value = next((end for end in ends if end in around.relations), None)
        if specific and value is not None and fact.can_be_confirmed:
            same_class += like_entities(run, value, min(specific), around)
        others = (iri for iri in dict.fromkeys(same_class) if iri not in hidden.ends and iri != context.seed_iri)
        if found := tuple(islice(others, MAX_DISTRACTORS)):
            chosen[fact.number] = found
    return chosen


def foils(context: Context) -> list[URIRef]:
    """Return what may be offered as a false value about the seed: values of its siblings, and entities around it."""
    values = (
        end
        for fact in context.seed.facts
        if fact.can_be_confirmed and fact.shape == "entity"
        for end in (*_sibling_values(context, fact), *context.distractors.get(fact.number, ()))
    )
    known = context.neighbourhoods.relations
    fresh = (end for end in values if isinstance(end, URIRef) and end not in known and is_writable(end))
    return list(islice(dict.fromkeys(fresh), MAX_FOILS))


def true_and_false_offers(
    kg: KnowledgeGraph, context: Context, summary: Summary, fact: Fact, hidden: HiddenEnds, rng: Random
) -> Iterator[FactWithEnds]:
    """Yield a fact with values that the KG states, then with similar ones that it does not state.

    A truth is offered as true. Yields nothing unless there are both, else true questions would prevail, nor if the name
    of the thing tells the value. A distractor is a value of a sibling or an entity of the same class around the seed,
    that something relates to the thing or to a true value; of another thing, a value of one of its peers. What stands
    around the seed is offered rather than a name that no other fact of it shows.
    """
    if fact.shape == "boolean":
        is_true = bool(parse_boolean(str(hidden.ends[0])))
        term = hidden.ends[0] if is_true else Literal(True)
        yield replace(fact, offered_value="true"), replace(hidden, offered_term=term, is_offer_true=is_true)
        return
    if denote_grounds(summary.entity.class_labels) and any(_tells_place(other, fact) for other in summary.facts):
        return
    owner = summary.entity.label
    true_offers = _names_by_term(context, hidden.ends, owner)
    noun = head_noun(next(iter(fact.class_labels), ""))
    if any(tells(owner, name, noun) for name in true_offers.values()):
        return
    stated_names = {name.casefold() for name in _names_by_term(context, hidden.ends, "").values()}
    similar = _names_by_term(context, _similar_values(context, summary, fact, rng), owner)
    peers = (summary.entity.iri, *(end for end in hidden.ends[:MAX_TRUE_PEERS] if isinstance(end, URIRef)))
    false_offers = {
        term: name for term, name in similar.items()
        if term not in hidden.ends and term != summary.entity.iri and name.casefold() not in stated_names
        and (isinstance(term, Literal) or any(is_related(kg, context, term, peer, is_offer=True) for peer in peers))
    }  # fmt: skip
    if not true_offers or not false_offers or (fact.shape == "entity" and len(true_offers) < len(hidden.ends[:2])):
        return
    around_seed = set(context.neighbourhoods.all_ends(context.seed_iri))
    for truth, offers in ((True, true_offers), (False, false_offers)):
        values = [value for value in offers if value in around_seed] or list(offers)
        for value in rng.sample(values, min(MAX_OFFERED, len(values))):
            yield replace(fact, offered_value=offers[value]), replace(hidden, offered_term=value, is_offer_true=truth)


def _tells_place(fact: Fact, wider: Fact) -> bool:
    """Tell whether a fact of a thing tells another one: the region where it is tells in which country."""
    narrow, wide = (set(map(head_noun, (each.last_step.label, *each.class_labels))) for each in (fact, wider))
    are_own = len(fact.steps) == len(wider.steps) == 1 and fact is not wider
    return are_own and not COUNTRY_NOUNS.isdisjoint(wide) and not (PLACE_NOUNS | COUNTRY_NOUNS).isdisjoint(narrow)


def _names_by_term(context: Context, terms: Iterable[Term], owner: str) -> dict[Term, str]:
    names = {term: context.names.name_of(term) for term in terms}
    return {
        term: name for term, name in names.items()
        if not is_placeholder(name) and not looks_like_measure(name) and not (owner and repeats_label(name, owner))
    }  # fmt: skip


def _similar_values(context: Context, summary: Summary, fact: Fact, rng: Random) -> Iterator[Term]:
    """Yield values of siblings and distractors of the seed; or values of what stands beside another entity in a
    dialogue: other members of its list, the seed that it is compared to."""
    iri, step = summary.entity.iri, fact.last_step
    if iri == context.seed_iri:
        sibling_values = list(dict.fromkeys(_sibling_values(context, fact)))
        yield from rng.sample(sibling_values, len(sibling_values))
        yield from context.distractors.get(fact.number, ())
        return
    peers = [peer for each in context.answer_sets if iri in each.members for peer in each.members if peer != iri]
    peers += [context.seed_iri] if any(sibling.entity.iri == iri for sibling in context.siblings) else []
    for peer in peers:
        yield from context.neighbourhoods.ends(peer, step.direction, step.predicate)


def _sibling_values(context: Context, fact: Fact) -> Iterator[Term]:
    """Yield what the fact's predicate states of the siblings, where the values have the fact's shape."""
    relation = (fact.last_step.predicate, fact.last_step.direction, fact.shape)
    for other, hidden in (pair for sibling in context.siblings for pair in sibling.facts_with_ends):
        if (other.last_step.predicate, other.last_step.direction, other.shape) == relation:
            yield from hidden.ends


def is_related(kg: KnowledgeGraph, context: Context, one: Term, other: URIRef, *, is_offer: bool = False) -> bool:
    """Tell whether something that was read relates two things, so that people would bring in the one beside the other;
    any two places, unless one is offered as a value (nobody asks whether Liverpool is in New Zealand)."""
    around = context.neighbourhoods
    if not isinstance(one, URIRef):
        return False
    if one not in around.relations or other not in around.relations:
        return other in around.all_ends(one) or one in around.all_ends(other)
    return _are_linked(kg, one, other, around, are_places_near=not is_offer)


def are_related(kg: KnowledgeGraph, one: URIRef, other: URIRef) -> bool:
    """Tell whether a link or a shared neighbour relates two things of a KG, or both are places.

    Raises:
        EndpointError: the endpoint does not answer.
    """
    relations = fetch_relations(kg.endpoint, [one, other], [one, other])
    return _are_linked(kg, one, other, Neighbourhoods(relations, types=dict(kg.types_of([one, other]))))


def _are_linked(
    kg: KnowledgeGraph, one: URIRef, other: URIRef, around: Neighbourhoods, *, are_places_near: bool = True
) -> bool:
    """Tell whether a link or a shared neighbour relates two things by their triples, or both are places, which people
    compare anyway (``are_places_near``).

    What more than half of a class lead to relates none of them. A thing with only values of its own is as near to any.
    """
    classes = {term: most_specific_classes(kg, around.types.get(term, ()))[:1] for term in (one, other)}
    kinds = ([label for name in names for label in class_labels_of(kg, name)] for names in classes.values())
    if are_places_near and all(map(denote_places, kinds)):
        return True
    ends = {term: _telling_ends(kg, around, term, classes[term]) for term in (one, other)}
    return not all(ends.values()) or other in ends[one] or one in ends[other] or bool(ends[one] & ends[other])


def _telling_ends(kg: KnowledgeGraph, around: Neighbourhoods, iri: URIRef, classes: tuple[str, ...]) -> set[Term]:
    """Return the entities and words around a thing, without classes and what most of its class have."""
    skipped = {*kg.profile.types, *kg.profile.subclasses, *kg.profile.metadata, *kg.profile.labels}
    found: set[Term] = set()
    for (direction, predicate), ends in around.relations.get(iri, {}).items():
        if str(predicate) not in skipped and not is_gender_predicate(kg, str(predicate)):
            frequent = _frequent_ends(kg, classes, str(predicate)) if direction == "out" else set()
            found.update(end for end in ends if is_shareable(end) and end not in frequent)
    return found


def _frequent_ends(kg: KnowledgeGraph, classes: Iterable[str], predicate: str) -> set[Term]:
    """Return the ends that most things of a class that have a predicate have."""
    statistics = filter(None, map(kg.class_statistics, classes))
    uses = [use for each in statistics if (use := each.find(predicate)) is not None]
    return {end for use in uses for end, count in use.values if count > MAX_SHARING * use.sample_count}
