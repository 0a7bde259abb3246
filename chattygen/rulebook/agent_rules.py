"""The rule model's answer to ``generate/query``: the shown triples and conditions, under the head of the form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from chattyshared.model import Request

from chattygen.approaches.single_shot import Line
from chattygen.checks import asks_yes_no, says_value
from chattygen.rulebook.dialogue_rewriting import dialogue
from chattygen.rulebook.question_realizer import questions, tidy, wordings
from chattygen.sampling.label_predicates import Candidate
from chattygen.stages.dialogues import Draft
from chattygen.subgraph.facts import Entity, Fact, Wish


def query(request: Request) -> dict[str, Any]:
    """Write the query of a question; an order that stands below its triples comes last."""
    *_, last = str(request.variables["triples"]).splitlines()
    sparql = str(unordered_query(request)["sparql"])
    if "?x" not in sparql.partition("{")[2]:
        return {"sparql": f"ASK {sparql[sparql.index('{') :]}"}
    if not last.startswith("ORDER BY "):
        return {"sparql": sparql}
    return {"sparql": f"{sparql.replace('DISTINCT ?x', '?x', 1)} {last}"}


def questions_only(request: Request) -> dict[str, Any]:
    """Write one question for each wish, in their order, and nothing else."""
    wanted = tuple(shared_out(request.variables["wanted"], request.variables["facts"]))
    items = questions(replace(request, variables={**request.variables, "wanted": wanted}))["questions"]
    return {"questions": [item["question"] for item in items]}


def shared_out(wanted: Sequence[Wish], facts: Sequence[Fact]) -> Iterator[Wish]:
    """Give each wish that names no fact one of its own, so that as many as possible are granted (a matching by
    augmenting paths)."""
    able = [[f.number for f in facts if wish.form in f.forms and wish.fact in (0, f.number)] for wish in wanted]
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
        yield Wish(wish.form, numbers.get(place, wish.fact))


def binding(request: Request) -> dict[str, Any]:
    """Find the fact of a question: the one that would be asked in these very words, else the one most like it."""
    question, entity = str(request.variables["question"]), request.variables["entity"]
    able = list(_able(question, request.variables["facts"]))
    for fact, form in able:
        if question in tidy(wordings(entity, fact, form)):
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
        if (form == "boolean") == polar and (not polar or (fact.offer and says_value(question, fact)))
    ]
    yield from fitting or [(fact, form) for fact in facts for form in fact.forms]


def _alike(question: str, entity: Entity, fact: Fact) -> float:
    """Return which share of a fact's words the question says."""
    said = _stems(question.replace(entity.label, " "))
    words = _stems(" ".join([*(step.label for step in fact.steps), *fact.kinds[:1]]))
    return len(words & said) / max(1, len(words))


def _stems(text: str) -> set[str]:
    return {word[:5] for word in re.findall(r"[^\W_]{3,}", text.casefold())}


def in_one(request: Request) -> dict[str, Any]:
    """Write a whole dialogue at once."""
    entity: Entity = request.variables["entity"]
    lines: dict[int, Line] = {line.fact.number: line for line in request.variables["facts"]}
    facts = tuple(line.fact for line in lines.values())
    wanted = request.variables["wanted"]
    items = questions(replace(request, variables={"entity": entity, "facts": facts, "wanted": wanted}))["questions"]
    texts = [item["question"] for item in items]
    drafts = tuple(
        Draft(number, text, entity, "topic" if number > 1 else "opens") for number, text in enumerate(texts, 1)
    )
    turns = dialogue(replace(request, variables={"turns": drafts}))["turns"]
    iri = str(request.variables["iri"])
    return {
        "questions": texts,
        "dialogue": [*texts[:1], *(turn["question"] for turn in turns)],
        "queries": [_query(request, lines[item["facts"][0]], item["form"], iri) for item in items],
    }


def _query(request: Request, line: Line, form: str, iri: str) -> str:
    """Write the query of one question from its fact's triples."""
    triples = re.sub(r"(?<!\S)THIS(?!\S)", lambda _: iri, line.triples)
    if form == "boolean":
        triples = re.sub(r"(?<!\S)\?x(?!\S)", lambda _: line.offer, triples.splitlines()[0])
    return str(unordered_query(replace(request, variables={"form": form, "triples": triples}))["sparql"])


_NAMES = ("label", "preflabel", "name", "title", "full name", "pref label", "preferred label")


def label(request: Request) -> dict[str, Any]:
    """Choose the candidate that names things best: on most of them, differing, named like a name, short, no codes.

    Where one property says another one's text and more (a code, a country), the shorter one is the name, provided
    that it still tells things apart.
    """
    found: tuple[Candidate, ...] = request.variables["candidates"]
    return {"candidate": max(found, key=lambda one: (_score(one, found), -one.number)).number}


def _score(one: Candidate, others: tuple[Candidate, ...]) -> float:
    name = one.label.casefold()
    score = 2.0 * one.share + 2.0 * one.distinct
    score += 1.5 if name in _NAMES else 0.5 if any(word in _NAMES for word in name.split()) else 0.0
    score -= 2.0 * sum(bool(re.search(r"\d{3,}", text)) for text in one.samples) / len(one.samples)
    if one.distinct > 0.95 and any(_is_within(one, other) for other in others if other is not one):
        score += 1.0
    return score


def _is_within(one: Candidate, other: Candidate) -> bool:
    """Tell whether the samples of one are the beginnings or ends of the samples of another, which say more."""
    texts = [text.casefold() for text in one.samples]
    longer = [text.casefold() for text in other.samples]
    within = sum(any(text in more and text != more for more in longer) for text in texts)
    return within > 0.5 * len(texts)


def unordered_query(request: Request) -> dict[str, Any]:
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
