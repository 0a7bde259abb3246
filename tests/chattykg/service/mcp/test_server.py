"""The MCP server as the SDK's own client sees it: in memory for the details, over HTTP on the loopback for the rest."""

import threading
import time
from functools import partial

import anyio
import pytest
from chattyshared.dialogue import Answer, Value
from chattyshared.errors import BudgetSpent, EndpointUnavailable
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel
from invented_graphs import open_graph

from chattykg.engine import ChattyEngine, EngineResult, Settings
from chattykg.rulebook import RULEBOOK
from chattykg.service.access.accounts import AccessMiddleware
from chattykg.service.access.api_keys import ApiKey, ApiKeys
from chattykg.service.datasets import ServedDataset
from chattykg.steps import AnswerStep

pytest.importorskip("mcp", reason="the extra mcp is not installed")
import httpx2  # noqa: E402
from mcp.client.client import Client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402
from mcp.shared.exceptions import MCPError  # noqa: E402
from wire.running_service import Running  # noqa: E402

from chattykg.service.mcp.server import CARD_URI, HTTP_PATH, GraphToolServer  # noqa: E402

TOOLS = ["ask", "search_entities", "search_predicates", "describe", "values", "vocabulary", "select"]


@pytest.fixture(scope="module")
def kg() -> KnowledgeGraph:
    return open_graph("ferries")


@pytest.fixture(scope="module")
def graph(kg) -> ServedDataset:
    return ServedDataset("ferries", kg, ChattyEngine(kg, RuleModel(RULEBOOK), settings=Settings(clarify="ask")))


class FakeEngine:
    """Answers as a function of the question, the history and the progress does."""

    def __init__(self, answer) -> None:
        self._answer = answer

    def answer_with_trace(self, question, history, *, span, progress):
        return EngineResult(self._answer(question, history, progress))


def talk(server: GraphToolServer, conversation) -> None:
    """Let a client talk with a server in memory."""

    async def run() -> None:
        async with Client(server.server) as client:
            await conversation(client)

    anyio.run(run)


async def call(client: Client, tool: str, **arguments) -> tuple[str, dict]:
    """Return text and record of a call that must succeed; the client checks the record with the tool's schema."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return result.content[0].text, result.structured_content


async def refusal(client: Client, tool: str, **arguments) -> str:
    """Return the text of a call that must fail."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error and result.structured_content is None
    (content,) = result.content
    return content.text


def test_the_tools_and_the_instructions_tell_how_to_use_them(graph):
    async def conversation(client):
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        assert all(tool.annotations.read_only_hint and tool.output_schema and tool.description for tool in tools)
        assert all(f"`{name}`" in client.instructions for name in TOOLS)
        assert len(client.instructions.split("\n")) <= 8

    talk(GraphToolServer(graph), conversation)


def test_a_conversation_has_follow_up_questions(graph):
    async def conversation(client):
        text, first = await call(client, "ask", question="Who is the captain of Petrel?")
        assert (first["status"], first["labels"], first["reason"]) == ("answered", ["Una Gale"], None)
        assert "Una Gale" in text and first["conversation"] in text and "SELECT" in first["sparql"]
        assert first["evidence"] == [["Petrel", "captain", "Una Gale"]] and first["classes"] == ["person"]
        assert "Because: Petrel, captain, Una Gale" in text and "Understood as" not in text
        _, second = await call(client, "ask", question="And what is its home port?", conversation=first["conversation"])
        assert (second["labels"], second["conversation"]) == (["Holm"], first["conversation"])
        assert "Petrel" in second["standalone"]
        _, other = await call(client, "ask", question="And what is its home port?")
        assert other["labels"] != ["Holm"] and other["conversation"] != first["conversation"]

    talk(GraphToolServer(graph), conversation)


def test_an_unknown_answer_has_a_reason_and_suggestions(graph):
    async def conversation(client):
        text, record = await call(client, "ask", question="Who is the mayor of Atlantis?")
        assert record["status"] == "unknown" and record["reason"]["code"] and record["suggestions"]
        assert record["suggestions"][0] in text and record["values"] == [] and "select" in text

    talk(GraphToolServer(graph), conversation)


def test_the_graph_can_be_searched_described_and_queried(graph):
    async def conversation(client):
        text, found = await call(client, "search_entities", text="petrel")
        assert found["entities"][0]["iri"] == "https://ferries.example/f3"
        assert text == "Petrel <https://ferries.example/f3> (ferry)"
        text, described = await call(client, "describe", thing="Petrel")
        assert "home port <https://ferries.example/homePort>: Holm <https://ferries.example/p2>" in text
        assert described["namesakes"] == []
        text, described = await call(client, "describe", thing="Gannet")
        assert len(described["namesakes"]) == 1 and "also of this name: Gannet" in text
        text, _ = await call(client, "describe", thing="https://ferries.example/none")
        assert "<https://ferries.example/none>\nthe graph states nothing of it" in text
        text, listed = await call(client, "vocabulary", words="captain")
        assert [one["label"] for one in listed["predicates"]] == ["captain"] and "ferry -> person" in text
        query = "SELECT ?f ?c { ?f <https://ferries.example/captain> ?c }"
        text, table = await call(client, "select", query=query, limit=2)
        assert (len(table["rows"]), table["is_cut"]) == (2, True) and "2 or more rows" in text
        assert {row[1]["label"] for row in table["rows"]} <= {"Una Gale", "Ida Moor"}
        assert (await call(client, "select", query="ASK { ?s ?p 90 }"))[0] == "true"
        _, found = await call(client, "search_entities", text="Gannet", **{"class": "port"})
        assert found["entities"] == []
        text, counted = await call(client, "search_predicates", **{"class": "ferry"})
        assert counted["size"] == 3 and "3 things; how many of them have each predicate:" in text
        text, found = await call(client, "search_predicates", text="captain weather")
        assert [one["label"] for one in found["predicates"]] == ["captain"] and text.startswith("nothing has all of")
        text, counted = await call(client, "values", predicate="captain", **{"class": "ferry"})
        assert counted["values"][0][1] == 2 and "Una Gale <https://ferries.example/c1>: 2x" in text

    talk(GraphToolServer(graph), conversation)


def test_the_card_is_a_resource(graph):
    async def conversation(client):
        (resource,) = (await client.list_resources()).resources
        (contents,) = (await client.read_resource(str(resource.uri))).contents
        assert str(resource.uri) == CARD_URI and contents.mime_type == "text/markdown"
        assert contents.text.startswith("# ferries.ttl\n") and "## How to ask" in contents.text
        with pytest.raises(MCPError, match="there is one resource: kg://card"):
            await client.read_resource("file:///etc/passwd")

    talk(GraphToolServer(graph), conversation)


BAD_CALLS = [
    ("ask", {}, "'question' is a required property"),
    ("ask", {"question": 5}, "question: 5 is not of type 'string'"),
    ("ask", {"question": ["Who?"]}, "is not of type 'string'"),
    ("ask", {"question": None}, "question: None is not of type 'string'"),
    ("ask", {"question": " \n "}, "the question is empty"),
    ("ask", {"question": "Who?", "conversation": "nowhere"}, "there is no such conversation"),
    ("ask", {"question": "Who?", "conversatoin": ""}, "'conversatoin' was unexpected"),
    ("describe", {"thing": "Zzyzx"}, "nothing in ferries.ttl is called 'Zzyzx'"),
    ("describe", {"thing": "y" * 100_000}, "nothing in ferries.ttl is called 'yyyy"),
    ("describe", {"thing": "Petrel", "limit": 0}, "limit: 0 is less than the minimum of 1"),
    ("select", {"query": "DROP ALL"}, "only SELECT and ASK are run"),
    ("select", {"query": "SELECT * { SERVICE <http://127.0.0.1/> { ?s ?p ?o } }"}, "SERVICE is not taken"),
    ("select", {"query": "ASK {}", "limit": 10**30}, "is greater than the maximum of 1000"),
    ("select", {"query": "ASK {}", "limit": "5"}, "limit: '5' is not of type 'integer'"),
    ("vocabulary", {"limit": True}, "limit: True is not of type 'integer'"),
    ("values", {"predicate": "nope"}, "no predicate is called 'nope'"),
    ("search_entities", {"text": "Petrel", "class": "nope"}, "no class is called 'nope'"),
    ("asc", {}, "there is no tool 'asc'; did you mean ask?"),
]


def test_bad_arguments_are_errors_of_one_sentence(graph):
    async def conversation(client):
        for tool, arguments, sentence in BAD_CALLS:
            text = await refusal(client, tool, **arguments)
            assert sentence in text and "Traceback" not in text and "\n" not in text and len(text) <= 500, (tool, text)

    talk(GraphToolServer(graph), conversation)


@pytest.mark.parametrize("text", ["\x00", "\ud800", "‮evil", "'; DROP ALL #", "{}", "?" * 9_000, "a " * 4_999])
def test_odd_texts_end_no_server(graph, text):
    async def conversation(client):
        for tool, name in (("ask", "question"), ("search_entities", "text"), ("vocabulary", "words")):
            await call(client, tool, **{name: text})
        await client.call_tool("describe", {"thing": text})
        assert "refused" not in await refusal(client, "select", query=text)
        await call(client, "ask", question="Who is the captain of Petrel?")

    talk(GraphToolServer(graph), conversation)


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (EndpointUnavailable("is down", endpoint="http://kg.example"), "http://kg.example: is down"),
        (BudgetSpent("the limit of 5 USD is reached"), "the limit of 5 USD is reached"),
        (ZeroDivisionError("a bug\nwith lines"), "unexpected error: ZeroDivisionError at "),
    ],
)
def test_failures_are_errors_of_the_call_and_the_server_goes_on(kg, error, sentence):
    def fail(question, history, progress):
        if question == "fail":
            raise error
        return Answer(values=(Value(str(len(history)), "number"),))

    async def conversation(client):
        id = (await call(client, "ask", question="a"))[1]["conversation"]
        text = await refusal(client, "ask", question="fail", conversation=id)
        assert text.startswith(sentence) and "\n" not in text
        assert (await call(client, "ask", question="b", conversation=id))[1]["values"] == ["1"]

    talk(GraphToolServer(ServedDataset("ferries", kg, FakeEngine(fail))), conversation)


def test_questions_of_one_conversation_run_one_after_the_other(kg):
    running, most = [], []

    def answer(question, history, progress):
        running.append(question)
        most.append(len(running))
        time.sleep(0.05)
        running.remove(question)
        return Answer(values=(Value(str(len(history)), "number"),))

    async def conversation(client):
        id = (await call(client, "ask", question="first"))[1]["conversation"]
        counts = []

        async def ask(number):
            counts.append((await call(client, "ask", question=str(number), conversation=id))[1]["values"][0])

        async with anyio.create_task_group() as group:
            for number in range(4):
                group.start_soon(ask, number)
        assert sorted(counts) == ["1", "2", "3", "4"] and max(most) == 1

    talk(GraphToolServer(ServedDataset("ferries", kg, FakeEngine(answer))), conversation)


def test_steps_are_progress_and_long_work_blocks_nobody(kg):
    go_on = threading.Event()

    def answer(question, history, progress):
        progress.report(AnswerStep("understood", "Understood as: Who?"))
        assert go_on.wait(20)
        progress.report(AnswerStep("check", "Checking the result"))
        return Answer()

    async def conversation(client):
        steps = []

        async def note(progress, total, message):
            steps.append((progress, total, message))

        async def ask():
            await client.call_tool("ask", {"question": "Who?"}, progress_callback=note)

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await call(client, "search_entities", text="Petrel")
            go_on.set()
        assert steps == [(1, None, "Understood as: Who?"), (2, None, "Checking the result")]

    talk(GraphToolServer(ServedDataset("ferries", kg, FakeEngine(answer))), conversation)


def test_a_canceled_call_stops_the_work_and_leaves_no_turn(kg):
    begun, stopped = threading.Event(), threading.Event()

    def answer(question, history, progress):
        if question != "slow":
            return Answer(values=(Value(str(len(history)), "number"),))
        begun.set()
        try:
            while not stopped.wait(0.01):
                progress.check_stop()
        finally:
            stopped.set()

    server = GraphToolServer(ServedDataset("ferries", kg, FakeEngine(answer)), workers=1)

    async def conversation(client):
        id = (await call(client, "ask", question="a"))[1]["conversation"]
        with anyio.move_on_after(0.2) as scope:
            await client.call_tool("ask", {"question": "slow", "conversation": id})
        assert scope.cancelled_caught and begun.is_set()
        assert await anyio.to_thread.run_sync(stopped.wait, 5)
        assert (await call(client, "ask", question="b", conversation=id))[1]["values"] == ["1"]

    async def run() -> None:
        async with Client(server.server, mode="legacy") as client:
            await conversation(client)

    anyio.run(run)


def test_a_huge_answer_is_listed_in_part(kg):
    values = tuple(Value(f"https://e/{n}", "iri", label=f"Thing {n}") for n in range(5_000))

    async def conversation(client):
        text, record = await call(client, "ask", question="all")
        assert (record["value_count"], len(record["values"]), len(record["labels"])) == (5_000, 1_000, 1_000)
        assert "and 4,9" in text and len(text) < 5_000

    engine = FakeEngine(lambda question, history, progress: Answer(values=values))
    talk(GraphToolServer(ServedDataset("ferries", kg, engine)), conversation)


@pytest.fixture(scope="module")
def http_client(graph):
    with Running(GraphToolServer(graph).make_http_app("127.0.0.1", ["kg.example.org"])) as client:
        yield client


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_same_over_streamable_http(http_client, mode):
    async def run() -> None:
        url = http_client.url.rstrip("/") + HTTP_PATH
        async with Client(streamable_http_client(url), mode=mode) as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
            _, first = await call(client, "ask", question="Who is the captain of Petrel?")
            _, second = await call(
                client, "ask", question="And what is its home port?", conversation=first["conversation"]
            )
            assert second["labels"] == ["Holm"]
            assert await refusal(client, "select", query="CLEAR ALL") == "only SELECT and ASK are run"

    anyio.run(run)


@pytest.mark.slow
def test_http_takes_only_known_hosts_and_origins(http_client):
    def post(body: bytes = b"{}", **headers: str) -> int:
        accept = "application/json, text/event-stream"
        sent = {"Content_Type": "application/json", "Accept": accept, **headers}
        return http_client.send("POST", HTTP_PATH, body, **sent).status

    assert post(Host="evil.example") == 421
    assert post(Host="evil.example:8001") == 421
    assert post(Origin="http://evil.example") == 403
    assert post(Origin="null") == 403
    assert post(Host="kg.example.org") == post(Origin="http://localhost:3000") == post() == 400
    assert post(b"{" * 300_000) == 413
    assert post(b"not json") == 400
    assert http_client.send("POST", HTTP_PATH, b"{}", Content_Type="text/plain").status == 400
    assert http_client.get("/").status == 404


@pytest.mark.slow
def test_all_addresses_are_no_name_to_reach_it_by(graph):
    with Running(GraphToolServer(graph).make_http_app("0.0.0.0", ["2001:db8::1"])) as client:
        statuses = [
            client.send("POST", HTTP_PATH, b"{}", Content_Type="application/json", Host=host).status
            for host in ("0.0.0.0", "0.0.0.0:8001", "127.0.0.1", "[2001:db8::1]:80")
        ]
        assert [status == 421 for status in statuses] == [True, True, False, False]


@pytest.mark.slow
def test_keys_are_asked_for_and_own_their_conversations(graph):
    app = GraphToolServer(graph).make_http_app("127.0.0.1")
    keys = ApiKeys([ApiKey("ada", "a" * 20), ApiKey("bob", "b" * 20)])
    app.add_middleware(AccessMiddleware, keys=keys)

    async def ask(url: str, key: str, **arguments: str) -> str:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as sending,
            Client(streamable_http_client(url, http_client=sending)) as client,
        ):
            result = await client.call_tool("ask", {"question": "Who is the captain of Petrel?", **arguments})
            return result.structured_content["conversation"] if not result.is_error else result.content[0].text

    with Running(app) as client:
        url = client.url.rstrip("/") + HTTP_PATH
        assert client.send("POST", HTTP_PATH, b"{}", Content_Type="application/json").status == 401
        conversation = anyio.run(partial(ask, url, "a" * 20))
        assert anyio.run(partial(ask, url, "a" * 20, conversation=conversation)) == conversation
        assert anyio.run(partial(ask, url, "b" * 20, conversation=conversation)).startswith("there is no such")
