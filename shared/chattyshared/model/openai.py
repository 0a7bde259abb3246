"""OpenAI's chat completions, and every server with this API: vLLM, Ollama, llama.cpp, LM Studio, OpenRouter, DeepSeek,
Gemini's compatible endpoint."""

from __future__ import annotations

import http.client
import importlib
import logging
import re
import threading
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from chattyshared.errors import ConfigError, ModelRefused, ModelUnavailable
from chattyshared.http_client import HttpClient, ReplyTooLarge
from chattyshared.jsonlines import parse_untrusted_json
from chattyshared.model import Completion, Request, Usage, count_characters, usage_from_report
from chattyshared.model.error_mapping import ModelServerError
from chattyshared.model.providers import DEFAULT_TIMEOUT, PROVIDER_BY_KIND, key_variable
from chattyshared.model.reply_schemas import read_function_call
from chattyshared.model.server_capabilities import ServerCapabilities
from chattyshared.model.target import ModelTarget
from chattyshared.redaction import make_redactor

if TYPE_CHECKING:
    import openai

logger = logging.getLogger(__name__)

DEFAULT_URL = "https://api.openai.com/v1"
_UNREADABLE = "unreadable reply: "
_MAX_ERROR_TEXT = 64 << 10
"""Characters of an error that are read."""
_MAX_CHARACTERS_PER_TOKEN = 10
"""The most characters per token of any vocabulary; a server that reports fewer tokens has truncated the prompt."""
_MIN_CHECKED_LENGTH = 8_000
_BODY_HEADERS = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers that are wrong once the body is read and decoded."""
_LOOPBACK = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1")


class OpenAIModel:
    """One model behind one server; safe to call from several threads. ``url`` is without credentials.

    What the server does not accept (tool calls, reply schemas, a temperature, a system message, a name of the reply
    limit) is learned from its errors once, and from a text where a tool call was demanded. Nothing else is retried
    here; ``ThrottledModel`` does that.
    """

    def __init__(  # noqa: PLR0913
        self,
        model: str,
        *,
        api_key: str,
        base_url: str | None = None,
        timeout: float = DEFAULT_TIMEOUT,
        temperature: float = 0,
        reply_tokens: int | None = None,
        name: str | None = None,
    ) -> None:
        """Set up the model and its server; no request is made yet. ``reply_tokens`` limits each reply, thoughts
        included; ``name`` is the model's name if it is not ``openai:MODEL``.

        Raises:
            ConfigError: the address is not an HTTP URL.
        """
        import openai

        address = base_url or DEFAULT_URL
        self.url = re.sub(r"//[^/@]*@", "//", address)
        if not re.match(r"https?://[^/]", address):
            raise ConfigError(f"not the address of a model server: {self.url!r} (http://... or https://...)")
        self.name = name or f"openai:{model}"
        self._model, self._redact = model, make_redactor((api_key,), min_length=8)
        self._temperature, self._reply_tokens = temperature, reply_tokens
        self._sdk = openai
        parsed = urlsplit(address)
        host = parsed.hostname or ""
        # The SDK's client logs the address; a proxy of the environment cannot reach this machine.
        user = (unquote(parsed.username), unquote(parsed.password or "")) if parsed.username else None
        library = importlib.import_module(str(openai.DefaultHttpxClient.__base__.__module__).partition(".")[0])
        tls = library.create_ssl_context() if parsed.scheme == "https" else None
        bounded = HttpClient(timeout=timeout, use_proxies=not _LOOPBACK.fullmatch(host), tls=tls)
        transport: Any = _Transport(bounded, library.Response)
        http_client = openai.DefaultHttpxClient(auth=user, transport=transport, follow_redirects=False)
        self._client = openai.OpenAI(api_key=api_key, base_url=self.url, max_retries=0, http_client=http_client)
        self._response = library.Response
        weakref.finalize(self, self._client.close)
        # OpenAI's models refuse the older name of the limit; other servers know only that.
        self._capabilities = (
            ServerCapabilities(limit_parameters=ServerCapabilities().limit_parameters[::-1])
            if host == PROVIDER_BY_KIND["openai"].host
            else ServerCapabilities()
        )
        self._extra_body = {"usage": {"include": True}} if host == "openrouter.ai" else {}
        self._lock = threading.Lock()
        self._warned_truncation = False

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What besides a request decides a reply, for a cache's key."""
        return {"url": self.url, "temperature": self._temperature, "reply_tokens": self._reply_tokens}

    def complete(self, request: Request) -> Completion:
        """Complete one request.

        Raises:
            ConfigError: the server does not know this model.
            ModelUnavailable: it does not answer, is busy, or refuses the key; see ``reason``.
            ModelRefused: the model, or the provider's filter, declined.
            ContextTooLong: the prompt does not fit.
            ModelError: any other error.
        """
        try:
            return self._request_completion(request)
        except RecursionError as error:  # raised by the SDK's error parser
            raise self._unreadable_reply(_UNREADABLE + "nested too deeply", request) from error

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _request_completion(self, request: Request) -> Completion:
        while True:
            capabilities = self._capabilities
            arguments = capabilities.request_arguments(
                request, temperature=self._temperature, reply_tokens=self._reply_tokens
            )
            body: dict[str, Any] = {"model": self._model, **arguments, **self._extra_body}
            try:
                # Parsed here: the SDK would create an object for each of a million choices.
                reply: Any = self._client.post("/chat/completions", cast_to=self._response, body=body)
                raw = parse_untrusted_json(reply.content, nonfinite_as_null=True)
            except self._sdk.APIStatusError as error:
                refusal = self._server_error(error)
                if self._learn_from_error(capabilities, refusal, request):
                    continue
                raise refusal.to_exception(self.name, self.url, key_variable("openai")) from error
            except (self._sdk.APIConnectionError, OSError, http.client.HTTPException, ReplyTooLarge) as error:
                # Some versions of the SDK wrap what the transport raises, others do not.
                raise self._connection_error(error.__cause__ or error, request) from error
            except (self._sdk.OpenAIError, ValueError) as error:
                raise self._unreadable_reply(self._clean_message(f"{_UNREADABLE}{error}"), request) from error
            completion = self._completion(raw, request, body["messages"])
            if capabilities.uses_tools(request):
                self._learn_from_text(capabilities, raw, completion)
            return completion

    def _learn_from_text(self, capabilities: ServerCapabilities, raw: Any, completion: Completion) -> None:
        """Send no more tools to a server that ignores them: it replied with a text."""
        has_call = read_function_call(raw["choices"][0]["message"], "")
        if has_call or not completion.text.strip() or completion.finish == "length":
            return
        with self._lock:
            if self._capabilities is capabilities:
                self._capabilities = replace(capabilities, tool_choice="none")

    def _learn_from_error(self, capabilities: ServerCapabilities, refusal: ModelServerError, request: Request) -> bool:
        """Update the capabilities if the error shows a limit; return whether to try again."""
        learned = capabilities.after_error(refusal, request)
        if learned is None:
            return False
        with self._lock:
            # Another thread may have updated them meanwhile: then try with its update first.
            if self._capabilities is capabilities:
                self._capabilities = learned
        return True

    def _server_error(self, error: openai.APIStatusError) -> ModelServerError:
        """Read the server's error: its message if it has the usual form, else the whole body."""
        body = error.body
        if isinstance(body, list) and body and isinstance(body[0], dict):  # Gemini's compatible endpoint
            body = body[0].get("error", body[0])
        message = body.get("message") if isinstance(body, dict) else None
        message = message if isinstance(message, str) and message else error.response.text or error.message
        description = f"{message} ({error.code})" if error.code else message
        param = error.param if isinstance(error.param, str) else ""
        text = self._clean_message(error.response.text, 4_000)
        return ModelServerError(
            error.status_code, self._clean_message(description), param, error.response.headers, text
        )

    def _completion(self, raw: Any, request: Request, messages: Sequence[dict[str, str]]) -> Completion:
        choices = _field(raw, "choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        refusal = ModelServerError.from_body(_field(raw, "error")) or ModelServerError.from_body(
            _field(choice, "error")
        )
        if refusal is not None:
            raise replace(refusal, message=self._clean_message(refusal.message)).to_exception(
                self.name, self.url, key_variable("openai")
            )
        if not isinstance(choices, list):
            raise self._unreadable_reply(f"{self.url} answers, but not with a chat completion", request)
        message = _field(choice, "message")
        text = _read_content(_field(message, "content"))
        if request.tools and isinstance(message, dict):
            text = _valid_text(read_function_call(message, text)) or text
        usage = _read_usage(_field(raw, "usage"), messages, text)
        if not isinstance(message, dict):
            raise ModelUnavailable("the reply holds no choice", model=self.name, usage=usage, reason="garbled")
        self._warn_if_truncated(usage, count_characters(request))
        refusal_text, finish = _field(message, "refusal"), _field(choice, "finish_reason")
        if refusal_text:
            raise ModelRefused(f"declined: {_valid_text(refusal_text)[:300]}", model=self.name, usage=usage)
        if finish == "content_filter":
            raise ModelRefused("stopped by the provider's content filter", model=self.name, usage=usage)
        return Completion(text, usage, "length" if finish == "length" else "stop")

    def _connection_error(self, failure: BaseException, request: Request) -> ModelUnavailable:
        """Return the error for a missing or incomplete reply."""
        if isinstance(failure, TimeoutError):
            return ModelUnavailable(f"no reply from {self.url} in time", model=self.name, reason="late")
        if isinstance(failure, ReplyTooLarge):
            return self._unreadable_reply(f"{_UNREADABLE}{failure}", request)
        message = self._clean_message(f"cannot reach {self.url} ({failure}")
        return ModelUnavailable(f"{message})", model=self.name, reason="lost")

    def _unreadable_reply(self, message: str, request: Request) -> ModelUnavailable:
        # It answered, so the call will be billed.
        usage = Usage(1, count_characters(request) // 4, estimated=True)
        return ModelUnavailable(message, model=self.name, usage=usage, reason="garbled")

    def _warn_if_truncated(self, usage: Usage, characters: int) -> None:
        """Warn once if the server silently truncates long prompts, as Ollama does beyond its ``num_ctx``."""
        if (
            usage.estimated
            or self._warned_truncation
            or characters < _MIN_CHECKED_LENGTH
            or usage.prompt_tokens * _MAX_CHARACTERS_PER_TOKEN > characters
        ):
            return
        self._warned_truncation = True
        logger.warning(
            "%s: the server read %d tokens of a prompt of %d characters: it seems to cut prompts; give it a longer "
            "context (for Ollama: OLLAMA_CONTEXT_LENGTH)", self.name, usage.prompt_tokens, characters,
        )  # fmt: skip

    def _clean_message(self, text: str, max_length: int = 500) -> str:
        """Remove the key from a server's message: some echo it."""
        line = " ".join(_valid_text(text)[:_MAX_ERROR_TEXT].split())
        return self._redact(line)[:max_length]


def open_provider(target: ModelTarget) -> OpenAIModel:
    """Open the model of a target at OpenAI or at its base URL; raises what ``OpenAIModel`` raises."""
    # The SDK insists on a key; servers without keys ignore it.
    return OpenAIModel(
        target.name, base_url=target.base_url, api_key=target.api_key or "none", timeout=target.timeout,
        reply_tokens=target.options.reply_tokens, name=target.spec,
    )  # fmt: skip


class _Transport:
    """The transport of the SDK's HTTP client; ``response`` is that library's response class."""

    def __init__(self, client: HttpClient, response: Any) -> None:
        self._client, self._response = client, response

    def handle_request(self, request: Any) -> Any:
        """Send a request; return the whole reply."""
        reply = self._client.send(request.method, str(request.url), dict(request.headers), request.read())
        headers = {name: value for name, value in reply.headers.items() if name not in _BODY_HEADERS}
        # Without its charset: JSON is UTF-8, and some Python codecs decompress.
        headers["content-type"] = reply.headers.get("content-type", "").partition(";")[0]
        return self._response(reply.status, headers=headers, content=reply.body)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _valid_text(text: object) -> str:
    """Return text that can be encoded as UTF-8: a lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8") if isinstance(text, str) else ""


def _read_content(content: Any) -> str:
    """Return the text of a message: of its parts those of text, where it comes in parts."""
    if isinstance(content, list):
        return "".join(_valid_text(_field(part, "text")) for part in content)
    return _valid_text(content)


def _field(value: Any, name: str) -> Any:
    """Return a field of a JSON object, or None."""
    return value.get(name) if isinstance(value, dict) else None


def _read_usage(report: Any, messages: Sequence[dict[str, str]], text: str) -> Usage:
    cached = _field(_field(report, "prompt_tokens_details"), "cached_tokens")
    reported = {
        "prompt_tokens": _field(report, "prompt_tokens"),
        "completion_tokens": _field(report, "completion_tokens"),
        "cached_tokens": _field(report, "prompt_cache_hit_tokens") if cached is None else cached,  # DeepSeek's name
        "usd": _field(report, "cost"),  # OpenRouter
    }
    return usage_from_report(reported, sum(len(message["content"]) for message in messages), text)
