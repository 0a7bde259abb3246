"""The rule of ``generate/questions``: choose one wording at random for each question request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from random import Random
from typing import Any

from chattyshared.language.lexicon import word_set
from chattyshared.model import Request

from chattygen.context.facts import Entity, Fact, QuestionRequest
from chattygen.lexicalization.step_lexicalization import is_sayable_fact
from chattygen.rulebook.fact_questions import (
    realize_fact_question,
)


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
        question = choose_wording(
            deduplicate_wordings(realize_fact_question(entity, facts[number], question_request.form)),
            used_beginnings,
            rng,
        )
        used_beginnings.add(first_two_words(question))
        items.append({"question": question, "facts": [number], "form": question_request.form})
    return {"questions": items}


def prefix_with_and(text: str) -> str:
    """Begin a question with ``and``."""
    first = text.split()[0].lower().split("'")[0]
    return f"And {text[:1].lower()}{text[1:]}" if first in QUESTION_WORDS else text


QUESTION_WORDS = word_set("function_words", "question_beginnings", "question_prepositions")


def choose_wording(options: list[str], used_beginnings: set[str], rng: Random) -> str:
    """Choose a wording at random: earlier ones weigh more, and so do beginnings that are not used yet."""
    beginnings = Counter(first_two_words(text) for text in options)
    weights = [
        (0.3 if first_two_words(text) in used_beginnings else 1.0) / (index + 1.5) / beginnings[first_two_words(text)]
        for index, text in enumerate(options)
    ]
    return rng.choices(options, weights=weights)[0]


def deduplicate_wordings(options: Iterable[str]) -> list[str]:
    """Return the wordings without duplicates; a name that ends with a question mark ends the question."""
    texts = (re.sub(r'^([^"]*)"([^"]+\?)"\?$', r"\1\2", re.sub(r"\?+$", "?", text)) for text in options)
    return list(dict.fromkeys(texts))


def first_two_words(question: str) -> str:
    """Return the first two words, the beginning of a question."""
    return " ".join(question.split()[:2]).casefold()
