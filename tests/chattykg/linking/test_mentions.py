"""Mentions within words: text without spaces, and names with particles attached."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from chattyshared.trace import Trace, TracedEndpoint
from invented_graphs import GRAPHS, open_graph

from chattykg.engine import ChattyEngine, Settings
from chattykg.linking.mentions import Mention
from chattykg.linking.question_spans import extract_spans
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook import RULEBOOK

QUESTIONS = [
    tuple(part.strip() for part in line.split("|"))
    for line in Path(__file__).with_name("mentions.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]


@pytest.fixture(scope="module", params=["index", "endpoint"])
def kg(request: Any) -> KnowledgeGraph:
    if request.param == "index":
        return open_graph("scripts")
    return KnowledgeGraph(LocalEndpoint([GRAPHS / "scripts.ttl"]), use_index=False, index_up_to=0)


def target_of(mention: Mention) -> str:
    target = mention.hits[0].iri if mention.hits else mention.iris[0] if mention.iris else str(mention.values[0].value)
    return target.rsplit("/", 1)[-1]


@pytest.mark.parametrize(("question", "expected"), QUESTIONS)
def test_names_are_found_within_words(kg: KnowledgeGraph, question: str, expected: str) -> None:
    mentions = build_vocabulary_card(question, kg).mentions
    names = [f"{mention.text} {mention.kind} {target_of(mention)}" for mention in mentions]
    assert ", ".join(names) == expected
    assert all(question[m.start : m.end] == m.text for m in mentions)


def test_a_prompt_shows_what_the_names_are(kg: KnowledgeGraph) -> None:
    text = build_vocabulary_card("黑白电影盗梦空间的导演是谁？", kg).as_prompt_text()
    assert text.splitlines()[:4] == [
        'mention "黑白": value (黑白 under colour)',
        'mention "电影": class (film)',
        'mention "盗梦空间": vertex (Inception [film])',
        'mention "导演": predicate (director)',
    ]


def test_a_long_text_takes_a_bounded_number_of_requests_and_names(kg: KnowledgeGraph) -> None:
    question = "盗梦空间的导演是谁" * 1_100
    traced = TracedEndpoint(kg.endpoint, Trace(), "card")
    assert build_vocabulary_card(question, kg.with_endpoint(traced)).mentions
    assert traced.query_count <= 4
    assert len(extract_spans(question, ())) <= 600


def test_a_label_may_begin_with_a_preposition() -> None:
    card = build_vocabulary_card("Which trips have A as their from pier?", open_graph("trips"))
    mentions = {mention.text: mention.iris for mention in card.mentions if mention.kind == "predicate"}
    assert mentions["from pier"] == ("http://example.org/fromPier",)


@pytest.mark.parametrize(
    ("graph", "question", "named"),
    [
        ("names", "who commands the rype", {"rype": "MS Rype"}),
        ("names", "where is the harbour board", {"harbour board": "Northern Harbour Board"}),
        ("names", "the booking office at Vik", {"booking office at Vik": "Vik Booking Office"}),
        ("names", "what is the harbour", {}),
        ("inns_with_pools", "which inns have a pool?", {"pool": "heated pool"}),
        ("inns_with_pools", "which inns have a garden?", {}),
        ("inns_with_pools", "who is a keeper?", {}),
    ],
)
def test_a_good_part_of_one_name_names_it(graph: str, question: str, named: dict[str, str]) -> None:
    card = build_vocabulary_card(question, open_graph(graph))
    assert {m.text: m.hits[0].label for m in card.mentions if m.kind == "vertex" and m.score > 0.8} == named


def test_the_first_words_of_several_names_name_them_all() -> None:
    kg, question, names = (
        open_graph("lines"),
        "What is the length of the harbour line?",
        ["Harbour Line I", "Harbour Line II"],
    )
    (mention,) = (m for m in build_vocabulary_card(question, kg).mentions if m.text == "harbour line")
    assert [hit.label for hit in mention.hits] == names
    answer = ChattyEngine(kg, RuleModel(RULEBOOK), settings=Settings(clarify="ask")).answer(question)
    assert answer.clarification is not None and not answer.values
    assert [option.label for option in answer.clarification.options] == names
