"""Rules for gold answers: present or marked, equal to the query's result, and of the kind that the question asks
for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from chattyshared.answers import AnswerLine
from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Value
from chattyshared.language.inflection import denote_persons, head_noun, singularize
from chattyshared.language.lexicon import alternation, word_set
from chattyshared.language.wordnet import noun_kinds
from chattyshared.literals import format_number, parse_number, read_moment, read_number
from chattyshared.question_forms import ASK_ONLY_FORMS, SELECT_ONLY_FORMS
from chattyshared.sparql.result_comparison import compare_answers, is_no
from chattyshared.terms import NUMERIC_DATATYPES, iri_to_words
from rdflib import Literal

from chattygen.checks import asks_yes_no
from chattygen.lint.dialogue_view import (
    DialogueView,
    TurnView,
    mask_names,
    mentions_name,
    mentions_part_of_name,
    value_text,
)
from chattygen.lint.kg_facts import KGFacts
from chattygen.lint.query_parts import facts_of
from chattygen.planning.missing_facts import related_stems, word_stems

_POLITE_OR_CHOICE = re.compile(r"^(?:can|could|would|will|do) you\b|\bor\b", re.IGNORECASE)
_AUXILIARIES = word_set("function_words", "auxiliaries") - {"had"}
_ELLIPTIC = re.compile(rf"^(?:and )?(?:what|how) about\b|^and (?!(?:{alternation(_AUXILIARIES)})\b)", re.IGNORECASE)
_EXPECTED_ANSWERS = (
    (re.compile(r"^(?:and )?(?:how many|what number of)\b", re.I), "a number",
     lambda answer: answer.kind == "number" or parse_number(answer.value) is not None),
    (re.compile(r"^(?:and )?(?:when|(?:in|on|since|by) (?:what|which) (?:year|day|date|month))\b", re.I), "a date",
     lambda answer: answer.kind != "iri" and re.search(r"\d|century|age\b", answer.value) is not None),
    (re.compile(r"^(?:and )?where\b", re.I), "a place",
     lambda answer: answer.kind not in ("number", "boolean") and not _is_dated(answer)),
    (re.compile(r"^(?:and )?(?:who|whom)\b", re.I), "somebody",
     lambda answer: answer.kind != "number" and not _is_dated(answer)),
)  # fmt: skip
_WHO = re.compile(r"^(?:and )?(?:who|whom|by whom)\b", re.IGNORECASE)
_WHERE = re.compile(
    rf"^(?:and )?where\b(?!.*\b(?:{alternation(word_set('verbs', 'courses'))})s?\b)", re.IGNORECASE)  # fmt: skip
_SOMEBODY = frozenset(("person", "group", "animal", "communication"))
_NOBODY = frozenset(("object", "location", "time"))
"""Kinds of nouns for what nobody asks for by ``who``, unless the nouns may also be of a kind above."""
_CLASS_ASKED = re.compile(
    rf"^(?:(?:and|with|{alternation(word_set('function_words', 'question_prepositions'))}) )*"
    r"(?:which|what) ([a-z-]+(?: [a-z-]+){0,2}?) "
    rf"(?:\w+ed|that|who|{alternation(_AUXILIARIES)})\b", re.IGNORECASE)  # fmt: skip


def _is_dated(answer: Value) -> bool:
    return answer.datatype.endswith(("date", "dateTime", "gYear"))


def gold_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge each turn's gold by itself, against a new run of its query, and against its question."""
    yield from stated_gold_rules(dialogue, kg_facts)
    for turn in dialogue.turns:
        other = (
            _disagreements(dialogue, turn),
            _other_kinds(turn, kg_facts),
            _other_predicates(dialogue, turn, kg_facts),
        )
        message = next(chain(*other), "")
        if message:
            yield Finding("disagrees", f'{message}: "{turn.standalone}"', turn=turn.number)


def stated_gold_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge each turn's gold by itself and against a new run of its query, not against the words of its question."""
    for turn in dialogue.turns:
        yield from _missing_gold(turn, kg_facts)
        yield from _rerun_differences(turn, kg_facts)
        yield from _refuted_certificates(dialogue, turn, kg_facts)


def _missing_gold(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    answers = turn.answers if turn.answers is not None else kg_facts.results.get(turn.number)
    if answers is not None and not answers and turn.answerable:
        yield Finding("empty-gold", f'no answer: "{turn.standalone}"', turn=turn.number)
    if turn.answers and not turn.answerable:
        message = f"marked as unanswerable, but answered: {_answers_text(turn.answers)}"
        yield Finding("marked-with-gold", message, turn=turn.number)


def _refuted_certificates(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Neither the KG nor an earlier answer has what the certificate of an unanswerable turn excludes."""
    if turn.certificate is None:
        return
    answered = {text for earlier in dialogue.before(turn) for text in earlier.answer_texts}
    said = (name for name in turn.certificate.names if any(mentions_name(text, name) for text in answered))
    names = dict.fromkeys((*kg_facts.refuted.get(turn.number, ()), *said))
    if names:
        yield Finding("refuted", f'"{", ".join(names)}" is known: "{turn.standalone}"', turn=turn.number)


def _rerun_differences(turn: TurnView, kg_facts: KGFacts) -> Iterator[Finding]:
    if turn.number in kg_facts.query_errors:
        yield Finding("query-fails", kg_facts.query_errors[turn.number], turn=turn.number)
    results = kg_facts.results.get(turn.number)
    if results is None or turn.answers is None:
        return
    if not turn.answerable and results and not turn.answers and not is_no(results):
        message = f"marked as unanswerable, but the query gives {_answers_text(results)}"
        yield Finding("marked-with-gold", message, turn=turn.number)
    elif turn.answerable and turn.answers and any(compare_answers(turn.answers, results)):
        message = f"the query gives {_answers_text(results)}, not {_answers_text(turn.answers)}"
        yield Finding("gold-differs", message, turn=turn.number)


def _disagreements(dialogue: DialogueView, turn: TurnView) -> Iterator[str]:
    """Yield where question, standalone question, form, query and gold contradict each other."""
    query = turn.query
    if query.syntax_error or not turn.sparql.strip() or not turn.standalone.strip():
        return
    is_yes_no = asks_yes_no(turn.standalone) and not _POLITE_OR_CHOICE.search(turn.standalone)
    if is_yes_no and query.form == "SELECT":
        yield "a yes-no question, but the query is a SELECT"
    if query.form == "ASK" and not asks_yes_no(turn.standalone):
        yield "no yes-no question, but the query is an ASK"
    if (turn.form in ASK_ONLY_FORMS and query.form != "ASK") or (
        turn.form in SELECT_ONLY_FORMS and query.form == "ASK"
    ):
        yield f"the form is {turn.form}, but the query is a {query.form}"
    is_complete = (
        not _ELLIPTIC.search(turn.question) and not _POLITE_OR_CHOICE.search(turn.question) and turn.question.strip()
    )
    if (
        is_complete
        and asks_yes_no(turn.question) != asks_yes_no(turn.standalone)
        and not _POLITE_OR_CHOICE.search(turn.standalone)
    ):
        yield f'"{turn.question}" does not ask the same'
    for pattern, expected, fits in _EXPECTED_ANSWERS:
        if pattern.search(turn.standalone) and turn.answers and not all(map(fits, turn.answers)):
            yield f"asks for {expected}, but the gold is {_answers_text(turn.answers)}"
    if not turn.unanswerable:
        yield from _unmentioned_terms(dialogue, turn)


def _unmentioned_terms(dialogue: DialogueView, turn: TurnView) -> Iterator[str]:
    """Yield what is in the query and not in the question: an entity, a number, a date, a text."""
    for iri in dialogue.iris_to_name(turn):
        names = dialogue.names_of(iri)
        if (
            names
            and iri != dialogue.seed.iri
            and not any(mentions_part_of_name(turn.standalone, name) for name in names)
        ):
            yield f'the query speaks of "{names[0]}"'
    if turn.number == 1 and dialogue.seed.iri and dialogue.seed.iri not in turn.query.iris:
        if dialogue.seed.label.casefold() not in turn.sparql.casefold():
            yield "the query does not speak of the dialogue's entity"
    for literal in turn.query.literals:
        if not _says_literal(turn.standalone, literal):
            yield f'the query holds "{literal}"'


def _other_kinds(turn: TurnView, kg_facts: KGFacts) -> Iterator[str]:
    """Yield that the classes of the gold do not fit who, where, or the class that the question names."""
    answers = [answer for answer in turn.answers or () if answer.kind == "iri"]
    labels = [labels for answer in answers if (labels := kg_facts.class_labels.get(answer.value))]
    if not labels or len(answers) != len(turn.answers or ()):
        return
    nouns = [head_noun(each[0]) for each in labels]
    kinds = [set(noun_kinds(noun)) for noun in nouns]
    is_nobody = all(each & _NOBODY and not each & _SOMEBODY for each in kinds) and not any(map(denote_persons, labels))
    is_nowhere = all(map(denote_persons, labels)) or set(nouns) <= {"river", "stream", "creek"}
    if (_WHO.search(turn.standalone) and is_nobody) or (_WHERE.search(turn.standalone) and is_nowhere):
        yield f"asks {turn.standalone.split()[0].casefold()}, but the gold is a {labels[0][0]}"
    asked = _CLASS_ASKED.search(turn.standalone)
    name = singularize(asked[1].casefold()) if asked else ""
    types = frozenset().union(*(kg_facts.type_names.get(answer.value, frozenset()) for answer in answers))
    said = {word for iri in turn.query.predicates for word in kg_facts.label_of(iri).casefold().split()}
    if name in kg_facts.class_names - types and head_noun(name) not in {*map(head_noun, types), *said}:
        yield f"asks for a {name}, but the gold is a {labels[0][0]}"


def _other_predicates(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts) -> Iterator[str]:
    """Yield another predicate of the entity that the question names, if it has no word for the one in the query."""
    text = mask_names(turn.standalone, dialogue.all_names())
    said = related_stems(text)
    for entity, predicate, side in facts_of(turn.query) if turn.answerable else ():
        labels = kg_facts.labels_of(predicate) or (iri_to_words(predicate),)
        class_stems = word_stems(*kg_facts.class_labels.get(entity, ()))
        entry = kg_facts.schema.get(predicate)
        if said & related_stems(*labels, entry.comment if entry else ""):
            continue
        if re.search(r"\bvalue\b", text, re.IGNORECASE) and not any("value" in label for label in labels):
            yield f'says "value" for "{labels[0]}"'
        for other in kg_facts.stated.get((entity, side), ()):
            stems = word_stems(other.label)
            if other.iri != predicate and stems and stems <= word_stems(text) - class_stems:
                yield f'names "{other.label}", but the query asks "{labels[0]}"'


def _says_literal(text: str, literal: Literal) -> bool:
    """Tell whether a question mentions a literal: a date by its year, a number by its value, a text as it is."""
    numbers = re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text))
    moment = read_moment(literal)
    if moment is not None:
        year = abs(moment.year)
        return f"{year:04d}" in numbers or str(year) in numbers
    value = read_number(literal) if literal.datatype in NUMERIC_DATATYPES else parse_number(str(literal))
    if value is not None and (abs(value) <= 1 or abs(value) in map(parse_number, numbers)):
        return True
    return mentions_name(text, str(literal)) or mentions_part_of_name(text, str(literal))


def compare_with_engine(dialogue: DialogueView, engine_answers: Mapping[str, AnswerLine]) -> tuple[list[Finding], int]:
    """Compare gold with an engine's answers to the standalone questions, by the ids ``DIALOGUE/TURN``.

    Returns the turns that disagree, and how many turns the engine left out (no line, an error, or no answer where there
    is gold).
    """
    findings, unread = [], 0
    for turn in dialogue.turns:
        engine_line = engine_answers.get(f"{dialogue.id}/{turn.number}")
        if engine_line is None or engine_line.error or (not engine_line.answers and turn.answers):
            unread += 1
            continue
        if turn.answers is None:
            continue
        labels: Sequence[str] = (
            engine_line.labels if len(engine_line.labels) == len(engine_line.answers) else engine_line.answers
        )
        engine_values = [{_fold(a), _fold(b)} for a, b in zip(engine_line.answers, labels, strict=True)]
        gold_values = [{_fold(a.value), _fold(value_text(a))} - {""} for a in turn.answers]
        if not (
            all(any(g & s for s in engine_values) for g in gold_values)
            and all(any(g & s for g in gold_values) for s in engine_values)
        ):
            answer = ", ".join(labels[:4]) or "nothing"
            message = f"read independently, the answer is {answer}, not {_answers_text(turn.answers)}"
            findings.append(Finding("disagrees", f'{message}: "{turn.standalone}"', turn=turn.number))
    return findings, unread


def _fold(text: str) -> str:
    number = parse_number(text)
    return " ".join(text.casefold().split()) if number is None else format_number(number)


def _answers_text(answers: Sequence[Value]) -> str:
    return list_first(value_text(answer) or answer.value for answer in answers)
