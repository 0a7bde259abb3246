"""The direct strategy: the model writes the query; it is guarded, tried, and once sent back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from chattyshared.dialogue import Answer, Exchange, Reason, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.prompt import load_prompt

from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.engine import ChattyEngine, Settings
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.strategies import find_model_strategy, order_strategies

DIRECT, AUTO = Settings(strategy="direct"), Settings(strategy="auto")
QUESTION = "Who commands the Aurora?"
RIGHT = {"shape": "one", "sparql": "SELECT DISTINCT ?x WHERE { e:1 p:captain ?x }"}
EMPTY = {"shape": "one", "sparql": "SELECT DISTINCT ?x WHERE { ?x p:captain e:1 }"}


def said(answer: Answer) -> list[str]:
    return [value.label or value.value for value in answer.values]


@pytest.fixture
def ask(ships: KnowledgeGraph, scripted: Callable[..., Any]) -> Callable[..., Any]:
    """Answer a question with the replies given; return the answer and the model that was asked."""

    def answer(
        *replies: Any, question: str = QUESTION, settings: Settings = DIRECT, name: str = "scripted", **others: Any
    ) -> Any:
        model = scripted(direct=list(replies), **others)
        model.name = name
        return ChattyEngine(ships, model, settings=settings).answer(question), model

    return answer


def test_a_right_query_takes_one_call(ask: Any) -> None:
    answer, model = ask(RIGHT)
    assert (said(answer), answer.confidence, answer.usage.calls) == (["Ann Lee"], 0.9, 1)
    assert [request.agent for request in model.asked] == ["answer/direct"]
    assert "<https://ships.example/aurora> p:captain ?x" in answer.sparql
    assert answer.sparql.startswith("PREFIX p: <https://ships.example/vocab/>")
    assert [(link.mention, link.iri) for link in answer.entities] == [("Aurora", "https://ships.example/aurora")]
    assert [link.label for link in answer.relations] == ["captain"]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (EMPTY, 'or no predicate holds the fact. At e:1 the graph has: '),
        ({"shape": "one", "sparql": ""}, "Write a query, or say none."),
        ({"shape": "one", "sparql": "SELECT ?x WHERE { e:1 p:captain ?x"}, "ships.ttl: does not parse: line 2"),
        ({"shape": "boolean", "sparql": RIGHT["sparql"]}, "The shape is boolean, but the query is a SELECT."),
        ({"shape": "one", "sparql": "ASK { e:1 p:captain ?x }"}, "The shape is one, but the query is an ASK."),
        ({"shape": "date", "sparql": RIGHT["sparql"]}, "The shape is date, but the query gives x = https://ships.exam"),
        ({"shape": "one", "sparql": "SELECT ?x { e:1 p:commander ?x }"}, "The graph has no https://ships.example/vocab/"),
        ({"shape": "one", "sparql": "SELECT ?x { <http://a\0b> p:captain ?x }"}, "The graph has no http://a\0b: use"),
        ({"shape": "one", "sparql": "PREFIX z: <ships/> SELECT ?x { e:1 z:c ?x }"}, "The graph has no ships/c: use"),
        ({"shape": "one", "sparql": "SELECT ?x { e:9 p:captain ?x }"}, "The graph has no e:9: use only what is"),
        ({"shape": "one", "sparql": "SELECT ?x { e:1 dbo:captain ?x }"}, "The graph has no dbo:captain: use only"),
        (
            {"shape": "one", "sparql": "SELECT ?x { e:1 p:captain ?x SERVICE <https://ships.example/ann> {} }"},
            "SERVICE is not taken",
        ),
        ({"shape": "one", "sparql": "DELETE WHERE { e:1 p:captain ?x }"}, "The query cannot be run: "),
        (
            {"shape": "one", "sparql": "SELECT ?x ?l { e:1 p:captain ?x . ?x rdfs:label ?l }"},
            "The shape is one, but the query gives several columns: x = https://ships.example/ann, l = Ann Lee.",
        ),
        ("no json", "Reply with one JSON value"),
    ],
)  # fmt: skip
def test_what_fails_is_sent_back_once_with_the_reason(ask: Any, bad: Any, reason: str) -> None:
    answer, model = ask(bad, RIGHT)
    assert reason in model.asked[1].messages[-1].content
    assert (said(answer), answer.usage.calls) == (["Ann Lee"], 2)
    assert answer.confidence == (0.9 if bad == "no json" else 0.7)


def test_an_empty_query_is_told_what_the_graph_has(ask: Any) -> None:
    _, model = ask(EMPTY, RIGHT)
    assert "p:captain" in model.asked[1].messages[-1].content.split("At e:1 the graph has: ")[1]


@pytest.mark.parametrize("theta", [1, 2, 3])
def test_always_empty_means_that_the_graph_does_not_state_it(ask: Any, theta: int) -> None:
    answer, model = ask(EMPTY, settings=Settings(strategy="direct", theta=theta))
    assert (answer.values, len(model.asked)) == ((), min(theta, 2))  # what is sent again unchanged is not asked again
    assert answer.reason == Reason("not-stated", "I do not know, because the graph does not state it.")
    assert "p:captain <https://ships.example/aurora>" in answer.sparql


def test_a_fact_that_only_this_thing_lacks_is_not_asked_again(ask: Any) -> None:
    crew = {"shape": "one", "sparql": "SELECT ?x { e:1 p:crewSize ?x }"}
    answer, model = ask(crew, question="How large is the crew of the Comet?")
    assert (answer.status, answer.confidence, len(model.asked)) == ("empty", 0.9, 1)
    _, model = ask(crew, RIGHT, question="How large is the length of the Comet?")  # it states what the words name
    assert len(model.asked) == 2


def test_a_model_may_say_that_the_graph_does_not_hold_it(ask: Any) -> None:
    none = {"shape": "none", "sparql": ""}
    two = {"shape": "list", "sparql": "SELECT ?x ?l { e:1 p:captain ?x . ?x rdfs:label ?l }"}
    for replies in ((none,), (EMPTY, none), (two, none)):
        answer, model = ask(*replies)
        assert (answer.values, len(model.asked)) == ((), len(replies))
        assert answer.reason == Reason("not-stated", "I do not know, because the graph does not state it.")


WIDE = {"shape": "list", "sparql": "SELECT ?x { ?x p:captain e:1 ; p:length ?l FILTER(?l > 900) }"}


def test_a_model_may_say_that_the_query_is_right_and_the_answer_empty(ask: Any) -> None:
    empty = WIDE | {"shape": "empty"}
    question = "Which ships longer than 900 does Ann Lee command?"
    for replies in ((empty,), (WIDE, empty)):
        answer, model = ask(*replies, question=question)
        assert (answer.status, answer.values, answer.reason, len(model.asked)) == ("empty", (), None, len(replies))
        assert answer.notes == ("None: the graph states such values, and no length is more than 900.",)
        assert answer.confidence == (0.9 if len(replies) == 1 else 0.7)
        assert [link.label for link in answer.entities] == ["Ann Lee"]
    assert 'send the same query with the shape "empty"' in model.asked[1].messages[-1].content


def test_what_is_called_empty_after_the_report_is_not_reported_again(ask: Any) -> None:
    """The report names the way out; whoever takes it is heard, although no text of the graph is the one asked for."""
    listed = {"shape": "list", "sparql": 'SELECT ?x { ?x a p:Ship ; rdfs:label ?l FILTER(LCASE(STR(?l)) = "zenobia") }'}
    answer, model = ask(listed, listed | {"shape": "empty"}, question="Which ships are there?")
    assert 'No text of the graph is "zenobia".' in model.asked[1].messages[-1].content
    assert (answer.status, len(model.asked)) == ("empty", 2)


def test_a_column_that_only_orders_is_no_answer(ask: Any) -> None:
    sparql = "SELECT ?x ?l { ?x a p:Tanker ; p:length ?l } ORDER BY DESC(?l)"
    question = "Which tankers are there, by length?"
    answer, model = ask({"shape": "list", "sparql": sparql}, question=question)
    assert (answer.rows, len(answer.values) > 1, len(model.asked)) == ((), True, 1)
    answer, model = ask({"shape": "table", "sparql": sparql}, question=question)
    assert (len(answer.columns), len(model.asked)) == (2, 1)


def test_an_unknown_value_may_be_called_empty_at_once(ask: Any) -> None:
    sparql = 'SELECT ?x { ?x a p:Ship ; rdfs:label ?l FILTER(LCASE(STR(?l)) = "zenobia") }'
    answer, model = ask({"shape": "empty", "sparql": sparql}, question="Which ships are there?")
    assert (answer.status, len(model.asked)) == ("empty", 1)


def test_a_report_describes_the_things_that_the_query_uses_alone(ask: Any) -> None:
    query = {"shape": "list", "sparql": "SELECT ?x { ?x p:captain e:2 }"}
    _, model = ask(query, question="Does Ann Lee or the Aurora lead?")
    told = model.asked[1].messages[-1].content
    assert "At e:2 the graph has: " in told and "At e:1" not in told


def test_an_empty_answer_that_the_schema_explains_is_doubted(ask: Any) -> None:
    answer, model = ask(EMPTY | {"shape": "empty"}, RIGHT)
    assert "p:captain leads to p:Person; e:1 is ship." in model.asked[1].messages[-1].content
    assert said(answer) == ["Ann Lee"]


def test_what_is_called_empty_and_has_rows_is_answered(ask: Any) -> None:
    answer, model = ask(RIGHT | {"shape": "empty"})
    assert (said(answer), answer.status, len(model.asked)) == (["Ann Lee"], "answered", 1)
    two = {"shape": "empty", "sparql": "SELECT ?s ?l { ?s a p:Tanker ; p:length ?l }"}
    assert len(ask(two, question="Which tankers are there, with their lengths?")[0].rows) == 2
    _, model = ask({"shape": "empty", "sparql": "ASK { e:1 p:captain ?x }"}, RIGHT)
    assert "The shape is empty, but the query is an ASK." in model.asked[1].messages[-1].content


def test_what_refers_to_nothing_is_asked_back(ask: Any) -> None:
    missing = {"shape": "missing", "sparql": "", "unused": ["other one"]}
    question = "Who commands the other one?"
    asking = Settings(strategy="direct", clarify="ask")
    answer, model = ask(missing, question=question, settings=asking)
    assert (answer.status, len(model.asked)) == ("clarification", 1)
    assert answer.explanation == 'What do you mean by "other one"? Please name it.'
    assert ask(missing, question=question)[0].reason.code == "missing-referent"
    answer, _ = ask(RIGHT | {"shape": "list", "sparql": "SELECT ?x ?y { ?x p:captain ?y }"}, missing, question=question)
    assert answer.reason.code == "missing-referent"


def test_a_zero_beyond_doubt_takes_one_call(ask: Any) -> None:
    for color, calls in (("blue", 1), ("green", 2)):
        query = f'SELECT (COUNT(?x) AS ?n) {{ ?x p:homeHarbor e:1 ; p:color "{color}" }}'
        answer, model = ask({"shape": "count", "sparql": query}, question=f"How many {color} ships lie in Kiel Port?")
        assert (said(answer), len(model.asked)) == (["0"], calls)
    assert 'No text of the graph is "green".' in model.asked[1].messages[-1].content


def test_what_cannot_be_written_in_three_calls_is_not_known(ask: Any) -> None:
    wrong = [{"shape": "one", "sparql": f"SELECT ?x {{ e:1 p:{name} ?x }}"} for name in ("commander", "boss", "chief")]
    answer, model = ask(*wrong)
    assert (answer.values, len(model.asked), answer.reason.code) == ((), 3, "too-unsure")
    answer, model = ask(wrong[0])
    assert len(model.asked) == 2  # what comes again is not asked for again
    assert "no query could be written: The graph has no https://ships.example/vocab/comm" in answer.reason.text


def test_a_query_that_failed_is_not_run_again(ask: Any) -> None:
    answer, model = ask({"shape": "one", "sparql": "SELECT ?x { ?x p:captain ?y"})
    assert (len(model.asked), answer.candidate_queries, answer.reason.code) == (2, 1, "too-unsure")


def test_a_doubtful_result_counts_if_nothing_better_comes(ask: Any) -> None:
    two = {"shape": "list", "sparql": "SELECT ?x ?l { e:1 p:captain ?x . ?x rdfs:label ?l }"}
    for second in (two, EMPTY):
        answer, _ = ask(two, second)
        assert (said(answer), answer.rows, answer.confidence) == (["Ann Lee"], (), 0.7)
    none = {"shape": "count", "sparql": "SELECT (COUNT(?x) AS ?n) { ?x p:captain e:1 }"}
    answer, model = ask(none, none, question="How many ships does the Aurora command?")
    assert (said(answer), len(model.asked)) == (["0"], 2)


def test_under_the_threshold_a_mended_query_is_not_trusted(ask: Any) -> None:
    strict = Settings(strategy="direct", threshold=0.8)
    assert said(ask(RIGHT, settings=strict)[0]) == ["Ann Lee"]
    answer, _ = ask(EMPTY, RIGHT, settings=strict)
    assert (answer.values, answer.reason.code) == ((), "too-unsure")


def test_several_columns_are_a_table(ask: Any) -> None:
    query = "SELECT ?s ?l { ?s a p:Tanker ; p:length ?l } ORDER BY ?s"
    answer, _ = ask({"shape": "table", "sparql": query}, question="Which tankers are there, with their lengths?")
    assert said(answer) == ["Borealis", "Comet"]
    assert [[value.label or value.value for value in row] for row in answer.rows] == [
        ["Borealis", "300"], ["Comet", "300"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "sparql", "values"),
    [
        ("boolean", "# is it?\nASK { e:1 p:captain ?x # who\n}", [("true", "boolean")]),
        ("count", "SELECT (COUNT(DISTINCT ?x) AS ?n) { ?x a/rdfs:subClassOf* p:Ship }", [("3", "number")]),
        ("date", "SELECT ?d { e:1 p:launched ?d }", [("1998-05-01", "literal")]),
        ("number", 'SELECT ?l { ?s rdfs:label ?t ; p:length ?l FILTER(STR(?t) = "Aurora") }', [("120.5", "number")]),
    ],
)
def test_every_shape_is_answered(ask: Any, shape: str, sparql: str, values: Any) -> None:
    question = "How many ships are there?" if shape == "count" else "What of the Aurora?"
    answer, model = ask({"shape": shape, "sparql": sparql}, question=question)
    assert [(value.value, value.kind) for value in answer.values] == values
    assert len(model.asked) == 1


def test_a_word_that_restricts_and_is_not_used_is_refused(ask: Any) -> None:
    answer, model = ask(RIGHT | {"unused": ["one-eyed"]}, question="Which one-eyed captain commands the Aurora?")
    assert (answer.values, answer.unused, len(model.asked)) == ((), ("one-eyed",), 1)
    assert answer.reason == Reason("unknown-qualifier", 'I do not know, because this graph does not know "one-eyed".')


def test_a_comment_that_is_not_used_is_noted_and_costs_confidence(ask: Any) -> None:
    answer, _ = ask(RIGHT | {"unused": ["currently"]}, question="Who currently commands the Aurora?")
    assert (said(answer), answer.unused, answer.confidence) == (["Ann Lee"], ("currently",), 0.63)
    assert answer.notes == ("This leaves out of account: currently.",)


@pytest.mark.parametrize("none", [{"shape": "none", "sparql": ""}, EMPTY])
def test_a_model_that_gives_up_tells_which_word_is_unknown(ask: Any, none: Any) -> None:
    answer, _ = ask(none | {"unused": ["evil"]}, question="Who is the evil captain of the Aurora?")
    assert (answer.reason.code, answer.unused) == ("unknown-qualifier", ("evil",))


@pytest.mark.parametrize("unused", [["vegan"], ["Aurora"], ["captain"]])
def test_a_wrong_list_of_unused_words_discards_no_query(ask: Any, unused: list[str]) -> None:
    answer, model = ask(RIGHT | {"unused": unused}, question="Which captain commands the Aurora?")
    assert (said(answer), answer.unused, len(model.asked)) == (["Ann Lee"], (), 1)


@pytest.mark.parametrize(
    "reply",
    [
        RIGHT["sparql"],
        f"```sparql\n{RIGHT['sparql']}\n```",
        f"SPARQL: {RIGHT['sparql']}\n\nIt finds the captain.",
        json.dumps({"query": RIGHT["sparql"], "why": "the captain"}),
    ],
)
def test_a_query_counts_wherever_it_stands(ask: Any, reply: str) -> None:
    answer, model = ask(reply)
    assert (said(answer), len(model.asked)) == (["Ann Lee"], 1)


LEAN = Settings(strategy="direct", prompt="lean")


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
        ("SELECT ?x WHERE { ?x p:captain e:1 }", QUESTION, ["Ann Lee"], "a triple turned"),
        ("SELECT ?x WHERE { e:1 p:shipCaptain ?x }", QUESTION, ["Ann Lee"], "the nearest names taken"),
        ("SELECT ?x WHERE { ?x p:captain \"Ann Lee\" }", "Which ships does Ann Lee command?", 2, "values compared"),
        ("SELECT ?x WHERE { ?x p:color \"Blue\" }", "Which ships are blue?", 1, "values compared"),
        ("SELECT ?x { ?x p:launched ?d FILTER(?d > 1990) }", "Which ships were launched after 1990?", 1, "values"),
        ("SELECT ?x WHERE { ?x p:length ?l ORDER BY DESC(?l) LIMIT 1 }", "Which ship is the longest?", 1, "modifiers"),
        ("SELECT ?x WHERE { ?x p:captain e:1 }", "How many ships does Ann Lee command?", ["2"], "the list counted"),
        ("ASK { e:1 p:captain ?x }", QUESTION, ["Ann Lee"], "the list selected"),
        ("ASK { e:1 p:captain e:2 }", "Does Ann Lee command the Aurora?", ["true"], "a triple turned"),
        ("SELECT ?x WHERE { ?e:1 p:captain ?x }", QUESTION, ["Ann Lee"], "marks of variables"),
        ("SELECT ?x WHERE { ?s p:captain ?x }", QUESTION, ["Ann Lee"], "what the question names put in"),
        ("SELECT ?x { ?s p:captain ?x FILTER(LCASE(?s) = \"aurora\") }", QUESTION, ["Ann Lee"], "what the"),
        ("SELECT ?x { ?s p:captain ?x  # \"the captain\"; e.g. Ann }", QUESTION, ["Ann Lee"], "what the"),
        ("SELECT ?x WHERE { ?x p:length ?x }", "How long is the Aurora?", ["120.5"], "what the question names put in"),
    ],
)  # fmt: skip
def test_small_faults_of_a_query_are_mended(ask: Any, sparql: str, question: str, values: Any, repairs: str) -> None:
    answer, model = ask(sparql, question=question, settings=LEAN)
    assert len(model.asked) == 1 and repairs in " ".join(answer.notes), answer
    assert (said(answer) == values) if isinstance(values, list) else (len(answer.values) >= values), said(answer)
    assert answer.confidence == 0.7


def test_a_small_model_that_leaves_out_a_name_is_not_believed(ask: Any) -> None:
    everyone = "SELECT ?x WHERE { ?x p:spouse ?y }"
    answer, model = ask(everyone, question="Is Ann Lee the spouse of the Aurora?", settings=LEAN)
    assert (answer.values, len(model.asked)) == ((), 2)


def test_a_class_takes_in_its_kinds(ask: Any) -> None:
    answer, _ = ask("SELECT DISTINCT ?x WHERE { ?x a p:Ship }", question="Which ships are there?", settings=LEAN)
    assert len(answer.values) == 3


@pytest.mark.parametrize(
    ("sparql", "question"),
    [
        ("SELECT ?x WHERE { e:1 p:weather ?x }", "What is the weather on the Aurora?"),
        ("ASK { e:1 p:captain e:2 }", "Does the Aurora command Ann Lee?"),
    ],
)
def test_what_the_graph_does_not_have_is_not_mended(ask: Any, sparql: str, question: str) -> None:
    answer, _ = ask(sparql, question=question, settings=LEAN)
    assert not any("mended" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("question", "sparql", "missing"),
    [
        ("Who commanded the Aurora in 2019?", "SELECT ?x { e:1 p:captain ?x }", "2019"),
        ("Which ships does Ann Lee command?", "SELECT ?x { ?x p:captain [] }", "Ann Lee"),
        ("Which ships have the colour 'red'?", "SELECT ?x { ?x p:color [] }", "red"),
    ],
)
def test_what_model_and_query_forget_is_sent_back(ask: Any, question: str, sparql: str, missing: str) -> None:
    reply = {"shape": "list", "sparql": sparql}
    answer, model = ask(reply, reply | {"unused": [missing]}, question=question)
    assert f"The query does not express {missing}" in model.asked[1].messages[-1].content
    assert answer.reason.code == "unknown-qualifier"


@pytest.mark.parametrize(
    ("question", "sparql"),
    [
        ("Which ships were launched after 2009?", "SELECT ?x { ?x p:launched ?d FILTER(YEAR(?d) >= 2010) }"),
        ("Which ships were launched in the 2010s?", "SELECT ?x { ?x p:launched ?d FILTER(YEAR(?d) >= 2010) }"),
        ("Which ships does Ann Lee command?", "SELECT ?x { ?x p:captain e:1 }"),
        ("Which ships does Ann Lee command?", "PREFIX s: <https://ships.example/> SELECT ?x { ?x p:captain s:ann }"),
        ("Which ships does Ann Lee command?", 'SELECT ?x { ?x p:captain/rdfs:label "Ann Lee"@en }'),
    ],
)
def test_what_a_query_expresses_takes_one_call(ask: Any, question: str, sparql: str) -> None:
    answer, model = ask({"shape": "list", "sparql": sparql}, question=question)
    assert (len(model.asked), bool(answer.values)) == (1, True)


def test_a_vertex_that_exists_but_was_not_shown_may_be_used(ask: Any) -> None:
    answer, _ = ask({"shape": "one", "sparql": "SELECT ?x { <https://ships.example/comet> p:captain ?x }"})
    assert said(answer) == ["Ann Lee"]


def test_a_follow_up_takes_two_calls(ships: Any, scripted: Any) -> None:
    model = scripted(rephraser={"question": QUESTION}, direct=RIGHT)
    history = (Exchange("How long is the Aurora?", Answer((Value("120.5", "number"),))),)
    answer = ChattyEngine(ships, model, settings=DIRECT).answer("Who commands it?", history)
    assert [request.agent for request in model.asked] == ["answer/rephraser", "answer/direct"]
    assert (said(answer), answer.standalone) == (["Ann Lee"], QUESTION)


def test_a_follow_up_shows_the_query_that_it_refines(ships: Any, scripted: Any) -> None:
    ships_of_ann = (Value("https://ships.example/aurora", "iri", label="Aurora"),)
    query = "PREFIX p: <https://ships.example/vocab/>\nSELECT ?s { ?s p:captain <https://ships.example/ann> }"
    before = Answer(ships_of_ann, sparql=query, standalone="Which ships does Ann Lee command?")
    history = (Exchange("And hers?", before),)
    asked, question = "Only show the long ones.", "Which ships of more than 100 m does Ann Lee command?"
    for standalone, is_shown in ((question, True), (asked, False)):
        model = scripted(rephraser={"question": standalone}, direct=RIGHT)
        ChattyEngine(ships, model, settings=DIRECT).answer(asked, history)
        prompt = model.asked[1].messages[-1].content
        refined = (
            '(It was asked as "Only show the long ones.", after "Which ships does Ann Lee command?" with the query:'
            " SELECT ?s { ?s p:captain e:1 })"
        )
        assert (refined in prompt) == is_shown


def test_a_question_that_is_none_is_not_tried_again(ask: Any) -> None:
    answer, model = ask(RIGHT, settings=AUTO, question="?!")
    assert (answer.values, model.asked) == ((), [])


@pytest.mark.parametrize(
    ("wanted", "model", "expected"),
    [
        ("staged", "openai:gpt-4o", ("staged",)),
        ("direct", "openai:gpt-4o", ("direct",)),
        ("agent", "openai:gpt-4o-mini", ("agent",)),
        ("auto", "openai:gpt-4o", ("direct", "agent")),
        ("auto", "openai:gpt-4o-mini", ("direct",)),
        ("auto", "gemini:gemini-2.5-pro", ("direct", "agent")),
        ("auto", "gemini:gemini-2.5-flash", ("direct",)),
        ("auto", "vllm:acme/Llama-3.3-70B-Instruct", ("direct", "agent")),
        ("auto", "vllm:acme/Qwen3-8B", ("direct",)),
        ("auto", "openai:never-heard-of", ("direct", "agent")),
        ("auto", "rules", ("staged",)),
        ("direct", "rules", ("staged",)),
        ("agent", "rules", ("staged",)),
    ],
)
def test_what_a_model_is_given_first(wanted: Any, model: str, expected: tuple[str, ...]) -> None:
    assert order_strategies(wanted, model) == expected


@pytest.mark.parametrize(
    ("model", "prompt", "is_small"),
    [
        ("openai:qwen2.5-coder-1.5b", "lean", True), ("openai:gemma3:4b", "lean", True),
        ("vllm:acme/Qwen3-8B", "lean", True),
        ("openai:phi-4-mini", "lean", True), ("openai:Llama-3.2-3B-Instruct-Q4_K_M.gguf", "lean", True),
        ("openai:gpt-4o-mini", "full", True), ("openai:mixtral-8x7b", "full", False),
        ("openai:qwen3-30b-a3b", "full", False),
        ("vllm:acme/Llama-3.3-70B-Instruct", "full", False), ("openai:never-heard-of", "full", False),
    ],
)  # fmt: skip
def test_models_are_classed_by_their_size(model: str, prompt: str, is_small: bool) -> None:
    found = find_model_strategy(model)
    assert (found.prompt, found.is_small) == (prompt, is_small)


def test_the_prompt_keeps_its_budget(ships: KnowledgeGraph, tmp_path: Any) -> None:
    wide = "".join(
        f'v:quantity{n} rdfs:label "measured quantity {n} of the machine" ; rdfs:comment "{"long " * 40}" .'
        f' :m{n} a v:Machine{n} ; rdfs:label "{"Machine " * 30} {n}" ; v:quantity{n} {n} .\n'
        for n in range(150)
    )
    head = "@prefix : <https://m.example/> . @prefix v: <https://m.example/v/> .\n"
    (tmp_path / "wide.ttl").write_text(
        f"{head}@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n{wide}", encoding="utf-8"
    )
    for size, name, limit in (("full", "answer/direct", 1_600), ("lean", "answer/lean", 700)):
        for kg in (ships, open_kg([str(tmp_path / "wide.ttl")]), open_kg(["demo"])):
            for question in (QUESTION, "Which machines have a measured quantity 7 of it, and which films do not?"):
                briefing = build_schema_prompt(kg, build_vocabulary_card(question, kg), size=size)
                messages = load_prompt(name).render({"question": question, "briefing": briefing, "examples": ""})
                assert sum(len(message.content) for message in messages) / 4 <= limit


def test_classes_that_are_stated_otherwise_are_said_to_be(tmp_path: Any) -> None:
    turtle = """@prefix w: <https://w.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    w:kindOf rdfs:label "instance of" . w:K1 rdfs:label "well" . w:deep rdfs:label "depth" .
    """ + "".join(f'w:t{n} w:kindOf w:K1 ; rdfs:label "Foxhole {n}" ; w:deep {n} .\n' for n in range(12))
    (tmp_path / "wells.ttl").write_text(turtle, encoding="utf-8")
    kg = open_kg([str(tmp_path / "wells.ttl")])
    shown = build_schema_prompt(kg, build_vocabulary_card("How deep is Foxhole 3?", kg)).as_prompt_text()
    assert "a class is stated by p:kindOf, not by a" in shown
    assert 'classes: p:K1 "well"' in shown and "e:1 = Foxhole 3 [well]" in shown


def test_kinds_of_a_class_are_shown(ships: KnowledgeGraph) -> None:
    assert (
        "p:Tanker < p:Ship"
        in build_schema_prompt(ships, build_vocabulary_card("Which tankers are there?", ships)).as_prompt_text()
    )


def test_names_are_declared_only_where_they_are_used(ships: KnowledgeGraph) -> None:
    briefing = build_schema_prompt(ships, build_vocabulary_card(QUESTION, ships))
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


def test_names_with_dots_are_prefixed_and_vertices_inside_a_longer_name_are_left_out(tmp_path: Any) -> None:
    (tmp_path / "clubs.ttl").write_text(DOTTED)
    kg = open_kg([str(tmp_path / "clubs.ttl")])
    prompt = build_schema_prompt(kg, build_vocabulary_card("Which city does Dynamo Krestov come from?", kg))
    assert [vertex.label for vertex in prompt.vertices] == ["Dynamo Krestov"]
    assert any(line.startswith("p:CLUB.city_id") for line in prompt.lines)
    query = prompt.expand_query("SELECT ?x { e:1 p:CLUB.city_id ?x }")
    assert [str(row["x"]) for row in kg.endpoint.select(query)] == ["https://db.example/row/2"]
    both = build_schema_prompt(kg, build_vocabulary_card("Is Krestov the city of Dynamo Krestov?", kg))
    assert sorted(vertex.label for vertex in both.vertices) == ["Dynamo Krestov", "Krestov"]


def test_a_rewritten_question_for_several_things_is_one_query(ask: Any, ships: KnowledgeGraph, scripted: Any) -> None:
    standalone = "Who commands the Aurora? Which flag has the Aurora?"
    model = scripted(rephraser=[{"question": standalone}], direct=[RIGHT])
    history = (Exchange("Who built the Aurora?", Answer(standalone="Who built the Aurora?")),)
    answer = ChattyEngine(ships, model, settings=DIRECT).answer("And its captain and flag?", history)
    assert (answer.standalone, answer.usage.calls) == (standalone, 2)


def test_the_model_judges_whether_a_pronoun_refers_to_nothing(ask: Any) -> None:
    answer, _ = ask(
        {"shape": "one", "sparql": "SELECT ?x { ?s p:captain ?x }"},
        question="Which ship is it, and who is its captain?",
    )
    assert answer.values


def test_a_turn_of_several_sentences_is_one_question(ships: KnowledgeGraph, scripted: Any) -> None:
    turn = "I want the longest ship. Show its captain and its length."
    model = scripted(rephraser=[{"question": "Show the captain and the length of the longest ship."}], direct=[RIGHT])
    history = (Exchange("Who commands the Aurora?", Answer(standalone="Who commands the Aurora?")),)
    answer = ChattyEngine(ships, model, settings=DIRECT).answer(turn, history)
    assert [request.agent for request in model.asked].count("answer/rephraser") == 1
    assert turn in model.asked[0].messages[-1].content
    assert answer.standalone == "Show the captain and the length of the longest ship."
