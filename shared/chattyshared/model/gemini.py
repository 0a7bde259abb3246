"""Google's Gemini models through google-generativeai (extra ``gemini``), which Google no longer supports: the
alternative is ``openai:MODEL`` with Gemini's OpenAI-compatible address."""

from __future__ import annotations

import http.client
import importlib
import io
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from chattyshared.errors import ConfigError, ModelError, ModelRefused, ModelUnavailable
from chattyshared.http_client import HttpClient, ReplyTooLarge
from chattyshared.jsonlines import parse_untrusted_json
from chattyshared.model import Completion, Message, Request, Usage, count_characters, usage_from_report
from chattyshared.model.error_mapping import ModelServerError
from chattyshared.model.providers import DEFAULT_TIMEOUT, PROVIDER_BY_KIND, key_variable
from chattyshared.model.reply_schemas import schema_instruction
from chattyshared.model.target import ModelTarget
from chattyshared.runs.manifest import install_command

_STOP, _MAX_TOKENS, _OTHER = 1, 2, 5
_REFUSALS = {3: "safety", 4: "recitation", 6: "language", 7: "blocklist", 8: "prohibited content", 9: "personal data"}
"""Finish reasons that are refusals (enum ``Candidate.FinishReason`` of the API)."""
_ADDRESS = re.compile(r"^(POST|GET) https?://\S+: ")


@dataclass(frozen=True, slots=True)
class GeminiSdk:
    """The parts of the SDK in use: ``configure``, ``GenerativeModel``, the base class of its errors, its parser's
    error, and its ``requests`` session, once it is configured."""

    configure: Callable[..., None]
    GenerativeModel: Callable[..., Any]
    api_error: type[Exception]
    parse_error: type[Exception]
    session: Callable[[], Any]


def import_sdk() -> GeminiSdk:
    """Import the SDK.

    Raises:
        ConfigError: it is not installed.
    """
    try:
        with warnings.catch_warnings():
            # Its import warns that it is unmaintained; the README says so too.
            warnings.simplefilter("ignore")
            sdk = importlib.import_module("google.generativeai")
            failures = importlib.import_module("google.api_core.exceptions")
            parser = importlib.import_module("google.protobuf.json_format")
            client = importlib.import_module("google.generativeai.client")
    except ImportError as error:
        raise ConfigError(
            f"gemini: models need google-generativeai ({error}): {install_command('gemini')}; or use "
            "openai:MODEL with the base URL https://generativelanguage.googleapis.com/v1beta/openai/"
        ) from error

    def session() -> Any:
        return client.get_default_generative_client().transport._session

    return GeminiSdk(sdk.configure, sdk.GenerativeModel, failures.GoogleAPIError, parser.ParseError, session)


class BoundedAdapter:
    """An adapter of ``requests`` that sends through a client with bounds on time and size of the reply."""

    def __init__(self, timeout: float) -> None:
        self._client = HttpClient(timeout=timeout)

    def send(self, request: Any, **_: Any) -> Any:
        """Send a prepared request; return the whole reply.

        Raises:
            ValueError: it is not JSON that the SDK can read.
            OSError, HTTPException, ReplyTooLarge: there is no reply.
        """
        body = request.body or b""
        sent = body.encode() if isinstance(body, str) else body
        reply = self._client.send(request.method, request.url, request.headers, sent)
        if reply.status < 300:
            parse_untrusted_json(reply.body)  # keeps deep nesting and millions of elements from the SDK's parser
        response = importlib.import_module("requests").Response()
        response.status_code, response.reason, response.url = reply.status, reply.reason, reply.url
        response.headers.update(reply.headers)
        for name in ("content-encoding", "location"):  # decoded, and followed already
            response.headers.pop(name, None)
        response.request, response.raw, response.encoding = request, io.BytesIO(reply.body), "utf-8"
        return response

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class GeminiModel:
    """One Gemini model over REST; safe to call from several threads."""

    def __init__(  # noqa: PLR0913
        self,
        model: str,
        *,
        api_key: str,
        timeout: float = DEFAULT_TIMEOUT,
        temperature: float = 0,
        reply_tokens: int | None = None,
        endpoint: str | None = None,
        sdk: GeminiSdk | None = None,
    ) -> None:
        """Set up the model; no request is made yet. ``endpoint`` is the address of another server of this API.

        Raises:
            ConfigError: the SDK is not installed.
        """
        self.name = f"gemini:{model}"
        self.url = endpoint or PROVIDER_BY_KIND["gemini"].host
        self._model, self._key, self._timeout = model, api_key, timeout
        self._temperature, self._reply_tokens = temperature, reply_tokens
        self._sdk = sdk or import_sdk()
        self._sdk.configure(
            api_key=api_key, transport="rest", client_options={"api_endpoint": endpoint} if endpoint else None
        )
        # The SDK's own timeout bounds a single read only, and nothing bounds the size.
        session = self._sdk.session()
        for scheme in ("https://", "http://"):
            session.mount(scheme, BoundedAdapter(timeout))

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What besides a request decides a reply, for a cache's key."""
        return {"url": self.url, "temperature": self._temperature, "reply_tokens": self._reply_tokens}

    def complete(self, request: Request) -> Completion:
        """Complete one request.

        Raises:
            ConfigError: there is no such model.
            ModelUnavailable: the server does not answer, is busy, or refuses the key; see ``reason``.
            ModelRefused: the model, or a safety filter, declined.
            ContextTooLong: the prompt does not fit.
            ModelError: any other error.
        """
        try:
            return self._completion(self._generate(request), request)
        except (OSError, http.client.HTTPException) as error:
            raise self._connection_error(error) from error
        except (self._sdk.parse_error, ReplyTooLarge, ValueError, TypeError, AttributeError, RecursionError) as error:
            # The SDK raises the last four if an error page is JSON of another form.
            usage = Usage(1, count_characters(request) // 4, estimated=True)
            message = f"unreadable reply: {self._clean_message(str(error))[:300]}"
            raise ModelUnavailable(message, model=self.name, usage=usage, reason="garbled") from error

    def _generate(self, request: Request) -> Any:
        config: dict[str, Any] = {"temperature": self._temperature}
        if self._reply_tokens is not None:
            config["max_output_tokens"] = self._reply_tokens
        system = [message.content for message in request.messages if message.role == "system"]
        if request.schema is not None:  # also in place of tools
            config["response_mime_type"] = "application/json"
            system.append(schema_instruction(request.schema))
        contents = [_content(message) for message in request.messages if message.role != "system"]
        instruction = "\n\n".join(system) or None
        try:
            model = self._sdk.GenerativeModel(self._model, system_instruction=instruction, generation_config=config)
            return model.generate_content(contents, request_options={"timeout": self._timeout, "retry": None})
        except self._sdk.api_error as error:
            raise self._server_error(error).to_exception(self.name, self.url, key_variable("gemini")) from error

    def _completion(self, reply: Any, request: Request) -> Completion:
        candidates = list(reply.candidates)
        parts = list(candidates[0].content.parts) if candidates else []
        text = "".join(part.text for part in parts)
        usage = _read_usage(getattr(reply, "usage_metadata", None), request, text)
        blocked = getattr(getattr(reply, "prompt_feedback", None), "block_reason", 0)
        if blocked:
            reason = getattr(blocked, "name", blocked)
            raise ModelRefused(f"the prompt was blocked ({reason})", model=self.name, usage=usage)
        if not candidates:
            raise ModelUnavailable("the reply holds no candidate", model=self.name, usage=usage, reason="garbled")
        finish = int(candidates[0].finish_reason)
        if finish in _REFUSALS:
            raise ModelRefused(f"stopped by a filter ({_REFUSALS[finish]})", model=self.name, usage=usage)
        if finish == _OTHER and not text:
            raise ModelRefused("stopped for a reason that is not told", model=self.name, usage=usage)
        return Completion(text, usage, "length" if finish == _MAX_TOKENS else "stop")

    def _server_error(self, error: Any) -> ModelServerError:
        status = int(getattr(error, "code", None) or 500)
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        body = self._clean_message(f"{error} {getattr(error, 'details', '')}")
        message = _ADDRESS.sub("", self._clean_message(str(getattr(error, "message", "") or error)))
        return ModelServerError(status, message[:500], headers={k.lower(): v for k, v in headers.items()}, body=body)

    def _connection_error(self, error: Exception) -> ModelError:
        message = self._clean_message(str(error))[:300]
        if isinstance(error, TimeoutError) or "timed out" in message:
            return ModelUnavailable(f"no reply from {self.url} in time", model=self.name, reason="late")
        return ModelUnavailable(f"cannot reach {self.url} ({message})", model=self.name, reason="lost")

    def _clean_message(self, text: str) -> str:
        line = " ".join(text.split())
        return line.replace(self._key, "***") if len(self._key) >= 8 else line


def open_provider(target: ModelTarget) -> GeminiModel:
    """Open the model of a target, which has a key; raises what ``GeminiModel`` raises."""
    assert target.api_key is not None
    return GeminiModel(
        target.name, api_key=target.api_key, timeout=target.timeout, reply_tokens=target.options.reply_tokens
    )


def _content(message: Message) -> dict[str, Any]:
    return {"role": "model" if message.role == "assistant" else "user", "parts": [{"text": message.content}]}


def _read_usage(metadata: Any, request: Request, text: str) -> Usage:
    prompt_tokens, completion_tokens, total_tokens, cached_tokens = (
        getattr(metadata, f"{name}_token_count", 0) for name in ("prompt", "candidates", "total", "cached_content")
    )
    # The total includes the thoughts, which are billed as the reply and not reported elsewhere.
    reported = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": max(completion_tokens, total_tokens - prompt_tokens),
        "cached_tokens": cached_tokens,
    }
    return usage_from_report(reported, count_characters(request), text)
