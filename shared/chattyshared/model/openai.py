"""OpenAI's chat completions, and every server that speaks them: vLLM, Ollama, llama.cpp, LM Studio, OpenRouter,
DeepSeek, Gemini's compatible way."""

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
from chattyshared.model.providers import DEFAULT_TIMEOUT, PROVIDER_BY_KIND, ModelTarget, key_variable
from chattyshared.model.server_capabilities import ServerCapabilities
from chattyshared.redaction import make_redactor

if TYPE_CHECKING:
    import openai

logger = logging.getLogger(__name__)

DEFAULT_URL = "https://api.openai.com/v1"
_UNREADABLE = "unreadable reply: "
_PAGE = 64 << 10
"""Characters of a refusal that are looked at."""
_CUT = 10
"""Characters for which even the thriftiest vocabulary needs a token; a server that tells fewer has cut the prompt."""
_CUT_FROM = 8_000
_OF_THE_BODY = frozenset({"content-encoding", "content-length", "transfer-encoding"})
"""Headers of a reply that do not hold once its body is read and decoded."""
_LOOPBACK = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1")


class OpenAIModel:
    """One model behind one server; safe to call from several threads at once. ``url`` is without credentials.

    What the server does not take (reply schemas, a temperature, a system message, one or the other name of the reply's
    limit) is found out from its refusals, once, and remembered. Nothing else is asked again here: ``Throttled`` does.
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
        """Name the model and its server; nothing is asked yet. ``reply_tokens`` limits each reply, thoughts included;
        ``name`` is what to call it where that is not ``openai:MODEL``.

        Raises:
            ConfigError: the address is not one of HTTP.
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
        named = urlsplit(address)
        host = named.hostname or ""
        # The address is in what the SDK's client logs; and a proxy of the environment has no way to this machine.
        user = (unquote(named.username), unquote(named.password or "")) if named.username else None
        library = importlib.import_module(str(openai.DefaultHttpxClient.__base__.__module__).partition(".")[0])
        tls = library.create_ssl_context() if named.scheme == "https" else None
        bounded = HttpClient(timeout=timeout, use_proxies=not _LOOPBACK.fullmatch(host), tls=tls)
        transport: Any = _Transport(bounded, library.Response)
        asking = openai.DefaultHttpxClient(auth=user, transport=transport, follow_redirects=False)
        self._client = openai.OpenAI(api_key=api_key, base_url=self.url, max_retries=0, http_client=asking)
        self._response = library.Response
        weakref.finalize(self, self._client.close)
        # Its own models refuse the older name of the limit, the servers that copy it know no other.
        self._habits = (
            ServerCapabilities(limit_parameters=ServerCapabilities().limit_parameters[::-1])
            if host == PROVIDER_BY_KIND["openai"].host
            else ServerCapabilities()
        )
        self._more = {"usage": {"include": True}} if host == "openrouter.ai" else {}
        self._lock = threading.Lock()
        self._saw_cut = False

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What besides a request decides a reply, for a cache's key."""
        return {"url": self.url, "temperature": self._temperature, "reply_tokens": self._reply_tokens}

    def complete(self, request: Request) -> Completion:
        """Complete one request.

        Raises:
            ConfigError: the server does not know this model.
            ModelUnavailable: it does not answer, is busy, or refuses the key; see its reason.
            ModelRefused: the model, or the provider's filter, declined.
            ContextTooLong: the prompt does not fit.
            ModelError: anything else that is no completion.
        """
        try:
            return self._completed(request)
        except RecursionError as error:  # of the SDK, which reads refusals
            raise self._garbled(_UNREADABLE + "nested too deeply", request) from error

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _completed(self, request: Request) -> Completion:
        while True:
            habits = self._habits
            said = habits.request_arguments(request, temperature=self._temperature, reply_tokens=self._reply_tokens)
            sent: dict[str, Any] = {"model": self._model, **said, **self._more}
            try:
                # Read here: the SDK would make an object of each of a million choices.
                reply: Any = self._client.post("/chat/completions", cast_to=self._response, body=sent)
                raw = parse_untrusted_json(reply.content, nonfinite_as_null=True)
            except self._sdk.APIStatusError as error:
                refusal = self._refusal(error)
                if self._learns(habits, refusal, request):
                    continue
                raise refusal.to_exception(self.name, self.url, key_variable("openai")) from error
            except (self._sdk.APIConnectionError, OSError, http.client.HTTPException, ReplyTooLarge) as error:
                # Some versions of the SDK wrap what the transport raises, others hand it on.
                raise self._lost(error.__cause__ or error, request) from error
            except (self._sdk.OpenAIError, ValueError) as error:
                raise self._garbled(self._clean(f"{_UNREADABLE}{error}"), request) from error
            return self._completion(raw, request, sent["messages"])

    def _learns(self, habits: ServerCapabilities, refusal: ModelServerError, request: Request) -> bool:
        """Take over better habits, if the refusal teaches any; tell whether to ask again."""
        better = habits.after_error(refusal, request)
        if better is None:
            return False
        with self._lock:
            # Another thread may have learned meanwhile: then its lesson is tried first.
            if self._habits is habits:
                self._habits = better
        return True

    def _refusal(self, error: openai.APIStatusError) -> ModelServerError:
        """Read what the server said: its own sentence where it keeps the usual form, else its whole answer."""
        body = error.body
        if isinstance(body, list) and body and isinstance(body[0], dict):  # Gemini's compatible way
            body = body[0].get("error", body[0])
        said = body.get("message") if isinstance(body, dict) else None
        said = said if isinstance(said, str) and said else error.response.text or error.message
        told = f"{said} ({error.code})" if error.code else said
        param = error.param if isinstance(error.param, str) else ""
        whole = self._clean(error.response.text, 4_000)
        return ModelServerError(error.status_code, self._clean(told), param, error.response.headers, whole)

    def _completion(self, raw: Any, request: Request, messages: Sequence[dict[str, str]]) -> Completion:
        choices = _part(raw, "choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        refusal = ModelServerError.from_body(_part(raw, "error")) or ModelServerError.from_body(_part(choice, "error"))
        if refusal is not None:
            raise replace(refusal, message=self._clean(refusal.message)).to_exception(
                self.name, self.url, key_variable("openai")
            )
        if not isinstance(choices, list):
            raise self._garbled(f"{self.url} answers, but not with a chat completion", request)
        message = _part(choice, "message")
        text = _sound(_part(message, "content"))
        usage = _usage(_part(raw, "usage"), messages, text)
        if not isinstance(message, dict):
            raise ModelUnavailable("the reply holds no choice", model=self.name, usage=usage, reason="garbled")
        self._look_for_cut(usage, count_characters(request))
        declined, finish = _part(message, "refusal"), _part(choice, "finish_reason")
        if declined:
            raise ModelRefused(f"declined: {_sound(declined)[:300]}", model=self.name, usage=usage)
        if finish == "content_filter":
            raise ModelRefused("stopped by the provider's content filter", model=self.name, usage=usage)
        return Completion(text, usage, "length" if finish == "length" else "stop")

    def _lost(self, failure: BaseException, request: Request) -> ModelUnavailable:
        """Return the error for a reply that did not come, or did not end."""
        if isinstance(failure, TimeoutError):
            return ModelUnavailable(f"no reply from {self.url} in time", model=self.name, reason="late")
        if isinstance(failure, ReplyTooLarge):
            return self._garbled(f"{_UNREADABLE}{failure}", request)
        said = self._clean(f"cannot reach {self.url} ({failure}")
        return ModelUnavailable(f"{said})", model=self.name, reason="lost")

    def _garbled(self, said: str, request: Request) -> ModelUnavailable:
        # It answered: its work will be on the bill.
        usage = Usage(1, count_characters(request) // 4, estimated=True)
        return ModelUnavailable(said, model=self.name, usage=usage, reason="garbled")

    def _look_for_cut(self, usage: Usage, characters: int) -> None:
        """Warn once of a server that cuts long prompts without a word, as Ollama does beyond its ``num_ctx``."""
        if usage.estimated or self._saw_cut or characters < _CUT_FROM or usage.prompt_tokens * _CUT > characters:
            return
        self._saw_cut = True
        logger.warning(
            "%s: the server read %d tokens of a prompt of %d characters: it seems to cut prompts; give it a longer "
            "context (for Ollama: OLLAMA_CONTEXT_LENGTH)", self.name, usage.prompt_tokens, characters,
        )  # fmt: skip

    def _clean(self, said: str, most: int = 500) -> str:
        """Take the key out of what a server said: some echo it."""
        short = " ".join(_sound(said)[:_PAGE].split())
        return self._redact(short)[:most]


def open_provider(target: ModelTarget) -> OpenAIModel:
    """Open the model of a target at OpenAI or at its base URL; raises what ``OpenAIModel`` raises."""
    # The SDK insists on a key; servers without keys ignore it.
    return OpenAIModel(
        target.name, base_url=target.base_url, api_key=target.api_key or "none", timeout=target.timeout,
        reply_tokens=target.options.reply_tokens, name=target.spec,
    )  # fmt: skip


class _Transport:
    """What the SDK's HTTP client sends requests through; ``response`` is that library's class of responses."""

    def __init__(self, client: HttpClient, response: Any) -> None:
        self._client, self._response = client, response

    def handle_request(self, request: Any) -> Any:
        """Send a request, and return the whole reply."""
        reply = self._client.send(request.method, str(request.url), dict(request.headers), request.read())
        kept = {name: value for name, value in reply.headers.items() if name not in _OF_THE_BODY}
        # Without its charset: JSON is UTF-8, and there are codecs in Python that decompress.
        kept["content-type"] = reply.headers.get("content-type", "").partition(";")[0]
        return self._response(reply.status, headers=kept, content=reply.body)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


def _sound(text: object) -> str:
    """Return text that can be written as UTF-8: a lone half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8") if isinstance(text, str) else ""


def _part(value: Any, name: str) -> Any:
    """Return what stands under a name, if the value is an object of JSON."""
    return value.get(name) if isinstance(value, dict) else None


def _usage(said: Any, messages: Sequence[dict[str, str]], text: str) -> Usage:
    cached = _part(_part(said, "prompt_tokens_details"), "cached_tokens")
    reported = {
        "prompt_tokens": _part(said, "prompt_tokens"),
        "completion_tokens": _part(said, "completion_tokens"),
        "cached_tokens": _part(said, "prompt_cache_hit_tokens") if cached is None else cached,  # DeepSeek's name
        "usd": _part(said, "cost"),  # OpenRouter
    }
    return usage_from_report(reported, sum(len(message["content"]) for message in messages), text)
