"""Functions of a caller as language models."""

import functools

import pytest
from chattyshared.errors import ConfigError, ModelError
from chattyshared.model import Message, Request
from chattyshared.model.rules import FunctionModel

REQUEST = Request("answer/qir", (Message("system", "Reply."), Message("user", "Who?")), {"type": "object"})


def test_a_function_gets_the_messages_of_openai_and_the_schema_in_words():
    seen = []

    def ask(messages):
        seen.append(messages)
        return '{"a": 1}'

    model = FunctionModel(ask)
    completion = model.complete(REQUEST)
    ((system, user),) = seen
    assert user == {"role": "user", "content": "Who?"}
    assert system["role"] == "system" and system["content"].startswith("Reply.") and "JSON" in system["content"]
    assert completion.text == '{"a": 1}' and model.name == "function:ask()"
    usage = completion.usage
    assert (usage.calls, usage.estimated, usage.completion_tokens) == (1, True, 2) and usage.prompt_tokens > 4


@pytest.mark.parametrize("reply", [None, b"{}", {"a": 1}, 5])
def test_a_reply_that_is_no_text_is_named(reply):
    with pytest.raises(ModelError, match=f"the function returned {type(reply).__name__}, not the text") as caught:
        FunctionModel(lambda messages: reply).complete(REQUEST)
    assert caught.value.usage is not None and caught.value.usage.calls == 1


def test_an_exception_of_the_function_is_the_callers():
    def fail(messages):
        raise LookupError("no such deployment")

    with pytest.raises(LookupError, match="no such deployment"):
        FunctionModel(fail).complete(REQUEST)


def test_functions_without_a_name_have_that_of_their_type():
    assert FunctionModel(functools.partial(lambda messages, n: "", n=1)).name == "function:partial()"


def test_an_async_function_is_refused():
    async def ask(messages):
        return ""

    class Client:
        async def __call__(self, messages):
            return ""

    for function in (ask, Client()):
        with pytest.raises(ConfigError, match="async function"):
            FunctionModel(function)
