"""``chattykg mcp`` as agents start it: a child process that speaks over its pipes, or over HTTP on the loopback."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import anyio
import pytest

pytest.importorskip("mcp", reason="the extra mcp is not installed")
from mcp.client.client import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402
from mcp.client.streamable_http import streamable_http_client  # noqa: E402

pytestmark = pytest.mark.slow
COMMAND = [sys.executable, "-m", "chattykg", "mcp", "--kg", "demo"]
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}},
}  # fmt: skip
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
ENDLESS = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"


async def talk(client: Client) -> None:
    assert [tool.name for tool in (await client.list_tools()).tools][0] == "ask"
    first = await client.call_tool("ask", {"question": "Which films did Christopher Nolan direct?"})
    assert first.structured_content["labels"] == ["Inception", "Interstellar", "The Dark Knight"]
    conversation = first.structured_content["conversation"]
    second = await client.call_tool(
        "ask", {"question": "Who composed the music of the first?", "conversation": conversation}
    )
    assert second.structured_content["labels"] == ["Hans Zimmer"]
    refused = await client.call_tool("select", {"query": "INSERT DATA { <a:b> <a:c> 1 }"})
    assert refused.is_error and refused.content[0].text == "only SELECT and ASK are run"
    (card,) = (await client.read_resource("kg://card")).contents
    assert card.text.startswith("# demo\n")


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    # A background job inherits that SIGINT is ignored.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen([*COMMAND, *arguments], text=True, preexec_fn=heed, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def send(process: subprocess.Popen[str], *messages: object) -> None:
    lines = [message if isinstance(message, str) else json.dumps(message) for message in messages]
    process.stdin.write("".join(f"{line}\n" for line in lines))
    process.stdin.flush()


def begin(process: subprocess.Popen[str]) -> None:
    send(process, INITIALIZE)
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "chattykg"
    send(process, INITIALIZED)


def call(id: int, tool: str, **arguments: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


def test_an_agent_talks_over_the_pipes_of_a_child():
    async def run() -> None:
        parameters = StdioServerParameters(command=COMMAND[0], args=COMMAND[1:])
        async with Client(stdio_client(parameters)) as client:
            await talk(client)

    anyio.run(run)


def test_standard_output_has_nothing_but_the_protocol():
    with running() as process:
        begin(process)
        send(process, "garbage", "", "{}", "[1, 2]", '{"jsonrpc": "2.0", "id": 2}', "\x00", "9" * 5_000)
        send(process, {"jsonrpc": "2.0", "id": 3, "method": "no/such"})
        send(process, call(4, "ask", question="x" * 1_000_000), call(5, "ask", question="Who directed Inception?"))
        replies = {}
        while not {4, 5} <= replies.keys():
            reply = json.loads(process.stdout.readline())
            replies[reply["id"]] = reply
        assert replies[3]["error"]["message"] == "Method not found"
        assert "too long" in replies[4]["result"]["content"][0]["text"]
        assert "Christopher Nolan" in replies[5]["result"]["content"][0]["text"]
        out, err = process.communicate(timeout=20)
        assert (out, process.returncode) == ("", 0)
        assert err.startswith("demo: MCP over standard input and output\n") and "Traceback" not in err


@pytest.mark.parametrize("end", ["input", "SIGINT"])
def test_it_ends_at_once_also_while_a_query_runs(end):
    with running() as process:
        begin(process)
        send(process, call(2, "select", query=ENDLESS), call(3, "ask", question="Who directed Inception?"))
        assert json.loads(process.stdout.readline())["id"] == 3
        if end == "input":
            process.stdin.close()
        else:
            process.send_signal(signal.Signals[end])
        assert process.wait(timeout=10) == 0
        assert "Traceback" not in process.stderr.read()


def test_a_client_that_closes_its_end_is_no_traceback():
    with running() as process:
        begin(process)
        process.stdout.close()
        send(process, call(2, "vocabulary"))
        process.stdin.close()
        assert process.wait(timeout=10) == 0
        assert "Traceback" not in process.stderr.read()


def test_an_agent_talks_over_http():
    with running("--http", "--port", "0") as process:
        name, _, url = process.stderr.readline().strip().partition(": ")
        assert name == "demo" and url.startswith("http://127.0.0.1:") and url.endswith("/mcp")

        async def run() -> None:
            async with Client(streamable_http_client(url)) as client:
                await talk(client)

        anyio.run(run)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=15) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--kg", "-"], "name files instead of -"),
        (["--set", "client_requests_per_minute=5"], "keys and rates are for --http"),
        (["--http", "--allow-host", "http://kg.example.org"], "without scheme and port"),
        (["--http", "--host", "192.0.2.1"], "cannot serve at 192.0.2.1"),
    ],
)
def test_bad_options_end_with_2_and_one_line(arguments, sentence):
    command = COMMAND[:-2] if "--kg" in arguments else COMMAND
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, input="", timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr.strip().splitlines()[-1]
