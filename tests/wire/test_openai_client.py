"""The real ``openai`` client, and this project's engine for chat endpoints, against the service in a process."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import openai
import pytest
from chattyshared.benchmark import read_benchmark
from chattyshared.dialogue import Exchange
from chattyshared.model.openai import OpenAIModel

from chattykg.engines.llm_only import ChatEndpoint

pytestmark = pytest.mark.slow

COMMAND = (sys.executable, "-m", "chattykg")
FILMS = "Which films did Christopher Nolan direct?"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("serve")
    arguments = ("serve", "--kg", "demo", "--kg", "https://chatty.example/d/=demo", "--port", "0", "--workers", "2")
    with subprocess.Popen([*COMMAND, *arguments], cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        url = next(found[1] for line in lines if (found := re.search(r"(http://\S+/)$", line.strip())))
        yield f"{url}v1"
        process.terminate()


@pytest.fixture
def client(address: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=address, api_key="any", max_retries=0) as client:
        yield client


def test_a_conversation(client: openai.OpenAI) -> None:
    messages: list = [{"role": "user", "content": FILMS}]
    first = client.chat.completions.create(model="demo", messages=messages)
    assert "- Inception" in (first.choices[0].message.content or "") and first.usage and first.usage.total_tokens
    assert first.choices[0].chatty.get("status") == "answered"
    messages += [first.choices[0].message, {"role": "user", "content": "Who composed the music of the first?"}]
    second = client.chat.completions.create(model="demo", messages=messages)
    assert "Hans Zimmer" in (second.choices[0].message.content or "")
    raw = client.chat.completions.with_raw_response.create(model="demo", messages=messages)
    assert raw.status_code == 200 and raw.parse().model == "demo"


def test_a_stream(client: openai.OpenAI) -> None:
    steps, text, usage = [], "", None
    for chunk in client.chat.completions.create(
        model="https://chatty.example/d/",
        messages=[{"role": "user", "content": FILMS}],
        stream=True,
        stream_options={"include_usage": True},
    ):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            steps.append(getattr(choice, "chatty", {}).get("step", {}).get("kind"))
    assert "- Inception" in text and usage is not None
    assert [step for step in steps if step] == ["linked", "query", "check"]


def test_models_and_errors(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["demo", "https://chatty.example/d/"]
    assert client.models.retrieve("https://chatty.example/d/").owned_by == "chattykg"
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="gpt-x", messages=[{"role": "user", "content": FILMS}])
    assert missing.value.code == "model_not_found" and missing.value.param == "model"
    with pytest.raises(openai.BadRequestError, match="n: Input should be 1"):
        client.chat.completions.create(model="demo", messages=[{"role": "user", "content": FILMS}], n=2)
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="demo", input="x")


def test_the_engine_for_chat_endpoints_answers_dialogues(address: str, tmp_path: Path) -> None:
    path = tmp_path / "demo.jsonl"
    generate = [*COMMAND[:2], "chattygen", "generate", "--kg", "demo", "--dialogues", "2", "-o", str(path)]
    subprocess.run(generate, check=True, capture_output=True, cwd=tmp_path)
    model = OpenAIModel("demo", api_key="any", base_url=address)
    engine, right, asked = ChatEndpoint(model), 0, 0
    for dialogue in read_benchmark(path).dialogues:
        history: tuple[Exchange, ...] = ()
        for turn in dialogue.turns:
            answer = engine.answer(turn.question, history)
            history = (*history, Exchange(turn.question, answer))
            asked += 1
            right += {value.value for value in answer.values} == {value.value for value in turn.answers}
    model.close()
    assert asked >= 6 and right / asked >= 0.75
