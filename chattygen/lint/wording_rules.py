"""Rules for words: questions name or refer to what their query is about, ask for its gold, and read as rows say."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chattyshared.dialogue import Value
from chattyshared.kg.table_names import column_words
from chattyshared.language.abbreviations import is_sayable
from chattyshared.language.inflection import denote_persons, head_noun
from chattyshared.language.quantities import unit_forms
from chattyshared.language.wordnet import noun_kinds
from chattyshared.literals import parse_number, read_moment
from chattyshared.sparql.analysis import is_rdf_type
from chattyshared.terms import DATE_DATATYPES
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.context.missing_facts import related_stems, word_stems
from chattygen.dialogue_language import numbers_in
from chattygen.lint.defect_rows import DEFECTS, compile_row
from chattygen.lint.dialogue_view import (
    VALUE_MASK,
    TurnView,
    list_answers,
    mask_names,
    mentions_name,
    mentions_part_of_name,
    told_names,
)
from chattygen.lint.lint_context import LintContext
from chattygen.lint.query_parts import facts_of
from chattygen.lint.rules import defect
from chattygen.wording.checks import asks_yes_no, check_reference

MAX_UNIT = 3
"""Letters of an abbreviated unit; set by hand."""
_FREE_FORM = compile_row(DEFECTS["free_form"])
_ONE_OF_SEVERAL = re.compile(r"\b(?:it|its|he|him|his|she|her|that \w+)\b(?!.* of (?:them|those)\b)", re.IGNORECASE)


@defect("disagrees", "question, standalone question, query and kind of gold do not belong together", is_english=True)
def _find_disagrees(context: LintContext, turn: TurnView) -> Iterator[str]:
    """Question, standalone question, query and gold belong together."""
    query, is_yes_no = turn.query, asks_yes_no(turn.standalone)
    is_request = _FREE_FORM.search(turn.standalone)
    if query.syntax_error or not turn.sparql.strip() or not turn.standalone.strip():
        return
    if not is_request and is_yes_no != (query.form == "ASK"):
        yield f"{'a' if is_yes_no else 'no'} yes-no question, but its query is of the form {query.form}"
    if not is_request and not _FREE_FORM.search(turn.question) and asks_yes_no(turn.question) != is_yes_no:
        yield f'"{turn.standalone}" does not ask the same'
    if turn.unanswerable:
        return
    seed = context.dialogue.seed
    if (
        turn.turn == 1
        and seed.iri not in (*query.iris, *turn.answer_iris, "")
        and seed.label.casefold() not in turn.sparql.casefold()
    ):
        yield "the query does not speak of the dialogue's entity"
    for literal in query.literals:
        if literal.datatype != XSD.boolean and not _says_literal(turn.standalone, literal):
            yield f'the query holds "{literal}"'
    yield from _other_predicates(context, turn)
    kinds = [_kind_of_answer(context, answer) for answer in turn.answers]
    for asked, words, fitting in DEFECTS["answers"]:
        if compile_row(words).search(turn.standalone) and not all(map(compile_row(fitting).match, kinds)):
            yield f"asks for {asked}, but the gold is {list_answers(turn.answers)}"


def _kind_of_answer(context: LintContext, answer: Value) -> str:
    """Return the kind of an answer with its value, or with the kinds of the noun for its class."""
    if answer.kind == "iri":
        labels = context.class_labels(answer.value)
        kinds = ("person",) if denote_persons(labels) else noun_kinds(head_noun(next(iter(labels), "")))
        return " ".join(("iri", *kinds))
    return f"{'date' if URIRef(answer.datatype) in DATE_DATATYPES else answer.kind} {answer.value}"


def _other_predicates(context: LintContext, turn: TurnView) -> Iterator[str]:
    """Yield another predicate of the entity that the question names, if it has no word for the one in the query."""
    text = context.mask(turn.standalone)
    for entity, predicate, side in facts_of(turn.query) if turn.answerable else ():
        entry, label = context.entry(predicate), context.label_of(predicate)
        words = (label, *entry.alt_labels, entry.comment) if entry else (label,)
        if not related_stems(text) & related_stems(*words):
            said = word_stems(text) - word_stems(*context.class_labels(entity))
            for other in context.stated(entity, side):
                if other.iri != predicate and word_stems(other.label) and word_stems(other.label) <= said:
                    yield f'names "{other.label}", but the query asks "{label}"'


def _says_literal(text: str, literal: Literal) -> bool:
    """Tell whether a question mentions a literal: a date by its year, a number by its value, a text as it is."""
    moment = read_moment(literal)
    value = parse_number(str(moment.year if moment else literal))
    if value is None:
        return mentions_part_of_name(text, str(literal))
    return abs(value) <= 1 or abs(value) in numbers_in(text)


@defect("answer-in-question", "a question contains its own answer")
def _find_told_answer(context: LintContext, turn: TurnView) -> Iterator[str]:
    """No question contains its own answer, unless it offers a choice."""
    if turn.query.form == "ASK" or turn.query.counted_variables or turn.family == "comparison":
        return
    iris = turn.query.iris if len(turn.query.iris) > 1 else ()
    answers = (answer for answer in context.answers_of(turn) or () if answer.value not in iris)
    told = told_names(_texts(turn), answers, may_offer=not turn.form)
    yield from (f'"{name}" is told{_place(turn, text)}' for name, text in told)


@defect("not-standalone", "a standalone question or the opening does not name what its query is about")
def _find_standalone(context: LintContext, turn: TurnView) -> Iterator[str]:
    """A standalone question, and the opening, names what its query is about."""
    texts = [turn.standalone, turn.question] if turn.turn == 1 else [turn.standalone]
    for iri in context.dialogue.iris_to_name(turn) if not turn.query.syntax_error else ():
        is_whole = iri == context.dialogue.seed.iri and context.is_english
        names, says = context.names_of(iri), mentions_name if is_whole else mentions_part_of_name
        for text in filter(str.strip, texts):
            if names and not any(says(text, name) for name in names):
                yield f'"{text}" does not name "{names[0]}"'


@defect("reference", "a follow-up refers to nothing, to one of several, or by a wrong pronoun", is_english=True)
def _find_reference(context: LintContext, turn: TurnView) -> Iterator[str]:
    """A follow-up refers clearly to the one thing that it is about: to what the question before was about, or its
    answer, as validators of follow-ups have it; to no answer of several as to a single one."""
    if turn.turn == 1 or not turn.question.strip():
        return
    iris, previous = turn.query.iris, context.dialogue.turns[turn.turn - 2]
    told = [earlier for earlier in context.dialogue.before(turn) if not earlier.answer_values.isdisjoint(iris)]
    pronoun = _ONE_OF_SEVERAL.search(context.mask(turn.question))
    if pronoun and context.dialogue.seed.iri not in iris and told and len(told[-1].answers) > 1:
        yield f'"{pronoun[0]}", but turn {told[-1].turn} has {len(told[-1].answers)} answers'
    if len(iris) == 1 and iris in (previous.query.iris, previous.answer_iris):
        entity = context.entity(iris[0])  # without a graph, nothing states whether a person is "he" or "she"
        is_unstated = context.kg is None and (not entity.class_labels or denote_persons(entity.class_labels))
        rules = ("hides-entity", "reference", "" if is_unstated else "gender")
        yield from (p.sentence for p in check_reference(turn.question, turn.standalone, entity) if p.rule in rules)


@defect("wording", "found by the rows of question_defects.toml; with --model, its opinion", is_english=True)
def _find_wording(context: LintContext, turn: TurnView) -> Iterator[str]:
    yield from _found_by_rows(context, turn, "wording")


@defect("unsayable", "words of columns, codes or identifiers, and names as no person writes them", is_english=True)
def _find_unsayable(context: LintContext, turn: TurnView) -> Iterator[str]:
    """No question has words from labels that nobody says: names of columns, codes, a unit behind its column."""
    yield from _found_by_rows(context, turn, "unsayable")
    classes = [str(o) for _, p, o in turn.query.patterns if is_rdf_type(p)]
    iris = (*turn.query.predicates, *filter(None, (context.dialogue.seed.type, *classes)))
    labels = [label for iri in iris for label in (column_words(iri), context.label_of(iri))]
    labels += [each.answer_type for each in (*context.dialogue.before(turn), turn)]
    phrases = [word for label in labels if not is_sayable(label) for word in label.split() if not is_sayable(word)]
    for *words, last in (column_words(iri).casefold().split() for iri in turn.query.predicates):
        if words and last in unit_forms("ending") and len(last) <= MAX_UNIT:
            phrases.append(f"{words[-1]} {last}")
    question = context.mask(turn.question)
    for phrase in dict.fromkeys(phrases):
        if re.search(rf"(?<!\w){re.escape(phrase)}s?(?!\w)", question, re.IGNORECASE):
            yield f'nobody says "{phrase}"'


def _texts(turn: TurnView) -> list[str]:
    return [text for text in dict.fromkeys((turn.question, turn.standalone)) if text.strip()]


def _place(turn: TurnView, text: str) -> str:
    return "" if text == turn.question else f' in "{text}"'


def _found_by_rows(context: LintContext, turn: TurnView, kind: str) -> Iterator[str]:
    """Yield what the rows of a kind find in the questions of a turn."""
    values = [str(value) for value in turn.query.literals if not str(value).isdigit()]
    for text in _texts(turn):
        masked = mask_names(context.mask(text), values, VALUE_MASK)
        for table, said in (("bare", text), ("masked", masked)):
            for row_kind, why, pattern in DEFECTS[table]:
                if row_kind == kind and (found := compile_row(pattern).search(said)):
                    yield f'{why}, "{found[0].strip()}"{_place(turn, text)}'
