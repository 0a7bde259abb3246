"""The QIRs of questions over small graphs of several domains (``questions.txt``), compared up to names of variables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from chattyshared.check import make_schema_check
from chattyshared.model import Request
from chattyshared.prompt import load_prompt
from invented_graphs import open_graph

from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card
from chattykg.qir import from_json, render_qir
from chattykg.rulebook.agent_rules import represent_question
from chattykg.rulebook.grammar.parser import parse

SCHEMA = make_schema_check(load_prompt("answer/qir").schema)
CASES = Path(__file__).with_name("questions.txt")


def cases() -> list[tuple[str, str, str]]:
    found, domain, question = [], "", ""
    for line in CASES.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            domain = line[2:]
        elif line.startswith("    "):
            found.append((domain, question, line.strip()))
        else:
            question = line
    return found


def rename_variables(text: str) -> str:
    """Number the variables of a written QIR in the order in which they appear."""
    numbers: dict[str, str] = {}
    return re.sub(r"\?[a-z_]\w*", lambda found: numbers.setdefault(found[0], f"?{len(numbers) + 1}"), text)


@pytest.mark.parametrize(("domain", "question", "expected"), cases())
def test_question_is_understood(domain: str, question: str, expected: str) -> None:
    card = build_vocabulary_card(question, open_graph(f"questions/{domain}"))
    reply = represent_question(Request("answer/qir", (), variables={"question": question, "card": card}))
    assert rename_variables(render_qir(from_json(reply))) == rename_variables(expected)
    assert list(SCHEMA(reply)) == []


@pytest.mark.parametrize(
    "question",
    ["", "?", "the of and", "x" * 10_000, "who " * 3_000, '"', "¿Quién dirigió Silver Tide?",
     "映画は誰が監督しましたか",
     "DROP GRAPH <x> ; SELECT * WHERE { ?s ?p ?o }", "of of of of the the in in by with and or", "((((" * 500,
     "\x00\x01 Silver Tide", "Silver Tide's 's 's 's", "which which which is is is than than",
      "more than at least 3 or more"],
)  # fmt: skip
def test_anything_is_read_without_an_error(question: str) -> None:
    card = build_vocabulary_card(question, open_graph("questions/cinema"))
    reply = represent_question(Request("answer/qir", (), variables={"question": question, "card": card}))
    assert list(SCHEMA(reply)) == []


def test_a_name_that_the_card_does_not_know_is_still_a_name() -> None:
    assert (
        render_qir(parse("Who directed Unheard Of Film?", VocabularyCard())[0].qir)
        == "list ?who; (?who | directed | Unheard Of Film)"
    )
    assert (
        render_qir(parse('Who wrote "the lost one"?', VocabularyCard())[0].qir)
        == "list ?who; (?who | wrote | the lost one)"
    )
