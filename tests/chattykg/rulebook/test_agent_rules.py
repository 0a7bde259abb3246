"""The QIRs of questions over small graphs of several domains (``questions.txt``), compared up to names of variables."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from chattyshared.check import make_schema_check
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model import Request
from chattyshared.prompt import load_prompt
from invented_graphs import GRAPHS, PREFIXES

from chattykg.linking.vocabulary_card import VocabularyCard, build_vocabulary_card
from chattykg.qir import from_json, render_qir
from chattykg.rulebook.agent_rules import represent_question
from chattykg.rulebook.grammar.parser import parse

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


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, KnowledgeGraph]:
    room = tmp_path_factory.mktemp("graphs")
    made = {}
    for name, text in GRAPHS.items():
        path = room / f"{name}.ttl"
        path.write_text(PREFIXES + text, encoding="utf-8")
        made[name] = open_kg([str(path)])
    return made


def rename_variables(text: str) -> str:
    """Number the variables of a written QIR in the order in which they appear."""
    numbers: dict[str, str] = {}
    return re.sub(r"\?[a-z_]\w*", lambda found: numbers.setdefault(found[0], f"?{len(numbers) + 1}"), text)


def test_variables_are_compared_by_their_places_alone() -> None:
    assert rename_variables("list ?who; (?who | by | ?x)") == rename_variables("list ?a; (?a | by | ?who)")
    assert rename_variables("list ?who; (?who | by | ?x)") != rename_variables("list ?a; (?b | by | ?a)")


@pytest.mark.parametrize(("domain", "question", "expected"), cases())
def test_question_is_understood(
    graphs: Mapping[str, KnowledgeGraph], domain: str, question: str, expected: str
) -> None:
    qir = parse(question, build_vocabulary_card(question, graphs[domain]))[0].qir
    assert rename_variables(render_qir(qir)) == rename_variables(expected)


def test_there_are_many_cases_of_several_domains() -> None:
    found = cases()
    assert len(found) >= 150
    assert {domain for domain, _, _ in found} == set(GRAPHS)


@pytest.mark.slow
def test_every_reply_follows_the_schema(graphs: Mapping[str, KnowledgeGraph]) -> None:
    schema = make_schema_check(load_prompt("answer/qir").schema)
    for domain, question, _ in cases():
        request = Request(
            "answer/qir", (), variables={"question": question, "card": build_vocabulary_card(question, graphs[domain])}
        )
        reply = represent_question(request)
        assert list(schema(reply)) == [], question
        assert from_json(reply) == parse(question, build_vocabulary_card(question, graphs[domain]))[0].qir


@pytest.mark.parametrize(
    "question",
    ["", "?", "the of and", "x" * 10_000, "who " * 3_000, '"', "¿Quién dirigió Silver Tide?",
     "映画は誰が監督しましたか",
     "DROP GRAPH <x> ; SELECT * WHERE { ?s ?p ?o }", "of of of of the the in in by with and or", "((((" * 500,
     "\x00\x01 Silver Tide", "Silver Tide's 's 's 's", "which which which is is is than than",
      "more than at least 3 or more"],
)  # fmt: skip
def test_anything_is_read_without_an_error(graphs: Mapping[str, KnowledgeGraph], question: str) -> None:
    schema = make_schema_check(load_prompt("answer/qir").schema)
    reply = represent_question(
        Request(
            "answer/qir",
            (),
            variables={"question": question, "card": build_vocabulary_card(question, graphs["cinema"])},
        )
    )
    assert list(schema(reply)) == []


def test_a_name_that_the_card_does_not_know_is_still_a_name() -> None:
    assert (
        render_qir(parse("Who directed Unheard Of Film?", VocabularyCard())[0].qir)
        == "list ?who; (?who | directed | Unheard Of Film)"
    )
    assert (
        render_qir(parse('Who wrote "the lost one"?', VocabularyCard())[0].qir)
        == "list ?who; (?who | wrote | the lost one)"
    )
