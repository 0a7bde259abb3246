"""Rules for gold answers: there or marked, as the query gives them, and of the kind that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from chattyshared.answers import AnswerLine
from chattyshared.dialogue import Value
from chattyshared.literals import format_number, parse_number, read_moment, read_number
from chattyshared.question_forms import ASK_ONLY_FORMS, SELECT_ONLY_FORMS
from chattyshared.terms import NUMERIC_DATATYPES
from rdflib import Literal

from chattygen.checks import asks_yes_no
from chattygen.lint.defect import LintFinding
from chattygen.lint.dialogue_view import DialogueView, TurnView, value_text
from chattygen.lint.entity_names import mentions_name, mentions_part_of_name
from chattygen.lint.kg_facts import KGFacts

_POLITE = re.compile(r"^(?:can|could|would|will|do) you\b|\bor\b", re.IGNORECASE)
_ELLIPTIC = re.compile(
    r"^(?:and )?(?:what|how) about\b|^and (?!(?:is|are|was|were|do|does|did|has|have)\b)", re.IGNORECASE
)
_KINDS_ASKED = (
    (re.compile(r"^(?:and )?(?:how many|what number of)\b", re.I), "a number",
     lambda answer: answer.kind == "number" or parse_number(answer.value) is not None),
    (re.compile(r"^(?:and )?(?:when|(?:in|on|since|by) (?:what|which) (?:year|day|date|month))\b", re.I), "a date",
     lambda answer: answer.kind != "iri"),
    (re.compile(r"^(?:and )?(?:who|whom)\b", re.I), "somebody",
     lambda answer: answer.kind != "number" and not answer.datatype.endswith(("date", "dateTime", "gYear"))),
)  # fmt: skip


def gold_rules(dialogue: DialogueView, kg_facts: KGFacts) -> Iterator[LintFinding]:
    """Judge each turn's gold by itself, against a rerun, and against its question."""
    for line in dialogue.turns:
        yield from _there(line, kg_facts)
        yield from _rerun(line, kg_facts)
        found = next(_disagreements(dialogue, line), "")
        if found:
            yield LintFinding("disagrees", line.number, f'{found}: "{line.standalone}"')


def _there(line: TurnView, known: KGFacts) -> Iterator[LintFinding]:
    given = line.answers if line.answers is not None else known.results.get(line.number)
    if given is not None and not given and line.answerable:
        yield LintFinding("empty-gold", line.number, f'no answer: "{line.standalone}"')
    if line.answers and not line.answerable:
        yield LintFinding(
            "marked-with-gold", line.number, f"marked as unanswerable, but answered: {_said(line.answers)}"
        )


def _rerun(line: TurnView, known: KGFacts) -> Iterator[LintFinding]:
    if line.number in known.query_errors:
        yield LintFinding("query-fails", line.number, known.query_errors[line.number])
    given = known.results.get(line.number)
    if given is None or line.answers is None:
        return
    if not line.answerable and given and not line.answers:
        yield LintFinding(
            "marked-with-gold", line.number, f"marked as unanswerable, but the query gives {_said(given)}"
        )
    elif line.answerable and line.answers and {_key(a) for a in given} != {_key(a) for a in line.answers}:
        yield LintFinding("gold-differs", line.number, f"the query gives {_said(given)}, not {_said(line.answers)}")


def _disagreements(talk: DialogueView, line: TurnView) -> Iterator[str]:
    """Say where question, standalone question, form, query and gold do not go together."""
    query = line.query
    if query.syntax_error or not line.sparql.strip() or not line.standalone.strip():
        return
    polar = asks_yes_no(line.standalone) and not _POLITE.search(line.standalone)
    if polar and query.form == "SELECT":
        yield "a yes-no question, but the query is a SELECT"
    if query.form == "ASK" and not asks_yes_no(line.standalone):
        yield "no yes-no question, but the query is an ASK"
    if (line.form in ASK_ONLY_FORMS and query.form != "ASK") or (
        line.form in SELECT_ONLY_FORMS and query.form == "ASK"
    ):
        yield f"the form is {line.form}, but the query is a {query.form}"
    whole = not _ELLIPTIC.search(line.question) and not _POLITE.search(line.question) and line.question.strip()
    if whole and asks_yes_no(line.question) != asks_yes_no(line.standalone) and not _POLITE.search(line.standalone):
        yield f'"{line.question}" does not ask the same'
    for pattern, what, fits in _KINDS_ASKED:
        if pattern.search(line.standalone) and line.answers and not all(map(fits, line.answers)):
            yield f"asks for {what}, but the gold is {_said(line.answers)}"
    yield from _unsaid(talk, line)


def _unsaid(talk: DialogueView, line: TurnView) -> Iterator[str]:
    """Say what stands in the query and not in the question: a thing, a number, a date, a text."""
    for iri in talk.iris_to_name(line):
        called = talk.names_of(iri)
        if called and iri != talk.seed.iri and not any(mentions_part_of_name(line.standalone, name) for name in called):
            yield f'the query speaks of "{called[0]}"'
    if line.number == 1 and talk.seed.iri and talk.seed.iri not in line.query.iris:
        if talk.seed.label.casefold() not in line.sparql.casefold():
            yield "the query does not speak of the dialogue's entity"
    for literal in line.query.literals:
        if not _says_literal(line.standalone, literal):
            yield f'the query holds "{literal}"'


def _says_literal(text: str, literal: Literal) -> bool:
    """Tell whether a question says a literal: a date by its year, a number by its value, a text as it is."""
    numbers = re.findall(r"\d+(?:\.\d+)?", re.sub(r"(?<=\d),(?=\d{3})", "", text))
    moment = read_moment(literal)
    if moment is not None:
        year = abs(moment.year)
        return f"{year:04d}" in numbers or str(year) in numbers
    value = read_number(literal) if literal.datatype in NUMERIC_DATATYPES else parse_number(str(literal))
    if value is not None and (abs(value) <= 1 or abs(value) in map(parse_number, numbers)):
        return True
    return mentions_name(text, str(literal)) or mentions_part_of_name(text, str(literal))


def compare_with_engine(
    dialogue: DialogueView, engine_answers: Mapping[str, AnswerLine]
) -> tuple[list[LintFinding], int]:
    """Compare gold with an engine's answers to the standalone questions, by the ids ``DIALOGUE/TURN``.

    Returns the turns that disagree, and how many turns the engine has not read (no line, an error, or no answer where
    there is gold).
    """
    found, unread = [], 0
    for line in dialogue.turns:
        reading = engine_answers.get(f"{dialogue.id}/{line.number}")
        if reading is None or reading.error or (not reading.answers and line.answers):
            unread += 1
            continue
        if line.answers is None:
            continue
        labels: Sequence[str] = reading.labels if len(reading.labels) == len(reading.answers) else reading.answers
        given = [{_folded(a), _folded(b)} for a, b in zip(reading.answers, labels, strict=True)]
        gold = [{_folded(a.value), _folded(value_text(a))} - {""} for a in line.answers]
        if not (all(any(g & s for s in given) for g in gold) and all(any(g & s for g in gold) for s in given)):
            said = f"read independently, the answer is {', '.join(labels[:4]) or 'nothing'}, not {_said(line.answers)}"
            found.append(LintFinding("disagrees", line.number, f'{said}: "{line.standalone}"'))
    return found, unread


def _key(answer: Value) -> tuple[str, str]:
    number = parse_number(answer.value) if answer.kind == "number" else None
    return (answer.kind, answer.value) if number is None else ("number", format_number(number))


def _folded(text: str) -> str:
    number = parse_number(text)
    return " ".join(text.casefold().split()) if number is None else format_number(number)


def _said(answers: Sequence[Value]) -> str:
    names = [value_text(answer) or answer.value for answer in answers]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") if names else "nothing"
