"""One dialogue from one seed: subgraph, summary, questions, queries, gold answers, rewriting, as in the paper."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, Link, Seed, Turn
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Usage
from rdflib import URIRef

from chattygen import dialogues, gold, queries, questions, seeds
from chattygen.bridges import Bridge, bridges, two_steps
from chattygen.checks import keeps_answers
from chattygen.dialogues import Draft
from chattygen.facts import Summary, Wish
from chattygen.offers import offer
from chattygen.queries import Bound
from chattygen.rejection import Unfit, stage
from chattygen.run import Run
from chattygen.subgraph import extract
from chattygen.summary import summarize


def make(run: Run, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Make a dialogue about one entity.

    Raises:
        Unfit: a stage failed, with the problems.
        EndpointError, ModelError: the world cannot be asked.
    """
    chance = Random(f"{run.options.seed}/dialogue/{iri}")
    graph = extract(run.kg, iri, run.naming, type_iri=type_iri, limit=run.options.max_triples, hidden=run.hidden)
    _reject_if("seed", seeds.fits(run.kg, graph, run.naming.predicates(type_iri), run.options))
    summary = summarize(run.kg, graph, list_limit=run.options.list_limit)
    outline = _outline(run, summary, chance)
    topic, spent = _ask(run, outline.summary, outline.wanted, chance)
    chained: tuple[Bound, ...] = ()
    if outline.bridge is not None:
        chained, more = _ask(run, outline.bridge.summary, outline.chained, chance)
        spent += more
    ordered = _order(topic, outline, chance)
    turns, more = _turns(run, (*ordered, *chained), len(ordered))
    entity = graph.entity
    return Dialogue(identity, Seed(str(iri), entity.label, type_iri), turns, spent + more)


@dataclass(frozen=True, slots=True)
class Outline:
    """What a dialogue shall ask: wishes about the seed, and wishes about the answer to one of them (its bridge)."""

    summary: Summary
    wanted: tuple[Wish, ...]
    bridge: Bridge | None = None
    chained: tuple[Wish, ...] = ()


def _outline(run: Run, summary: Summary, chance: Random) -> Outline:
    """Draw how many turns are about the seed and how many about an answer, and which forms they have."""
    turns = run.options.turns
    found = bridges(run, summary, chance) if turns > 2 else ()
    bridge = found[0] if found else None
    if len(found) == 1 and chance.random() < 0.2:
        bridge = None
    rest = [other for other in found if other is not bridge]
    for other in rest[:1]:
        summary = two_steps(summary, other)
    chained: tuple[Wish, ...] = ()
    if bridge is not None:
        exact = run.options.chain * (turns - 1)
        number = int(exact) + (chance.random() < exact - int(exact))
        chained = questions.wishes(bridge.summary.facts, max(1, number), chance)
    must = (Wish(bridge.form, bridge.fact.number),) if bridge is not None else ()
    wanted = questions.wishes(summary.facts, turns - len(chained), chance, must=must)
    if bridge is not None and len(wanted) + len(chained) < turns:
        chained = questions.wishes(bridge.summary.facts, turns - len(wanted), chance)
    if len(wanted) + len(chained) < turns:
        few = Problem("turns", f"facts for {len(wanted) + len(chained)} questions, not for {turns}")
        raise Unfit("plan", [few])
    return Outline(summary, wanted, bridge, chained)


def _ask(run: Run, summary: Summary, wanted: Sequence[Wish], chance: Random) -> tuple[tuple[Bound, ...], Usage]:
    """Have questions asked about one entity, bind each to its query, and execute it."""
    summary, wanted = _offers(run.kg, summary, wanted, chance)
    with stage("questions"):
        proposed, usage = questions.propose(run.model, summary, wanted, theta=run.options.theta)
    writer = run.model if run.options.queries == "llm" else None
    found: list[Bound] = []
    for one in proposed:
        with stage("query"):
            bound, more, problems = queries.bind(run.kg.endpoint, summary, one, writer=writer, theta=run.options.theta)
        usage += more
        _reject_if("query", problems)
        _reject_if("answers", keeps_answers(one.question, gold.spoken(run.kg, bound)))
        found.append(bound)
    return tuple(found), usage


def _offers(
    kg: KnowledgeGraph, summary: Summary, wanted: Sequence[Wish], chance: Random
) -> tuple[Summary, tuple[Wish, ...]]:
    """Give the facts that shall be asked as yes-no questions their values; where there is none, ask otherwise."""
    granted: list[Wish] = []
    for wish in wanted:
        if wish.form == "boolean":
            fact, _ = summary.fact(wish.fact)
            offered = offer(kg, summary, wish.fact, chance)
            if offered is None:
                wish = replace(wish, form=fact.forms[0])
            else:
                summary = offered
        granted.append(wish)
    return summary, tuple(granted)


def _order(topic: Sequence[Bound], outline: Outline, chance: Random) -> tuple[Bound, ...]:
    """Order the turns about the seed: a plain question opens; the one whose answer is asked about next comes last;
    those that bring up another thing of the seed's own kind come late, where no pronoun follows them."""

    def place(bound: Bound) -> tuple[bool, bool, float]:
        leads_on = outline.bridge is not None and bound.proposed.fact == outline.bridge.fact.number
        alike = bool(set(bound.fact.kinds) & set(bound.entity.kinds)) and bound.proposed.form != "count"
        return leads_on, alike, chance.random()

    ordered = sorted(topic, key=place)
    plain = [bound for bound in ordered[:-1] if bound.proposed.form in questions.LOOKUPS]
    if plain and ordered[0] is not plain[0]:
        ordered.remove(plain[0])
        ordered.insert(0, plain[0])
    return tuple(ordered)


def _turns(run: Run, bounds: Sequence[Bound], about_seed: int) -> tuple[tuple[Turn, ...], Usage]:
    """Rewrite the questions as one conversation and put its turns together."""
    if gold.same_answers(bounds):
        raise Unfit("dialogue", [Problem("repeated", "two turns run the same query")])
    links: list[Link] = ["opens" if not n else "topic" if n < about_seed else "answer" for n in range(len(bounds))]
    drafts = [
        Draft(number, bound.proposed.question, bound.entity, link, _brought_up(bounds, number - 1))
        for number, (bound, link) in enumerate(zip(bounds, links, strict=True), 1)
    ]
    with stage("dialogue"):
        texts, usage = dialogues.rewrite(run.model, drafts, theta=run.options.theta)
    made = []
    for number, (bound, link, text) in enumerate(zip(bounds, links, texts, strict=True), 1):
        _reject_if("dialogue", keeps_answers(text, gold.spoken(run.kg, bound)))
        made.append(Turn(
            number, text, bound.proposed.question, bound.proposed.form, link,  # type: ignore[arg-type]
            gold.answer_type(bound), True, gold.difficulty(bound, link), bound.sparql, gold.values(run.kg, bound),
            bound.pattern, gold.witness(bound),
        ))  # fmt: skip
    return tuple(made), usage


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


def _reject_if(name: str, problems: Iterable[Problem]) -> None:
    found = tuple(problems)
    if found:
        raise Unfit(name, found)
