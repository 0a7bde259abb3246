"""The paper's staged approaches: questions with their facts, queries, gold answers, and a dialogue rewritten from them.

In ``multi-stage`` one call asks questions and says their facts; in ``simplified`` a call a question finds its fact.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from random import Random
from typing import Any

from chattyshared.agent import TruncatableVariable, load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import LinkName, Turn
from chattyshared.language.scripts import contains_name
from chattyshared.model import Usage
from chattyshared.question_forms import FORM_BY_NAME, LOOKUP, LOOKUP_FORMS
from chattyshared.terms import n3

from chattygen.context.dialogue_context import Context, sample_bridges
from chattygen.context.distractors import true_and_false_offers
from chattygen.context.facts import Bridge, Entity, Fact, QuestionRequest, Summary, add_two_hop_facts
from chattygen.context.summary import check_context_length, fact_answer_texts, visible_facts
from chattygen.options import DEFAULT_MIX
from chattygen.rejection import SeedRejected, reject_if_any
from chattygen.run import RunContext, in_stage
from chattygen.turns import TurnSpec, render_pattern
from chattygen.wording.checks import (
    check_answers_hidden,
    check_fact_binding,
    check_question_texts,
    check_questions,
    check_rewriting,
)
from chattygen.wording.drafts import DraftTurn
from chattygen.wording.gold import BoundQuestion, assemble_turns, collapse_whitespace, hidden_answer_texts
from chattygen.wording.queries import run_turn, write_query

TRUE_ODDS = 0.5
"""Probability that a yes-no question offers what the KG states."""
NO_BRIDGE_SHARE = 0.2
"""Share (0 to 1) of the dialogues with a single bridge that use it for two-hop facts only."""
REQUESTED_FACTS = TruncatableVariable(
    "facts", must_keep=lambda fact, variables: fact.number in {request.fact_number for request in variables["wanted"]}
)
"""Facts that no request names can be left out of a prompt that is too long."""
PROPOSE = load_agent("generate/questions", check_questions, truncatable=(REQUESTED_FACTS,))
ASK_QUESTIONS = load_agent("generate/questions_only", check_question_texts, truncatable=(TruncatableVariable("facts"),))
BIND_QUESTION = load_agent("generate/binding", truncatable=(TruncatableVariable("facts"),))
REWRITE = load_agent("generate/dialogue", check_rewriting)


@dataclass(frozen=True, slots=True)
class QuestionTask:
    """An entity with its facts, and the requests for questions about it."""

    summary: Summary
    requests: tuple[QuestionRequest, ...]


QuestionProposer = Callable[[RunContext, QuestionTask, Fact | None], tuple[tuple[BoundQuestion, ...], Usage]]
"""From a run and a task to questions, each with its turn; raises ``SeedRejected``. The last argument is the fact that
must be asked, since later turns are about its answer."""


def write_turns(run: RunContext, context: Context, *, propose: QuestionProposer) -> tuple[tuple[Turn, ...], Usage]:
    """Write the turns of a dialogue in stages: questions with their facts, queries, dialogue.

    Raises:
        SeedRejected: a stage failed, with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    rng = Random(f"{run.options.seed}/dialogue/{context.seed.entity.iri}")
    about_seed, bridge, about_bridge = _outline(run, context, rng)
    required = bridge.fact if bridge is not None else None
    questions, usage = _ask(run, context, about_seed, rng, required, propose)
    later: tuple[BoundQuestion, ...] = ()
    if about_bridge is not None:
        later, more = _ask(run, context, about_bridge, rng, None, propose)
        usage += more
    ordered = number_turns((*_order(questions, required, rng), *later), context.seed.entity)
    texts, more = _rewrite(run, ordered)
    return assemble_turns(run.kg, ordered, texts), usage + more


# What is asked.


@in_stage("extraction")
def _outline(run: RunContext, context: Context, rng: Random) -> tuple[QuestionTask, Bridge | None, QuestionTask | None]:
    """Draw how many turns are about the seed and how many about a bridge entity, and their forms."""
    turns, mix, summary = run.options.turns, run.options.mix, context.seed
    bridges = sample_bridges(context, rng) if turns > 2 else ()
    bridge = bridges[0] if bridges else None
    if len(bridges) == 1 and run.options.shape == "both" and rng.random() < NO_BRIDGE_SHARE:
        bridge = None
    others = [other for other in bridges if other is not bridge]
    for other in others[:1]:
        summary = add_two_hop_facts(summary, other)
    if bridge is None:
        return draw_task(run, drop_confusable(summary, rng, keep_one=True), rng), None, None
    summary = drop_confusable(summary, rng, kept_fact=bridge.fact)
    farther = drop_confusable(bridge.summary, rng)
    expected = run.options.chain * (turns - 1)
    number = int(expected) + (rng.random() < expected - int(expected))
    later = draw_requests(farther.facts, max(1, number), rng, mix=mix)
    first = [QuestionRequest(bridge.form, bridge.fact.number)]
    requests = draw_requests(summary.facts, turns - len(later), rng, required=first, mix=mix)
    if len(requests) + len(later) < turns:
        later = draw_requests(farther.facts, turns - len(requests), rng, mix=mix)
    _require_turns(run, len(requests) + len(later))
    return QuestionTask(summary, requests), bridge, QuestionTask(farther, later)


def draw_task(run: RunContext, summary: Summary, rng: Random) -> QuestionTask:
    """Draw requests about one entity for all turns.

    Raises:
        SeedRejected: its facts do not suffice.
    """
    requests = draw_requests(summary.facts, run.options.turns, rng, mix=run.options.mix)
    _require_turns(run, len(requests))
    return QuestionTask(summary, requests)


def _require_turns(run: RunContext, number: int) -> None:
    if number < run.options.turns:
        raise SeedRejected("plan", [Problem("turns", f"facts for {number} questions, not for {run.options.turns}")])


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
    pairs = [pair for pair in summary.facts_with_ends if is_kept(pair[0])]
    return Summary(summary.entity, tuple(fact for fact, _ in pairs), tuple(hidden for _, hidden in pairs))


def draw_requests(
    facts: Sequence[Fact],
    number: int,
    rng: Random,
    *,
    required: Sequence[QuestionRequest] = (),
    mix: Sequence[tuple[str, float]] = DEFAULT_MIX,
) -> tuple[QuestionRequest, ...]:
    """Draw requests for questions by the mix of forms, each on a fact with another predicate.

    ``required`` come first. There are fewer than ``number`` if the facts do not suffice.
    """
    shares = dict(mix)
    shares[LOOKUP] = shares.get(LOOKUP, 0.0) + sum(shares.pop(form, 0.0) for form in LOOKUP_FORMS)
    asked = {fact.last_step.predicate for fact in facts if fact.number in {request.fact_number for request in required}}
    free = [fact for fact in facts if fact.last_step.predicate not in asked]
    drawn = list(required)
    while len(drawn) < number and free:
        form = _draw_form(free, {request.form for request in drawn}, shares, rng)
        candidates = [fact for fact in free if form in fact.forms]
        fact = candidates[rng.randrange(len(candidates))]
        free = [other for other in free if other.last_step.predicate != fact.last_step.predicate]
        drawn.append(QuestionRequest(form, fact.number))
    return tuple(drawn)


def _draw_form(facts: Sequence[Fact], drawn_forms: set[str], mix: Mapping[str, float], rng: Random) -> str:
    """Draw a form that some fact can carry; new lookup forms come before those that are already drawn."""
    available = {form for fact in facts for form in fact.forms}
    shares = {
        form: share
        for form, share in mix.items()
        if share and form in available and (form not in drawn_forms or not available - drawn_forms)
    }
    lookups = sorted(available & set(LOOKUP_FORMS))
    if lookups and mix[LOOKUP]:
        shares[LOOKUP] = mix[LOOKUP]
    if not shares:
        return sorted(available)[0]
    form = rng.choices(list(shares), weights=list(shares.values()))[0]
    if form in available:
        return form
    new_forms = [name for name in lookups if name not in drawn_forms] or lookups
    return new_forms[rng.randrange(len(new_forms))]


def prepare_task(run: RunContext, context: Context, task: QuestionTask, rng: Random) -> QuestionTask:
    """Return a task as its prompt shows it: with the values of its yes-no questions, each true or false with equal
    probability, and without the two-hop facts that are not requested.

    A fact without such values is requested in another form.

    Raises:
        SeedRejected: the facts are too long for a prompt.
    """
    requests: list[QuestionRequest] = []
    pairs = {fact.number: (fact, hidden) for fact, hidden in task.summary.facts_with_ends}
    for request in task.requests:
        if FORM_BY_NAME[request.form].is_yes_no:
            fact, hidden = pairs[request.fact_number]
            offers = list(true_and_false_offers(run.kg, context, task.summary, fact, hidden, rng))
            if offers:
                is_true = rng.random() < TRUE_ODDS
                fitting = [offer for offer in offers if offer[1].is_offer_true is is_true]
                pairs[request.fact_number] = rng.choice(fitting or offers)
            else:
                request = replace(request, form=fact.forms[0])
        requests.append(request)
    facts, all_hidden = zip(*pairs.values(), strict=True)
    requested = {request.fact_number for request in requests}
    summary = _select_facts(
        Summary(task.summary.entity, facts, all_hidden),
        lambda fact: len(fact.steps) == 1 or fact.number in requested,
    )
    visible = visible_facts(run.kg, summary, run.options.context)
    reject_if_any("questions", check_context_length(visible, run.options.context_tokens))
    return QuestionTask(visible, tuple(requests))


# Questions, each with its fact and its query.


@in_stage("questions")
def _ask(
    run: RunContext,
    context: Context,
    task: QuestionTask,
    rng: Random,
    required: Fact | None,
    propose: QuestionProposer,
) -> tuple[tuple[BoundQuestion, ...], Usage]:
    """Have questions asked about one entity, and run the query of each, compiled or written by a model."""
    task = prepare_task(run, context, task, rng)
    proposed, usage = propose(run, task, required)
    questions: list[BoundQuestion] = []
    for question in proposed:
        turn = question.turn
        if run.options.queries == "llm":
            triples = render_pattern(n3(turn.entity.iri), turn.fact, turn.hidden, turn.form)
            turn, result, more = write_query(run, question.text, turn, triples)
            usage += more
        else:
            result = run_turn(run, turn)
        questions.append(BoundQuestion(question.text, turn, result))
    return tuple(questions), usage


def propose_in_one_call(run: RunContext, task: QuestionTask, _: Fact | None) -> tuple[tuple[BoundQuestion, ...], Usage]:
    """Have a model ask all questions in one call, each with the fact that supports it."""
    summary = task.summary
    numbers = {fact.number for fact in summary.facts}

    def check_answers(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        for item in reply["questions"]:
            if item["facts"][0] in numbers:
                answers = fact_answer_texts(run.kg, summary, item["facts"][0], item["form"])
                yield from check_answers_hidden(item["question"], answers)

    reply = run.ask(PROPOSE, "questions", _prompt_variables(run, task), check_answers)
    asked = (_question(summary, i["question"], i["form"], i["facts"][0]) for i in reply.value["questions"])
    return tuple(asked), reply.usage


def _prompt_variables(run: RunContext, task: QuestionTask) -> dict[str, Any]:
    facts, requests = task.summary.facts, task.requests
    return {
        "entity": task.summary.entity, "number": str(len(requests)), "wanted": requests, "facts": facts,
        "language": run.language,
    }  # fmt: skip


def _question(summary: Summary, text: str, form: str, fact_number: int) -> BoundQuestion:
    fact, hidden = summary.fact_by_number(fact_number)
    return BoundQuestion(collapse_whitespace(text), TurnSpec(0, form, "topic", summary.entity, fact, hidden=hidden))


def propose_then_bind(
    run: RunContext, task: QuestionTask, required: Fact | None
) -> tuple[tuple[BoundQuestion, ...], Usage]:
    """Have a model write questions, of which only the forms are requested, and then bind each to one fact."""

    def check_answers(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        # The fact of a question is not known yet, and only a full context reveals answers.
        for text in reply["questions"] if run.options.context == "full" else ():
            yield from check_answers_hidden(text, _hidden_texts(run, task.summary))

    must_name = {required.number} if required is not None else set()
    free_requests = tuple(
        request
        if FORM_BY_NAME[request.form].is_yes_no or request.fact_number in must_name
        else QuestionRequest(request.form)
        for request in task.requests
    )
    reply = run.ask(
        ASK_QUESTIONS, "questions", _prompt_variables(run, replace(task, requests=free_requests)), check_answers
    )
    usage, bound = reply.usage, dict[int, BoundQuestion]()
    for text in map(collapse_whitespace, reply.value["questions"]):
        question, more = _bind(run, task.summary, text, bound)
        bound[question.turn.fact.number] = question
        usage += more
    if required is not None and required.number not in bound:
        raise SeedRejected("triples", [Problem("wanted", f"no question rests on fact {required.number}")])
    return tuple(bound.values()), usage


def _hidden_texts(run: RunContext, summary: Summary) -> Iterator[str]:
    """Yield the texts of the hidden ends, without those that a question may contain.

    These are offered values and the labels of classes and predicates.
    """
    allowed = {word.casefold() for fact in summary.facts for word in (fact.last_step.label, *fact.class_labels)}
    offers = [fact.offered_value for fact in summary.facts if fact.offered_value]
    for fact in (fact for fact in summary.facts if not fact.offered_value):
        for text in fact_answer_texts(run.kg, summary, fact.number, fact.forms[0]):
            if text.casefold() not in allowed and not any(contains_name(offer, text) for offer in offers):
                yield text


@in_stage("queries")
def _bind(
    run: RunContext, summary: Summary, text: str, bound: Mapping[int, BoundQuestion]
) -> tuple[BoundQuestion, Usage]:
    """Have a model bind one question to one fact that supports no other question; ``bound`` is by fact number."""

    def check_new(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        number = reply["facts"][0]
        if number in bound:
            yield Problem("repeated-fact", f'fact {number} supports "{bound[number].text}" already')

    variables = {"entity": summary.entity, "question": text, "facts": summary.facts}
    check_fact = partial(check_fact_binding, language=run.language)
    reply = run.ask(BIND_QUESTION, "triples", variables, check_fact, check_new)
    number, form = reply.value["facts"][0], reply.value["form"]
    reject_if_any("questions", check_answers_hidden(text, fact_answer_texts(run.kg, summary, number, form)))
    return _question(summary, text, form, number), reply.usage


# The dialogue.


def _order(questions: Sequence[BoundQuestion], bridge_fact: Fact | None, rng: Random) -> tuple[BoundQuestion, ...]:
    """Order the questions about the seed.

    A lookup opens. The question whose answer the next turns are about comes last. Questions that mention another entity
    of the seed's own class come late, where no pronoun follows.
    """

    def sort_key(question: BoundQuestion) -> tuple[bool, bool, bool, float]:
        turn = question.turn
        is_bridge = bridge_fact is not None and turn.fact.number == bridge_fact.number
        shares_class = bool(set(turn.fact.class_labels) & set(turn.entity.class_labels)) and not turn.kind.is_count
        return is_bridge, _is_confusable(turn.fact, turn.entity), shares_class, rng.random()

    ordered = sorted(questions, key=sort_key)
    opening = [question for question in ordered[:-1] if question.turn.kind.is_lookup][:1]
    return (*opening, *(question for question in ordered if question not in opening))


def number_turns(questions: Sequence[BoundQuestion], topic: Entity) -> tuple[BoundQuestion, ...]:
    """Return the questions with the numbers of their turns and the links: what is not about the topic is about an
    answer."""
    numbered = []
    for number, question in enumerate(questions, 1):
        link: LinkName = "opens" if number == 1 else "topic" if question.turn.entity == topic else "answer"
        numbered.append(replace(question, turn=replace(question.turn, number=number, link=link)))
    return tuple(numbered)


def drafts_of(questions: Sequence[BoundQuestion]) -> tuple[DraftTurn, ...]:
    """Return the turns as they are rewritten."""
    befores = (None, *(question.turn for question in questions))
    return tuple(
        DraftTurn(turn.number, question.text, turn.entity, turn.link, _confusable_classes(before, turn))
        for question, before in zip(questions, befores, strict=False)
        for turn in [question.turn]
    )


def _confusable_classes(before: TurnSpec | None, current: TurnSpec) -> tuple[str, ...]:
    """Return the class of the single other entity that the turn before mentions, if there is one."""
    if before is None or before.fact.shape != "entity" or before.fact.count > 1:
        return ()
    if not (before.kind.introduces_referent or before.kind.is_yes_no) or before.hidden.ends[:1] == (
        current.entity.iri,
    ):
        return ()
    return before.fact.class_labels[:1] or ("thing",)


@in_stage("dialogue")
def _rewrite(run: RunContext, questions: Sequence[BoundQuestion]) -> tuple[tuple[str, ...], Usage]:
    """Have a model rewrite the questions: the first stays, the later ones have references instead of names.

    No prompt shows an answer, and no question may contain its own.
    """
    if len({question.turn.sparql for question in questions}) < len(questions):
        raise SeedRejected("dialogue", [Problem("repeated", "two turns run the same query")])
    first, number = questions[0].text, len(questions)
    if number == 1:
        return (first,), Usage()
    turns, results = zip(*((question.turn, question.result) for question in questions), strict=True)
    answers = dict(enumerate(hidden_answer_texts(run.kg, turns, results), 1))

    def check_answers(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        for turn in reply["turns"]:
            yield from check_answers_hidden(turn["question"], answers.get(turn["turn"], ()))

    later = f"2 to {number}" if number > 2 else "2"
    variables = {"turns": drafts_of(questions), "later": later, "language": run.language}
    reply = run.ask(REWRITE, "dialogue", variables, check_answers)
    return (first, *(turn["question"] for turn in reply.value["turns"])), reply.usage
