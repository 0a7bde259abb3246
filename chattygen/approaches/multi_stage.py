"""One dialogue from one seed: subgraph, summary, questions, queries, gold answers, rewriting, as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Link, Seed, Turn
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Usage
from rdflib import URIRef

from chattygen.rejection import Unfit, reject_if, stage
from chattygen.run import Run
from chattygen.sampling import seeds
from chattygen.stages import dialogues, gold, queries, questions
from chattygen.stages.dialogues import Draft
from chattygen.stages.queries import Bound
from chattygen.stages.questions import Proposed
from chattygen.stages.turns import distinct, links_of, together
from chattygen.subgraph import serialization
from chattygen.subgraph.bridge_entities import Bridge, bridges, two_steps
from chattygen.subgraph.distractors import offer
from chattygen.subgraph.extraction import extract
from chattygen.subgraph.facts import Entity, Fact, Hidden, Summary, Wish
from chattygen.subgraph.summary import summarize

Proposer = Callable[[Run, Summary, Sequence[Wish], Fact | None], tuple[tuple[Proposed, ...], Usage]]
"""Has questions asked about one entity, and says which fact each rests on; raises ``Unfit``. The last argument is the
fact that must be among these, since the talk goes on about its answer."""


def make(run: Run, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Make a dialogue about one entity in several stages: questions with their facts, queries, dialogue.

    Raises:
        Unfit: a stage failed, with the problems.
        EndpointError, ModelError: the world cannot be asked.
    """
    return converse(run, iri, type_iri, identity, propose)


def propose(run: Run, summary: Summary, wanted: Sequence[Wish], _: Fact | None) -> tuple[tuple[Proposed, ...], Usage]:
    """Have all questions asked in one call, each with the fact that it rests on."""
    answers = partial(serialization.answers, run.kg, summary)
    with stage("questions"):
        return questions.propose(run.model, summary, wanted, answers, theta=run.options.theta)


def converse(run: Run, iri: URIRef, type_iri: str, identity: str, propose: Proposer) -> Dialogue:
    """Make a dialogue whose questions come from a proposer.

    Raises:
        Unfit: a stage failed, with the problems.
        EndpointError, ModelError: the world cannot be asked.
    """
    chance = Random(f"{run.options.seed}/dialogue/{iri}")
    summary = about(run, iri, type_iri)
    outline = _outline(run, summary, chance)
    bridge = outline.bridge
    task = offered(run.kg, outline.summary, outline.wanted, chance)
    topic, spent = _ask(run, task, bridge.fact if bridge else None, propose)
    chained: tuple[Bound, ...] = ()
    if bridge is not None:
        chained, more = _ask(run, offered(run.kg, bridge.summary, outline.chained, chance), None, propose)
        spent += more
    ordered = _order(topic, outline, chance)
    turns, more = _turns(run, (*ordered, *chained), len(ordered))
    return Dialogue(identity, Seed(str(iri), summary.entity.label, type_iri), turns, spent + more)


def about(run: Run, iri: URIRef, type_iri: str) -> Summary:
    """Return the facts of a seed.

    Raises:
        Unfit: the entity does not meet the conditions of a seed.
    """
    options = run.options
    graph = extract(
        run.kg, iri, run.naming, type_iri=type_iri, limit=options.max_triples, direction=options.direction,
        hidden=run.hidden,
    )  # fmt: skip
    reject_if("seed", seeds.fits(run.kg, graph, run.naming.predicates(type_iri), options))
    return summarize(run.kg, graph, list_limit=options.list_limit)


@dataclass(frozen=True, slots=True)
class Outline:
    """What a dialogue shall ask: wishes about the seed, and wishes about the answer to one of them (its bridge)."""

    summary: Summary
    wanted: tuple[Wish, ...]
    bridge: Bridge | None = None
    chained: tuple[Wish, ...] = ()


def _outline(run: Run, summary: Summary, chance: Random) -> Outline:
    """Draw how many turns are about the seed and how many about an answer, and which forms they have."""
    turns, mix = run.options.turns, run.options.mix
    found = bridges(run, summary, chance) if turns > 2 else ()
    bridge = found[0] if found else None
    if len(found) == 1 and run.options.shape == "both" and chance.random() < 0.2:
        bridge = None
    rest = [other for other in found if other is not bridge]
    for other in rest[:1]:
        summary = two_steps(summary, other)
    summary = told_apart(summary, chance, but=bridge.fact if bridge else None, one=bridge is None)
    chained: tuple[Wish, ...] = ()
    if bridge is not None:
        bridge = replace(bridge, summary=told_apart(bridge.summary, chance))
        exact = run.options.chain * (turns - 1)
        number = int(exact) + (chance.random() < exact - int(exact))
        chained = questions.wishes(bridge.summary.facts, max(1, number), chance, mix=mix)
    must = (Wish(bridge.form, bridge.fact.number),) if bridge is not None else ()
    wanted = questions.wishes(summary.facts, turns - len(chained), chance, must=must, mix=mix)
    if bridge is not None and len(wanted) + len(chained) < turns:
        chained = questions.wishes(bridge.summary.facts, turns - len(wanted), chance, mix=mix)
    enough(len(wanted) + len(chained), turns)
    return Outline(summary, wanted, bridge, chained)


def told_apart(summary: Summary, chance: Random, *, but: Fact | None = None, one: bool = False) -> Summary:
    """Leave out the facts with a single answer of the entity's own kind, since in the turn after it no reference could
    tell the two apart. Kept are ``but``, whose answer is what the talk goes on about, and with ``one``, one such fact
    for the last turn."""
    alike = [fact.number for fact in summary.facts if _is_alike(fact, summary.entity)]
    kept = {but.number} if but else {chance.choice(alike)} if one and alike else set()
    pairs = zip(summary.facts, summary.hidden, strict=True)
    gone = set(alike) - kept
    return _of(summary.entity, [(fact, hidden) for fact, hidden in pairs if fact.number not in gone])


def _is_alike(fact: Fact, entity: Entity) -> bool:
    """Tell whether a fact has one answer that a reference to the entity could mean as well."""
    if fact.shape != "entity" or fact.count > 1:
        return False
    return entity.noun in fact.kinds or bool(set(fact.kinds[:1]) & set(entity.kinds))


def _of(entity: Entity, pairs: Sequence[tuple[Fact, Hidden]]) -> Summary:
    return Summary(entity, tuple(fact for fact, _ in pairs), tuple(hidden for _, hidden in pairs))


def enough(number: int, turns: int) -> None:
    """Refuse a seed whose facts do not suffice for the turns.

    Raises:
        Unfit: they do not.
    """
    if number < turns:
        raise Unfit("plan", [Problem("turns", f"facts for {number} questions, not for {turns}")])


def offered(
    kg: KnowledgeGraph, summary: Summary, wanted: Sequence[Wish], chance: Random
) -> tuple[Summary, tuple[Wish, ...]]:
    """Give the facts that shall be asked as yes-no questions their values; where there is none, ask otherwise."""
    granted: list[Wish] = []
    for wish in wanted:
        if wish.form == "boolean":
            fact, _ = summary.fact(wish.fact)
            given = offer(kg, summary, wish.fact, chance)
            if given is None:
                wish = replace(wish, form=fact.forms[0])
            else:
                summary = given
        granted.append(wish)
    return summary, tuple(granted)


def shown(run: Run, summary: Summary, wanted: Sequence[Wish]) -> Summary:
    """Return the facts as prompts of this run show them; two steps at once only where they are wanted.

    Raises:
        Unfit: they are too long for a prompt.
    """
    asked = {wish.fact for wish in wanted}
    pairs = zip(summary.facts, summary.hidden, strict=True)
    kept = [(fact, hidden) for fact, hidden in pairs if len(fact.steps) == 1 or fact.number in asked]
    seen = serialization.seen(run.kg, _of(summary.entity, kept), run.options.context)
    reject_if("questions", serialization.too_long(seen, run.options.context_tokens))
    return seen


def _ask(
    run: Run, task: tuple[Summary, Sequence[Wish]], needed: Fact | None, propose: Proposer
) -> tuple[tuple[Bound, ...], Usage]:
    """Have questions asked about one entity, bind each to its query, and execute it."""
    summary, wanted = shown(run, *task), task[1]
    proposed, usage = propose(run, summary, wanted, needed)
    writer = run.model if run.options.queries == "llm" else None
    found: list[Bound] = []
    for one in proposed:
        with stage("query"):
            bound, more, problems = queries.bind(run.kg.endpoint, summary, one, writer=writer, theta=run.options.theta)
        usage += more
        reject_if("query", problems)
        found.append(bound)
    return tuple(found), usage


def _order(topic: Sequence[Bound], outline: Outline, chance: Random) -> tuple[Bound, ...]:
    """Order the turns about the seed: a plain question opens; the one whose answer is asked about next comes last;
    those that bring up another thing of the seed's own kind come late, where no pronoun follows them."""

    def place(bound: Bound) -> tuple[bool, bool, bool, float]:
        leads_on = outline.bridge is not None and bound.proposed.fact == outline.bridge.fact.number
        kindred = bool(set(bound.fact.kinds) & set(bound.entity.kinds)) and bound.proposed.form != "count"
        return leads_on, _is_alike(bound.fact, bound.entity), kindred, chance.random()

    ordered = sorted(topic, key=place)
    plain = [bound for bound in ordered[:-1] if bound.proposed.form in questions.LOOKUPS]
    if plain and ordered[0] is not plain[0]:
        ordered.remove(plain[0])
        ordered.insert(0, plain[0])
    return tuple(ordered)


def _turns(run: Run, bounds: Sequence[Bound], about_seed: int) -> tuple[tuple[Turn, ...], Usage]:
    """Rewrite the questions as one conversation and put its turns together."""
    distinct(bounds)
    links: tuple[Link, ...] = links_of(len(bounds), about_seed)
    drafts = [
        Draft(number, bound.proposed.question, bound.entity, link, _brought_up(bounds, number - 1))
        for number, (bound, link) in enumerate(zip(bounds, links, strict=True), 1)
    ]
    with stage("dialogue"):
        answers = [gold.spoken(run.kg, bound) for bound in bounds]
        texts, usage = dialogues.rewrite(run.model, drafts, answers, theta=run.options.theta)
    return together(run.kg, bounds, links, texts), usage


def _brought_up(bounds: Sequence[Bound], place: int) -> tuple[str, ...]:
    """Return the kind of the single other thing that the turn before has brought up, if it has."""
    if not place:
        return ()
    before, here = bounds[place - 1], bounds[place]
    if before.fact.shape != "entity" or before.proposed.form in ("count", "list") or before.fact.count > 1:
        return ()
    if before.hidden.ends and before.hidden.ends[0] == here.entity.iri:
        return ()
    return before.fact.kinds[:1] or ("thing",)
