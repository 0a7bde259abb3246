"""Questions in other languages: a model translates them, the rules say that they read English."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.agents.verbalizer import verbalize_answer
from chattykg.engine import ChattyEngine, Components, Settings
from chattykg.rulebook import RULEBOOK

ENGLISH = """
@prefix : <https://canals.example/> .
@prefix v: <https://canals.example/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
v:Town rdfs:label "town"@en . v:mayor rdfs:label "mayor"@en . v:twin rdfs:label "twin town"@en .
:w a v:Town ; rdfs:label "Weidenau"@de ; v:mayor "Ada Holm"@en ; v:twin :l .
:l a v:Town ; rdfs:label "Lower Quay"@en, "Unterkai"@de ; v:mayor "Ben Aas"@en .
:u a v:Town ; rdfs:label "Upper Quay"@en ; v:mayor "Cid Orr"@en .
"""
GERMAN = """
@prefix : <https://orte.example/> .
@prefix v: <https://orte.example/v/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
v:P1 rdfs:label "Bürgermeister"@de . v:P2 rdfs:label "Einwohnerzahl"@de . v:C1 rdfs:label "Stadt"@de .
:m a v:C1 ; rdfs:label "Moorburg"@de ; v:P1 "Ada Holm"@de ; v:P2 3100 .
:s a v:C1 ; rdfs:label "Der Seehof"@de ; v:P1 "Ben Aas"@de ; v:P2 900 .
"""
MAYOR = {"shape": "one", "target": "?x", "triples": [["Willow Meadow", "mayor", "?x"]]}
TRANSLATED = {
    "question": "Who is the mayor of Willow Meadow?",
    "names": [{"name": "Willow Meadow", "asked": "Weidenau"}],
}
ASKED = "Wer ist der Bürgermeister von Weidenau?"


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, KnowledgeGraph]:
    folder: Path = tmp_path_factory.mktemp("tongues")
    for name, text in (("english", ENGLISH), ("german", GERMAN)):
        (folder / f"{name}.ttl").write_text(text, encoding="utf-8")
    return {name: open_kg([str(folder / f"{name}.ttl")]) for name in ("english", "german")}


@pytest.fixture
def open_graph(tmp_path: Path) -> Callable[[str], KnowledgeGraph]:
    def write(text: str) -> KnowledgeGraph:
        path = tmp_path / "graph.ttl"
        path.write_text(text, encoding="utf-8")
        return open_kg([str(path)])

    return write


def agents_of(model: Any) -> list[str]:
    return [request.agent.removeprefix("answer/") for request in model.asked]


def said(answer: Answer) -> list[str]:
    return [value.label or value.value for value in answer.values]


def by_rules(kg: KnowledgeGraph, question: str, history: Sequence[Exchange] = ()) -> Answer:
    return ChattyEngine(kg, RuleModel(RULEBOOK)).answer(question, tuple(history))


def test_a_question_is_translated_and_its_name_links_as_it_was_asked(graphs: Any, scripted: Any) -> None:
    model = scripted(translator=TRANSLATED, qir=MAYOR)
    answer = ChattyEngine(graphs["english"], model).answer(ASKED)
    assert agents_of(model) == ["translator", "qir"]
    assert (answer.standalone, said(answer)) == (TRANSLATED["question"], ["Ada Holm"])
    assert [(link.mention, link.label) for link in answer.entities] == [("Willow Meadow", "Weidenau")]
    assert "You translate the newest question of a conversation into English" in model.asked[0].messages[0].content


def test_without_the_name_as_it_was_asked_nothing_would_link(graphs: Any, scripted: Any) -> None:
    model = scripted(translator=TRANSLATED | {"names": []}, qir=MAYOR)
    assert said(ChattyEngine(graphs["english"], model).answer(ASKED)) == []


def test_direct_is_shown_the_vertex_under_both_names(graphs: Any, scripted: Any) -> None:
    query = {"shape": "one", "sparql": "SELECT DISTINCT ?x WHERE { e:1 p:mayor ?x }"}
    model = scripted(translator=TRANSLATED, direct=query)
    settings = Settings(strategy="direct", translate="always")
    answer = ChattyEngine(graphs["english"], model, settings=settings).answer(ASKED)
    assert (agents_of(model), said(answer)) == (["translator", "direct"], ["Ada Holm"])
    assert 'e:1 = Weidenau [town], said as "Willow Meadow"' in model.asked[1].messages[1].content


def test_a_question_in_the_language_of_the_graph_takes_no_call_more(graphs: Any, scripted: Any) -> None:
    qir = {"shape": "one", "target": "?x", "triples": [["Upper Quay", "mayor", "?x"]]}
    model = scripted(qir=qir)
    assert said(ChattyEngine(graphs["english"], model).answer("Who is the mayor of Upper Quay?")) == ["Cid Orr"]
    german = {"shape": "one", "target": "?x", "triples": [["Moorburg", "Bürgermeister", "?x"]]}
    other = scripted(qir=german)
    assert said(ChattyEngine(graphs["german"], other).answer("Wer ist der Bürgermeister von Moorburg?")) == ["Ada Holm"]
    assert (agents_of(model), agents_of(other)) == (["qir"], ["qir"])


def test_an_english_question_is_translated_for_a_graph_that_is_not(graphs: Any, scripted: Any) -> None:
    german = {"shape": "one", "target": "?x", "triples": [["Moorburg", "Bürgermeister", "?x"]]}
    reply = {"question": "Wer ist der Bürgermeister von Moorburg?", "names": []}
    model = scripted(translator=reply, qir=german)
    answer = ChattyEngine(graphs["german"], model).answer("Who is the mayor of Moorburg?")
    assert (agents_of(model), said(answer)) == (["translator", "qir"], ["Ada Holm"])


def test_a_follow_up_is_put_into_the_conversation_by_the_same_call(graphs: Any, scripted: Any) -> None:
    qir = {"shape": "one", "target": "?x", "triples": [["Lower Quay", "mayor", "?x"]]}
    earlier = Exchange(ASKED, Answer((Value("Ada Holm", "literal"),), standalone=TRANSLATED["question"]))
    reply = {
        "question": "Who is the mayor of Lower Quay?",
        "names": [{"name": "Lower Quay", "asked": "Unterkai"}],
    }
    model = scripted(translator=reply, qir=qir)
    answer = ChattyEngine(graphs["english"], model).answer("Und in Unterkai?", (earlier,))
    assert (agents_of(model), said(answer)) == (["translator", "qir"], ["Ben Aas"])
    prompt = model.asked[0].messages[1].content
    assert "Q1: Who is the mayor of Willow Meadow? (asked: Wer ist der Bürgermeister von Weidenau?)\nA1: Ada" in prompt


def test_names_that_the_graph_has_are_told_to_the_translator(graphs: Any, scripted: Any) -> None:
    qir = {"shape": "one", "target": "?x", "triples": [["Lower Quay", "mayor", "?x"]]}
    reply = {"question": "Who is the mayor of Lower Quay?", "names": []}
    model = scripted(translator=reply, qir=qir)
    ChattyEngine(graphs["english"], model).answer("Wer ist der Bürgermeister von Lower Quay?")
    assert "the graph has: Lower Quay\n" in model.asked[0].messages[1].content


def test_a_name_that_does_not_stand_in_the_translation_is_asked_for_again(graphs: Any, scripted: Any) -> None:
    bad = {"question": "Who is its mayor?", "names": TRANSLATED["names"]}
    model = scripted(translator=[bad, TRANSLATED], qir=MAYOR)
    assert said(ChattyEngine(graphs["english"], model).answer(ASKED)) == ["Ada Holm"]
    assert '"Willow Meadow" does not stand in your question.' in model.asked[1].messages[-1].content


def test_the_question_goes_on_as_it_is_where_no_translation_can_be_used(graphs: Any, scripted: Any) -> None:
    raw = {"shape": "one", "target": "?x", "triples": [["Weidenau", "mayor", "?x"]]}
    model = scripted(translator="no json", qir=raw)
    answer = ChattyEngine(graphs["english"], model).answer(ASKED)
    assert (answer.standalone, said(answer)) == (ASKED, ["Ada Holm"])


@pytest.mark.parametrize(
    "question", [ASKED, "Wann wurde Weidenau gegründet?", "Combien de ponts a la ville de Weidenau ?"]
)
def test_the_rules_say_that_they_read_english_and_do_not_guess(graphs: Any, question: str) -> None:
    answer = by_rules(graphs["english"], question)
    assert answer.values == () and answer.usage.calls == 0
    assert answer.reason.code == "language"
    assert "the embedded rules read English, and German where the graph has German labels" in answer.reason.text
    assert "a language model (--model) reads other languages" in answer.reason.text


def test_the_rules_take_a_question_of_names_and_labels_in_any_language(graphs: Any) -> None:
    kg = graphs["german"]
    assert said(by_rules(kg, "Wer ist der Bürgermeister von Moorburg?")) == ["Ada Holm"]
    assert said(by_rules(kg, "Wie lautet die Einwohnerzahl von Der Seehof?")) == ["900"]
    assert said(by_rules(kg, "Einwohnerzahl Moorburg")) == ["3100"]


@pytest.mark.parametrize(
    "question",
    [
        "Quelle est la Einwohnerzahl de Moorburg sans Bürgermeister ?",
        "Combien de Bürgermeister y a-t-il à Moorburg ?",
    ],
)
def test_the_rules_leave_out_no_word_that_changes_what_is_asked(graphs: Any, question: str) -> None:
    answer = by_rules(graphs["german"], question)
    assert (answer.values, answer.reason.code) == ((), "language")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Welche Städte haben mehr als 1.000 Einwohner?", ["Moorburg"]),
        ("Wie viele Städte gibt es?", ["2"]),
    ],
)
def test_the_rules_read_german_where_the_graph_is_german(graphs: Any, question: str, expected: list[str]) -> None:
    assert said(by_rules(graphs["german"], question)) == expected


def test_rules_with_a_model_that_translates_for_them(graphs: Any, scripted: Any) -> None:
    reply = {"question": "Who is the mayor of Weidenau?", "names": []}
    model = scripted(translator=reply)
    engine = ChattyEngine(graphs["english"], RuleModel(RULEBOOK), components=Components(models={"translator": model}))
    assert said(engine.answer(ASKED)) == ["Ada Holm"]
    assert agents_of(model) == ["translator"]


def test_the_answer_is_said_in_the_language_of_the_asker(scripted: Any) -> None:
    answer = Answer((Value("Ada Holm", "literal"),))
    model = scripted(verbalizer={"sentence": "Bürgermeisterin ist Ada Holm."})
    assert verbalize_answer("Who is the mayor?", answer, model, "de") == "Bürgermeisterin ist Ada Holm."
    verbalize_answer("Who is the mayor?", answer, model)
    first, second = (request.messages[0].content for request in model.asked)
    assert "sentences, in German, from" in first and "in the language of the question, from" in second


def test_a_model_that_writes_the_query_reads_the_question_as_it_is(graphs: Any, scripted: Any) -> None:
    model = scripted(direct={"shape": "one", "sparql": "SELECT DISTINCT ?x WHERE { e:1 p:mayor ?x }"})
    answer = ChattyEngine(graphs["english"], model, settings=Settings(strategy="direct")).answer(ASKED)
    assert (agents_of(model), said(answer), answer.standalone) == (["direct"], ["Ada Holm"], ASKED)
    prompt = model.asked[0].messages[1].content
    assert "The question is in German, the labels are in English" in prompt
    model = scripted(direct={"shape": "one", "sparql": "SELECT DISTINCT ?x WHERE { e:1 p:mayor ?x }"})
    english = "Who is the mayor of Upper Quay?"
    ChattyEngine(graphs["english"], model, settings=Settings(strategy="direct")).answer(english)
    assert model.asked[0].messages[1].content.endswith(english)


def test_a_vocabulary_that_is_not_shown_whole_wants_a_translation(open_graph: Any, scripted: Any) -> None:
    many = "".join(f':w v:p{n} "x" . v:p{n} rdfs:label "property number {n}"@en .\n' for n in range(300))
    kg = open_graph(ENGLISH + many)
    model = scripted(translator=TRANSLATED, direct={"shape": "none", "sparql": ""})
    ChattyEngine(kg, model, settings=Settings(strategy="direct")).answer(ASKED)
    assert agents_of(model)[:2] == ["translator", "direct"]


def test_never_asks_no_translator(graphs: Any, scripted: Any) -> None:
    raw = {"shape": "one", "target": "?x", "triples": [["Weidenau", "mayor", "?x"]]}
    model = scripted(qir=raw)
    answer = ChattyEngine(graphs["english"], model, settings=Settings(translate="never")).answer(ASKED)
    assert (agents_of(model), said(answer)) == (["qir"], ["Ada Holm"])


def test_always_translates_what_could_be_read(graphs: Any, scripted: Any) -> None:
    asked = "Wer ist der mayor von Weidenau?"
    for mode, agents in (("auto", ["qir"]), ("always", ["translator", "qir"])):
        model = scripted(translator=TRANSLATED, qir=MAYOR)
        settings = Settings(translate=mode)  # type: ignore[arg-type]
        ChattyEngine(graphs["english"], model, settings=settings).answer(asked)
        assert agents_of(model) == agents


def test_a_question_back_is_in_the_language_of_the_question(open_graph: Any, scripted: Any) -> None:
    kg = open_graph(ENGLISH + ':x a v:Town ; rdfs:label "Upper Quay"@en ; v:mayor "Dee Fox"@en .')
    german = 'Welche meinen Sie mit "Upper Quay"?'
    triples = {"shape": "one", "target": "?x", "triples": [["Upper Quay", "mayor", "?x"]]}
    asked = "Wer ist der mayor von Upper Quay?"
    for mode, agents, text in (
        ("auto", ["qir", "matching", "translator"], german),
        ("never", ["qir", "matching"], 'Which one do you mean by "Upper Quay"?'),
    ):
        model = scripted(qir=triples, translator={"question": german, "names": []})
        settings = Settings(clarify="ask", translate=mode)  # type: ignore[arg-type]
        answer = ChattyEngine(kg, model, settings=settings).answer(asked)
        assert (agents_of(model), answer.explanation) == (agents, text)


@pytest.mark.parametrize("junk", ["no json", {"question": "?!", "names": []}, {"sparql": 7}])
def test_a_question_that_was_not_translated_is_read_as_it_stands_and_says_so(
    graphs: dict[str, KnowledgeGraph], scripted: Callable[..., Any], junk: Any
) -> None:
    right = {"shape": "one", "sparql": "SELECT DISTINCT ?x { e:1 p:mayor ?x }"}
    model = scripted(translator=[junk], direct=[right])
    settings = Settings(strategy="direct", translate="always")
    answer = ChattyEngine(graphs["english"], model, settings=settings).answer(ASKED)
    assert [value.value for value in answer.values] == ["Ada Holm"]
    assert any("no usable translation" in note for note in answer.notes)
    assert "The question is in German" in model.asked[-1].messages[1].content
