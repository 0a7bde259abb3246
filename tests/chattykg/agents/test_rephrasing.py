"""Questions in other languages: a model translates them; what the rules read of them stands in ``answers.txt``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.agents.verbalizer import verbalize_answer
from chattykg.engine import ChattyEngine, Components, Settings
from chattykg.rulebook import RULEBOOK

ASKED = "Wer ist der Bürgermeister von Weidenau?"
TRANSLATED = {
    "question": "Who is the mayor of Willow Meadow?",
    "names": [{"name": "Willow Meadow", "asked": "Weidenau"}],
}
DIRECT = {"shape": "one", "sparql": "SELECT DISTINCT ?x WHERE { e:1 p:mayor ?x }"}


def mayor_of(name: str, relation: str = "mayor") -> dict[str, Any]:
    return {"shape": "one", "target": "?x", "triples": [[name, relation, "?x"]]}


MAYOR = mayor_of("Willow Meadow")


@pytest.fixture
def ask(open_graph: Callable[[str], KnowledgeGraph], scripted: Any) -> Callable[..., Any]:
    """Return the answer, what it says, the model, and the agents that asked it."""

    def ask(question: str = ASKED, graph: str = "canals", history: Any = (), **given: Any) -> Any:
        settings = Settings(**{name: given.pop(name) for name in ("strategy", "translate", "clarify") if name in given})
        model = scripted(**given)
        answer = ChattyEngine(open_graph(graph), model, settings=settings).answer(question, history)
        agents = [request.agent.removeprefix("answer/") for request in model.asked]
        return answer, [value.label or value.value for value in answer.values], model, agents

    return ask


def test_a_question_is_translated_and_its_name_links_as_it_was_asked(ask: Any) -> None:
    answer, said, model, agents = ask(translator=TRANSLATED, qir=MAYOR)
    assert (agents, answer.standalone, said) == (["translator", "qir"], TRANSLATED["question"], ["Ada Holm"])
    assert [(link.mention, link.label) for link in answer.entities] == [("Willow Meadow", "Weidenau")]
    assert "You translate the newest question of a conversation into English" in model.asked[0].messages[0].content
    assert ask(translator=TRANSLATED | {"names": []}, qir=MAYOR)[1] == []


@pytest.mark.parametrize(
    ("question", "graph", "more", "agents"),
    [
        ("Who is the mayor of Upper Quay?", "canals", {"qir": mayor_of("Upper Quay")}, ["qir"]),
        ("Wer ist der Bürgermeister von Moorburg?", "orte", {"qir": mayor_of("Moorburg", "Bürgermeister")}, ["qir"]),
        (
            "Who is the mayor of Moorburg?", "orte",
            {"translator": {"question": "Wer ist der Bürgermeister von Moorburg?", "names": []},
             "qir": mayor_of("Moorburg", "Bürgermeister")},
            ["translator", "qir"],
        ),
        (ASKED, "canals", {"translator": "no json", "qir": mayor_of("Weidenau")}, ["translator"] * 3 + ["qir"]),
        (ASKED, "canals", {"qir": mayor_of("Weidenau"), "translate": "never"}, ["qir"]),
        ("Wer ist der mayor von Weidenau?", "canals", {"qir": mayor_of("Weidenau")}, ["qir"]),
        (
            "Wer ist der mayor von Weidenau?", "canals",
            {"translator": TRANSLATED, "qir": MAYOR, "translate": "always"}, ["translator", "qir"],
        ),
        ("请问，盗梦空间是哪位导演拍的？", "film_scripts", {"qir": mayor_of("盗梦空间", "导演")}, ["qir"]),
    ],
)  # fmt: skip
def test_a_translator_is_asked_where_words_of_graph_and_question_part(
    ask: Any, question: str, graph: str, more: Any, agents: list[str]
) -> None:
    _, said, model, asked = ask(question, graph, **more)
    assert asked == agents and len(said) == 1
    if graph == "film_scripts":
        assert 'mention "盗梦空间": vertex' in model.asked[0].messages[1].content


def test_a_follow_up_is_put_into_the_conversation_by_the_same_call(ask: Any) -> None:
    earlier = Exchange(ASKED, Answer((Value("Ada Holm", "literal"),), standalone=TRANSLATED["question"]))
    reply = {"question": "Who is the mayor of Lower Quay?", "names": [{"name": "Lower Quay", "asked": "Unterkai"}]}
    _, said, model, agents = ask("Und in Unterkai?", history=(earlier,), translator=reply, qir=mayor_of("Lower Quay"))
    assert (agents, said) == (["translator", "qir"], ["Ben Aas"])
    prompt = model.asked[0].messages[1].content
    assert "Q1: Who is the mayor of Willow Meadow? (asked: Wer ist der Bürgermeister von Weidenau?)\nA1: Ada" in prompt


def test_the_translator_is_told_names_of_the_graph_and_what_is_wrong(ask: Any) -> None:
    bad = {"question": "Who is its mayor?", "names": TRANSLATED["names"]}
    _, said, model, _ = ask(translator=[bad, TRANSLATED], qir=MAYOR)
    assert said == ["Ada Holm"]
    assert '"Willow Meadow" does not stand in your question.' in model.asked[1].messages[-1].content
    reply = {"question": "Who is the mayor of Lower Quay?", "names": []}
    *_, model, _ = ask("Wer ist der Bürgermeister von Lower Quay?", translator=reply, qir=mayor_of("Lower Quay"))
    assert "the graph has: Lower Quay\n" in model.asked[0].messages[1].content


def test_rules_with_a_model_that_translates_for_them(open_graph: Any, scripted: Any) -> None:
    model = scripted(translator={"question": "Who is the mayor of Weidenau?", "names": []})
    engine = ChattyEngine(
        open_graph("canals"), RuleModel(RULEBOOK), components=Components(models={"translator": model})
    )
    assert [value.value for value in engine.answer(ASKED).values] == ["Ada Holm"]
    assert [request.agent for request in model.asked] == ["answer/translator"]


def test_the_answer_is_said_in_the_language_of_the_asker(scripted: Any) -> None:
    answer = Answer((Value("Ada Holm", "literal"),))
    model = scripted(verbalizer={"sentence": "Bürgermeisterin ist Ada Holm."})
    assert verbalize_answer("Who is the mayor?", answer, model, "de") == "Bürgermeisterin ist Ada Holm."
    verbalize_answer("Who is the mayor?", answer, model)
    first, second = (request.messages[0].content for request in model.asked)
    assert "sentences, in German, from" in first and "in the language of the question, from" in second


def test_a_model_that_writes_the_query_reads_the_question_as_it_is(ask: Any) -> None:
    answer, said, model, agents = ask(strategy="direct", direct=DIRECT)
    assert (agents, said, answer.standalone) == (["direct"], ["Ada Holm"], ASKED)
    assert "The question is in German, the labels are in English" in model.asked[0].messages[1].content
    english = "Who is the mayor of Upper Quay?"
    *_, model, _ = ask(english, strategy="direct", direct=DIRECT)
    assert model.asked[0].messages[1].content.endswith(english)
    _, said, model, agents = ask(strategy="direct", translate="always", translator=TRANSLATED, direct=DIRECT)
    assert (agents, said) == (["translator", "direct"], ["Ada Holm"])
    assert 'e:1 = Weidenau [town], said as "Willow Meadow"' in model.asked[1].messages[1].content


def test_a_vocabulary_that_is_not_shown_whole_wants_a_translation(ask: Any) -> None:
    head = "@prefix : <https://n.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
    many = "".join(f':p{n} rdfs:label "property number {n}"@en . :w :p{n} "x" .\n' for n in range(300))
    graph = f'{head}:w a :Town ; rdfs:label "Weidenau"@de .\n{many}'
    *_, agents = ask(graph=graph, strategy="direct", translator=TRANSLATED, direct={"shape": "none", "sparql": ""})
    assert agents[:2] == ["translator", "direct"]


@pytest.mark.parametrize(
    ("translate", "agents", "text"),
    [
        ("auto", ["qir", "matching", "translator"], 'Welche meinen Sie mit "Paris"?'),
        ("never", ["qir", "matching"], 'Which one do you mean by "Paris"?'),
    ],
)
def test_a_question_back_is_in_the_language_of_the_question(
    ask: Any, translate: str, agents: list[str], text: str
) -> None:
    given = {"qir": mayor_of("Paris"), "translator": {"question": 'Welche meinen Sie mit "Paris"?', "names": []}}
    answer, *_, asked = ask("Wer ist der mayor von Paris?", "towns", clarify="ask", translate=translate, **given)
    assert (asked, answer.explanation) == (agents, text)


@pytest.mark.parametrize("junk", ["no json", {"question": "?!", "names": []}, {"sparql": 7}])
def test_a_question_that_was_not_translated_is_read_as_it_stands_and_says_so(ask: Any, junk: Any) -> None:
    answer, said, model, _ = ask(strategy="direct", translate="always", translator=[junk], direct=[DIRECT])
    assert said == ["Ada Holm"]
    assert any("no usable translation" in note for note in answer.notes)
    assert "The question is in German" in model.asked[-1].messages[1].content
