"""Keyword questions in scripts without spaces, answered by the rules or shown to a hosted model."""

from __future__ import annotations

from typing import Any

import pytest
from chattyshared.dialogue import Answer
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

TURTLE = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:C1 a owl:Class ; rdfs:label "电影"@zh, "映画"@ja, "ภาพยนตร์"@th, "영화"@ko .
:P1 rdfs:label "导演"@zh, "監督"@ja, "ผู้กำกับ"@th, "감독"@ko . :P2 rdfs:label "上映年份"@zh .
:i a :C1 ; rdfs:label "盗梦空间"@zh, "インセプション"@ja, "จิตพิฆาตโลก"@th, "인셉션"@ko ; :P1 :n ; :P2 2010 .
:m a :C1 ; rdfs:label "记忆碎片"@zh, "メメント"@ja ; :P1 :n ; :P2 2000 .
:z a :C1 ; rdfs:label "英雄"@zh ; :P1 :y ; :P2 2002 .
:n rdfs:label "克里斯托弗·诺兰"@zh, "クリストファー・ノーラン"@ja, "คริสโตเฟอร์ โนแลน"@th .
:y rdfs:label "张艺谋"@zh .
"""


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path = tmp_path_factory.mktemp("routing") / "films.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return open_kg([str(path)])


def iris(answer: Answer) -> list[str]:
    return [value.value.rsplit("/", 1)[-1] for value in answer.values]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("盗梦空间的导演是谁？", ["n"]),
        ("记忆碎片的上映年份是什么", ["2000"]),
        ("张艺谋的电影有哪些？", ["z"]),
        ("インセプションの監督は誰ですか", ["n"]),
        ("クリストファー・ノーランの映画", ["i", "m"]),
        ("จิตพิฆาตโลก ผู้กำกับคือใคร", ["n"]),
        ("인셉션의 감독은 누구입니까?", ["n"]),
    ],
)
def test_the_rules_take_a_question_of_names_and_light_words(
    kg: KnowledgeGraph, question: str, expected: list[str]
) -> None:
    assert iris(ChattyEngine(kg, RuleModel(RULEBOOK)).answer(question)) == expected


@pytest.mark.parametrize(
    "question",
    ["有多少电影", "不是张艺谋的电影有哪些", "英雄城的导演是谁", "インセプション以外の映画", "张艺谋的电影吗"],
)
def test_the_rules_leave_out_no_word_that_changes_what_is_asked(kg: KnowledgeGraph, question: str) -> None:
    answer = ChattyEngine(kg, RuleModel(RULEBOOK)).answer(question)
    assert (answer.values, answer.reason.code) == ((), "language")


def test_a_hosted_model_sees_the_names_and_needs_no_translation(kg: KnowledgeGraph, scripted: Any) -> None:
    model = scripted(qir={"shape": "one", "target": "?x", "triples": [["盗梦空间", "导演", "?x"]]})
    assert iris(ChattyEngine(kg, model).answer("请问，盗梦空间是哪位导演拍的？")) == ["n"]
    assert [request.agent for request in model.asked] == ["answer/qir"]
    assert 'mention "盗梦空间": vertex' in model.asked[0].messages[1].content
    assert "\n导演: 电影 -> " in model.asked[0].messages[1].content
