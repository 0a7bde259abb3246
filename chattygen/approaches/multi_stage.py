"""One dialogue from one seed: subgraph, summary, questions, queries, gold answers, rewriting, as in the paper."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, LinkName, Seed, Turn
from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Usage
from chattyshared.question_forms import LOOKUP_FORMS
from rdflib import URIRef

from chattygen.rejection import SeedRejected, reject_failures_at, reject_if_any
from chattygen.run import RunContext
from chattygen.stages import dialogues, gold, queries, questions
from chattygen.stages.dialogues import DraftTurn
from chattygen.stages.queries import BoundQuestion
from chattygen.stages.questions import ProposedQuestion
from chattygen.stages.turns import assemble_turns, links_of, require_distinct_queries
from chattygen.subgraph import serialization
from chattygen.subgraph.bridge_entities import Bridge, add_two_hop_facts, find_bridges
from chattygen.subgraph.distractors import offer_value
from chattygen.subgraph.extraction import extract_subgraph
from chattygen.subgraph.facts import Entity, Fact, HiddenEnds, QuestionRequest, Summary
from chattygen.subgraph.requirements import check_seed
from chattygen.subgraph.summary import summarize

QuestionProposer = Callable[
    [RunContext, Summary, Sequence[QuestionRequest], Fact | None], tuple[tuple[ProposedQuestion, ...], Usage]
]
"""Has questions asked about one entity, and says which fact each rests on; raises ``Unfit``. The last argument is the
fact that must be among these, since the talk goes on about its answer."""


def write_dialogue(run: RunContext, summary: Summary, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Write a dialogue in three stages: questions with their facts, queries, dialogue.

    Raises:
        SeedRejected: a stage failed, with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    seed = Seed(str(iri), summary.entity.label, type_iri)
    return write_staged_dialogue(run, summary, seed, identity, propose_in_one_call)


def propose_in_one_call(
    run: RunContext, summary: Summary, requests: Sequence[QuestionRequest], _: Fact | None
) -> tuple[tuple[ProposedQuestion, ...], Usage]:
    """Have all questions asked in one call, each with the fact that it rests on."""
    answers = partial(serialization.fact_answer_texts, run.kg, summary)
    with reject_failures_at("questions"):
        return questions.propose_questions(run.model, summary, requests, answers, theta=run.options.theta)


def write_staged_dialogue(
    run: RunContext, summary: Summary, seed: Seed, identity: str, propose: QuestionProposer
) -> Dialogue:
    """Write a dialogue whose questions come from a proposer.

    Raises:
        SeedRejected: a stage failed, with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    chance = Random(f"{run.options.seed}/dialogue/{seed.iri}")
    outline = _outline(run, summary, chance)
    bridge = outline.bridge
    task = add_offered_values(run.kg, outline.summary, outline.seed_requests, chance)
    topic, spent = _ask(run, task, bridge.fact if bridge else None, propose)
    chained: tuple[BoundQuestion, ...] = ()
    if bridge is not None:
        chained, more = _ask(
            run, add_offered_values(run.kg, bridge.summary, outline.bridge_requests, chance), None, propose
        )
        spent += more
    ordered = _order(topic, outline, chance)
    turns, more = _turns(run, (*ordered, *chained), len(ordered))
    return Dialogue(identity, seed, turns, spent + more)


def summarize_seed(run: RunContext, iri: URIRef, type_iri: str) -> Summary:
    """Return the facts of a seed.

    Raises:
        Unfit: the entity does not meet the conditions of a seed.
    """
    options = run.options
    graph = extract_subgraph(
        run.kg, iri, run.naming, type_iri=type_iri, limit=options.max_triples, direction=options.direction,
        excluded=run.excluded_predicates,
    )  # fmt: skip
    reject_if_any("seed", check_seed(run.kg, graph, run.naming.predicates_of(type_iri), options))
    return summarize(run.kg, graph, list_limit=options.list_limit)


@dataclass(frozen=True, slots=True)
class DialogueOutline:
    """What a dialogue shall ask: wishes about the seed, and wishes about the answer to one of them (its bridge)."""

    summary: Summary
    seed_requests: tuple[QuestionRequest, ...]
    bridge: Bridge | None = None
    bridge_requests: tuple[QuestionRequest, ...] = ()


def _outline(run: RunContext, summary: Summary, chance: Random) -> DialogueOutline:
    """Draw how many turns are about the seed and how many about an answer, and which forms they have."""
    turns, mix = run.options.turns, run.options.mix
    found = find_bridges(run, summary, chance) if turns > 2 else ()
    bridge = found[0] if found else None
    if len(found) == 1 and run.options.shape == "both" and chance.random() < 0.2:
        bridge = None
    rest = [other for other in found if other is not bridge]
    for other in rest[:1]:
        summary = add_two_hop_facts(summary, other)
    summary = drop_confusable(summary, chance, kept_fact=bridge.fact if bridge else None, keep_one=bridge is None)
    chained: tuple[QuestionRequest, ...] = ()
    if bridge is not None:
        bridge = replace(bridge, summary=drop_confusable(bridge.summary, chance))
        exact = run.options.chain * (turns - 1)
        number = int(exact) + (chance.random() < exact - int(exact))
        chained = questions.draw_requests(bridge.summary.facts, max(1, number), chance, mix=mix)
    must = (QuestionRequest(bridge.form, bridge.fact.number),) if bridge is not None else ()
    wanted = questions.draw_requests(summary.facts, turns - len(chained), chance, required=must, mix=mix)
    if bridge is not None and len(wanted) + len(chained) < turns:
        chained = questions.draw_requests(bridge.summary.facts, turns - len(wanted), chance, mix=mix)
    require_turns(len(wanted) + len(chained), turns)
    return DialogueOutline(summary, wanted, bridge, chained)


def drop_confusable(summary: Summary, rng: Random, *, kept_fact: Fact | None = None, keep_one: bool = False) -> Summary:
    """Leave out the facts with a single answer of the entity's own kind, since in the turn after it no reference could
    tell the two apart. Kept are ``but``, whose answer is what the talk goes on about, and with ``one``, one such fact
    for the last turn."""
    alike = [fact.number for fact in summary.facts if _is_alike(fact, summary.entity)]
    kept = {kept_fact.number} if kept_fact else {rng.choice(alike)} if keep_one and alike else set()
    pairs = zip(summary.facts, summary.hidden, strict=True)
    gone = set(alike) - kept
    return _of(summary.entity, [(fact, hidden) for fact, hidden in pairs if fact.number not in gone])


def _is_alike(fact: Fact, entity: Entity) -> bool:
    """Tell whether a fact has one answer that a reference to the entity could mean as well."""
    if fact.shape != "entity" or fact.count > 1:
        return False
    return entity.noun in fact.class_labels or bool(set(fact.class_labels[:1]) & set(entity.class_labels))


def _of(entity: Entity, pairs: Sequence[tuple[Fact, HiddenEnds]]) -> Summary:
    return Summary(entity, tuple(fact for fact, _ in pairs), tuple(hidden for _, hidden in pairs))


def require_turns(number: int, turns: int) -> None:
    """Refuse a seed whose facts do not suffice for the turns.

    Raises:
        Unfit: they do not.
    """
    if number < turns:
        raise SeedRejected("plan", [Problem("turns", f"facts for {number} questions, not for {turns}")])


def add_offered_values(
    kg: KnowledgeGraph, summary: Summary, requests: Sequence[QuestionRequest], rng: Random
) -> tuple[Summary, tuple[QuestionRequest, ...]]:
    """Give the facts that shall be asked as yes-no questions their values; where there is none, ask otherwise."""
    granted: list[QuestionRequest] = []
    for wish in requests:
        if wish.form == "boolean":
            fact, _ = summary.fact_by_number(wish.fact_number)
            given = offer_value(kg, summary, wish.fact_number, rng)
            if given is None:
                wish = replace(wish, form=fact.forms[0])
            else:
                summary = given
        granted.append(wish)
    return summary, tuple(granted)


def prepare_prompt_facts(run: RunContext, summary: Summary, requests: Sequence[QuestionRequest]) -> Summary:
    """Return the facts as prompts of this run show them; two steps at once only where they are wanted.

    Raises:
        Unfit: they are too long for a prompt.
    """
    asked = {wish.fact_number for wish in requests}
    pairs = zip(summary.facts, summary.hidden, strict=True)
    kept = [(fact, hidden) for fact, hidden in pairs if len(fact.steps) == 1 or fact.number in asked]
    seen = serialization.visible_facts(run.kg, _of(summary.entity, kept), run.options.context)
    reject_if_any("questions", serialization.check_context_length(seen, run.options.context_tokens))
    return seen


def _ask(
    run: RunContext, task: tuple[Summary, Sequence[QuestionRequest]], needed: Fact | None, propose: QuestionProposer
) -> tuple[tuple[BoundQuestion, ...], Usage]:
    """Have questions asked about one entity, bind each to its query, and execute it."""
    summary, wanted = prepare_prompt_facts(run, *task), task[1]
    proposed, usage = propose(run, summary, wanted, needed)
    writer = run.model if run.options.queries == "llm" else None
    found: list[BoundQuestion] = []
    for one in proposed:
        with reject_failures_at("query"):
            bound, more, problems = queries.bind_question(
                run.kg.endpoint, summary, one, writer=writer, theta=run.options.theta
            )
        usage += more
        reject_if_any("query", problems)
        found.append(bound)
    return tuple(found), usage


def _order(topic: Sequence[BoundQuestion], outline: DialogueOutline, chance: Random) -> tuple[BoundQuestion, ...]:
    """Order the turns about the seed: a plain question opens; the one whose answer is asked about next comes last;
    those that bring up another thing of the seed's own kind come late, where no pronoun follows them."""

    def place(bound: BoundQuestion) -> tuple[bool, bool, bool, float]:
        leads_on = outline.bridge is not None and bound.proposed.fact_number == outline.bridge.fact.number
        kindred = bool(set(bound.fact.class_labels) & set(bound.entity.class_labels)) and bound.proposed.form != "count"
        return leads_on, _is_alike(bound.fact, bound.entity), kindred, chance.random()

    ordered = sorted(topic, key=place)
    plain = [bound for bound in ordered[:-1] if bound.proposed.form in LOOKUP_FORMS]
    if plain and ordered[0] is not plain[0]:
        ordered.remove(plain[0])
        ordered.insert(0, plain[0])
    return tuple(ordered)


def _turns(run: RunContext, bounds: Sequence[BoundQuestion], about_seed: int) -> tuple[tuple[Turn, ...], Usage]:
    """Rewrite the questions as one conversation and put its turns together."""
    require_distinct_queries(bounds)
    links: tuple[LinkName, ...] = links_of(len(bounds), about_seed)
    drafts = [
        DraftTurn(number, bound.proposed.question, bound.entity, link, _brought_up(bounds, number - 1))
        for number, (bound, link) in enumerate(zip(bounds, links, strict=True), 1)
    ]
    with reject_failures_at("dialogue"):
        answers = [gold.answer_texts(run.kg, bound) for bound in bounds]
        texts, usage = dialogues.rewrite_dialogue(run.model, drafts, answers, theta=run.options.theta)
    return assemble_turns(run.kg, bounds, links, texts), usage


def _brought_up(bounds: Sequence[BoundQuestion], place: int) -> tuple[str, ...]:
    """Return the kind of the single other thing that the turn before has brought up, if it has."""
    if not place:
        return ()
    before, here = bounds[place - 1], bounds[place]
    if before.fact.shape != "entity" or before.proposed.form in ("count", "list") or before.fact.count > 1:
        return ()
    if before.hidden.ends and before.hidden.ends[0] == here.entity.iri:
        return ()
    return before.fact.class_labels[:1] or ("thing",)
