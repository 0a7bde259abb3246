"""OpenAI's chat completions, and every server that speaks them: vLLM, Ollama, llama.cpp, Gemini's compatible way."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from chattyshared.errors import ConfigError, ContextTooLong, ModelError, ModelRefused, ModelUnavailable
from chattyshared.model import Completion, Message, Request, Usage
from chattyshared.model.structured import in_words, is_object, is_strict, schema_name, sendable

if TYPE_CHECKING:
    import openai

DEFAULT_URL = "https://api.openai.com/v1"
RETRIES = 4

_NO = r"(unsupported|unrecognized|unknown|unexpected|invalid|deprecated|must be|not support|not permitted|not allowed)"
_TOO_LONG = re.compile(
    r"context_length_exceeded|context (length|window|size)|maximum context|reduce the length|too many tokens"
    r"|prompt is too long|input is too long",
    re.IGNORECASE,
)
_NO_SYSTEM = re.compile(
    r"system (role|message|instruction)s? (is |are )?(not|un)[ -]?(supported|enabled)", re.IGNORECASE
)
_THIS_SCHEMA = re.compile(
    r"invalid (json[_ ]?)?schema|strict|grammar|schema contains|unimplemented|keyword", re.IGNORECASE
)
_STRUCTURE = re.compile(
    r"response_?format|json[_ ]?schema|json_object|structured|guided|grammar|\bschema\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Habits:
    """What a server has been found to take.

    ``loose`` are agents whose schema it refused as strict, ``spared`` those whose schema it does not understand at all.
    """

    structure: Literal["schema", "json", "plain"] = "schema"
    temperature: bool = True
    system: bool = True
    loose: frozenset[str] = frozenset()
    spared: frozenset[str] = frozenset()

    def after(self, error: openai.APIStatusError, request: Request) -> _Habits | None:
        """Return better habits after a refusal, or None if it teaches nothing."""
        said, param = _text(error), error.param or ""
        if error.status_code not in (400, 404, 422, 500, 501) or _TOO_LONG.search(said):
            return None
        if self.temperature and _blames("temperature", param, said):
            return replace(self, temperature=False)
        if self.system and _NO_SYSTEM.search(said):
            return replace(self, system=False)
        if request.schema is None or error.status_code == 404:
            return None
        if param.startswith("response_format") or _STRUCTURE.search(said):
            return self._simpler(request, said)
        return None

    def _simpler(self, request: Request, said: str) -> _Habits | None:
        """Give up the least: strictness or the schema for this agent, then schemas, then JSON mode for all."""
        assert request.schema is not None
        agent = request.agent
        if not is_object(request.schema):
            return None
        if self.structure == "schema" and agent not in self.spared:
            if not _THIS_SCHEMA.search(said):
                return replace(self, structure="json")
            if agent not in self.loose and is_strict(sendable(request.schema)):
                return replace(self, loose=self.loose | {agent})
            return replace(self, spared=self.spared | {agent})
        return replace(self, structure="plain") if self.structure != "plain" else None


class OpenAIModel:
    """One model behind one server; safe to call from several threads at once. ``url`` is without credentials.

    What the server does not take (reply schemas, a temperature, a system message) is found out from its refusals,
    once, and remembered. Overload and lost connections are retried by the SDK, which honors Retry-After.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        base_url: str | None = None,
        timeout: float = 120,
        temperature: float = 0,
        retries: int = RETRIES,
    ) -> None:
        """Name the model and its server; nothing is asked yet.

        Raises:
            ConfigError: the address is not one of HTTP.
        """
        import openai

        address = base_url or DEFAULT_URL
        self.url = re.sub(r"//[^/@]*@", "//", address)
        if not re.match(r"https?://[^/]", address):
            raise ConfigError(f"not the address of a model server: {self.url!r} (http://... or https://...)")
        self.name = f"openai:{model}"
        self._model, self._key = model, api_key
        self._temperature = temperature
        self._sdk = openai
        self._client = openai.OpenAI(api_key=api_key, base_url=address, timeout=timeout, max_retries=retries)
        self._habits = _Habits()
        self._lock = threading.Lock()

    def complete(self, request: Request) -> Completion:
        """Complete one request.

        Raises:
            ConfigError: the server does not know this model.
            ModelUnavailable: it does not answer, is busy after the retries, or refuses the key.
            ModelRefused: the model, or the provider's filter, declined.
            ContextTooLong: the prompt does not fit.
            ModelError: anything else that is no completion.
        """
        while True:
            habits = self._habits
            sent = self._arguments(request, habits)
            try:
                raw: Any = self._client.chat.completions.create(**sent)
            except self._sdk.APIStatusError as error:
                if self._learns(habits, error, request):
                    continue
                raise self._status_error(error) from error
            except self._sdk.APITimeoutError as error:
                raise ModelUnavailable(f"no reply from {self.url} in time", model=self.name) from error
            except self._sdk.APIConnectionError as error:
                raise ModelUnavailable(
                    f"cannot reach {self.url} ({error.__cause__ or error})", model=self.name
                ) from error
            except (self._sdk.OpenAIError, ValueError) as error:
                raise ModelUnavailable(self._clean(f"unreadable reply: {error}"), model=self.name) from error
            return self._completion(raw, sent["messages"])

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _learns(self, habits: _Habits, error: openai.APIStatusError, request: Request) -> bool:
        """Take over better habits, if the refusal teaches any; tell whether to ask again."""
        better = habits.after(error, request)
        if better is None:
            return False
        with self._lock:
            # Another thread may have learned meanwhile: then its lesson is tried first.
            if self._habits is habits:
                self._habits = better
        return True

    def _arguments(self, request: Request, habits: _Habits) -> dict[str, Any]:
        messages = request.messages
        arguments: dict[str, Any] = {"model": self._model}
        if habits.temperature:
            arguments["temperature"] = self._temperature
        if request.schema is not None:
            form = self._response_format(request, habits)
            if form is not None:
                arguments["response_format"] = form
            if form is None or form["type"] == "json_object":
                messages = _with_word(messages, in_words(request.schema))
        if not habits.system:
            messages = _without_system(messages)
        return arguments | {"messages": [{"role": m.role, "content": m.content} for m in messages]}

    @staticmethod
    def _response_format(request: Request, habits: _Habits) -> dict[str, Any] | None:
        assert request.schema is not None
        if habits.structure == "plain" or not is_object(request.schema):
            return None
        if habits.structure == "json" or request.agent in habits.spared:
            return {"type": "json_object"}
        schema = sendable(request.schema)
        strict = request.agent not in habits.loose and is_strict(schema)
        named = {"name": schema_name(request.agent), "schema": schema, "strict": strict}
        return {"type": "json_schema", "json_schema": named}

    def _completion(self, raw: Any, messages: Sequence[dict[str, str]]) -> Completion:
        choices = getattr(raw, "choices", None)
        if not isinstance(choices, list):
            raise ModelUnavailable(f"{self.url} answers, but not with a chat completion", model=self.name)
        usage_read = getattr(raw, "usage", None)
        message = getattr(choices[0], "message", None) if choices else None
        text = _sound(getattr(message, "content", None))
        usage = _usage(usage_read, messages, text)
        if message is None:
            raise ModelError("the reply holds no choice", model=self.name, usage=usage)
        refusal, finish = getattr(message, "refusal", None), getattr(choices[0], "finish_reason", None)
        if refusal:
            raise ModelRefused(f"declined: {_sound(refusal)[:300]}", model=self.name, usage=usage)
        if finish == "content_filter":
            raise ModelRefused("stopped by the provider's content filter", model=self.name, usage=usage)
        return Completion(text, usage, "length" if finish == "length" else "stop")

    def _status_error(self, error: openai.APIStatusError) -> ModelError | ConfigError:
        status, said = error.status_code, self._clean(_text(error))
        if status == 401:
            wrong = f"{self.url} does not accept the key (status 401): check OPENAI_API_KEY"
            return ModelUnavailable(wrong, model=self.name)
        if status == 404:
            return ConfigError(f"{self.name}: unknown model at {self.url} (or no such address): {said}")
        if status == 413 or (status in (400, 422, 500) and _TOO_LONG.search(said)):
            return ContextTooLong(said, model=self.name)
        if status in (403, 408, 409, 429) or status >= 500:
            return ModelUnavailable(f"status {status}: {said}", model=self.name)
        if "content_filter" in said or "content management policy" in said:
            return ModelRefused(said, model=self.name)
        return ModelError(f"status {status}: {said}", model=self.name)

    def _clean(self, said: str) -> str:
        """Take the key out of what a server said: some echo it."""
        short = " ".join(said.split())[:500]
        return short.replace(self._key, "***") if len(self._key) >= 8 else short


def _blames(parameter: str, param: str, said: str) -> bool:
    if param == parameter:
        return True
    # Some servers echo the whole request: only a name close to a word of refusal counts.
    near = rf"{parameter}\W.{{0,60}}{_NO}|{_NO}[^.]{{0,40}}\b{parameter}\b"
    return re.search(near, said, re.IGNORECASE | re.DOTALL) is not None


def _text(error: openai.APIStatusError) -> str:
    """Return what the server said: its own sentence where it keeps the usual form, else its whole answer."""
    body = error.body
    said = body.get("message") if isinstance(body, dict) else None
    return f"{said or error.message} ({error.code})" if error.code else f"{said or error.message}"


def _sound(text: object) -> str:
    """Return text that can be written as UTF-8: a lone half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8") if isinstance(text, str) else ""


def _with_word(messages: tuple[Message, ...], word: str) -> tuple[Message, ...]:
    if messages and messages[0].role == "system":
        return (Message("system", f"{messages[0].content}\n\n{word}"), *messages[1:])
    return (Message("system", word), *messages)


def _without_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Put the system message in front of the first user message."""
    if len(messages) < 2 or messages[0].role != "system":
        return tuple(Message("user", m.content) if m.role == "system" else m for m in messages)
    return (Message("user", f"{messages[0].content}\n\n{messages[1].content}"), *messages[2:])


def _usage(said: Any, messages: Sequence[dict[str, str]], text: str) -> Usage:
    asked, replied = getattr(said, "prompt_tokens", None), getattr(said, "completion_tokens", None)
    if not isinstance(asked, int) or not isinstance(replied, int) or not asked:
        length = sum(len(message["content"]) for message in messages)
        return Usage(1, length // 4, len(text) // 4, estimated=True)
    cached = getattr(getattr(said, "prompt_tokens_details", None), "cached_tokens", None)
    return Usage(1, asked, replied, cached if isinstance(cached, int) else 0)
