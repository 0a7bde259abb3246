"""Rules for queries and gold: readable, answered as the graph does, and of the kind that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from chattyshared.check import Finding, list_first
from chattyshared.dialogue import Value
from chattyshared.language.inflection import denote_persons, head_noun, singularize
from chattyshared.language.lexicon import alternation, word_set
from chattyshared.language.wordnet import noun_kinds
from chattyshared.literals import parse_number, read_moment
from chattyshared.sparql.result_comparison import compare_answers, is_no
from chattyshared.terms import iri_to_words
from chattyshared.text import cut_text
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
from chattygen.lint.kg_facts import KGFacts, kind_of
from chattygen.lint.query_parts import facts_of
from chattygen.planning.invented_names import borne_names
from chattygen.planning.missing_facts import related_stems, surely_answers, word_stems

MAX_QUOTED = 160
"""Letters of a query that a finding quotes."""
_POLITE_OR_CHOICE = re.compile(r"^(?:can|could|would|will|do) you\b|\bor\b", re.IGNORECASE)
_AUXILIARIES = word_set("function_words", "auxiliaries") - {"had"}
_ELLIPTIC = re.compile(rf"^(?:and )?(?:what|how) about\b|^and (?!(?:{alternation(_AUXILIARIES)})\b)", re.IGNORECASE)
_EXPECTED_ANSWERS = (
    (re.compile(r"^(?:and )?(?:how (?:many|much)|what number of)\b", re.I), "a number",
     lambda answer: answer.kind == "number" or re.search(r"\d", answer.value) and answer.kind != "iri"),
    (re.compile(r"^(?:and )?(?:when|(?:in|on|since|by) (?:what|which) (?:year|day|date|month))\b", re.I), "a date",
     lambda answer: answer.kind != "iri" and re.search(r"\d|century|age\b", answer.value) is not None),
    (re.compile(r"^(?:and )?where\b", re.I), "a place",
     lambda answer: answer.kind not in ("number", "boolean") and not _is_dated(answer)),
    (re.compile(r"^(?:and )?(?:who|whom|by whom)\b", re.I), "somebody",
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


def shape_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Yield the findings of the reader, missing parts of turns, a wrong number of turns, and queries that fail."""
    yield from dialogue.file_findings
    for turn in dialogue.turns:
        parts = {"question": turn.question, "standalone question": turn.standalone, "query": turn.sparql}
        missing = [name for name, text in parts.items() if not text.strip() and (turn.answerable or name != "query")]
        if missing:
            yield Finding("misaligned", f"no {' and no '.join(missing)}", turn=turn.number)
        query = turn.query
        fault = query.syntax_error if turn.sparql.strip() else ""
        if not fault and query.undeclared_prefixes:
            fault = f"not declared: {', '.join(f'{prefix}:' for prefix in query.undeclared_prefixes)}"
        unbound = [name for name in query.result_variables if name not in query.bound_variables]
        if not fault and unbound and query.patterns:
            fault = f"?{unbound[0]} is asked for, but nothing binds it"
        if fault:
            yield Finding("query-syntax", f"{fault}: {cut_text(turn.sparql, MAX_QUOTED)}", turn=turn.number)
    if dialogue.expected_turns and len(dialogue.turns) != dialogue.expected_turns:
        yield Finding("turn-count", f"{len(dialogue.turns)} turns, not {dialogue.expected_turns}")


def gold_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge each turn's gold by itself, against a new run of its query, and by what else answers it."""
    for turn in dialogue.turns:
        results = kg_facts.results.get(turn.number)
        answers = turn.answers if turn.answers is not None else results
        if turn.number in kg_facts.query_errors:
            yield Finding("query-fails", kg_facts.query_errors[turn.number], turn=turn.number)
        if not turn.answerable:
            refutation = next(_refutations(dialogue, turn, kg_facts), "")
            if refutation:
                message = f'marked as unanswerable, but {refutation}: "{turn.standalone}"'
                yield Finding("refuted", message, turn=turn.number)
        elif answers is not None and not answers:
            yield Finding("empty-gold", f'no answer: "{turn.standalone}"', turn=turn.number)
        elif turn.answers and results is not None and any(compare_answers(turn.answers, results)):
            message = f"the query gives {_answers_text(results)}, not {_answers_text(turn.answers)}"
            yield Finding("gold-differs", message, turn=turn.number)


def _refutations(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts) -> Iterator[str]:
    """Yield what answers a turn that is said to be unanswerable: gold, its query, a name that its certificate excludes,
    another predicate of the entity, an earlier turn."""
    results = kg_facts.results.get(turn.number, ())
    if turn.answers:
        yield f"answered: {_answers_text(turn.answers)}"
    elif results and turn.answers is not None and not is_no(results):
        yield f"the query gives {_answers_text(results)}"
    if turn.certificate is not None:
        texts = {text for earlier in dialogue.before(turn) for text in earlier.answer_texts}
        said = [name for name in turn.certificate.names if any(mentions_name(text, name) for text in texts)]
        names = (*(borne_names(kg_facts.kg, turn.certificate.names) if kg_facts.kg else ()), *said)
        if names:
            yield f'"{", ".join(dict.fromkeys(names))}" is known'
    for entity, predicate, side in facts_of(turn.query):
        label, entry = kg_facts.label_of(predicate), kg_facts.entry(predicate)
        kind = kind_of(entry) if entry else ""
        earlier = {fact[1] for other in dialogue.before(turn) if other.answers
                   for fact in facts_of(other.query) if fact[0] == entity and fact[2] == side}  # fmt: skip
        others = (each for each in kg_facts.stated(entity, side) if kind in ("", kind_of(each)))
        labels = {**{iri: iri_to_words(iri) for iri in earlier}, **{each.iri: each.label for each in others}}
        yield from (f'"{name}" answers it' for iri, name in labels.items()
                    if iri != predicate and surely_answers(label, name))  # fmt: skip


def agreement_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[Finding]:
    """Judge whether question, standalone question, form, query and gold say the same."""
    for turn in dialogue.turns:
        if not turn.query.syntax_error and turn.sparql.strip() and turn.standalone.strip():
            others = (_disagreements(dialogue, turn), _other_predicates(dialogue, turn, kg_facts))
            for message in chain(*others):
                yield Finding("disagrees", f'{message}: "{turn.standalone}"', turn=turn.number)
            for message in _other_kinds(turn, kg_facts):
                yield Finding("wh-word", f'{message}: "{turn.standalone}"', turn=turn.number)


def _disagreements(dialogue: DialogueView, turn: TurnView) -> Iterator[str]:
    """Yield where question, standalone question, form and query contradict each other."""
    query, is_yes_no = turn.query, asks_yes_no(turn.standalone)
    is_polite = bool(_POLITE_OR_CHOICE.search(turn.standalone))
    if is_yes_no and not is_polite and query.form == "SELECT":
        yield "a yes-no question, but the query is a SELECT"
    if query.form == "ASK" and not is_yes_no:
        yield "no yes-no question, but the query is an ASK"
    is_partial = _ELLIPTIC.search(turn.question) or _POLITE_OR_CHOICE.search(turn.question) or not turn.question.strip()
    if not is_partial and not is_polite and asks_yes_no(turn.question) != is_yes_no:
        yield f'"{turn.question}" does not ask the same'
    for iri in dialogue.iris_to_name(turn) if not turn.unanswerable else ():
        names = dialogue.names_of(iri) if iri != dialogue.seed.iri else ()
        if names and not any(mentions_part_of_name(turn.standalone, name) for name in names):
            yield f'the query speaks of "{names[0]}"'
    seed = dialogue.seed
    spoken_of = (*query.iris, *turn.answer_iris, "")
    if turn.number == 1 and seed.iri not in spoken_of and not turn.unanswerable:
        if seed.label.casefold() not in turn.sparql.casefold():
            yield "the query does not speak of the dialogue's entity"
    for literal in query.literals if not turn.unanswerable else ():
        if not _says_literal(turn.standalone, literal):
            yield f'the query holds "{literal}"'


def _other_kinds(turn: TurnView, kg_facts: KGFacts) -> Iterator[str]:
    """Yield that the gold is not of the kind that the question word, or the class in the question, asks for; without
    gold, the classes that the predicate leads to are judged."""
    answers = turn.answers or ()
    for pattern, expected, fits in _EXPECTED_ANSWERS:
        if pattern.search(turn.standalone) and answers and not all(map(fits, answers)):
            yield f"asks for {expected}, but the gold is {_answers_text(answers)}"
    labels = [labels for iri in turn.answer_iris if (labels := kg_facts.class_labels(iri))]
    if not answers and kg_facts.kg:
        sides = [(kg_facts.entry(predicate), side) for _, predicate, side in facts_of(turn.query)]
        classes = [(entry.ranges if side == "out" else entry.domains)[:1] for entry, side in sides if entry]
        labels = [found for each in classes for iri in each if (found := kg_facts.labels_of(iri))]
    if not labels or len(turn.answer_iris) != len(answers):
        return
    nouns = [head_noun(each[0]) for each in labels]
    kinds = [set(noun_kinds(noun)) for noun in nouns]
    is_nobody = all(each & _NOBODY and not each & _SOMEBODY for each in kinds) and not any(map(denote_persons, labels))
    is_nowhere = all(map(denote_persons, labels)) or set(nouns) <= {"river", "stream", "creek"}
    if (_WHO.search(turn.standalone) and is_nobody) or (_WHERE.search(turn.standalone) and is_nowhere):
        yield f"asks {turn.standalone.split()[0].casefold()}, but the gold is a {labels[0][0]}"
    asked = _CLASS_ASKED.search(turn.standalone) if answers else None
    name = singularize(asked[1].casefold()) if asked else ""
    types = _class_names(kg_facts, (type_iri for iri in turn.answer_iris for type_iri in kg_facts.types_of(iri)))
    said = {word for iri in turn.query.predicates for word in kg_facts.label_of(iri).casefold().split()}
    if name and head_noun(name) not in {*map(head_noun, types), *said} and name not in types:
        if kg_facts.kg and name in _class_names(kg_facts, kg_facts.kg.vocabulary.classes):
            yield f"asks for a {name}, but the gold is a {labels[0][0]}"


def _class_names(kg_facts: KGFacts, classes: Iterator[str] | Mapping[str, object]) -> set[str]:
    """Return the labels of some classes and their superclasses, in lower case."""
    above = kg_facts.kg.vocabulary.superclasses(*classes) if kg_facts.kg else ()
    return {label.casefold() for iri in above for label in kg_facts.labels_of(iri)}


def _other_predicates(dialogue: DialogueView, turn: TurnView, kg_facts: KGFacts) -> Iterator[str]:
    """Yield another predicate of the entity that the question names, if it has no word for the one in the query."""
    text = mask_names(turn.standalone, dialogue.all_names())
    said = related_stems(text)
    for entity, predicate, side in facts_of(turn.query) if turn.answerable else ():
        labels, entry = kg_facts.labels_of(predicate) or (iri_to_words(predicate),), kg_facts.entry(predicate)
        class_stems = word_stems(*kg_facts.class_labels(entity))
        if said & related_stems(*labels, entry.comment if entry else ""):
            continue
        if re.search(r"\bvalue\b", text, re.IGNORECASE) and not any("value" in label for label in labels):
            yield f'says "value" for "{labels[0]}"'
        for other in kg_facts.stated(entity, side):
            stems = word_stems(other.label)
            if other.iri != predicate and stems and stems <= word_stems(text) - class_stems:
                yield f'names "{other.label}", but the query asks "{labels[0]}"'


def _says_literal(text: str, literal: Literal) -> bool:
    """Tell whether a question mentions a literal: a date by its year, a number by its value, a text as it is."""
    moment = read_moment(literal)
    value = parse_number(str(moment.year if moment else literal))
    if value is not None:
        numbers = re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text))
        return abs(value) <= 1 or abs(value) in map(parse_number, numbers)
    return mentions_name(text, str(literal)) or mentions_part_of_name(text, str(literal))


def _answers_text(answers: Sequence[Value]) -> str:
    return list_first(value_text(answer) or answer.value for answer in answers)
