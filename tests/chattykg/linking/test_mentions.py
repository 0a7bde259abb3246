"""Mentions within words: text without spaces, and names with particles attached."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from chattyshared.trace import Trace, TracedEndpoint

from chattykg.engine import ChattyEngine, Settings
from chattykg.linking.mentions import Mention
from chattykg.linking.question_spans import extract_spans
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.rulebook import RULEBOOK

TURTLE = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
:Film a owl:Class ; rdfs:label "film"@en, "电影"@zh, "映画"@ja, "ภาพยนตร์"@th, "영화"@ko, "فيلم"@ar, "סרט"@he .
:director a owl:ObjectProperty ; rdfs:label "director"@en, "导演"@zh, "監督"@ja, "ผู้กำกับ"@th,
  "감독"@ko, "مخرج"@ar, "במאי"@he, "निर्देशक"@hi .
:colour rdfs:label "colour"@en, "颜色"@zh, "色"@ja .
:i a :Film ; rdfs:label "Inception"@en, "盗梦空间"@zh, "インセプション"@ja, "จิตพิฆาตโลก"@th, "인셉션"@ko,
  "إنسبشن"@ar, "התחלה"@he, "इन्सेप्शन"@hi ; :director :n ; :colour "彩色" .
:m a :Film ; rdfs:label "Memento"@en, "记忆碎片"@zh, "メメント"@ja ; :director :n ; :colour "黑白" .
:p a :Film ; rdfs:label "Princess Mononoke"@en, "もののけ姫"@ja ; :director :h .
:dream a :Film ; rdfs:label "Dream"@en, "盗梦"@zh .
:n rdfs:label "Christopher Nolan"@en, "克里斯托弗·诺兰"@zh, "クリストファー・ノーラン"@ja, "คริสโตเฟอร์ โนแลน"@th,
  "크리스토퍼 놀란"@ko .
:h rdfs:label "Hayao Miyazaki"@en, "宮崎駿"@ja .
"""
QUESTIONS = [
    ("盗梦空间的导演是谁？", "盗梦空间 vertex i, 导演 predicate director"),
    ("《盗梦空间》的导演是谁", "盗梦空间 vertex i, 导演 predicate director"),
    ("克里斯托弗·诺兰导演了哪些电影？", "克里斯托弗·诺兰 vertex n, 导演 predicate director, 电影 class Film"),
    ("黑白电影有哪些", "黑白 value 黑白, 电影 class Film"),
    ("Inception的导演是谁", "Inception vertex i, 导演 predicate director"),
    ("Inceptionの監督は誰ですか", "Inception vertex i, 監督 predicate director"),
    ("もののけ姫の監督は誰", "もののけ姫 vertex p, 監督 predicate director"),
    ("クリストファー・ノーランの映画", "クリストファー・ノーラン vertex n, 映画 class Film"),
    ("ใครเป็นผู้กำกับภาพยนตร์จิตพิฆาตโลก", "ผู้กำกับ predicate director, ภาพยนตร์ class Film, จิตพิฆาตโลก vertex i"),
    ("인셉션의 감독은 누구입니까?", "인셉션 vertex i, 감독 predicate director"),
    ("من هو مخرج الفيلم إنسبشن؟", "مخرج predicate director, فيلم class Film, إنسبشن vertex i"),
    ("מי הבמאי של התחלה?", "במאי predicate director, התחלה vertex i"),
    ("इन्सेप्शन का निर्देशक कौन है?", "इन्सेप्शन vertex i, निर्देशक predicate director"),
    ("Who directed 盗梦空间?", "directed predicate director, 盗梦空间 vertex i"),
]


@pytest.fixture(scope="module", params=["index", "endpoint"])
def kg(request: Any, tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path = tmp_path_factory.mktemp("scripts") / "films.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    is_indexed = request.param == "index"
    return open_kg([str(path)]) if is_indexed else KnowledgeGraph(LocalEndpoint([path]), use_index=False, index_up_to=0)


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


def test_a_label_may_begin_with_a_preposition(tmp_path: Path) -> None:
    turtle = "@prefix : <http://example.org/> . :d1 :fromPier :a ; :toPier :b . :d2 :fromPier :b ; :toPier :a ."
    (tmp_path / "trips.ttl").write_text(turtle, encoding="utf-8")
    card = build_vocabulary_card("Which trips have A as their from pier?", open_kg([str(tmp_path / "trips.ttl")]))
    mentions = {mention.text: mention.iris for mention in card.mentions if mention.kind == "predicate"}
    assert mentions["from pier"] == ("http://example.org/fromPier",)


NAMES = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a a :Hotel ; rdfs:label "Hotel Express Uferhausen" . :b a :Ship ; rdfs:label "MS Rype" .
:c a :Office ; rdfs:label "Vik Booking Office" . :d a :Board ; rdfs:label "Northern Harbour Board" .
:e a :Town ; rdfs:label "Uferhausen" . :f a :Board ; rdfs:label "Southern Harbour Council" .
:g a :Market ; rdfs:label "Vik Market" .
"""


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("who commands the rype", {"rype": "b"}),
        ("where is the harbour board", {"harbour board": "d"}),
        ("the booking office at Vik", {"booking office at Vik": "c"}),
        ("hotels in Uferhausen", {"Uferhausen": "e"}),
        ("what is the harbour", {}),
        ("which towns share a market?", {}),
    ],
)
def test_a_good_part_of_one_name_names_it(question: str, named: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "names.ttl").write_text(NAMES, encoding="utf-8")
    card = build_vocabulary_card(question, open_kg([str(tmp_path / "names.ttl")]))
    hits = {m.text: m.hits[0].iri.rpartition("/")[2] for m in card.mentions if m.kind == "vertex" and m.score > 0.8}
    assert hits == named


LINES = """
@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Line rdfs:label "line" . :length rdfs:label "length" .
:one a :Line ; rdfs:label "Harbour Line I" ; :length 12 . :two a :Line ; rdfs:label "Harbour Line II" ; :length 7 .
:three a :Line ; rdfs:label "Harbour Express" ; :length 9 .
"""


@pytest.mark.parametrize("name", ["harbour line", "Harbour Line"])
def test_the_first_words_of_several_names_name_them_all(name: str, tmp_path: Path) -> None:
    (tmp_path / "lines.ttl").write_text(LINES, encoding="utf-8")
    kg, question = open_kg([str(tmp_path / "lines.ttl")]), f"What is the length of the {name}?"
    (mention,) = (m for m in build_vocabulary_card(question, kg).mentions if m.text == name)
    assert [hit.label for hit in mention.hits] == ["Harbour Line I", "Harbour Line II"]
    answer = ChattyEngine(kg, RuleModel(RULEBOOK), settings=Settings(clarify="ask")).answer(question)
    assert answer.clarification is not None and not answer.values
    assert [option.label for option in answer.clarification.options] == ["Harbour Line I", "Harbour Line II"]


@pytest.mark.parametrize(
    ("question", "named"),
    [("which inns have a pool?", ["heated pool"]), ("which inns have a garden?", []), ("who is a keeper?", [])],
)
def test_the_head_of_one_plain_label_names_it(question: str, named: list[str], tmp_path: Path) -> None:
    labels = ("heated pool", "roof garden", "rose garden", "Una Keeper")
    things = "".join(f' :t{n} a :Thing ; rdfs:label "{label}" .' for n, label in enumerate(labels))
    prefixes = "@prefix : <http://example.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."
    (tmp_path / "inns.ttl").write_text(prefixes + things, encoding="utf-8")
    card = build_vocabulary_card(question, open_kg([str(tmp_path / "inns.ttl")]))
    assert [m.hits[0].label for m in card.mentions if m.kind == "vertex" and m.score > 0.8] == named
