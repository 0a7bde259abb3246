"""Rules for gold answers: there or marked, as the query gives them, and of the kind that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from chattyshared.answers import AnswerLine
from chattyshared.dialogue import Value
from chattyshared.literals import number_text, parse_number, read_moment, read_number
from chattyshared.terms import NUMERIC
from rdflib import Literal

from chattygen.checks import asks_yes_no
from chattygen.lint.defect import Finding
from chattygen.lint.dialogue_view import Line, Talk, spoken
from chattygen.lint.entity_names import says, touches
from chattygen.lint.kg_facts import Known

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
_LOOKUPS = frozenset(("object", "subject", "list", "literal", "date", "number", "superlative", "count"))


def gold_rules(talk: Talk, known: Known) -> Iterator[Finding]:
    """Judge each turn's gold by itself, against a rerun, and against its question."""
    for line in talk.lines:
        yield from _there(line, known)
        yield from _rerun(line, known)
        found = next(_disagreements(talk, line), "")
        if found:
            yield Finding("disagrees", line.number, f'{found}: "{line.standalone}"')


def _there(line: Line, known: Known) -> Iterator[Finding]:
    given = line.answers if line.answers is not None else known.results.get(line.number)
    if given is not None and not given and line.answerable:
        yield Finding("empty-gold", line.number, f'no answer: "{line.standalone}"')
    if line.answers and not line.answerable:
        yield Finding("marked-with-gold", line.number, f"marked as unanswerable, but answered: {_said(line.answers)}")


def _rerun(line: Line, known: Known) -> Iterator[Finding]:
    if line.number in known.refused:
        yield Finding("query-fails", line.number, known.refused[line.number])
    given = known.results.get(line.number)
    if given is None or line.answers is None:
        return
    if not line.answerable and given and not line.answers:
        yield Finding("marked-with-gold", line.number, f"marked as unanswerable, but the query gives {_said(given)}")
    elif line.answerable and line.answers and {_key(a) for a in given} != {_key(a) for a in line.answers}:
        yield Finding("gold-differs", line.number, f"the query gives {_said(given)}, not {_said(line.answers)}")


def _disagreements(talk: Talk, line: Line) -> Iterator[str]:
    """Say where question, standalone question, form, query and gold do not go together."""
    query = line.query
    if query.fault or not line.sparql.strip() or not line.standalone.strip():
        return
    polar = asks_yes_no(line.standalone) and not _POLITE.search(line.standalone)
    if polar and query.form == "SELECT":
        yield "a yes-no question, but the query is a SELECT"
    if query.form == "ASK" and not asks_yes_no(line.standalone):
        yield "no yes-no question, but the query is an ASK"
    if (line.form == "boolean" and query.form != "ASK") or (line.form in _LOOKUPS and query.form == "ASK"):
        yield f"the form is {line.form}, but the query is a {query.form}"
    whole = not _ELLIPTIC.search(line.question) and not _POLITE.search(line.question) and line.question.strip()
    if whole and asks_yes_no(line.question) != asks_yes_no(line.standalone) and not _POLITE.search(line.standalone):
        yield f'"{line.question}" does not ask the same'
    for pattern, what, fits in _KINDS_ASKED:
        if pattern.search(line.standalone) and line.answers and not all(map(fits, line.answers)):
            yield f"asks for {what}, but the gold is {_said(line.answers)}"
    yield from _unsaid(talk, line)


def _unsaid(talk: Talk, line: Line) -> Iterator[str]:
    """Say what stands in the query and not in the question: a thing, a number, a date, a text."""
    for iri in talk.to_be_named(line):
        called = talk.named(iri)
        if called and iri != talk.seed.iri and not any(touches(line.standalone, name) for name in called):
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
    value = read_number(literal) if literal.datatype in NUMERIC else parse_number(str(literal))
    if value is not None and (abs(value) <= 1 or abs(value) in map(parse_number, numbers)):
        return True
    return says(text, str(literal)) or touches(text, str(literal))


def independent(talk: Talk, readings: Mapping[str, AnswerLine]) -> tuple[list[Finding], int]:
    """Compare gold with an engine's answers to the standalone questions, by the ids ``DIALOGUE/TURN``.

    Returns the turns that disagree, and how many turns the engine has not read (no line, an error, or no answer where
    there is gold).
    """
    found, unread = [], 0
    for line in talk.lines:
        reading = readings.get(f"{talk.id}/{line.number}")
        if reading is None or reading.error or (not reading.answers and line.answers):
            unread += 1
            continue
        if line.answers is None:
            continue
        labels: Sequence[str] = reading.labels if len(reading.labels) == len(reading.answers) else reading.answers
        given = [{_folded(a), _folded(b)} for a, b in zip(reading.answers, labels, strict=True)]
        gold = [{_folded(a.value), _folded(spoken(a))} - {""} for a in line.answers]
        if not (all(any(g & s for s in given) for g in gold) and all(any(g & s for g in gold) for s in given)):
            said = f"read independently, the answer is {', '.join(labels[:4]) or 'nothing'}, not {_said(line.answers)}"
            found.append(Finding("disagrees", line.number, f'{said}: "{line.standalone}"'))
    return found, unread


def _key(answer: Value) -> tuple[str, str]:
    number = parse_number(answer.value) if answer.kind == "number" else None
    return (answer.kind, answer.value) if number is None else ("number", number_text(number))


def _folded(text: str) -> str:
    number = parse_number(text)
    return " ".join(text.casefold().split()) if number is None else number_text(number)


def _said(answers: Sequence[Value]) -> str:
    names = [spoken(answer) or answer.value for answer in answers]
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") if names else "nothing"
