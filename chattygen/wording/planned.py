"""The planned approach: a plan with queries and gold comes first, then one call words its turns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from chattyshared.agent import load_agent
from chattyshared.check import Problem
from chattyshared.dialogue import Turn
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

    reply = run.ask(VERBALIZE, "words", {"turns": turns, "language": run.language}, check_words)
    usage, questions = reply.usage, list[BoundQuestion]()
    for turn, result, words in zip(turns, results, reply.value["turns"], strict=True):
        text = collapse_whitespace(words["standalone"])
        if run.options.queries == "llm":
            turn, _, more = write_query(run, text, turn, triples_of(turn.sparql))
            usage += more
        questions.append(BoundQuestion(text, turn, result))
    return assemble_turns(run.kg, questions, [words["question"] for words in reply.value["turns"]]), usage


def triples_of(sparql: str) -> str:
    """Return the triples and conditions of a compiled query, and its order on a line of its own."""
    body, end, order = sparql.partition("{")[2].rpartition("}")
    if not end:
        raise ValueError(f"a compiled query without a body: {sparql}")
    return "\n".join(filter(None, (f"{body.strip()} .", order.strip())))
