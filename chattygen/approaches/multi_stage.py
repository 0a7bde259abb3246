"""The paper's multi-stage approach: subgraph, summary, questions, queries, gold answers, rewritten dialogue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random

from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue, LinkName, Seed, Turn
from chattyshared.model import Usage
from chattyshared.question_forms import LOOKUP_FORMS
from rdflib import URIRef

from chattygen.context.dialogue_context import Context, sample_bridges
from chattygen.context.distractors import true_and_false_offers
from chattygen.context.facts import Bridge, Entity, Fact, QuestionRequest, Summary, add_two_hop_facts
from chattygen.context.summary import check_context_length, fact_answer_texts, visible_facts
from chattygen.rejection import SeedRejected, reject_failures_at, reject_if_any
from chattygen.run import RunContext, in_stage
from chattygen.stages import dialogues, gold, queries, questions
from chattygen.stages.dialogues import DraftTurn
from chattygen.stages.gold import assemble_turns, links_of, require_distinct_queries
from chattygen.stages.queries import BoundQuestion
from chattygen.stages.questions import ProposedQuestion

NO_BRIDGE_SHARE = 0.2
"""Share (0 to 1) of the dialogues with a single bridge that use it for two-hop facts only."""
QuestionProposer = Callable[
    [RunContext, Summary, Sequence[QuestionRequest], Fact | None], tuple[tuple[ProposedQuestion, ...], Usage]
]
"""From a run, a summary and requests to questions, each with its fact; raises ``SeedRejected``. The last argument is
the fact that must be asked, since later turns are about its answer."""


def write_dialogue(run: RunContext, context: Context, iri: URIRef, type_iri: str, identity: str) -> Dialogue:
    """Write a dialogue in three stages: questions with their facts, queries, dialogue.

    Raises:
        SeedRejected: a stage failed, with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    seed = Seed(str(iri), context.seed.entity.label, type_iri)
    return write_staged_dialogue(run, context, seed, identity, propose_in_one_call)


def propose_in_one_call(
    run: RunContext, summary: Summary, requests: Sequence[QuestionRequest], _: Fact | None
) -> tuple[tuple[ProposedQuestion, ...], Usage]:
    """Have a model ask all questions in one call, each with the fact that supports it."""
    answers = partial(fact_answer_texts, run.kg, summary)
    with reject_failures_at("questions"):
        return questions.propose_questions(
            run.model, summary, requests, answers, theta=run.options.theta, language=run.language
        )


def write_staged_dialogue(
    run: RunContext, context: Context, seed: Seed, identity: str, propose: QuestionProposer
) -> Dialogue:
    """Write a dialogue whose questions come from a proposer.

    Raises:
        SeedRejected: a stage failed, with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    rng = Random(f"{run.options.seed}/dialogue/{seed.iri}")
    outline = _outline(run, context, rng)
    bridge = outline.bridge
    seed_task = add_offered_values(run, context, outline.summary, outline.seed_requests, rng)
    seed_questions, usage = _ask(run, seed_task, bridge.fact if bridge else None, propose)
    bridge_questions: tuple[BoundQuestion, ...] = ()
    if bridge is not None:
        bridge_questions, more = _ask(
            run, add_offered_values(run, context, bridge.summary, outline.bridge_requests, rng), None, propose
        )
        usage += more
    ordered = _order(seed_questions, outline, rng)
    turns, more = _rewrite(run, (*ordered, *bridge_questions), len(ordered))
    return Dialogue(identity, seed, turns, usage + more)


@dataclass(frozen=True, slots=True)
class DialogueOutline:
    """The requests of a dialogue: about the seed, and about the answer to one of these (the bridge entity)."""

    summary: Summary
    seed_requests: tuple[QuestionRequest, ...]
    bridge: Bridge | None = None
    bridge_requests: tuple[QuestionRequest, ...] = ()


@in_stage("extraction")
def _outline(run: RunContext, context: Context, rng: Random) -> DialogueOutline:
    """Draw how many turns are about the seed and how many about a bridge entity, and their forms."""
    turns, mix, summary = run.options.turns, run.options.mix, context.seed
    bridges = sample_bridges(context, rng) if turns > 2 else ()
    bridge = bridges[0] if bridges else None
    if len(bridges) == 1 and run.options.shape == "both" and rng.random() < NO_BRIDGE_SHARE:
        bridge = None
    others = [other for other in bridges if other is not bridge]
    for other in others[:1]:
        summary = add_two_hop_facts(summary, other)
    summary = drop_confusable(summary, rng, kept_fact=bridge.fact if bridge else None, keep_one=bridge is None)
    bridge_requests: tuple[QuestionRequest, ...] = ()
    if bridge is not None:
        bridge = replace(bridge, summary=drop_confusable(bridge.summary, rng))
        expected = run.options.chain * (turns - 1)
        number = int(expected) + (rng.random() < expected - int(expected))
        bridge_requests = questions.draw_requests(bridge.summary.facts, max(1, number), rng, mix=mix)
    required = (QuestionRequest(bridge.form, bridge.fact.number),) if bridge is not None else ()
    requests = questions.draw_requests(summary.facts, turns - len(bridge_requests), rng, required=required, mix=mix)
    if bridge is not None and len(requests) + len(bridge_requests) < turns:
        bridge_requests = questions.draw_requests(bridge.summary.facts, turns - len(requests), rng, mix=mix)
    require_turns(len(requests) + len(bridge_requests), turns)
    return DialogueOutline(summary, requests, bridge, bridge_requests)


def drop_confusable(summary: Summary, rng: Random, *, kept_fact: Fact | None = None, keep_one: bool = False) -> Summary:
    """Return the summary without the facts with a single answer of the entity's own class.

    In the turn after such a fact no reference could distinguish the two. ``kept_fact`` stays, since its answer is what
    later turns are about; with ``keep_one``, one such fact stays for the last turn.
    """
    confusable = [fact.number for fact in summary.facts if _is_confusable(fact, summary.entity)]
    kept = {kept_fact.number} if kept_fact else {rng.choice(confusable)} if keep_one and confusable else set()
    dropped = set(confusable) - kept
    return _select_facts(summary, lambda fact: fact.number not in dropped)


def _is_confusable(fact: Fact, entity: Entity) -> bool:
    """Tell whether a fact has one answer that a reference to the entity could mean too."""
    if fact.shape != "entity" or fact.count > 1:
        return False
    return entity.noun in fact.class_labels or bool(set(fact.class_labels[:1]) & set(entity.class_labels))


def _select_facts(summary: Summary, is_kept: Callable[[Fact], bool]) -> Summary:
    pairs = [pair for pair in zip(summary.facts, summary.hidden, strict=True) if is_kept(pair[0])]
    return Summary(summary.entity, tuple(fact for fact, _ in pairs), tuple(hidden for _, hidden in pairs))


def require_turns(number: int, turns: int) -> None:
    """Check that the facts of a seed suffice for the turns.

    Raises:
        SeedRejected: they do not suffice.
    """
    if number < turns:
        raise SeedRejected("plan", [Problem("turns", f"facts for {number} questions, not for {turns}")])


def add_offered_values(
    run: RunContext, context: Context, summary: Summary, requests: Sequence[QuestionRequest], rng: Random
) -> tuple[Summary, tuple[QuestionRequest, ...]]:
    """Return the summary with the values of the requested yes-no questions, each true or false with equal probability;
    and the requests.

    A fact without such values is requested in another form.
    """
    possible: list[QuestionRequest] = []
    pairs = {fact.number: (fact, hidden) for fact, hidden in summary.facts_with_ends}
    for request in requests:
        if request.form == "boolean":
            fact, hidden = pairs[request.fact_number]
            offers = list(true_and_false_offers(run.kg, context, summary, fact, hidden, rng))
            if offers:
                pairs[request.fact_number] = rng.choice(offers)
            else:
                request = replace(request, form=fact.forms[0])
        possible.append(request)
    facts, all_hidden = zip(*pairs.values(), strict=True)
    return Summary(summary.entity, facts, all_hidden), tuple(possible)


def prepare_prompt_facts(run: RunContext, summary: Summary, requests: Sequence[QuestionRequest]) -> Summary:
    """Return the facts as the prompts of this run show them; two-hop facts only if they are requested.

    Raises:
        SeedRejected: they are too long for a prompt.
    """
    requested = {request.fact_number for request in requests}
    kept = _select_facts(summary, lambda fact: len(fact.steps) == 1 or fact.number in requested)
    visible = visible_facts(run.kg, kept, run.options.context)
    reject_if_any("questions", check_context_length(visible, run.options.context_tokens))
    return visible


@in_stage("questions")
def _ask(
    run: RunContext, task: tuple[Summary, Sequence[QuestionRequest]], required: Fact | None, propose: QuestionProposer
) -> tuple[tuple[BoundQuestion, ...], Usage]:
    """Have questions asked about one entity, bind each to its query, and run the query."""
    summary, requests = prepare_prompt_facts(run, *task), task[1]
    proposed, usage = propose(run, summary, requests, required)
    writer = run.model if run.options.queries == "llm" else None
    bound_questions: list[BoundQuestion] = []
    for question in proposed:
        with run.trace.stage("queries"), reject_failures_at("query"):
            bound, more, problems = queries.bind_question(
                run.kg.endpoint, summary, question, writer=writer, theta=run.options.theta
            )
        usage += more
        reject_if_any("query", problems)
        bound_questions.append(bound)
    return tuple(bound_questions), usage


def _order(seed_questions: Sequence[BoundQuestion], outline: DialogueOutline, rng: Random) -> tuple[BoundQuestion, ...]:
    """Order the questions about the seed.

    A lookup opens. The question whose answer the next turns are about comes last. Questions that mention another entity
    of the seed's own class come late, where no pronoun follows.
    """

    def sort_key(bound: BoundQuestion) -> tuple[bool, bool, bool, float]:
        is_bridge = outline.bridge is not None and bound.turn.fact.number == outline.bridge.fact.number
        shares_class = (
            bool(set(bound.turn.fact.class_labels) & set(bound.turn.entity.class_labels)) and bound.turn.form != "count"
        )
        return is_bridge, _is_confusable(bound.turn.fact, bound.turn.entity), shares_class, rng.random()

    ordered = sorted(seed_questions, key=sort_key)
    lookups = [bound for bound in ordered[:-1] if bound.turn.form in LOOKUP_FORMS]
    if lookups and ordered[0] is not lookups[0]:
        ordered.remove(lookups[0])
        ordered.insert(0, lookups[0])
    return tuple(ordered)


@in_stage("dialogue")
def _rewrite(run: RunContext, bounds: Sequence[BoundQuestion], about_seed: int) -> tuple[tuple[Turn, ...], Usage]:
    """Rewrite the questions as one dialogue and assemble its turns."""
    require_distinct_queries(bounds)
    links: tuple[LinkName, ...] = links_of(len(bounds), about_seed)
    drafts = [
        DraftTurn(number, bound.text, bound.turn.entity, link, _confusable_classes(bounds, number - 1))
        for number, (bound, link) in enumerate(zip(bounds, links, strict=True), 1)
    ]
    with reject_failures_at("dialogue"):
        answers = [gold.answer_texts(run.kg, bound) for bound in bounds]
        texts, usage = dialogues.rewrite_dialogue(
            run.model, drafts, answers, theta=run.options.theta, language=run.language
        )
    return assemble_turns(run.kg, bounds, links, texts), usage


def _confusable_classes(bounds: Sequence[BoundQuestion], index: int) -> tuple[str, ...]:
    """Return the class of the single other entity that the turn before mentions, if there is one."""
    if not index:
        return ()
    before, current = bounds[index - 1].turn, bounds[index].turn
    if before.fact.shape != "entity" or before.form in ("count", "list") or before.fact.count > 1:
        return ()
    if before.hidden.ends and before.hidden.ends[0] == current.entity.iri:
        return ()
    return before.fact.class_labels[:1] or ("thing",)
