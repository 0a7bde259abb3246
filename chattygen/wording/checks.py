"""The checks of questions between the stages: pure functions that yield problems, worded for the model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from chattyshared.check import Problem
from chattyshared.kg import KnowledgeGraph
from chattyshared.language.inflection import class_noun, plain_label, pluralize
from chattyshared.language.lexicon import alternation, word_lists, word_map, word_set
from chattyshared.language.morphology import label_stems_of, lemma_of, lemma_stem_of, number_stem_of
from chattyshared.language.scripts import contains_name
from chattyshared.language.wordnet import hypernyms, near_words, noun_synonyms, related_forms
from chattyshared.literals import parse_number
from chattyshared.question_forms import FORM_BY_NAME, NUMERIC_FORMS

from chattygen.context.facts import Entity, Fact, QuestionRequest, Shape, Step
from chattygen.dialogue_language import DialogueLanguage, numbers_in
from chattygen.form_registry import form_of
from chattygen.lexicalization.lexicon import AGENT_NOUNS, MEASURE_ADJECTIVES, NOT_HAD_NOUNS, OCCUPATION_NOUNS
from chattygen.lexicalization.predicate_lexicalization import lexicalize_predicate
from chattygen.turns import TurnSpec
from chattygen.wording.drafts import DraftTurn

ENGLISH = DialogueLanguage()
_REFERENCE = re.compile(
    rf"\b(?:{alternation(word_map('function_words', 'pronoun_groups'))}|this|that|these|those|there)\b", re.IGNORECASE
)
_UNNATURAL_REFERENCE = re.compile(
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
_PLURAL = re.compile(r"\b(?:them|those|these|they|their|theirs|ones)\b", re.IGNORECASE)
_FULL_SET = re.compile(
    r"\b(?:of|among|out of) (?:all|the|his|her|its|their|this|that)\b|\bhow many (?!of\b)|\w's\b", re.IGNORECASE
)
_ORDINAL = re.compile(r"\b(?:first|second|third|fourth|fifth|last|final|other|\d+(?:st|nd|rd|th))\b", re.IGNORECASE)
_OF_THEM = re.compile(r"\bof (?:them|those|these)\b", re.IGNORECASE)
_GENERAL_VERBS = frozenset("make create build write produce develop design present".split())
"""Verbs of agent nouns that also say other relations: whoever *made* a film may be its director."""
_MEASURES = {
    adjective: frozenset(noun.removeprefix("-") for noun in nouns)
    for adjective, nouns in word_lists("gradable_adjectives", "quantities").items()
}
"""The quantities that each adjective measures."""
_WORD = re.compile(r"[^\W\d_]+")
_ASKED = r"\b(?:which|what|how many)(?: of)?(?: the| these| those| his| her| its| their)? (?:\w+ )?"


# Any question.


def check_well_formed(question: str, language: DialogueLanguage = ENGLISH) -> Iterator[Problem]:
    """A question has more than one word, ends with one question mark, and is plain text."""
    if len(question.split()) < 2 and language.is_spaced:
        yield Problem("one-word", f'write more than one word: "{question}"')
    if not language.asks(question):
        yield Problem("question-mark", f'end with one question mark: "{question}"')
    if re.search(r"https?://|[<>{}\n]", question):
        yield Problem("plain-words", f'use plain words, no IRIs and no markup: "{question}"')


def check_answers_hidden(question: str, answers: Iterable[str]) -> Iterator[Problem]:
    """No question contains its own answer."""
    for answer in answers:
        if len(answer) > 1 and contains_name(question, answer):
            yield Problem("answer-in-question", f'the answer "{answer}" stands in its own question: "{question}"')


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


def _check_repetition(said: str, texts: Iterable[str]) -> Iterator[Problem]:
    for text, times in Counter(map(str.casefold, texts)).items():
        if times > 1:
            yield Problem("repeated", f'{said}: "{text}"')


# Independent questions, with or without the facts that support them.


def check_questions(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check a set of independent questions: number, requests, facts, forms, names, no repetition."""
    facts: dict[int, Fact] = {fact.number: fact for fact in variables["facts"]}
    requests: Sequence[QuestionRequest] = variables["wanted"]
    language: DialogueLanguage = variables.get("language", ENGLISH)
    items = reply["questions"]
    yield from _check_number(items, requests)
    for item in items:
        yield from check_well_formed(item["question"], language)
        yield from check_names_entity(item["question"], variables["entity"], language)
        yield from _check_fits_fact(item, facts, language)
    written = Counter(item["form"] for item in items)
    requested = Counter(request.form for request in requests)
    for form in sorted(requested):
        if written[form] < requested[form]:
            yield Problem("wanted", f"write {requested[form]} of the form {form}, not {written[form]}")
    for request in requests:
        number, form = request.fact_number, request.form
        if number and not any(number in item["facts"] and item["form"] == form for item in items):
            yield Problem("wanted", f"ask fact {number} as {form}")
    yield from _check_repetition("ask this only once", (item["question"] for item in items))
    for number, times in sorted(Counter(n for item in items for n in item["facts"]).items()):
        if times > 1:
            yield Problem("repeated-fact", f"ask each fact only once; fact {number} is asked {times} times")


def check_question_texts(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check questions without facts: number, names, no repetition, yes-no only about offered values."""
    requests: Sequence[QuestionRequest] = variables["wanted"]
    language: DialogueLanguage = variables.get("language", ENGLISH)
    texts: list[str] = reply["questions"]
    yield from _check_number(texts, requests)
    for text in texts:
        yield from check_well_formed(text, language)
        yield from check_names_entity(text, variables["entity"], language)
    yes_no_texts = [text for text in texts if asks_yes_no(text)] if language.is_english else []
    requested = sum(FORM_BY_NAME[request.form].is_yes_no for request in requests)
    if language.is_english and len(yes_no_texts) != requested:
        yield Problem("wanted", f"write {requested} yes-no questions, not {len(yes_no_texts)}")
    for text in yes_no_texts:
        if not any(fact.offered_value and says_value(text, fact) for fact in variables["facts"]):
            yield Problem("offered-value", f'ask a yes-no question about the yes-no value of its fact: "{text}"')
    yield from _check_repetition("ask this only once", texts)


def check_fact_binding(
    reply: Any, variables: Mapping[str, Any], language: DialogueLanguage = ENGLISH
) -> Iterator[Problem]:
    """Check the fact of a question: it is listed and can carry the form, and the form agrees with the words."""
    question, form = variables["question"], reply["form"]
    yield from _check_fits_fact(
        {"question": question, **reply}, {fact.number: fact for fact in variables["facts"]}, language
    )
    if not language.is_english:
        return
    if FORM_BY_NAME[form].is_count and not _COUNT_WORDS.search(question):
        yield Problem("ends-agree", f'the form is count, but this asks for no number: "{question}"')
    if _HOW_MANY.match(question) and form not in NUMERIC_FORMS:
        yield Problem("ends-agree", f'the form is {form}, but this asks how many: "{question}"')


def check_names_entity(question: str, entity: Entity, language: DialogueLanguage = ENGLISH) -> Iterator[Problem]:
    """An independent question names its entity."""
    if not language.contains_name(question, entity.label):
        yield Problem("names-entity", f'name "{entity.label}" in: "{question}"')


def _check_number(written: Sequence[Any], requests: Sequence[QuestionRequest]) -> Iterator[Problem]:
    if len(written) != len(requests):
        yield Problem("number-of-questions", f"write exactly {len(requests)} questions, not {len(written)}")


def _check_fits_fact(
    item: Mapping[str, Any], facts: Mapping[int, Fact], language: DialogueLanguage
) -> Iterator[Problem]:
    """A question has one listed fact, in a form that this fact can carry; a yes-no question states the value."""
    number, form, question = item["facts"][0] if len(item["facts"]) == 1 else 0, item["form"], item["question"]
    if number not in facts:
        yield Problem("facts", f'give the number of one listed fact for: "{question}"')
        return
    fact, is_yes_no = facts[number], FORM_BY_NAME[form].is_yes_no
    if form not in fact.forms:
        forms = " or ".join(fact.forms)
        yield Problem("form", f'fact {number} can be asked as {forms}, not as {form}: "{question}"')
    if is_yes_no and not fact.offered_value:
        yield Problem("offered-value", f"fact {number} has no yes-no value: ask another fact as boolean")
    elif is_yes_no and not says_value(question, fact, language):
        yield Problem("offered-value", f'ask about the value "{fact.offered_value}" in: "{question}"')
    if language.is_english and asks_yes_no(question) != is_yes_no:
        kind = "no yes-no question" if is_yes_no else "a yes-no question"
        yield Problem("ends-agree", f'the form is {form}, but this is {kind}: "{question}"')


# Follow-up questions.


def check_rewriting(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check a dialogue: every later turn once, with a natural reference instead of the name."""
    drafts: dict[int, DraftTurn] = {draft.number: draft for draft in variables["turns"]}
    language: DialogueLanguage = variables.get("language", ENGLISH)
    yield from _check_turn_numbers("rewrite", reply, list(drafts)[1:])
    for turn in reply["turns"]:
        yield from check_well_formed(turn["question"], language)
        draft = drafts.get(turn["turn"])
        if draft is not None:
            yield from check_reference(turn["question"], draft.question, draft.entity, language)
    yield from _check_repetition("two turns read the same", (turn["question"] for turn in reply["turns"]))


def _check_turn_numbers(said: str, reply: Any, wanted: Iterable[int]) -> Iterator[Problem]:
    """Each wanted turn is written once and in order; ``said`` is the verb for the writing."""
    numbers, expected = [turn["turn"] for turn in reply["turns"]], list(wanted)
    if numbers != expected:
        each = f"the turns {expected[0]} to {expected[-1]}, each once and in order"
        yield Problem("turns", f"{said} {each}; got {numbers}")


def check_reference(
    question: str, standalone: str, entity: Entity, language: DialogueLanguage = ENGLISH
) -> Iterator[Problem]:
    """A follow-up refers to its entity without naming it; in English by no gender that the KG does not state."""
    if language.contains_name(question, entity.label):
        yield Problem("hides-entity", f'do not name "{entity.label}", refer to it: "{question}"')
    if not language.is_english:
        return
    if not _REFERENCE.search(question) and not names_class(question, standalone, entity):
        yield Problem("reference", f'refer to "{entity.label}" by a pronoun or its kind: "{question}"')
    if _UNNATURAL_REFERENCE.search(question):
        yield Problem("stiff", f'write this naturally (possessives, no "of it"): "{question}"')
    for pattern, gender in ((r"\b(?:he|him|his)\b", "male"), (r"\b(?:she|her|hers)\b", "female")):
        if re.search(pattern, question, re.IGNORECASE) and entity.gender != gender:
            if not re.search(pattern, standalone, re.IGNORECASE):
                yield Problem("gender", f'nothing says that "{entity.label}" is {gender}: "{question}"')
    if asks_yes_no(question) != asks_yes_no(standalone):
        yield Problem("ends-agree", f'"{question}" must ask the same as "{standalone}"')


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


# The words of a plan.


def check_verbalization(reply: Any, variables: Mapping[str, Any]) -> Iterator[Problem]:
    """Check the words of a plan: every turn once, standalone and in the dialogue, as its line in the prompt says."""
    plans: dict[int, TurnSpec] = {plan.number: plan for plan in variables["turns"]}
    language: DialogueLanguage = variables.get("language", ENGLISH)
    yield from _check_turn_numbers("word", reply, plans)
    for turn in reply["turns"]:
        plan = plans.get(turn["turn"])
        if plan is not None:
            yield from _check_standalone(plan, turn["standalone"], language)
            yield from _check_question(plan, turn["question"], turn["standalone"], language, plans)
    yield from _check_repetition("two turns read the same", (turn["question"] for turn in reply["turns"]))


def _check_standalone(plan: TurnSpec, text: str, language: DialogueLanguage) -> Iterator[Problem]:
    """A standalone question names its entities, states its value, and has the right form."""
    yield from check_well_formed(text, language)
    may_translate = plan.is_of_class and not language.is_english
    for entity in filter(None, (plan.entity if not may_translate else None, plan.other_entity)):
        if not _says(entity.label, text, language):
            yield Problem("names-entity", f'turn {plan.number}: name "{entity.label}" in: "{text}"')
    yield from _check_content(plan, text, language)


def _says(name: str, text: str, language: DialogueLanguage) -> bool:
    """Tell whether a text has a name, in English also as a plural."""
    return language.contains_name(text, name) or (language.is_english and language.contains_name(text, pluralize(name)))


def _check_content(
    plan: TurnSpec, text: str, language: DialogueLanguage, *, may_translate: bool = False
) -> Iterator[Problem]:
    """A question states the value that it asks about, and in English it is a count or a yes-no question as planned.

    With ``may_translate``, a value that is a name may be said as the language does.
    """
    is_name = may_translate and plan.fact.shape in ("entity", "text")
    if plan.kind.is_yes_no and not (is_name or says_value(text, plan.fact, language)):
        yield Problem(
            "offered-value", f'turn {plan.number}: ask about the value "{plan.fact.offered_value}" in: "{text}"'
        )
    value = plan.condition.value if plan.condition is not None else ""
    number = parse_number(value)
    must_say = bool(value) and not (may_translate and number is None)
    if must_say and number not in numbers_in(text) and not _says(value, text, language):
        in_digits = " in digits" if number is not None else ""
        yield Problem("says-value", f'turn {plan.number}: say "{value}"{in_digits} in: "{text}"')
    if not language.is_english:
        return
    yield from form_of(plan).check(plan, text)
    is_yes_no = plan.kind.is_yes_no or plan.is_yes_no
    if asks_yes_no(text) != is_yes_no:
        kind = "a yes-no question" if is_yes_no else "no yes-no question"
        yield Problem("ends-agree", f'turn {plan.number}: this must be {kind}: "{text}"')


def _check_question(
    plan: TurnSpec, text: str, standalone: str, language: DialogueLanguage, plans: Mapping[int, TurnSpec]
) -> Iterator[Problem]:
    """A later question refers to the entity as its link says, and has the content of the standalone one."""
    label, is_english = plan.entity.label, language.is_english
    if plan.opens:
        if text != standalone:
            yield Problem("opens", f'turn {plan.number}: write the same text twice, not "{text}"')
        return
    yield from check_well_formed(text, language)
    if plan.repeats_question:
        if not language.contains_name(text, label):
            yield Problem("names-entity", f'turn {plan.number}: name "{label}" in: "{text}"')
        return
    yield from _check_content(plan, text, language, may_translate=not is_english)
    other = plan.other_entity if not plan.picks_from_answers else None
    if other is not None and not language.contains_name(text, other.label):
        yield Problem("names-entity", f'turn {plan.number}: name "{other.label}" in: "{text}"')
    is_of_list = plan.picks_from_answers or bool(plan.position)
    is_said = language.contains_name(text, label)
    is_named = is_said and not is_of_list and _may_be_named(plan, plans)
    if is_english:
        yield from _check_set_reference(plan, text)
    if is_english and not is_named and not is_of_list:
        yield from check_reference(text, standalone, plan.entity)
    elif is_english and not is_named:
        if plan.position and not _ORDINAL.search(text):
            yield Problem("reference", f'turn {plan.number}: say which one by its place ("the second one"): "{text}"')
        if _UNNATURAL_REFERENCE.search(_OF_THEM.sub(" ", text)):
            yield Problem("stiff", f'turn {plan.number}: write this naturally: "{text}"')
    if is_said and not is_named and (is_of_list or not is_english):
        yield Problem("hides-entity", f'turn {plan.number}: do not name "{label}": "{text}"')


def _check_set_reference(plan: TurnSpec, text: str) -> Iterator[Problem]:
    """A question about an earlier list refers to it; one that states its set in full does not.

    Otherwise the set could be taken for a part of it that an earlier turn has selected.
    """
    if plan.picks_from_answers:
        if not _PLURAL.search(text) and not _FULL_SET.search(text):
            yield Problem("reference", f'turn {plan.number}: say "which of them" or the like: "{text}"')
    elif plan.is_selection and _OF_THEM.search(text):
        yield Problem("reference", f'turn {plan.number}: say what they are, not only "of them": "{text}"')


def _may_be_named(plan: TurnSpec, plans: Mapping[int, TurnSpec]) -> bool:
    """Tell whether a pronoun could be misunderstood: after a comparison, or when the last turn is about another thing
    too."""
    antecedent, last = plans.get(plan.antecedent_turn), plans.get(plan.number - 1)
    if last is None:
        return False
    if antecedent is not None and antecedent.other_entity is not None:
        return True
    return antecedent is not last and (
        last.other_entity is not None or last.fact.shape == "entity" or len(last.fact.steps) > 1
    )


# Reading a wording back: it still asks for the relation and the class of its plan.


@dataclass(frozen=True, slots=True)
class SchemaNames:
    """The names of the predicates and classes of a KG."""

    relations: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


def schema_names(kg: KnowledgeGraph) -> SchemaNames:
    """Return the words that people say for the predicates and classes of a KG, without those that only describe."""
    vocabulary, names = kg.vocabulary, kg.spoken_names
    groups = (vocabulary.predicates.values(), vocabulary.classes.values())
    relations, classes = (tuple(names[e.iri] for e in group if names[e.iri] and not e.is_metadata) for group in groups)
    return SchemaNames(relations, classes)


def check_wording(plan: TurnSpec, text: str, names: SchemaNames) -> Iterator[Problem]:
    """A question in English asks for the relation and the class of its plan, not for others of the KG instead.

    A wording that has none of the plan's words, nor
    those of another relation or class, passes: people say things in many ways.
    """
    words = tuple(_WORD.findall(_without_names(plan, text)))
    stems = {lemma_stem_of(word) for word in words}
    own = {stem for label in _own_labels(plan) for stem in label_stems_of(label)}
    for step, shape in _asked_steps(plan):
        if stems & _stems_of_relation(step.label, step.comment, shape):
            continue
        other = next(_other_relations(words, stems - own, shape, names.relations), "")
        if other:
            yield Problem("relation", f'turn {plan.number}: ask for "{step.label}", not for "{other}": "{text}"')
    labels = plan.fact.class_labels if plan.condition is None else ()
    if labels and not stems & _stems_of_classes(labels):
        other = next((name for name in names.classes if _is_asked(name, text, own | _stems_of_classes(labels))), "")
        if other:
            yield Problem("class", f'turn {plan.number}: ask for a "{labels[0]}", not for a "{other}": "{text}"')


def _asked_steps(plan: TurnSpec) -> Iterator[tuple[Step, Shape]]:
    """Yield the steps whose relation the question must say, each with the shape of its values."""
    if plan.repeats_question:
        return
    if plan.condition is not None:
        yield plan.condition.step, plan.condition.shape
    if plan.condition is None or (plan.is_selection and not (plan.picks_from_answers or plan.is_of_class)):
        yield plan.fact.last_step, plan.fact.shape


def _own_labels(plan: TurnSpec) -> Iterator[str]:
    """Yield all labels that the turn may say: its relations, their comments, and its classes."""
    for step in (*plan.fact.steps, *((plan.condition.step,) if plan.condition else ())):
        yield from (step.label, step.comment)
    yield from (*plan.entity.class_labels, *plan.fact.class_labels, *plan.fact.via_class_labels)
    yield from plan.condition.class_labels if plan.condition else ()


def _without_names(plan: TurnSpec, text: str) -> str:
    """Return the text without the names and values that it states."""
    names = [plan.entity.label, plan.fact.offered_value, plan.condition.value if plan.condition else ""]
    names += [plan.other_entity.label] if plan.other_entity else []
    for name in filter(None, names):
        text = re.sub(re.escape(name), " ", text, flags=re.IGNORECASE)
    is_hedged = plan.is_of_class or plan.fact.asks_record(plan.form)
    return _AS_RECORDED.sub(" ", text) if is_hedged else text


_AS_RECORDED = re.compile(r"\b(?:as far as (?:it )?is |on )record(?:ed)?\b")
"""What a question says that asks for what the data holds; it is no relation."""


@lru_cache(maxsize=4_096)
def _stems_of_relation(label: str, comment: str, shape: Shape) -> frozenset[str]:
    """Return the stems of the words that say a relation: its own, its verbs, synonyms, related forms, adjectives."""
    frame = lexicalize_predicate(label, comment, shape)
    texts = [label, comment, frame.noun, frame.counted_noun, frame.event_verb, frame.object_noun]
    texts += [text for clause in frame.clauses for text in (clause.verb, clause.complement, clause.plural_complement)]
    words = {lemma_of(word) for text in texts for word in _WORD.findall(plain_label(text).lower())} - {"be", "have"}
    near = {word for each in words for word in (*near_words(each), *related_forms(each), *noun_synonyms(each))}
    words |= {"work"} if frame.noun in OCCUPATION_NOUNS else set()
    adjectives = {adjective for adjective, nouns in _MEASURES.items() if nouns & {frame.noun.lower(), *words}}
    return frozenset(map(lemma_stem_of, words | near | adjectives))


@lru_cache(maxsize=4_096)
def _stems_of_classes(labels: tuple[str, ...]) -> frozenset[str]:
    nouns = [class_noun(label) for label in labels]
    near = (word for noun in nouns for word in (*noun_synonyms(noun), *hypernyms(noun)))
    return frozenset(stem for text in (*nouns, *near) for stem in label_stems_of(text))


def _other_relations(words: Sequence[str], stems: set[str], shape: Shape, relations: Iterable[str]) -> Iterator[str]:
    """Yield the relations that a text says by an agent noun, a measure, or all words of the name of one."""
    lemmas = {lemma_of(word) for word in words if lemma_stem_of(word) in stems}
    if shape == "entity":
        for noun, (verb, _) in AGENT_NOUNS.items():
            if verb not in _GENERAL_VERBS and not lemmas.isdisjoint((noun, verb)):
                yield noun
    if shape == "number" and not {"many", "much"} & set(words):
        lemmas.discard("high")  # any measure may be the highest
        yield from (noun for noun, adjective in MEASURE_ADJECTIVES.items() if not lemmas.isdisjoint((noun, adjective)))
    named = (label for label in relations if label.lower() not in NOT_HAD_NOUNS)
    yield from (label for label in named if {*label_stems_of(label)} <= stems)


def _is_asked(name: str, text: str, own: Iterable[str]) -> bool:
    """Tell whether a text asks for the members of a class that is not its own, nor one above or below."""
    noun = class_noun(name)
    if not {*label_stems_of(noun)}.isdisjoint(own) or any(
        not {*label_stems_of(word)}.isdisjoint(own) for word in hypernyms(noun)
    ):
        return False
    nouns = "|".join(re.escape(form) for form in (pluralize(noun), noun))
    return bool(re.search(rf"{_ASKED}(?:{nouns})\b", text, re.IGNORECASE))
