"""The rule model's answer to ``generate/query``: the shown triples and conditions, under the head of the form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.model import Request

from chattygen.approaches.single_shot import FactRow
from chattygen.checks import asks_yes_no, says_value
from chattygen.rulebook.dialogue_rewriting import rewrite_dialogue
from chattygen.rulebook.question_realizer import deduplicate_wordings, realize_fact_question, write_questions
from chattygen.sampling.label_predicates import LabelCandidate
from chattygen.stages.dialogues import DraftTurn
from chattygen.subgraph.facts import Entity, Fact, QuestionRequest


def write_query(request: Request) -> dict[str, Any]:
    """Write the query of a question; an order that stands below its triples comes last."""
    *_, last = str(request.variables["triples"]).splitlines()
    sparql = str(write_unordered_query(request)["sparql"])
    if "?x" not in sparql.partition("{")[2]:
        return {"sparql": f"ASK {sparql[sparql.index('{') :]}"}
    if not last.startswith("ORDER BY "):
        return {"sparql": sparql}
    return {"sparql": f"{sparql.replace('DISTINCT ?x', '?x', 1)} {last}"}


def write_questions_only(request: Request) -> dict[str, Any]:
    """Write one question for each wish, in their order, and nothing else."""
    wanted = tuple(assign_facts(request.variables["wanted"], request.variables["facts"]))
    items = write_questions(replace(request, variables={**request.variables, "wanted": wanted}))["questions"]
    return {"questions": [item["question"] for item in items]}


def assign_facts(wanted: Sequence[QuestionRequest], facts: Sequence[Fact]) -> Iterator[QuestionRequest]:
    """Give each wish that names no fact one of its own, so that as many as possible are granted (a matching by
    augmenting paths)."""
    able = [[f.number for f in facts if wish.form in f.forms and wish.fact_number in (0, f.number)] for wish in wanted]
    owner: dict[int, int] = {}

    def given(place: int, tried: set[int]) -> bool:
        for number in able[place]:
            if number not in tried:
                tried.add(number)
                if number not in owner or given(owner[number], tried):
                    owner[number] = place
                    return True
        return False

    for place in range(len(wanted)):
        given(place, set())
    numbers = {place: number for number, place in owner.items()}
    for place, wish in enumerate(wanted):
        yield QuestionRequest(wish.form, numbers.get(place, wish.fact_number))


def bind_question(request: Request) -> dict[str, Any]:
    """Find the fact of a question: the one that would be asked in these very words, else the one most like it."""
    question, entity = str(request.variables["question"]), request.variables["entity"]
    able = list(_able(question, request.variables["facts"]))
    for fact, form in able:
        if question in deduplicate_wordings(realize_fact_question(entity, fact, form)):
            return {"facts": [fact.number], "form": form}
    fact, form = max(able, key=lambda one: (_alike(question, entity, one[0]), -one[0].number))
    return {"facts": [fact.number], "form": form}


def _able(question: str, facts: tuple[Fact, ...]) -> Iterator[tuple[Fact, str]]:
    """Yield the facts with the forms in which a question of this manner could ask them; all of them, if none can."""
    polar = asks_yes_no(question)
    fitting = [
        (fact, form)
        for fact in facts
        for form in fact.forms
        if (form == "boolean") == polar and (not polar or (fact.offered_value and says_value(question, fact)))
    ]
    yield from fitting or [(fact, form) for fact in facts for form in fact.forms]


def _alike(question: str, entity: Entity, fact: Fact) -> float:
    """Return which share of a fact's words the question says."""
    said = _stems(question.replace(entity.label, " "))
    words = _stems(" ".join([*(step.label for step in fact.steps), *fact.class_labels[:1]]))
    return len(words & said) / max(1, len(words))


def _stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[^\W_]{3,}", text.casefold())}


def write_single_shot(request: Request) -> dict[str, Any]:
    """Write a whole dialogue at once."""
    entity: Entity = request.variables["entity"]
    lines: dict[int, FactRow] = {line.fact.number: line for line in request.variables["facts"]}
    facts = tuple(line.fact for line in lines.values())
    wanted = request.variables["wanted"]
    items = write_questions(replace(request, variables={"entity": entity, "facts": facts, "wanted": wanted}))[
        "questions"
    ]
    texts = [item["question"] for item in items]
    drafts = tuple(
        DraftTurn(number, text, entity, "topic" if number > 1 else "opens") for number, text in enumerate(texts, 1)
    )
    turns = rewrite_dialogue(replace(request, variables={"turns": drafts}))["turns"]
    iri = str(request.variables["iri"])
    return {
        "questions": texts,
        "dialogue": [*texts[:1], *(turn["question"] for turn in turns)],
        "queries": [_query(request, lines[item["facts"][0]], item["form"], iri) for item in items],
    }


def _query(request: Request, line: FactRow, form: str, iri: str) -> str:
    """Write the query of one question from its fact's triples."""
    triples = re.sub(r"(?<!\S)THIS(?!\S)", lambda _: iri, line.triples)
    if form == "boolean":
        triples = re.sub(r"(?<!\S)\?x(?!\S)", lambda _: line.offered_value, triples.splitlines()[0])
    return str(write_unordered_query(replace(request, variables={"form": form, "triples": triples}))["sparql"])


_NAMES = ("label", "preflabel", "name", "title", "full name", "pref label", "preferred label")


def select_label_predicate(request: Request) -> dict[str, Any]:
    """Choose the candidate that names things best: on most of them, differing, named like a name, short, no codes.

    Where one property says another one's text and more (a code, a country), the shorter one is the name, provided
    that it still tells things apart.
    """
    found: tuple[LabelCandidate, ...] = request.variables["candidates"]
    return {"candidate": max(found, key=lambda one: (_score(one, found), -one.number)).number}


def _score(one: LabelCandidate, others: tuple[LabelCandidate, ...]) -> float:
    name = one.label.casefold()
    score = 2.0 * one.share + 2.0 * one.distinct_share
    score += 1.5 if name in _NAMES else 0.5 if any(word in _NAMES for word in name.split()) else 0.0
    score -= 2.0 * sum(bool(re.search(r"\d{3,}", text)) for text in one.samples) / len(one.samples)
    if one.distinct_share > 0.95 and any(_is_within(one, other) for other in others if other is not one):
        score += 1.0
    return score


def _is_within(one: LabelCandidate, other: LabelCandidate) -> bool:
    """Tell whether the samples of one are the beginnings or ends of the samples of another, which say more."""
    texts = [text.casefold() for text in one.samples]
    longer = [text.casefold() for text in other.samples]
    within = sum(any(text in more and text != more for more in longer) for text in texts)
    return within > 0.5 * len(texts)


def write_unordered_query(request: Request) -> dict[str, Any]:
    """Write the query of a question from the triples that the prompt shows."""
    lines = str(request.variables["triples"]).splitlines()
    body = " ".join(line for line in lines if line.endswith(" ."))
    tags = [tag for line in lines if not line.endswith(" .") for tag in re.findall(r"'([\w-]*)'", line)]
    if tags:
        body += " FILTER(" + " || ".join(f'LANG(?x) = "{tag}"' for tag in tags) + ")"
    form = request.variables["form"]
    if form == "boolean":
        return {"sparql": f"ASK {{ {body} }}"}
    goal = "(COUNT(DISTINCT ?x) AS ?n)" if form == "count" else "DISTINCT ?x"
    return {"sparql": f"SELECT {goal} WHERE {{ {body} }}"}
