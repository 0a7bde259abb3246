"""The assertion rules between the stages: pure functions that yield problems, in words for the one who shall mend."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from chattyshared.check import Problem
from chattyshared.language.morphology import number_stem_of
from chattyshared.question_forms import NUMERIC_FORMS

from chattygen.subgraph.facts import Entity, Fact, QuestionRequest

REFERENCE = re.compile(
    r"\b(?:it|its|he|him|his|she|her|hers|they|them|their|theirs|this|that|these|those|there)\b", re.IGNORECASE
)
UNNATURAL_REFERENCE = re.compile(
    r"\bthe [\w ]+? of (?:it|him|her|them|she|he|they)\b(?! \w)"
    r"|\b(?:recorded|given|stated|listed) for (?:it|him|her|them)\b"
    r"|\b(?:of|by|to|for|with) (?:she|he|they)\b(?! \w)|\bthe \w+ (?:titled|named|called) (?:it|him|her|them)\b",
    re.IGNORECASE,
)
_POLAR = re.compile(
    r"(?:(?:and|so|but),? )?(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would)\b", re.IGNORECASE
)
_COUNTS = re.compile(r"\b(?:how many|how much|number|count|total|amount)\b", re.IGNORECASE)
_HOW_MANY = re.compile(r"(?:(?:and|so|but),? )?how many\b", re.IGNORECASE)


def check_label_choice(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """The label predicate must be one of those that were offered."""
    numbers = [candidate.number for candidate in variables["candidates"]]
    if reply["candidate"] not in numbers:
        yield Problem("candidate", f"choose a number from {numbers[0]} to {numbers[-1]}, not {reply['candidate']}")


def check_well_formed(question: str) -> Iterator[Problem]:
    """A question has more than one word, ends with one question mark, and reads as text."""
    if len(question.split()) < 2:
        yield Problem("one-word", f'write more than one word: "{question}"')
    if not question.rstrip().endswith("?") or question.rstrip().endswith("??"):
        yield Problem("question-mark", f'end with one question mark: "{question}"')
    if re.search(r"https?://|[<>{}\n]", question):
        yield Problem("plain-words", f'use plain words, no IRIs and no markup: "{question}"')


def check_names_entity(question: str, entity: Entity) -> Iterator[Problem]:
    """An independent question names the entity that it is about."""
    if not contains_label(question, entity.label):
        yield Problem("names-entity", f'name "{entity.label}" in: "{question}"')


def contains_label(text: str, label: str) -> bool:
    """Tell whether a text says a label, as whole words, whatever the case."""
    return bool(re.search(rf"(?<!\w){re.escape(label.casefold())}(?!\w)", text.casefold()))


def check_questions(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """The rules for a set of independent questions: count, wishes, facts, forms, names, no repetition."""
    facts: dict[int, Fact] = {fact.number: fact for fact in variables["facts"]}
    entity: Entity = variables["entity"]
    wishes: Sequence[QuestionRequest] = variables["wanted"]
    items = reply["questions"]
    if len(items) != len(wishes):
        yield Problem("number-of-questions", f"write exactly {len(wishes)} questions, not {len(items)}")
    for item in items:
        yield from check_well_formed(item["question"])
        yield from check_names_entity(item["question"], entity)
        yield from check_fits_fact(item, facts)
    yield from check_requests_met(items, wishes)
    yield from check_no_repetition(items)


def check_question_texts(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """The rules for questions without facts: count, names, no repetition, yes-no only about offered values."""
    entity: Entity = variables["entity"]
    wishes: Sequence[QuestionRequest] = variables["wanted"]
    texts: list[str] = reply["questions"]
    if len(texts) != len(wishes):
        yield Problem("number-of-questions", f"write exactly {len(wishes)} questions, not {len(texts)}")
    for text in texts:
        yield from check_well_formed(text)
        yield from check_names_entity(text, entity)
    polar, wanted = [text for text in texts if asks_yes_no(text)], sum(wish.form == "boolean" for wish in wishes)
    if len(polar) != wanted:
        yield Problem("wanted", f"write {wanted} yes-no questions, not {len(polar)}")
    offered = [fact for fact in variables["facts"] if fact.offered_value]
    for text in polar:
        if not any(says_value(text, fact) for fact in offered):
            yield Problem("offered-value", f'ask a yes-no question about the yes-no value of its fact: "{text}"')
    yield from check_no_repetition([{"question": text, "facts": ()} for text in texts])


def check_fact_binding(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """The rules for the fact of a question: it is listed, can carry the form, and the form agrees with the words."""
    item = {"question": variables["question"], **reply}
    yield from check_fits_fact(item, {fact.number: fact for fact in variables["facts"]})
    if item["form"] == "count" and not _COUNTS.search(item["question"]):
        yield Problem("ends-agree", f'the form is count, but this asks for no number: "{item["question"]}"')
    if _HOW_MANY.match(item["question"]) and item["form"] not in NUMERIC_FORMS:
        yield Problem("ends-agree", f'the form is {item["form"]}, but this asks how many: "{item["question"]}"')


def check_fits_fact(item: Mapping[str, Any], facts: Mapping[int, Fact]) -> Iterator[Problem]:
    """A question rests on one listed fact, in a form that this fact can carry; a yes-no question says the value."""
    number = item["facts"][0] if len(item["facts"]) == 1 else 0
    if number not in facts:
        yield Problem("facts", f'give the number of one listed fact for: "{item["question"]}"')
        return
    fact = facts[number]
    if item["form"] not in fact.forms:
        can = " or ".join(fact.forms)
        yield Problem("form", f'fact {number} can be asked as {can}, not as {item["form"]}: "{item["question"]}"')
    if item["form"] == "boolean":
        if not fact.offered_value:
            yield Problem("offered-value", f"fact {number} has no yes-no value: ask another fact as boolean")
        elif not says_value(item["question"], fact):
            yield Problem("offered-value", f'ask about the value "{fact.offered_value}" in: "{item["question"]}"')
    is_polar = asks_yes_no(item["question"])
    if is_polar != (item["form"] == "boolean"):
        said = "a yes-no question" if is_polar else "no yes-no question"
        yield Problem("ends-agree", f'the form is {item["form"]}, but this is {said}: "{item["question"]}"')


def asks_yes_no(question: str) -> bool:
    """Tell whether a question begins as one that is answered by yes or no."""
    return _POLAR.match(question) is not None


def says_value(question: str, fact: Fact) -> bool:
    """Tell whether a question says the offered value: dates and numbers by their digits, all else literally."""
    if fact.shape in ("date", "number"):
        return set(re.findall(r"\d+", fact.offered_value)[:1]) <= set(re.findall(r"\d+", question.replace(",", "")))
    return contains_label(question, fact.offered_value)


def check_requests_met(items: Sequence[Mapping[str, Any]], requests: Sequence[QuestionRequest]) -> Iterator[Problem]:
    """Each wish is granted: so many questions of each form, and one on each fact that was asked for by number."""
    got, want = Counter(item["form"] for item in items), Counter(wish.form for wish in requests)
    for form in sorted(want):
        if got[form] < want[form]:
            yield Problem("wanted", f"write {want[form]} of the form {form}, not {got[form]}")
    for wish in requests:
        if wish.fact_number and not any(wish.fact_number in i["facts"] and i["form"] == wish.form for i in items):
            yield Problem("wanted", f"ask fact {wish.fact_number} as {wish.form}")


def check_no_repetition(items: Sequence[Mapping[str, Any]]) -> Iterator[Problem]:
    """No two questions say, or rest on, the same."""
    for text, times in Counter(item["question"].casefold() for item in items).items():
        if times > 1:
            yield Problem("repeated", f'ask this only once: "{text}"')
    for number, times in sorted(Counter(n for item in items for n in item["facts"]).items()):
        if times > 1:
            yield Problem("repeated-fact", f"ask each fact only once; fact {number} is asked {times} times")


def check_answers_hidden(question: str, answers: Iterable[str]) -> Iterator[Problem]:
    """No answer stands in its own question."""
    for answer in answers:
        if len(answer) > 1 and contains_label(question, answer):
            yield Problem("answer-in-question", f'the answer "{answer}" stands in its own question: "{question}"')


def check_rewriting(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """The rules for a dialogue: every later turn once, with a reference, without the name, not stiffly."""
    drafts = {draft.number: draft for draft in variables["turns"]}
    numbers = [turn["turn"] for turn in reply["turns"]]
    later = [number for number in drafts if number > 1]
    if numbers != later:
        yield Problem("turns", f"rewrite the turns {later[0]} to {later[-1]}, each once and in order; got {numbers}")
    for turn in reply["turns"]:
        yield from check_well_formed(turn["question"])
        draft = drafts.get(turn["turn"])
        if draft is not None:
            yield from check_reference(turn["question"], draft.question, draft.entity)
    for text, times in Counter(turn["question"].casefold() for turn in reply["turns"]).items():
        if times > 1:
            yield Problem("repeated", f'two turns read the same: "{text}"')


def names_class(question: str, standalone: str, entity: Entity) -> bool:
    """Tell whether a follow-up speaks of an entity by a noun with ``the``: by its kind (``the old cargo ship``), or by
    a noun that its independent question has not (``the architect``, in the place of a name)."""
    kinds = {number_stem_of(word) for kind in (entity.noun, *entity.class_labels) for word in _words(kind)}
    known = {number_stem_of(word) for word in _words(standalone)}
    for phrase in re.findall(r"\bthe (?=((?:[^\W_]+[ '’?]*){1,3}))", question, re.IGNORECASE):
        stems = [number_stem_of(word) for word in _words(phrase)]
        if kinds & set(stems) or (stems and stems[0] not in known):
            return True
    return False


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]{3,}", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))


def check_reference(question: str, standalone: str, entity: Entity) -> Iterator[Problem]:
    """A follow-up refers to its entity without naming it, by no pronoun that the KG does not support."""
    if contains_label(question, entity.label):
        yield Problem("hides-entity", f'do not name "{entity.label}", refer to it: "{question}"')
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
