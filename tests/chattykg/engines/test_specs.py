"""Engines that are compared with: what each asks, and what it makes of the replies."""

from functools import partial

import pytest
from chattyshared.answers import AnswerLine
from chattyshared.dialogue import Answer, Exchange, Reason, Value
from chattyshared.errors import ConfigError, EndpointUnavailable, ReplyInvalid, ResultUnreadable
from rdflib import URIRef
from scripted_model import StepModel
from wire.running_service import ORCHARD
from wire.systems import SystemServer, chatty_kg

from chattykg.engines.chatty_kg import ChattyKGService
from chattykg.engines.given_answers import CandidateEngine, PredictionsFile
from chattykg.engines.llm_only import ChatEndpoint, LLMOnly
from chattykg.engines.specs import EngineSpec, parse_engine_spec
from chattykg.engines.subgraph_rag import NumberedFacts, SubgraphRAG, check_picks, collect_facts, select_vertices
from chattykg.engines.system_client import SystemClient, Text2Sparql
from chattykg.linking.vocabulary_card import build_vocabulary_card
from chattykg.settings import Settings

O = "https://orchard.example/"  # noqa: E741
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
IDA = Value(f"{O}g1", "iri", label="Ida Moor")
BEFORE = (Exchange("Who planted Old Bramley?", Answer((IDA,))),)


@pytest.fixture
def orchard(open_graph):
    return open_graph(ORCHARD)


def texts(answer):
    return [(one.value, one.kind) for one in answer.values]


def test_a_model_alone_says_names(orchard):
    model = StepModel([{"answers": ["Ida  Moor", "Tom Reed", "Ida Moor", ""]}])
    answer = LLMOnly(model).answer("Who are growers?")
    assert texts(answer) == [("Ida Moor", "literal"), ("Tom Reed", "literal")]
    assert (answer.scores, answer.usage.calls, answer.standalone) == ((1.0, 1.0), 1, "Who are growers?")
    assert (answer.status, answer.grounded) == ("answered", False)
    assert LLMOnly(StepModel([{"answers": []}])).answer("Who?").status == "unknown"


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        (["Yes"], [("true", "boolean")]),
        (["no"], [("false", "boolean")]),
        (["3"], [("3", "number")]),
        (["1931-04-02"], [("1931-04-02", "literal")]),
        ([IDA.value], [(IDA.value, "iri")]),
        (["no", "yes"], [("no", "literal"), ("yes", "literal")]),
        ([], []),
    ],
)
def test_what_a_text_is(said, heard):
    assert texts(LLMOnly(StepModel([{"answers": said}])).answer("?")) == heard


@pytest.mark.parametrize(
    ("context", "shown"),
    [
        ("none", "(nothing)"),
        ("questions", "Q1: Who planted Old Bramley?"),
        ("answers", "Q1: Who planted Old Bramley?\nA1: Ida Moor"),
    ],
)
def test_a_model_sees_as_much_of_the_conversation_as_it_shall(context, shown):
    model = StepModel([{"answers": []}])
    LLMOnly(model, history_view=context).answer("When was she born?", BEFORE)
    assert model.asked[0].messages[1].content == f"Conversation so far:\n{shown}\n\nQuestion: When was she born?"


def test_engines_of_one_model_keep_theta_and_the_number_of_shown_answers(orchard):
    values = tuple(Value(name, "literal") for name in ("Ann", "Bob", "Cy"))
    settings, before = Settings(theta=1, shown_answers=2), (Exchange("Who?", Answer(values)),)
    for make in (LLMOnly, ChatEndpoint, partial(SubgraphRAG, orchard)):
        model = StepModel(["no JSON", "no JSON"])
        with pytest.raises(ReplyInvalid):
            make(model, settings=settings).answer("And when?", before)
        (request,) = model.asked
        shown = " ".join(message.content for message in request.messages)
        assert "Bob" in shown and "Cy" not in shown


def test_a_reply_that_cannot_be_used_is_sent_back_and_then_an_error():
    answer = LLMOnly(StepModel(["Ida Moor", {"answers": ["Ida Moor"]}])).answer("Who?")
    assert (answer.usage.calls, texts(answer)) == (2, [("Ida Moor", "literal")])
    with pytest.raises(ReplyInvalid) as raised:
        LLMOnly(StepModel(["a", "b", "c"])).answer("Who?")
    assert raised.value.usage.calls == 3


def test_the_neighbourhood_holds_what_is_around(orchard):
    model = StepModel([{"picks": [], "value": "yes"}])
    answer = SubgraphRAG(orchard, model).answer("Who planted Old Bramley?")
    facts = model.asked[0].messages[1].content
    assert "[1] Old Bramley | planted by | [2] Ida Moor" in facts
    assert texts(answer) == [("true", "boolean")] and answer.queries > 0
    assert [link.iri for link in answer.entities][0] == f"{O}t1"


def test_the_model_picks_by_number(orchard):
    model = StepModel([{"picks": [9999], "value": ""}, {"picks": [2, 2], "value": "1"}, {"picks": [2, 2], "value": ""}])
    answer = SubgraphRAG(orchard, model).answer("Who planted Old Bramley?")
    assert [(one.value, one.label) for one in answer.values] == [(f"{O}g1", "Ida Moor")]
    assert "There is no [9999]" in model.asked[1].messages[-1].content
    assert "either picks or a value" in model.asked[2].messages[-1].content


def test_what_was_answered_before_is_looked_at_again(orchard):
    model = StepModel([{"picks": [], "value": ""}, {"picks": [], "value": ""}])
    engine = SubgraphRAG(orchard, model)
    engine.answer("When was she born?", BEFORE)
    assert "Ida Moor | date of birth | [" in model.asked[0].messages[1].content
    SubgraphRAG(orchard, model, history_view="questions").answer("When was she born?", BEFORE)
    assert "Ida Moor" not in model.asked[1].messages[1].content


def test_a_class_brings_its_entities(orchard):
    links = select_vertices(build_vocabulary_card("How many trees are there?", orchard), ())
    facts = collect_facts(orchard, "How many trees are there?", [URIRef(one.iri) for one in links])
    assert sum("| type |" in line and line.endswith("tree") for line in facts.lines) == 2


def test_facts_have_a_limit_and_numbers_match(open_graph):
    lines = [f'<{O}hub> <{O}has> <{O}leaf{n}> . <{O}leaf{n}> <{LABEL}> "{"leaf " * 30}{n}" .' for n in range(150)]
    facts = collect_facts(open_graph("\n".join(lines)), "What has hub?", [URIRef(f"{O}hub")])
    assert 20 < len(facts.lines) < 150 and len(facts.as_prompt_text()) <= 12_000
    assert len(facts.terms) == len(facts.lines) + 1
    assert list(check_picks({"picks": [len(facts.terms)], "value": ""}, {"facts": facts})) == []
    assert len(list(check_picks({"picks": [len(facts.terms) + 1], "value": ""}, {"facts": facts}))) == 1
    assert NumberedFacts((), ()).as_prompt_text() == "(none)"


def test_a_chat_endpoint_is_told_the_turns_as_a_chat():
    model = StepModel([{"answers": ["1931-04-02"]}, {"answers": []}, {"answers": []}])
    answer = ChatEndpoint(model).answer("When was she born?", BEFORE)
    assert texts(answer) == [("1931-04-02", "literal")]
    system, *chat = [(message.role, message.content) for message in model.asked[0].messages]
    assert system[0] == "system" and chat == [
        ("user", "Who planted Old Bramley?"),
        ("assistant", '{"answers": ["Ida Moor"]}'),
        ("user", "When was she born?"),
    ]  # fmt: skip
    ChatEndpoint(model, history_view="questions").answer("When?", BEFORE)
    ChatEndpoint(model, history_view="none").answer("When?", BEFORE)
    assert [len(request.messages) for request in model.asked] == [4, 4, 2]
    assert "Ida Moor" not in str(model.asked[1].messages)


@pytest.mark.parametrize(
    ("query", "found", "problem"),
    [
        (f"SELECT ?x WHERE {{ <{O}t1> <{O}planted> ?x }}", [(f"{O}g1", "iri")], ""),
        (f"ASK {{ <{O}t1> <{O}planted> <{O}g2> }}", [("false", "boolean")], ""),
        (f"SELECT COUNT(?x) WHERE {{ ?x <{O}planted> ?y }}", [("2", "number")], ""),
        ("", [], ""),
        ("SELECT", [], "does not parse: line 1, column 7: Expected SelectQuery"),
        ("DELETE WHERE { ?s ?p ?o }", [], "only SELECT and ASK are run"),
    ],
)
def test_a_query_of_another_system_is_run_here(orchard, query, found, problem):
    with SystemServer(lambda method, path, sent: {**sent, "query": query}) as server:
        answer = CandidateEngine(orchard, Text2Sparql(SystemClient(server.url), "urn:orchard")).answer("Who?", BEFORE)
        assert server.asked == [("GET", "/", {"question": "Who?", "dataset": "urn:orchard"})]
    assert texts(answer) == found
    assert answer.candidate_queries == bool(query and not problem)
    assert [one.reason for one in answer.candidates] == [problem] * bool(query)


BINDING = {"x": {"type": "uri", "value": IDA.value}}


@pytest.mark.parametrize(
    ("said", "heard"),
    [
        ([BINDING, BINDING], [(IDA.value, "iri")]),
        ({"head": {"vars": ["x"]}, "results": {"bindings": [BINDING]}}, [(IDA.value, "iri")]),
        ({"boolean": False}, [("false", "boolean")]),
        (["Ida Moor", 7], [("Ida Moor", "literal"), ("7", "number")]),
        (True, [("true", "boolean")]),
        ("She planted it.", [("She planted it.", "literal")]),
        ("", []), (None, []), ([], []),
    ],
)  # fmt: skip
def test_chatty_kgs_answers_come_in_several_shapes(said, heard):
    with SystemServer(chatty_kg({"Who?": said})) as server:
        answer = ChattyKGService(SystemClient(server.url), "orchard").answer("Who?")
    assert texts(answer) == heard
    assert (answer.sparql, answer.relations[0].score, answer.stages.selection) == ("SELECT * {}", 0.5, 0.125)


def test_chatty_kg_begins_a_chat_for_each_conversation():
    with SystemServer(chatty_kg({"Who?": "a", "When?": "b"})) as server:
        engine = ChattyKGService(SystemClient(f"{server.url}/"), "orchard")
        assert engine.answer("Who?").standalone == "turn 1"
        assert engine.answer("When?", BEFORE).standalone == "turn 2"
        assert engine.answer("Who?").standalone == "turn 1"
        assert [path for _, path, _ in server.asked] == ["/start_chat", "/ask", "/ask", "/start_chat", "/ask"]


@pytest.mark.parametrize(
    ("reply", "asked"),
    [(reply, lambda client: Text2Sparql(client, "d")("1", "?")) for reply in ([], {}, {"query": None}, "SELECT")]
    + [
        (reply, lambda client: ChattyKGService(client, "orchard").answer("Who?"))
        for reply in ({}, [], {"answer": {"results": {"bindings": 3}}})
    ],
)
def test_a_reply_of_another_api_is_told(reply, asked):
    with SystemServer(lambda *_: reply) as server, pytest.raises(ResultUnreadable):
        asked(SystemClient(server.url))


def test_a_file_says_what_it_says():
    lines = [
        AnswerLine("q1", (IDA.value, "x"), ("Ida Moor", "x"), (0.9, 0.4), sparql="S", confidence=0.5),
        AnswerLine("q2", ("true",), ("true",)), AnswerLine("q3"), AnswerLine("q4", error="down"),
        AnswerLine("q5", sparql="SELECT", error="does not parse"),
    ]  # fmt: skip
    engine = PredictionsFile(lines, "theirs.jsonl")
    first = engine.answer("?", span="q1")
    assert (first.values[0], first.scores, first.sparql, first.confidence) == (IDA, (0.9, 0.4), "S", 0.5)
    assert texts(engine.answer("?", span="q2")) == [("true", "boolean")]
    assert engine.answer("?", span="q3").values == () == engine.answer("?", span="q5").values
    assert engine.answer("?", span="q5").notes == ("does not parse",)
    assert [engine.answer("?", span=place).status for place in ("q1", "q3")] == ["answered", "unknown"]
    for place, said in (("q4", "down"), ("q6", "holds no answer to this question")):
        with pytest.raises(ReplyInvalid, match=said):
            engine.answer("?", span=place)


def test_a_file_keeps_the_status_of_its_lines():
    why = Reason("unknown-name", "I do not know, because nothing is known of Zog.")
    lines = [
        AnswerLine(1, status="unknown", reason=why, unused=("Zog",)), AnswerLine(2, status="clarification"),
        AnswerLine(3, ("5",), ("5",), status="answered", grounded=False), AnswerLine(4, status="empty"),
    ]  # fmt: skip
    engine = PredictionsFile(lines, "theirs.jsonl")
    answers = [engine.answer("?", span=str(line.id)) for line in lines]
    assert [(each.status, each.reason, each.unused, each.grounded) for each in answers] == [
        (line.status, line.reason, line.unused, line.grounded) for line in lines
    ]


@pytest.mark.parametrize(
    ("spec", "kind"),
    [
        ("chatty", EngineSpec()),
        (" rag ", EngineSpec("rag")),
        ("llm-only", EngineSpec("llm-only")),
        ("remote:text2sparql:http://u:p@h:1/x?y=1", EngineSpec("text2sparql", "http://u:p@h:1/x?y=1")),
        ("remote:chattykg:http://h", EngineSpec("chattykg", "http://h")),
        ("remote:openai:http://h/v1", EngineSpec("openai", "http://h/v1")),
        ("file:C:/x.json", EngineSpec("file", "C:/x.json")),
    ],
)
def test_kinds_of_engine(spec, kind):
    assert parse_engine_spec(spec) == kind
    assert "p@" not in kind.redacted_target()


@pytest.mark.parametrize(
    "spec", ["", "gpt", "remote", "remote:openai", "remote:file:x", "file:", "openai:http://h", "chatty:x"]
)
def test_what_is_no_kind(spec):
    with pytest.raises(ConfigError, match="unknown engine"):
        parse_engine_spec(spec)


def test_nobody_is_there():
    with SystemServer(lambda *_: {}) as server:
        url = server.url
    waits = []
    with pytest.raises(EndpointUnavailable, match="cannot be reached"):
        SystemClient(url, sleep=waits.append).get(question="?")
    assert waits == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0]
