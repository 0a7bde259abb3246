"""Follow-ups of small invented conversations (``rewriting.txt``): each is seen as one and becomes a whole question."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.dialogue import Answer, Exchange, LinkedTerm, Reason, Value
from chattyshared.model import Request

from chattykg.conversation.context import ConversationContext, DialogueWords
from chattykg.conversation.referents import Property, Referent
from chattykg.linking.vocabulary_card import VocabularyCard
from chattykg.rulebook import agent_rules

FOLDER = Path(__file__).parent
THINGS = tomllib.loads((FOLDER / "things.toml").read_text(encoding="utf-8"))
NOTHING_KNOWN = DialogueWords(VocabularyCard())
WHOLE = [
    "Who directed Glass Orchard?", "Which films that star Tobias Ode are long?", "Is Vell the capital of Ostria?",
    "Which hardware has Rotor Five as its compatible product?", "Which albums sold best in 2001?",
    "Is the director of Low Sun older than Tobias Ode?", "How many films are there?",
    "What is the price of the product Rotor Five?", "Which drug is the cheapest?",
    "Which people own their own house?", "No Way Home was filmed where?", "Brücken, die über die Marn führen",
]  # fmt: skip


def cases() -> Iterator[tuple[list[str], str, str]]:
    told: list[str] = []
    for line in (FOLDER / "rewriting.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            yield told[:-1], told[-1][2:], line[2:]
            told = []
        elif line and not line.startswith("#"):
            told.append(line)


def iri(name: str) -> str:
    return f"http://example.org/{name.replace(' ', '_')}" if name in THINGS["kind_of"] else ""


def classes_of(name: str) -> tuple[str, ...]:
    return tuple(THINGS["classes"][THINGS["kind_of"][name].split("/")[0]].split("/"))


def referent(name: str, turn: int, role: str, place: int = 1, of: int = 1) -> Referent:
    """Make a referent; a name that is in no list is a literal."""
    if not iri(name):
        return Referent(name, "", turn, "answer", place, of)
    kind, _, gender = THINGS["kind_of"][name].partition("/")
    labels = filter(None, THINGS["has"].get(kind, "").split("|"))
    has = tuple(Property(label.lstrip("<"), not label.startswith("<")) for label in labels)
    named = "topic" if role == "topic" else "answer"
    return Referent(name, iri(name), turn, named, place, of, classes_of(name), gender, has)


def conversation(told: list[str]) -> tuple[ConversationContext, tuple[Referent, ...]]:
    history, referents = [], []
    for turn, line in enumerate(told, 1):
        question, *named = line.split("|")
        asked, _, standalone = (part.strip() for part in question.partition("=>"))
        topics, answers = ([part.strip() for part in field.split(";") if part.strip()] for field in named)
        values = tuple(Value(iri(n) or n, "iri" if iri(n) else "literal", label=n) for n in answers)
        linked = tuple(LinkedTerm(n, iri(n), n, type=classes_of(n)[0]) for n in topics)
        reason = None if answers or topics else Reason("not-stated", "refused")
        answer = Answer(values=values, standalone=standalone or asked, entities=linked, reason=reason)
        history.append(Exchange(asked, answer))
        referents += [referent(name, turn, "topic") for name in topics]
        referents += [referent(name, turn, "answer", place, len(answers)) for place, name in enumerate(answers, 1)]
    return ConversationContext(tuple(history)), tuple(referents)


def read(question: str, context: ConversationContext, referents: tuple[Referent, ...]) -> tuple[str, str]:
    """Return the kind of a question and what it becomes."""
    variables = {"question": question, "history": context, "referents": referents, "known": NOTHING_KNOWN}
    kind = agent_rules.classify_question(Request("answer/classifier", (), variables=variables))
    return kind["kind"], agent_rules.rephrase_question(Request("answer/rephraser", (), variables=variables))["question"]


@pytest.mark.parametrize(("told", "question", "expected"), list(cases()))
def test_follow_up_says_what_it_leans_on(told: list[str], question: str, expected: str) -> None:
    assert read(question, *conversation(told)) == ("follow-up", expected)


@pytest.mark.parametrize("question", WHOLE)
def test_a_whole_question_stays_as_it_is(question: str) -> None:
    context, _ = conversation(["Who directed Silver Tide? | Silver Tide | Mara Vane"])
    assert read(question, context, ())[0] == "self-contained"


def test_without_a_history_nothing_is_a_follow_up() -> None:
    assert read("When was she born?", ConversationContext(()), ()) == ("self-contained", "When was she born?")


def test_a_long_list_is_said_as_it_was_asked_for() -> None:
    films = "Which films did Mara Vane direct? | Mara Vane | Silver Tide; Glass Orchard; Low Sun"
    context, referents = conversation([films])
    many = tuple(replace(r, answer_count=200) if r.role == "answer" else r for r in referents)
    assert read("Which of them are long?", context, many)[1] == "Which of the films that Mara Vane direct are long?"
