"""Questions about the statements of Wikibase: values with qualifiers, next to direct claims."""

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

GRAPH = """
@prefix wd: <http://w.example/entity/> . @prefix wdt: <http://w.example/prop/direct/> .
@prefix p: <http://w.example/prop/> . @prefix ps: <http://w.example/prop/statement/> .
@prefix pq: <http://w.example/prop/qualifier/> . @prefix s: <http://w.example/entity/statement/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
wd:P31 rdfs:label "instance of"@en . wd:P6 rdfs:label "head of government"@en ; skos:altLabel "mayor"@en .
wd:P161 rdfs:label "cast member"@en . wd:P453 rdfs:label "character role"@en . wd:P580 rdfs:label "start time"@en .
wd:P1082 rdfs:label "population"@en . wd:P585 rdfs:label "point in time"@en . wd:P582 rdfs:label "end time"@en .
wd:P527 rdfs:label "has part(s)"@en .
wd:Q1 rdfs:label "city"@en . wd:Q2 rdfs:label "human"@en . wd:Q3 rdfs:label "film"@en .
wd:Q4 rdfs:label "character"@en . wd:Q5 rdfs:label "band"@en .
wd:Q10 rdfs:label "Oldhaven"@en ; wdt:P31 wd:Q1 ; wdt:P6 wd:Q20 ; p:P6 s:a ; wdt:P1082 900 ; p:P1082 s:b , s:c .
wd:Q11 rdfs:label "Tarn"@en ; wdt:P31 wd:Q1 ; wdt:P1082 1200 ; p:P1082 s:d .
wd:Q20 rdfs:label "Ann Lee"@en ; wdt:P31 wd:Q2 . wd:Q21 rdfs:label "Bo Dahl"@en ; wdt:P31 wd:Q2 .
wd:Q30 rdfs:label "Grey Gulls"@en ; wdt:P31 wd:Q3 ; wdt:P161 wd:Q20 , wd:Q21 ; p:P161 s:e , s:f .
wd:Q40 rdfs:label "Captain Orr"@en ; wdt:P31 wd:Q4 . wd:Q41 rdfs:label "Old Tom"@en ; wdt:P31 wd:Q4 .
wd:Q50 rdfs:label "The Piers"@en ; wdt:P31 wd:Q5 ; wdt:P527 wd:Q20 , wd:Q21 ; p:P527 s:g , s:h .
s:a ps:P6 wd:Q20 ; pq:P580 "2016-05-09"^^xsd:date .
s:b ps:P1082 900 ; pq:P585 "2021-01-01"^^xsd:date . s:c ps:P1082 700 ; pq:P585 "2011-01-01"^^xsd:date .
s:d ps:P1082 1200 ; pq:P585 "2021-01-01"^^xsd:date .
s:e ps:P161 wd:Q20 ; pq:P453 wd:Q40 . s:f ps:P161 wd:Q21 ; pq:P453 wd:Q41 .
s:g ps:P527 wd:Q20 ; pq:P580 "1990-01-01"^^xsd:date ; pq:P582 "1995-01-01"^^xsd:date .
s:h ps:P527 wd:Q21 ; pq:P580 "1990-01-01"^^xsd:date ; pq:P582 "1999-01-01"^^xsd:date .
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "statements.ttl"
    path.write_text(GRAPH)
    return ChattyEngine(open_kg([str(path)]), RuleModel(RULEBOOK))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who plays Captain Orr?", ["Ann Lee"]),
        ("Who plays Old Tom in Grey Gulls?", ["Bo Dahl"]),
        ("Since when is Ann Lee the mayor of Oldhaven?", ["2016-05-09"]),
        ("What was the population of Oldhaven in 2011?", ["700"]),
        ("Who left The Piers in 1995?", ["Ann Lee"]),
        ("Who is the mayor of Oldhaven?", ["Ann Lee"]),
        ("Which city has the highest population?", ["Tarn"]),
    ],
)
def test_a_qualified_value_is_found_at_its_statement(engine, question, expected):
    assert [value.label or value.value for value in engine.answer(question).values] == expected


def test_statements_are_no_values_of_their_property(engine):
    answer = engine.answer("Who are the cast members of Grey Gulls?")
    assert {value.label for value in answer.values} == {"Ann Lee", "Bo Dahl"}
    assert "/prop/P161" not in answer.sparql
