"""A conversation from Python: graphs and models of all kinds, follow-ups, clarifications, failures, threads."""

import json
import threading

import pytest
import rdflib
from chattyshared.dialogue import Answer, Value
from chattyshared.endpoint.local import LocalEndpoint
from chattyshared.errors import ConfigError, ModelError
from wire.model_server import Fault, ModelServer, completion

import chattykg
from chattykg import Chat

NOLAN = "Which films did Christopher Nolan direct?"
FILMS = ("Inception", "Interstellar", "The Dark Knight")


@pytest.fixture
def kg(demo):
    return demo


def test_a_conversation_remembers(kg):
    chat = Chat(kg)
    answer = chat.ask(NOLAN)
    assert answer.labels == FILMS and answer.status == "answered"
    assert answer.text == "Inception, Interstellar and The Dark Knight"
    follow_up = chat.ask("And who composed the music of the first?")
    assert follow_up.labels == ("Hans Zimmer",) and "Inception" in follow_up.standalone
    assert [exchange.question for exchange in chat.history] == [NOLAN, "And who composed the music of the first?"]
    assert chat.history[0].answer == answer
    assert repr(chat) == "Chat('demo', model='rules', 2 questions)"
    chat.reset()
    assert chat.history == ()
    assert chat.ask("Who composed its music?").status != "answered"


class Parrot:
    """An engine of somebody's own."""

    def answer(self, question, history=(), *, span="answer"):
        return Answer((Value(f"{len(history)} before {question}", "literal"),), confidence=0.5)


def test_an_engine_of_ones_own_answers():
    with Chat("demo", engine=Parrot()) as chat:
        chat.ask("Who?")
        (answer,) = chat.stream("And then?")
    assert answer.labels == ("1 before And then?",) and answer.text == "1 before And then?"
    assert repr(answer) == "Answer(answered, '1 before And then?', confidence=0.50)"
    assert json.loads(json.dumps(answer.to_dict()))["values"][0]["value"] == "1 before And then?"


def test_a_conversation_ends_the_processes_of_a_graph_that_it_opened(kg):
    closed = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LocalEndpoint, "close", lambda self: closed.append(self))
        with Chat(kg):
            pass
        assert closed == []
        with Chat("demo"):
            pass
    assert len(closed) == 1


def test_a_graph_of_rdflib_is_asked(tmp_path):
    graph = rdflib.Graph()
    graph.parse(
        data="""
        @prefix e: <http://e/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        e:River rdfs:label "river" . e:mouth rdfs:label "mouth" . e:sea a e:Sea ; rdfs:label "Grey Sea" .
        e:vire a e:River ; rdfs:label "Vire" ; e:mouth e:sea . e:orne a e:River ; rdfs:label "Orne" ; e:mouth e:sea .
    """
    )
    chat = Chat(graph)
    assert chat.ask("What is the mouth of the Vire?").labels == ("Grey Sea",)
    assert chat.ask("How many rivers are there?").labels == ("2",)


@pytest.mark.slow
def test_an_endpoint_and_a_model_server_are_asked(sparql_server, monkeypatch):
    server = sparql_server(
        '<http://e/o> <http://www.w3.org/2000/01/rdf-schema#label> "Orne" ; <http://e/mouth> "Sea" .'
    )
    monkeypatch.setenv("CHATTY_KG_TOKEN", "token-of-the-test")
    assert Chat(server.url).ask("What is the mouth of the Orne?").labels == ("Sea",)
    reply = '{"shape": "one", "sparql": "SELECT ?x { <http://e/o> <http://e/mouth> ?x }"}'
    models = ModelServer().start()
    models.always = Fault(body=completion(reply))
    try:
        chat = Chat(server.url, model="openai:some-model", base_url=models.url, strategy="direct", verbalize=False)
        answer = chat.ask("What is the mouth of the Orne?")
    finally:
        models.stop()
    assert answer.labels == ("Sea",) and (answer.usage.prompt_tokens, answer.usage.estimated) == (11, False)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nowhere.ttl", "no such file"),
        (rdflib.Graph(), "holds no triple"),
        (["https://e.org/sparql", "a.ttl"], "a.ttl"),
    ],
)
def test_what_is_no_graph_is_said_at_once(source, message):
    with pytest.raises(ConfigError, match=message):
        Chat(source)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clarify": "never"}, "clarify: 'never' is none of 'ask', 'best', 'refuse'"),
        ({"strategy": "fast"}, "strategy: 'fast' is none of"),
        ({"threshold": 2}, "threshold: 2 is not from 0 to 1"),
        ({"threshold": "high"}, "threshold: 'high' is no number"),
        ({"model": "nonsense"}, "unknown model 'nonsense'"),
        ({"model": 5}, "no language model"),
    ],
)
def test_an_option_without_such_a_value_is_refused(kg, options, message):
    with pytest.raises(ConfigError, match=message):
        Chat(kg, **options)


def test_a_function_is_a_model(kg):
    seen = []

    def model(messages):
        seen.append(messages)
        system = messages[0]["content"]
        if '"sentence"' in system:
            return json.dumps({"sentence": "He is Christopher Nolan, of course."})
        query = "SELECT ?x { <https://chatty.example/demo/Inception> <https://chatty.example/vocab/director> ?x }"
        return json.dumps({"shape": "one", "sparql": query})

    chat = Chat(kg, model=model, strategy="direct")
    answer = chat.ask("Who directed Inception?")
    assert answer.labels == ("Christopher Nolan",) and answer.usage.estimated and answer.usage.calls == 1
    assert answer.text == "He is Christopher Nolan, of course."
    assert all(set(message) == {"role", "content"} for messages in seen for message in messages)
    assert Chat(kg, model=model, strategy="direct", verbalize=False).ask("Who directed Inception?").text != answer.text


def test_a_function_that_returns_no_text_fails_and_the_conversation_goes_on(kg):
    replies = [None]

    def model(messages):
        return replies.pop()

    chat = Chat(kg, model=model)
    with pytest.raises(ModelError, match="the function returned NoneType"):
        chat.ask("Who directed Inception?")
    with pytest.raises(IndexError):  # an exception of the function is its author's
        chat.ask("Who directed Inception?")
    assert chat.history == ()


def test_a_question_is_a_text(kg):
    chat = Chat(kg)
    with pytest.raises(ConfigError, match="a question is a text, not NoneType"):
        chat.ask(None)
    with pytest.raises(ConfigError, match="a question is a text"):
        chat.stream(None)
    assert chat.ask("").status != "answered"


def test_a_stream_yields_steps_and_then_the_answer(kg):
    chat = Chat(kg)
    chat.ask("Who directed Inception?")
    *steps, answer = chat.stream("When was he born?")
    assert [step.kind for step in steps[:2]] == ["understood", "linked"] and "query" in {step.kind for step in steps}
    assert answer.values and chat.history[-1].answer == answer
    assert Chat(kg).ask("When was Christopher Nolan born?").labels == answer.labels


def test_a_dropped_stream_stops_the_work(kg):
    chat, calls, entered, release = Chat(kg), [], threading.Event(), threading.Event()

    def model(messages):
        calls.append(messages)
        entered.set()
        release.wait(10)
        return "junk"

    slow = Chat(kg, model=model)
    for step in slow.stream("Who directed Inception?"):
        assert step.kind == "model"
        entered.wait(10)
        break
    release.set()
    with slow._turn:  # the thread has ended its work
        assert len(calls) == 1 and slow.history == ()
    unused = chat.stream("Who directed Inception?")  # nothing begins before the first step is asked for
    unused.close()
    assert chat.history == ()


def test_threads_take_turns(kg):
    chat, answers = Chat(kg), []
    threads = [threading.Thread(target=lambda: answers.append(chat.ask("Who directed Inception?"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.labels for answer in answers] == [("Christopher Nolan",)] * 4
    assert len(chat.history) == 4


def test_the_package_names_its_version_and_lists_its_names():
    assert chattykg.__version__ and set(chattykg.__all__) <= set(dir(chattykg))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = chattykg.nonsense
