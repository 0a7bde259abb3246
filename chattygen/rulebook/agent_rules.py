"""Rules of the small agents: label predicate, questions without facts, binding, single shot, query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from chattyshared.kg.table_names import is_name_part
from chattyshared.model import Request
from chattyshared.question_forms import FORM_BY_NAME

from chattygen.context.facts import Entity, Fact, QuestionRequest
from chattygen.lexicalization.step_lexicalization import is_sayable_fact
from chattygen.rulebook.dialogue_rewriting import rewrite_dialogue
from chattygen.rulebook.fact_questions import realize_fact_question
from chattygen.rulebook.plan_realizer import choose_wording, deduplicate_wordings, first_two_words
from chattygen.sampling.label_predicates import LabelCandidate
from chattygen.turns import FactRow
from chattygen.wording.checks import asks_yes_no, says_value
from chattygen.wording.drafts import DraftTurn


def write_query(request: Request) -> dict[str, Any]:
    """Write the query of a question from the triples that the prompt shows; an ``ORDER BY`` goes to its end."""
    lines = str(request.variables["triples"]).splitlines()
    order = lines[-1] if lines[-1].startswith("ORDER BY ") else ""
    body = " ".join(line for line in lines if line.endswith(" ."))
    tags = [tag for line in lines if not line.endswith(" .") for tag in re.findall(r"'([\w-]*)'", line)]
    if tags:
        body += " FILTER(" + " || ".join(f'LANG(?x) = "{tag}"' for tag in tags) + ")"
    kind = FORM_BY_NAME[str(request.variables["form"])]
    if kind.is_yes_no or "?x" not in body:
        return {"sparql": f"ASK {{ {body} }}"}
    goal = "?x" if order else "(COUNT(DISTINCT ?x) AS ?n)" if kind.is_count else "DISTINCT ?x"
    return {"sparql": f"SELECT {goal} WHERE {{ {body} }} {order}".rstrip()}


def write_questions(request: Request) -> dict[str, Any]:
    """Write one question for each request; a request without a fact gets the first free one of its form.

    A fact that no sound phrase says gets no question.
    """
    entity: Entity = request.variables["entity"]
    facts: dict[int, Fact] = {
        fact.number: fact for fact in request.variables["facts"] if is_sayable_fact(fact, entity.class_labels)
    }
    requests: tuple[QuestionRequest, ...] = request.variables["wanted"]
    free = [number for number in facts if number not in {question_request.fact_number for question_request in requests}]
    items, used_beginnings = [], set[str]()
    for question_request in requests:
        number = question_request.fact_number or next((n for n in free if question_request.form in facts[n].forms), 0)
        if number in free:
            free.remove(number)
        if number not in facts:
            continue
        rng = Random(f"{request.digest()}/{number}")
        wordings = deduplicate_wordings(realize_fact_question(entity, facts[number], question_request.form))
        question = choose_wording(wordings, used_beginnings, rng)
        used_beginnings.add(first_two_words(question))
        items.append({"question": question, "facts": [number], "form": question_request.form})
    return {"questions": items}


def write_questions_only(request: Request) -> dict[str, Any]:
    """Write one question for each request, in their order, without facts and forms."""
    requests = tuple(assign_facts(request.variables["wanted"], request.variables["facts"]))
    items = write_questions(replace(request, variables={**request.variables, "wanted": requests}))["questions"]
    return {"questions": [item["question"] for item in items]}


def assign_facts(requests: Sequence[QuestionRequest], facts: Sequence[Fact]) -> Iterator[QuestionRequest]:
    """Assign a fact of its own to each request that names none, first to those that have the fewest to choose from."""
    candidates = [
        [f.number for f in facts if question_request.form in f.forms and question_request.fact_number in (0, f.number)]
        for question_request in requests
    ]
    numbers: dict[int, int] = {}
    for index in sorted(range(len(requests)), key=lambda each: len(candidates[each])):
        numbers[index] = next((number for number in candidates[index] if number not in numbers.values()), 0)
    for index, question_request in enumerate(requests):
        yield QuestionRequest(question_request.form, numbers[index] or question_request.fact_number)


def bind_question(request: Request) -> dict[str, Any]:
    """Bind a question to a fact: the one with exactly this wording, else the one that shares the most words."""
    question, entity = str(request.variables["question"]), request.variables["entity"]
    candidates = list(_candidate_facts(question, request.variables["facts"]))
    for fact, form in candidates:
        if question in deduplicate_wordings(realize_fact_question(entity, fact, form)):
            return {"facts": [fact.number], "form": form}
    fact, form = max(candidates, key=lambda pair: (_word_overlap(question, entity, pair[0]), -pair[0].number))
    return {"facts": [fact.number], "form": form}


def _candidate_facts(question: str, facts: tuple[Fact, ...]) -> Iterator[tuple[Fact, str]]:
    """Yield the (fact, form) pairs that a question of this kind can ask for; all pairs if none fits."""
    is_yes_no = asks_yes_no(question)
    pairs = [
        (fact, form)
        for fact in facts
        for form in fact.forms
        if FORM_BY_NAME[form].is_yes_no == is_yes_no
        and (not is_yes_no or (fact.offered_value and says_value(question, fact)))
    ]
    yield from pairs or [(fact, form) for fact in facts for form in fact.forms]


def _word_overlap(question: str, entity: Entity, fact: Fact) -> float:
    """Return the share of a fact's words, 0..1, that the question contains."""
    question_stems = _stems(question.replace(entity.label, " "))
    words = _stems(" ".join([*(step.label for step in fact.steps), *fact.class_labels[:1]]))
    return len(words & question_stems) / max(1, len(words))


def _stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[^\W_]{3,}", text.casefold())}


def write_single_shot(request: Request) -> dict[str, Any]:
    """Write a whole dialogue at once."""
    entity: Entity = request.variables["entity"]
    rows: dict[int, FactRow] = {row.fact.number: row for row in request.variables["facts"]}
    facts = tuple(row.fact for row in rows.values())
    requests = request.variables["wanted"]
    items = write_questions(replace(request, variables={"entity": entity, "facts": facts, "wanted": requests}))[
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
        "queries": [_query(request, rows[item["facts"][0]], item["form"], iri) for item in items],
    }


def _query(request: Request, row: FactRow, form: str, iri: str) -> str:
    """Write the query of one question from its fact's triples."""
    triples = re.sub(r"(?<!\S)THIS(?!\S)", lambda _: iri, row.triples)
    if FORM_BY_NAME[form].is_yes_no:
        triples = re.sub(r"(?<!\S)\?x(?!\S)", lambda _: row.offered_value, triples.splitlines()[0])
    return str(write_query(replace(request, variables={"form": form, "triples": triples}))["sparql"])


_NAMES = ("label", "preflabel", "name", "title", "full name", "pref label", "preferred label")


def select_label_predicate(request: Request) -> dict[str, Any]:
    """Choose the best label predicate: it covers most entities, its values differ, its own label is a word for a name,
    and its values hold no codes.

    If the values of one candidate contain those of another (with a code, a country), the shorter one is the name if
    its values still differ; but a given or a family name comes behind a full one.
    """
    candidates: tuple[LabelCandidate, ...] = request.variables["candidates"]
    type_label = str(request.variables["type"]).casefold()
    return {"candidate": max(candidates, key=lambda each: (_score(each, candidates, type_label), -each.number)).number}


def _score(candidate: LabelCandidate, others: tuple[LabelCandidate, ...], type_label: str) -> float:
    name = candidate.label.casefold().removeprefix(f"{type_label} ")  # the building name of a building
    score = 2.0 * candidate.share + 2.0 * candidate.distinct_share
    score += 1.5 if name in _NAMES else 0.5 if any(word in _NAMES for word in name.split()) else 0.0
    if name not in _NAMES or any(other.label.casefold() in _NAMES for other in others if other is not candidate):
        score -= 2.0 * sum(bool(re.search(r"\d{3,}", text)) for text in candidate.samples) / len(candidate.samples)
    if is_name_part(candidate.iri):  # a given name is no name of a person
        return score - 1.0
    if candidate.distinct_share > 0.95 and any(
        _is_within(candidate, other) for other in others if other is not candidate
    ):
        score += 1.0
    return score


def _is_within(one: LabelCandidate, other: LabelCandidate) -> bool:
    """Tell whether most samples of one candidate are parts of longer samples of another."""
    texts = [text.casefold() for text in one.samples]
    longer = [text.casefold() for text in other.samples]
    within = sum(any(text in more and text != more for more in longer) for text in texts)
    return within > 0.5 * len(texts)
