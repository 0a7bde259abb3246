"""The direct strategy: the model writes the query; it is guarded, tried, and once sent back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.prompt import load_prompt

from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.engine import ChattyEngine, Settings
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.strategies import find_model_strategy, order_strategies

DIRECT = Settings(strategy="direct")
LEAN = Settings(strategy="direct", prompt="lean")
QUESTION = "Who commands the Aurora?"
ANN = ["Ann Lee"]


def query(sparql: str, shape: str = "one", **more: Any) -> dict[str, Any]:
    return {"shape": shape, "sparql": sparql, **more}


RIGHT = query("SELECT DISTINCT ?x WHERE { e:1 p:captain ?x }")
EMPTY = query("SELECT DISTINCT ?x WHERE { ?x p:captain e:1 }")
NONE = query("", "none")
TWO_COLUMNS = query("SELECT ?x ?l { e:1 p:captain ?x . ?x rdfs:label ?l }")
CREW = query("SELECT ?x { e:1 p:crewSize ?x }")
ZENOBIA = query('SELECT ?x { ?x a p:Ship ; rdfs:label ?l FILTER(LCASE(STR(?l)) = "zenobia") }', "list")
WIDE = query("SELECT ?x { ?x p:captain e:1 ; p:length ?l FILTER(?l > 900) }", "list")
LONG_ONES = "Which ships longer than 900 does Ann Lee command?"
OF_ANN = "Which ships does Ann Lee command?"
NOBODY = query("SELECT (COUNT(?x) AS ?n) { ?x p:captain e:1 }", "count")
WRONG = [query(f"SELECT ?x {{ e:1 p:{name} ?x }}") for name in ("commander", "boss", "chief")]


def outcome(answer: Answer) -> Any:
    return sorted(answer.labels) or (answer.reason.code if answer.reason else answer.status)


@pytest.fixture
def ask(ships: KnowledgeGraph, scripted: Callable[..., Any]) -> Callable[..., Any]:
    """Answer a question with the replies given; return the answer and the model that was asked."""

    def answer(
        *replies: Any, question: str = QUESTION, settings: Settings = DIRECT, name: str = "scripted", history: Any = (),
        **others: Any,
    ) -> Any:  # fmt: skip
        model = scripted(direct=list(replies), **others)
        model.name = name
        return ChattyEngine(ships, model, settings=settings).answer(question, history), model

    return answer


def test_a_right_query_takes_one_call(ask: Any) -> None:
    answer, model = ask(RIGHT)
    assert (list(answer.labels), answer.confidence, answer.usage.calls) == (ANN, 0.9, 1)
    assert [request.agent for request in model.asked] == ["answer/direct"]
    assert "<https://ships.example/aurora> p:captain ?x" in answer.sparql
    assert answer.sparql.startswith("PREFIX p: <https://ships.example/vocab/>")
    assert [(link.mention, link.iri) for link in answer.entities] == [("Aurora", "https://ships.example/aurora")]
    assert [link.label for link in answer.relations] == ["captain"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (EMPTY, 'or no predicate holds the fact. At e:1 the graph has: '),
        (query(""), "Write a query, or say none."),
        (query("SELECT ?x WHERE { e:1 p:captain ?x"), "ships.ttl: does not parse: line 2"),
        (query(RIGHT["sparql"], "boolean"), "The shape is boolean, but the query is a SELECT."),
        (query("ASK { e:1 p:captain ?x }"), "The shape is one, but the query is an ASK."),
        (query("ASK { e:1 p:captain ?x }", "empty"), "The shape is empty, but the query is an ASK."),
        (query(RIGHT["sparql"], "date"), "The shape is date, but the query gives x = https://ships.exam"),
        (WRONG[0], "The graph has no https://ships.example/vocab/"),
        (query("SELECT ?x { <http://a\0b> p:captain ?x }"), "The graph has no http://a\0b: use"),
        (query("SELECT ?x { e:9 p:captain ?x }"), "The graph has no e:9: use only what is"),
        (query("SELECT ?x { e:1 dbo:captain ?x }"), "The graph has no dbo:captain: use only"),
        (query("SELECT ?x { e:1 p:captain ?x SERVICE <https://ships.example/ann> {} }"), "SERVICE is not taken"),
        (query("DELETE WHERE { e:1 p:captain ?x }"), "The query cannot be run: "),
        (TWO_COLUMNS, "but the query gives several columns: x = https://ships.example/ann, l = Ann Lee."),
        (EMPTY | {"shape": "empty"}, "p:captain leads to p:Person; e:1 is ship."),
        ("no json", "Reply with one JSON value"),
    ],
)  # fmt: skip
def test_what_fails_is_sent_back_once_with_the_reason(ask: Any, bad: Any, reason: str) -> None:
    answer, model = ask(bad, RIGHT)
    assert reason in model.asked[1].messages[-1].content
    assert (list(answer.labels), answer.usage.calls) == (ANN, 2)
    assert answer.confidence == (0.9 if bad == "no json" else 0.7)


@pytest.mark.parametrize(
    ("replies", "question", "expected", "calls", "confidence"),
    [
        # what a model may say of a query without rows
        ([EMPTY], QUESTION, "not-stated", 2, None),  # what is sent again unchanged is not asked again
        ([NONE], QUESTION, "not-stated", 1, None), ([TWO_COLUMNS, NONE], QUESTION, "not-stated", 2, None),
        ([CREW], "How large is the crew of the Comet?", "empty", 1, 0.9),  # only this thing lacks it
        ([CREW, RIGHT], "How large is the length of the Comet?", ["Ann Lee"], 2, None),  # it states what is named
        ([WIDE | {"shape": "empty"}], LONG_ONES, "empty", 1, 0.9),
        ([WIDE, WIDE | {"shape": "empty"}], LONG_ONES, "empty", 2, 0.7),
        ([ZENOBIA, ZENOBIA | {"shape": "empty"}], "Which ships are there?", "empty", 2, None),
        ([ZENOBIA | {"shape": "empty"}], "Which ships are there?", "empty", 1, None),
        ([RIGHT | {"shape": "empty"}], QUESTION, ANN, 1, 0.9),
        ([query("", "missing", unused=["other one"])], "Who commands the other one?", "missing-referent", 1, None),
        # zeros, and what cannot be written
        ([query('SELECT (COUNT(?x) AS ?n) { ?x p:homeHarbor e:1 ; p:color "blue" }', "count")],
         "How many blue ships lie in Kiel Port?", ["0"], 1, None),
        ([query('SELECT (COUNT(?x) AS ?n) { ?x p:homeHarbor e:1 ; p:color "green" }', "count")],
         "How many green ships lie in Kiel Port?", ["0"], 2, None),
        ([NOBODY, NOBODY], "How many ships does the Aurora command?", ["0"], 2, None),
        (WRONG, QUESTION, "too-unsure", 3, None), (WRONG[:1], QUESTION, "too-unsure", 2, None),
        ([TWO_COLUMNS, TWO_COLUMNS], QUESTION, ANN, 2, 0.7), ([TWO_COLUMNS, EMPTY], QUESTION, ANN, 3, 0.7),
        # words that nothing uses
        ([RIGHT | {"unused": ["one-eyed"]}], "Who is the one-eyed captain of Aurora?", "unknown-qualifier", 1, None),
        ([RIGHT | {"unused": ["currently"]}], "Who currently commands the Aurora?", ANN, 1, 0.63),
        ([NONE | {"unused": ["evil"]}], "Who is the evil captain of the Aurora?", "unknown-qualifier", 1, None),
        ([EMPTY | {"unused": ["evil"]}], "Who is the evil captain of the Aurora?", "unknown-qualifier", 1, None),
        ([RIGHT | {"unused": ["vegan"]}], QUESTION, ANN, 1, 0.9),
        ([RIGHT | {"unused": ["Aurora"]}], QUESTION, ANN, 1, 0.9),
        # a query counts wherever it stands
        ([f"```sparql\n{RIGHT['sparql']}\n```"], QUESTION, ANN, 1, 0.9),
        ([f"SPARQL: {RIGHT['sparql']}\n\nIt finds the captain."], QUESTION, ANN, 1, 0.9),
        ([json.dumps({"query": RIGHT["sparql"], "why": "the captain"})], QUESTION, ANN, 1, 0.9),
        # shapes, and what expresses the question
        ([query("# is it?\nASK { e:1 p:captain ?x # who\n}", "boolean")], "What of the Aurora?", ["true"], 1, 0.9),
        ([query("SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x a/rdfs:subClassOf* p:Ship }", "count")],
         "How many ships are there?", ["3"], 1, 0.9),
        ([query("SELECT ?d { e:1 p:launched ?d }", "date")], "What of the Aurora?", ["1998-05-01"], 1, 0.9),
        ([query("SELECT ?x { ?x p:launched ?d FILTER(YEAR(?d) >= 2010) }", "list")],
         "Which ships were launched after 2009?", ["Borealis", "Comet"], 1, 0.9),
        ([query("PREFIX s: <https://ships.example/> SELECT ?x { ?x p:captain s:ann }", "list")], OF_ANN,
         ["Aurora", "Comet"], 1, 0.9),
        ([query('SELECT ?x { ?x p:captain/rdfs:label "Ann Lee"@en }', "list")], OF_ANN, ["Aurora", "Comet"], 1, 0.9),
        ([query("SELECT ?x { <https://ships.example/comet> p:captain ?x }")], QUESTION, ANN, 2, None),
        ([query("SELECT ?x { ?s p:captain ?x }")], "Which ship is it, and who is its captain?",
         ["Ann Lee", "Bob Ray"], 1, 0.9),
    ],
)  # fmt: skip
def test_replies_have_their_outcome(
    ask: Any, replies: list[Any], question: str, expected: Any, calls: int, confidence: float | None
) -> None:
    answer, model = ask(*replies, question=question)
    assert (outcome(answer), len(model.asked)) == (expected, calls)
    assert confidence in (None, answer.confidence)


@pytest.mark.parametrize(
    ("replies", "question", "told"),
    [
        ([EMPTY], QUESTION, "p:captain"),
        ([WIDE], LONG_ONES, 'send the same query with the shape "empty"'),
        ([ZENOBIA], "Which ships are there?", 'No text of the graph is "zenobia".'),
        ([query("SELECT ?x { e:1 p:captain ?x }", "list")], "Who led the Aurora in 2019?", "does not express 2019"),
        ([query("SELECT ?x { ?x p:captain [] }", "list")], OF_ANN, "does not express Ann Lee"),
        ([query("SELECT ?x { ?x p:color [] }", "list")], "Which ships have the colour 'red'?", "does not express red"),
    ],
)  # fmt: skip
def test_the_report_says_what_the_query_lacks(ask: Any, replies: Any, question: str, told: str) -> None:
    assert told in ask(*replies, question=question)[1].asked[1].messages[-1].content


def test_a_report_describes_the_things_that_the_query_uses_alone(ask: Any) -> None:
    _, model = ask(query("SELECT ?x { ?x p:captain e:2 }", "list"), question="Does Ann Lee or the Aurora lead?")
    told = model.asked[1].messages[-1].content
    assert "At e:2 the graph has: " in told and "At e:1" not in told


def test_what_is_said_beside_the_outcome(ask: Any) -> None:
    answer, _ = ask(WIDE | {"shape": "empty"}, question=LONG_ONES)
    assert answer.notes == ("None: the graph states such values, and no length is more than 900.",)
    assert [link.label for link in answer.entities] == ["Ann Lee"]
    answer, _ = ask(WRONG[0])
    assert "no query could be written: The graph has no https://ships.example/vocab/comm" in answer.reason.text
    answer, _ = ask(query("SELECT ?x { ?x p:captain ?y"))
    assert answer.candidate_queries == 1  # a query that failed is not run again
    assert ask(WRONG[0], EMPTY, RIGHT)[0].candidate_queries == 2  # the first is not run
    answer, _ = ask(RIGHT | {"unused": ["currently"]}, question="Who currently commands the Aurora?")
    assert (answer.unused, answer.notes) == (("currently",), ("This leaves out of account: currently.",))
    asking = Settings(strategy="direct", clarify="ask")
    missing = query("", "missing", unused=["other one"])
    answer, _ = ask(missing, question="Who commands the other one?", settings=asking)
    assert answer.explanation == 'What do you mean by "other one"? Please name it.'
    answer, _ = ask(EMPTY, RIGHT, settings=Settings(strategy="direct", threshold=0.8))
    assert outcome(answer) == "too-unsure"  # a mended query is not trusted under the threshold


def test_several_columns_are_a_table_where_one_is_wanted(ask: Any) -> None:
    sparql = "SELECT ?s ?l { ?s a p:Tanker ; p:length ?l } ORDER BY DESC(?l)"
    rows = [["Borealis", "300"], ["Comet", "300"]]
    for shape, words, expected in (("table", "with their lengths", rows), ("empty", "with their lengths", rows),
                                   ("list", "by length", [])):  # fmt: skip
        answer, model = ask(query(sparql, shape), question=f"Which tankers are there, {words}?")
        assert sorted([value.label or value.value for value in row] for row in answer.rows) == expected
        assert (outcome(answer), len(model.asked)) == (["Borealis", "Comet"], 1)


def test_a_small_model_gets_a_lean_prompt_and_two_tries(ask: Any) -> None:
    answer, model = ask("I would ask the port.", "NONE", name="openai:qwen2.5-coder-1.5b")
    assert (answer.reason.code, len(model.asked)) == ("not-stated", 2)
    assert model.asked[0].schema is None and model.asked[0].agent == "answer/direct"
    assert model.asked[0].messages[1].content.endswith(f"Question: {QUESTION}\nSPARQL:")
    assert "Reply with one query and nothing else" in model.asked[1].messages[-1].content
    answer, model = ask("Hm.", "Well.", RIGHT["sparql"], name="openai:qwen2.5-coder-1.5b")
    assert (answer.values, len(model.asked)) == ((), 2)


@pytest.mark.parametrize(
    ("sparql", "question", "values", "repairs"),
    [
        ("SELECT ?x WHERE { ?x p:captain e:1 }", QUESTION, ANN, "a triple turned"),
        ("SELECT ?x WHERE { e:1 p:shipCaptain ?x }", QUESTION, ANN, "the nearest names taken"),
        ("SELECT ?x WHERE { ?x p:captain \"Ann Lee\" }", OF_ANN, 2, "values compared"),
        ("SELECT ?x { ?x p:launched ?d FILTER(?d > 1990) }", "Which ships were launched after 1990?", 1, "values"),
        ("SELECT ?x WHERE { ?x p:length ?l ORDER BY DESC(?l) LIMIT 1 }", "Which ship is the longest?", 1, "modifiers"),
        ("SELECT ?x WHERE { ?x p:captain e:1 }", "How many ships does Ann Lee command?", ["2"], "the list counted"),
        ("ASK { e:1 p:captain ?x }", QUESTION, ANN, "the list selected"),
        ("ASK { e:1 p:captain e:2 }", "Does Ann Lee command the Aurora?", ["true"], "a triple turned"),
        ("SELECT ?x WHERE { ?e:1 p:captain ?x }", QUESTION, ANN, "marks of variables"),
        ("SELECT ?x { ?s p:captain ?x FILTER(LCASE(?s) = \"aurora\") }", QUESTION, ANN, "what the"),
        ("SELECT ?x { ?s p:captain ?x  # \"the captain\"; e.g. Ann }", QUESTION, ANN, "what the"),
        ("SELECT ?x WHERE { ?x p:length ?x }", "How long is the Aurora?", ["120.5"], "what the question names put in"),
        ("SELECT DISTINCT ?x WHERE { ?x a p:Ship }", "Which ships are there?", 3, ""),  # a class takes in its kinds
    ],
)  # fmt: skip
def test_small_faults_of_a_query_are_mended(ask: Any, sparql: str, question: str, values: Any, repairs: str) -> None:
    answer, model = ask(sparql, question=question, settings=LEAN)
    assert len(model.asked) == 1 and repairs in " ".join(answer.notes), answer
    assert (list(answer.labels) == values) if isinstance(values, list) else (len(answer.values) >= values), list(
        answer.labels
    )
    assert answer.confidence == 0.7 or not repairs


@pytest.mark.parametrize(
    ("sparql", "question"),
    [
        ("SELECT ?x WHERE { e:1 p:weather ?x }", "What is the weather on the Aurora?"),
        ("ASK { e:1 p:captain e:2 }", "Does the Aurora command Ann Lee?"),
        ("SELECT ?x WHERE { ?x p:spouse ?y }", "Is Ann Lee the spouse of the Aurora?"),
    ],
)
def test_what_the_graph_does_not_have_is_not_mended(ask: Any, sparql: str, question: str) -> None:
    answer, _ = ask(sparql, question=question, settings=LEAN)
    assert not any("mended" in note for note in answer.notes)
    assert not answer.values or sparql.startswith("ASK")


def test_a_follow_up_shows_the_query_that_it_refines(ask: Any) -> None:
    ships_of_ann = (Value("https://ships.example/aurora", "iri", label="Aurora"),)
    sparql = "PREFIX p: <https://ships.example/vocab/>\nSELECT ?s { ?s p:captain <https://ships.example/ann> }"
    before = Answer(ships_of_ann, sparql=sparql, standalone=OF_ANN)
    history = (Exchange("And hers?", before),)
    asked, question = "Only show the long ones.", "Which ships of more than 100 m does Ann Lee command?"
    for standalone, is_shown in ((question, True), (asked, False)):
        _, model = ask(RIGHT, question=asked, history=history, rephraser={"question": standalone})
        assert [request.agent for request in model.asked][:2] == ["answer/rephraser", "answer/direct"]
        prompt = model.asked[1].messages[-1].content
        refined = (
            '(It was asked as "Only show the long ones.", after "Which ships does Ann Lee command?" with the query:'
            " SELECT ?s { ?s p:captain e:1 })"
        )
        assert (refined in prompt) == is_shown


@pytest.mark.parametrize(
    ("turn", "standalone"),
    [
        ("And its captain and flag?", "Who commands the Aurora? Which flag has the Aurora?"),
        ("I want the longest ship. Show its captain and its length.", "Show captain and length of the longest ship."),
    ],
)
def test_a_turn_of_several_sentences_is_one_question(ask: Any, turn: str, standalone: str) -> None:
    history = (Exchange("Who built the Aurora?", Answer(standalone="Who built the Aurora?")),)
    answer, model = ask(RIGHT, question=turn, history=history, rephraser=[{"question": standalone}])
    assert [request.agent for request in model.asked].count("answer/rephraser") == 1
    assert turn in model.asked[0].messages[-1].content and answer.standalone == standalone


@pytest.mark.parametrize(
    ("wanted", "model", "expected"),
    [
        ("staged", "openai:gpt-4o", ("staged",)), ("direct", "openai:gpt-4o", ("direct",)),
        ("agent", "openai:gpt-4o-mini", ("agent",)), ("auto", "openai:gpt-4o", ("direct", "agent")),
        ("auto", "openai:gpt-4o-mini", ("direct",)), ("auto", "gemini:gemini-2.5-flash", ("direct",)),
        ("auto", "vllm:acme/Llama-3.3-70B-Instruct", ("direct", "agent")), ("auto", "vllm:acme/Qwen3-8B", ("direct",)),
        ("auto", "openai:never-heard-of", ("direct", "agent")), ("auto", "rules", ("staged",)),
        ("agent", "rules", ("staged",)),
    ],
)  # fmt: skip
def test_what_a_model_is_given_first(wanted: Any, model: str, expected: tuple[str, ...]) -> None:
    assert order_strategies(wanted, model) == expected


@pytest.mark.parametrize(
    ("model", "prompt", "is_small"),
    [
        ("openai:qwen2.5-coder-1.5b", "lean", True), ("openai:gemma3:4b", "lean", True),
        ("openai:phi-4-mini", "lean", True), ("openai:Llama-3.2-3B-Instruct-Q4_K_M.gguf", "lean", True),
        ("openai:gpt-4o-mini", "full", True), ("openai:mixtral-8x7b", "full", False),
        ("openai:qwen3-30b-a3b", "full", False), ("openai:never-heard-of", "full", False),
    ],
)  # fmt: skip
def test_models_are_classed_by_their_size(model: str, prompt: str, is_small: bool) -> None:
    found = find_model_strategy(model)
    assert (found.prompt, found.is_small) == (prompt, is_small)


def test_the_prompt_keeps_its_budget(ships: KnowledgeGraph, open_graph: Any) -> None:
    head = "@prefix : <https://m.example/> . @prefix v: <https://m.example/v/> .\n"
    wide = f"{head}@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n" + "".join(
        f'v:quantity{n} rdfs:label "measured quantity {n} of the machine" ; rdfs:comment "{"long " * 40}" .'
        f' :m{n} a v:Machine{n} ; rdfs:label "{"Machine " * 30} {n}" ; v:quantity{n} {n} .\n'
        for n in range(100)
    )
    question = "Which machines have a measured quantity 7 of it, and which films do not?"
    for kg in (ships, open_graph(wide), open_graph("demo")):
        card = build_vocabulary_card(question, kg)
        for size, name, limit in (("full", "answer/direct", 1_600), ("lean", "answer/lean", 700)):
            briefing = build_schema_prompt(kg, card, size=size)  # type: ignore[arg-type]
            messages = load_prompt(name).render({"question": question, "briefing": briefing, "examples": ""})
            assert sum(len(message.content) for message in messages) / 4 <= limit


def test_names_are_declared_only_where_they_are_used(ships: KnowledgeGraph) -> None:
    briefing = build_schema_prompt(ships, build_vocabulary_card("Which tankers does Ann Lee command?", ships))
    assert "p:Tanker < p:Ship" in briefing.as_prompt_text()
    assert briefing.expand_query('SELECT ?x { ?x rdfs:label "a # b" } # p:captain') == (
        'PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>\nSELECT ?x { ?x rdfs:label "a # b" }'
    )
    own = "PREFIX p: <https://ships.example/vocab/> SELECT ?x { e:1 p:captain ?x }"
    assert briefing.expand_query(own).count("PREFIX") == 1


DOTTED = """
@prefix : <https://db.example/schema#> . @prefix r: <https://db.example/row/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
r:1 a :CLUB ; rdfs:label "Dynamo Krestov" ; <https://db.example/schema#CLUB.city_id> r:2 .
r:2 a :CITY ; rdfs:label "Krestov" ; <https://db.example/schema#CITY.pop_cnt> 900 .
"""


def test_names_with_dots_are_prefixed_and_vertices_inside_a_longer_name_are_left_out(open_graph: Any) -> None:
    kg = open_graph(DOTTED)
    prompt = build_schema_prompt(kg, build_vocabulary_card("Which city does Dynamo Krestov come from?", kg))
    assert [vertex.label for vertex in prompt.vertices] == ["Dynamo Krestov"]
    assert any(line.startswith("p:CLUB.city_id") for line in prompt.lines)
    sparql = prompt.expand_query("SELECT ?x { e:1 p:CLUB.city_id ?x }")
    assert [str(row["x"]) for row in kg.endpoint.select(sparql)] == ["https://db.example/row/2"]
    both = build_schema_prompt(kg, build_vocabulary_card("Is Krestov the city of Dynamo Krestov?", kg))
    assert sorted(vertex.label for vertex in both.vertices) == ["Dynamo Krestov", "Krestov"]
