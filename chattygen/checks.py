"""Assertion-based validators between the stages: pure functions that yield problems, worded for the model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from chattyshared.check import Problem
from chattyshared.language.lexicon import alternation, word_map, word_set
from chattyshared.language.morphology import number_stem_of
from chattyshared.language.scripts import contains_name
from chattyshared.question_forms import NUMERIC_FORMS

from chattygen.dialogue_language import DialogueLanguage, numbers_in
from chattygen.subgraph.facts import Entity, Fact, QuestionRequest

ENGLISH = DialogueLanguage()
REFERENCE = re.compile(
    rf"\b(?:{alternation(word_map('function_words', 'pronoun_groups'))}|this|that|these|those|there)\b", re.IGNORECASE
)
UNNATURAL_REFERENCE = re.compile(
    r"\bthe (?:(?!\bthe )[\w ])+? of (?:it|him|her|them|she|he|they)\b(?! \w)"
    r"|\b(?:recorded|given|stated|listed) for (?:it|him|her|them)\b"
    r"|\b(?:of|by|to|for|with) (?:she|he|they)\b(?! \w)|\bthe \w+ (?:titled|named|called) (?:it|him|her|them)\b",
    re.IGNORECASE,
)
_YES_NO_START = re.compile(
    rf"(?:(?:and|so|but),? )?(?:{alternation(word_set('function_words', 'auxiliaries', 'modals'))})\b", re.IGNORECASE
)
_COUNT_WORDS = re.compile(r"\b(?:how many|how much|number|count|total|amount)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"(?:(?:and|so|but),? )?how many\b", re.IGNORECASE)


def check_label_choice(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """The label predicate is one of the candidates."""
    numbers = [candidate.number for candidate in variables["candidates"]]
    if reply["candidate"] not in numbers:
        yield Problem("candidate", f"choose a number from {numbers[0]} to {numbers[-1]}, not {reply['candidate']}")


def check_well_formed(question: str, language: DialogueLanguage = ENGLISH) -> Iterator[Problem]:
    """A question has more than one word, ends with one question mark, and is plain text."""
    if len(question.split()) < 2 and language.is_spaced:
        yield Problem("one-word", f'write more than one word: "{question}"')
    if not language.asks(question):
        yield Problem("question-mark", f'end with one question mark: "{question}"')
    if re.search(r"https?://|[<>{}\n]", question):
        yield Problem("plain-words", f'use plain words, no IRIs and no markup: "{question}"')


def check_names_entity(question: str, entity: Entity, language: DialogueLanguage = ENGLISH) -> Iterator[Problem]:
    """An independent question names its entity."""
    if not language.contains_name(question, entity.label):
        yield Problem("names-entity", f'name "{entity.label}" in: "{question}"')


def check_questions(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check a set of independent questions: number, requests, facts, forms, names, no repetition."""
    facts: dict[int, Fact] = {fact.number: fact for fact in variables["facts"]}
    entity: Entity = variables["entity"]
    requests: Sequence[QuestionRequest] = variables["wanted"]
    language: DialogueLanguage = variables.get("language", ENGLISH)
    items = reply["questions"]
    if len(items) != len(requests):
        yield Problem("number-of-questions", f"write exactly {len(requests)} questions, not {len(items)}")
    for item in items:
        yield from check_well_formed(item["question"], language)
        yield from check_names_entity(item["question"], entity, language)
        yield from check_fits_fact(item, facts, language)
    yield from check_requests_met(items, requests)
    yield from check_no_repetition(items)


def check_question_texts(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check questions without facts: number, names, no repetition, yes-no only about offered values."""
    entity: Entity = variables["entity"]
    requests: Sequence[QuestionRequest] = variables["wanted"]
    language: DialogueLanguage = variables.get("language", ENGLISH)
    texts: list[str] = reply["questions"]
    if len(texts) != len(requests):
        yield Problem("number-of-questions", f"write exactly {len(requests)} questions, not {len(texts)}")
    for text in texts:
        yield from check_well_formed(text, language)
        yield from check_names_entity(text, entity, language)
    if language.is_english:
        yield from _check_yes_no_texts(texts, variables)
    yield from check_no_repetition([{"question": text, "facts": ()} for text in texts])


def _check_yes_no_texts(texts: Sequence[str], variables: Mapping[str, Any]) -> Iterator[Problem]:
    """There are as many yes-no questions as requested, each about an offered value."""
    yes_no_texts = [text for text in texts if asks_yes_no(text)]
    requested = sum(request.form == "boolean" for request in variables["wanted"])
    if len(yes_no_texts) != requested:
        yield Problem("wanted", f"write {requested} yes-no questions, not {len(yes_no_texts)}")
    offered_facts = [fact for fact in variables["facts"] if fact.offered_value]
    for text in yes_no_texts:
        if not any(says_value(text, fact) for fact in offered_facts):
            yield Problem("offered-value", f'ask a yes-no question about the yes-no value of its fact: "{text}"')


def check_fact_binding(
    reply: Any, variables: Mapping[str, Any], language: DialogueLanguage = ENGLISH
) -> Iterator[Problem]:
    """Check the fact of a question: it is listed and can carry the form, and the form agrees with the words."""
    item = {"question": variables["question"], **reply}
    yield from check_fits_fact(item, {fact.number: fact for fact in variables["facts"]}, language)
    if not language.is_english:
        return
    if item["form"] == "count" and not _COUNT_WORDS.search(item["question"]):
        yield Problem("ends-agree", f'the form is count, but this asks for no number: "{item["question"]}"')
    if _HOW_MANY.match(item["question"]) and item["form"] not in NUMERIC_FORMS:
        yield Problem("ends-agree", f'the form is {item["form"]}, but this asks how many: "{item["question"]}"')


def check_fits_fact(
    item: Mapping[str, Any], facts: Mapping[int, Fact], language: DialogueLanguage = ENGLISH
) -> Iterator[Problem]:
    """A question has one listed fact, in a form that this fact can carry; a yes-no question states the value."""
    number = item["facts"][0] if len(item["facts"]) == 1 else 0
    if number not in facts:
        yield Problem("facts", f'give the number of one listed fact for: "{item["question"]}"')
        return
    fact = facts[number]
    if item["form"] not in fact.forms:
        forms = " or ".join(fact.forms)
        yield Problem("form", f'fact {number} can be asked as {forms}, not as {item["form"]}: "{item["question"]}"')
    if item["form"] == "boolean":
        if not fact.offered_value:
            yield Problem("offered-value", f"fact {number} has no yes-no value: ask another fact as boolean")
        elif not says_value(item["question"], fact, language):
            yield Problem("offered-value", f'ask about the value "{fact.offered_value}" in: "{item["question"]}"')
    is_yes_no = asks_yes_no(item["question"])
    if language.is_english and is_yes_no != (item["form"] == "boolean"):
        kind = "a yes-no question" if is_yes_no else "no yes-no question"
        yield Problem("ends-agree", f'the form is {item["form"]}, but this is {kind}: "{item["question"]}"')


def asks_yes_no(question: str) -> bool:
    """Tell whether a question begins like a yes-no question."""
    return _YES_NO_START.match(question) is not None


def says_value(question: str, fact: Fact, language: DialogueLanguage = ENGLISH) -> bool:
    """Tell whether a question contains the offered value: dates and numbers by their digits, others literally."""
    if fact.shape == "boolean":  # the question is the statement
        return True
    if fact.shape in ("date", "number"):
        return {Decimal(digits) for digits in re.findall(r"\d+", fact.offered_value)[:1]} <= numbers_in(question)
    return language.contains_name(question, fact.offered_value)


def check_requests_met(items: Sequence[Mapping[str, Any]], requests: Sequence[QuestionRequest]) -> Iterator[Problem]:
    """Each request is met: the number of questions of each form, and a question on each requested fact."""
    written = Counter(item["form"] for item in items)
    requested = Counter(request.form for request in requests)
    for form in sorted(requested):
        if written[form] < requested[form]:
            yield Problem("wanted", f"write {requested[form]} of the form {form}, not {written[form]}")
    for request in requests:
        number, form = request.fact_number, request.form
        if number and not any(number in item["facts"] and item["form"] == form for item in items):
            yield Problem("wanted", f"ask fact {number} as {form}")


def check_no_repetition(items: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    """No two questions have the same text or the same fact."""
    for text, times in Counter(item["question"].casefold() for item in items).items():
        if times > 1:
            yield Problem("repeated", f'ask this only once: "{text}"')
    for number, times in sorted(Counter(n for item in items for n in item["facts"]).items()):
        if times > 1:
            yield Problem("repeated-fact", f"ask each fact only once; fact {number} is asked {times} times")


def check_answers_hidden(question: str, answers: Iterable[str]) -> Iterator[Problem]:
    """No question contains its own answer."""
    for answer in answers:
        if len(answer) > 1 and contains_name(question, answer):
            yield Problem("answer-in-question", f'the answer "{answer}" stands in its own question: "{question}"')


def check_rewriting(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check a dialogue: every later turn once, with a natural reference instead of the name."""
    drafts = {draft.number: draft for draft in variables["turns"]}
    language: DialogueLanguage = variables.get("language", ENGLISH)
    numbers = [turn["turn"] for turn in reply["turns"]]
    later_numbers = [number for number in drafts if number > 1]
    if numbers != later_numbers:
        first, last = later_numbers[0], later_numbers[-1]
        yield Problem("turns", f"rewrite the turns {first} to {last}, each once and in order; got {numbers}")
    for turn in reply["turns"]:
        yield from check_well_formed(turn["question"], language)
        draft = drafts.get(turn["turn"])
        if draft is not None:
            yield from check_reference(turn["question"], draft.question, draft.entity, language)
    for text, times in Counter(turn["question"].casefold() for turn in reply["turns"]).items():
        if times > 1:
            yield Problem("repeated", f'two turns read the same: "{text}"')


def names_class(question: str, standalone: str, entity: Entity) -> bool:
    """Tell whether a follow-up refers to an entity by a noun with ``the``.

    That is a noun of its classes (``the old cargo ship``), or one that its independent question does not have (``the
    architect`` instead of a name).
    """
    class_stems = {number_stem_of(word) for label in (entity.noun, *entity.class_labels) for word in _words(label)}
    standalone_stems = {number_stem_of(word) for word in _words(standalone)}
    for phrase in re.findall(r"\bthe (?=((?:[^\W_]+[ '’?]*){1,3}))", question, re.IGNORECASE):
        stems = [number_stem_of(word) for word in _words(phrase)]
        if class_stems & set(stems) or (stems and stems[0] not in standalone_stems):
            return True
    return False


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{3,}", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))


def check_reference(
    question: str, standalone: str, entity: Entity, language: DialogueLanguage = ENGLISH
) -> Iterator[Problem]:
    """A follow-up refers to its entity without naming it; in English by no gender that the KG does not state."""
    if language.contains_name(question, entity.label):
        yield Problem("hides-entity", f'do not name "{entity.label}", refer to it: "{question}"')
    if not language.is_english:
        return
    if not REFERENCE.search(question) and not names_class(question, standalone, entity):
        yield Problem("reference", f'refer to "{entity.label}" by a pronoun or its kind: "{question}"')
    if UNNATURAL_REFERENCE.search(question):
        yield Problem("stiff", f'write this naturally (possessives, no "of it"): "{question}"')
    for pattern, gender in ((r"\b(?:he|him|his)\b", "male"), (r"\b(?:she|her|hers)\b", "female")):
        if re.search(pattern, question, re.IGNORECASE) and entity.gender != gender:
            if not re.search(pattern, standalone, re.IGNORECASE):
                yield Problem("gender", f'nothing says that "{entity.label}" is {gender}: "{question}"')
    if asks_yes_no(question) != asks_yes_no(standalone):
        yield Problem("ends-agree", f'"{question}" must ask the same as "{standalone}"')
