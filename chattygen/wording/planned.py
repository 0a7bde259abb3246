"""The planned approach: a plan with queries and gold comes first, then one call words its turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.agent import load_agent
from chattyshared.check import Check, Problem, make_schema_check
from chattyshared.dialogue import Turn
from chattyshared.errors import ReplyInvalid
from chattyshared.model import Usage

from chattygen.context.summary import CHARACTERS_PER_TOKEN
from chattygen.planning.plan import DialoguePlan
from chattygen.rejection import SeedRejected
from chattygen.run import RunContext, in_stage
from chattygen.wording.checks import check_answers_hidden, check_verbalization, check_wording, schema_names
from chattygen.wording.gold import BoundQuestion, assemble_turns, collapse_whitespace, hidden_answer_texts
from chattygen.wording.queries import run_turn, write_query

VERBALIZE = load_agent("generate/plan_verbalization", check_verbalization)


@in_stage("dialogue")
def write_turns(run: RunContext, plan: DialoguePlan) -> tuple[tuple[Turn, ...], Usage]:
    """Write the turns of a plan: its queries are run again, and a model words them, each standalone and in the talk.

    No prompt shows an answer, no question may contain its own, nor ask for other relations and classes than its plan.
    Where some turns of the model's last reply do not pass, the run's ``rewording`` words these, and they say so.

    Raises:
        SeedRejected: a query gives another result than the plan, or no wording passed; with the problems.
        EndpointError, ModelError: the endpoint or the model fails.
    """
    turns = plan.turns
    if run.language.is_english:
        turns = tuple(turn.with_kinds_before_names() for turn in turns)
    tokens = sum(len(turn.as_prompt_text()) + 1 for turn in turns) // CHARACTERS_PER_TOKEN
    if tokens > run.options.context_tokens:
        raise SeedRejected("words", [Problem("context-length", f"the plan takes about {tokens} tokens")])
    results = [run_turn(run, turn) for turn in turns]
    run.kg.keep_labels(plan.labels)
    answers, names = hidden_answer_texts(run.kg, turns, results), schema_names(run.kg)

    def check_words(reply: Any, _: Mapping[str, Any]) -> Iterator[Problem]:
        texts = [tuple(dict.fromkeys((turn["standalone"], turn["question"]))) for turn in reply["turns"]]
        for both, hidden in zip(texts, answers, strict=False):
            for text in both:
                yield from check_answers_hidden(text, hidden)
        for both, turn in zip(texts, turns, strict=False) if run.language.is_english else ():
            for text in both:
                yield from check_wording(turn, text, names)

    variables, reworded = {"turns": turns, "language": run.language}, frozenset[int]()
    try:
        reply = run.ask(VERBALIZE, "words", variables, check_words)
        usage, wording = reply.usage, reply.value["turns"]
    except SeedRejected as rejection:
        error = rejection.__cause__
        if run.rewording is None or not run.language.is_english or not isinstance(error, ReplyInvalid):
            raise
        usage, (wording, reworded) = error.usage or Usage(), reword(run, variables, check_words, error.text)
        if not wording:
            raise
    questions = list[BoundQuestion]()
    for turn, result, words in zip(turns, results, wording, strict=True):
        text = collapse_whitespace(words["standalone"])
        if run.options.queries == "llm":
            turn, _, more = write_query(run, text, turn, triples_of(turn.sparql))
            usage += more
        questions.append(BoundQuestion(text, turn, result))
    made = assemble_turns(run.kg, questions, [words["question"] for words in wording])
    name = run.rewording.name if run.rewording else ""
    return tuple(replace(turn, reworded_by=name) if turn.turn in reworded else turn for turn in made), usage


def reword(
    run: RunContext, variables: Mapping[str, Any], check_words: Check, text: str
) -> tuple[Sequence[Mapping[str, Any]], frozenset[int]]:
    """Return the words of a reply that did not pass, with those of the run's ``rewording`` for the turns at fault, and
    the numbers of these; no words if none of the reply's passes, or those of ``rewording`` do not either.
    """
    checks = (check_verbalization, check_words)
    value, _ = VERBALIZE.parse_reply(text, variables)
    written = value.get("turns", ()) if isinstance(value, Mapping) else ()
    assert run.rewording is not None
    try:
        other = replace(VERBALIZE, checks=checks)(run.rewording, variables, theta=1)
    except ReplyInvalid:
        return (), frozenset()
    wording = list(other.value["turns"])
    reworded = {turn["turn"] for turn in wording}
    for turn in written:
        number = turn.get("turn") if isinstance(turn, Mapping) else None
        mixed = [turn if each["turn"] == number else each for each in wording]
        reply = {"turns": mixed}
        if number in reworded and not any(make_schema_check(VERBALIZE.prompt.schema)(reply)):
            if not any(problem for check in checks for problem in check(reply, variables)):
                wording = mixed
                reworded.discard(number)
    return (wording, frozenset(reworded)) if len(reworded) < len(wording) else ((), frozenset())


def triples_of(sparql: str) -> str:
    """Return the triples and conditions of a compiled query, and its order on a line of its own."""
    body, end, order = sparql.partition("{")[2].rpartition("}")
    if not end:
        raise ValueError(f"a compiled query without a body: {sparql}")
    return "\n".join(filter(None, (f"{body.strip()} .", order.strip())))
