"""Google's Gemini models through google-generativeai (extra ``gemini``), whose maker has ended its support: the other
way is ``openai:MODEL`` with Gemini's OpenAI-compatible address."""

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
from chattyshared.model.providers import DEFAULT_TIMEOUT, PROVIDER_BY_KIND, ModelTarget, key_variable
from chattyshared.model.reply_schemas import clean_schema, schema_instruction
from chattyshared.runs.manifest import install_command

_STOP, _MAX_TOKENS, _OTHER = 1, 2, 5
_DECLINED = {3: "safety", 4: "recitation", 6: "language", 7: "blocklist", 8: "prohibited content", 9: "personal data"}
"""Reasons to finish that are refusals (enum ``Candidate.FinishReason`` of the API)."""
_ADDRESS = re.compile(r"^(POST|GET) https?://\S+: ")
_KNOWN = frozenset("type format description nullable enum items maxItems minItems properties required".split())


@dataclass(frozen=True, slots=True)
class GeminiSdk:
    """What is used of the SDK: ``configure``, ``GenerativeModel``, the root of its errors, its parser's error, and the
    session of ``requests`` that it asks through, once it is configured."""

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
            # It says at its import that nobody maintains it: so does this project's README.
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
    """How a session of ``requests`` sends: through a client that bounds the reply in time and size."""

    def __init__(self, timeout: float) -> None:
        self._client = HttpClient(timeout=timeout)

    def send(self, request: Any, **_: Any) -> Any:
        """Send a prepared request; return the whole reply.

        Raises:
            ValueError: it is no JSON that the SDK could read.
            OSError, HTTPException, ReplyTooLarge: it did not come.
        """
        body = request.body or b""
        sent = body.encode() if isinstance(body, str) else body
        reply = self._client.send(request.method, request.url, request.headers, sent)
        if reply.status < 300:
            parse_untrusted_json(
                reply.body
            )  # what nests deeply, or has a million parts, does not reach the SDK's parser
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
    """One Gemini model, asked over REST; safe to call from several threads."""

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
        """Name the model; nothing is asked yet. ``endpoint`` is the address of another server of this API.

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
        # Its own timeout holds for a single read, and its memory for any reply.
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
            ModelUnavailable: the server does not answer, is busy, or refuses the key; see its reason.
            ModelRefused: the model, or a safety filter, declined.
            ContextTooLong: the prompt does not fit.
            ModelError: anything else that is no completion.
        """
        try:
            return self._completion(self._asked(request), request)
        except (OSError, http.client.HTTPException) as error:
            raise self._lost(error) from error
        except (self._sdk.parse_error, ReplyTooLarge, ValueError, TypeError, AttributeError, RecursionError) as error:
            # The last four come from the SDK, where an error page is JSON of another form.
            used = Usage(1, count_characters(request) // 4, estimated=True)
            said = f"unreadable reply: {self._clean(str(error))[:300]}"
            raise ModelUnavailable(said, model=self.name, usage=used, reason="garbled") from error

    def _asked(self, request: Request) -> Any:
        system, contents, config = self._arguments(request)
        try:
            model = self._sdk.GenerativeModel(self._model, system_instruction=system, generation_config=config)
            return model.generate_content(contents, request_options={"timeout": self._timeout, "retry": None})
        except self._sdk.api_error as error:
            raise self._refusal(error).to_exception(self.name, self.url, key_variable("gemini")) from error

    def _arguments(self, request: Request) -> tuple[str | None, list[dict[str, Any]], dict[str, Any]]:
        config: dict[str, Any] = {"temperature": self._temperature}
        if self._reply_tokens is not None:
            config["max_output_tokens"] = self._reply_tokens
        system = [message.content for message in request.messages if message.role == "system"]
        if request.schema is not None:
            config["response_mime_type"] = "application/json"
            schema = response_schema(request.schema)
            if schema is None:
                system.append(schema_instruction(request.schema))
            else:
                config["response_schema"] = schema
        talk = [message for message in request.messages if message.role != "system"]
        return "\n\n".join(system) or None, [_content(message) for message in talk], config

    def _completion(self, reply: Any, request: Request) -> Completion:
        candidates = list(reply.candidates)
        text = "".join(part.text for part in candidates[0].content.parts) if candidates else ""
        usage = _usage(getattr(reply, "usage_metadata", None), request, text)
        blocked = getattr(getattr(reply, "prompt_feedback", None), "block_reason", 0)
        if blocked:
            why = getattr(blocked, "name", blocked)
            raise ModelRefused(f"the prompt was blocked ({why})", model=self.name, usage=usage)
        if not candidates:
            raise ModelUnavailable("the reply holds no candidate", model=self.name, usage=usage, reason="garbled")
        finish = int(candidates[0].finish_reason)
        if finish in _DECLINED:
            raise ModelRefused(f"stopped by a filter ({_DECLINED[finish]})", model=self.name, usage=usage)
        if finish == _OTHER and not text:
            raise ModelRefused("stopped for a reason that is not told", model=self.name, usage=usage)
        return Completion(text, usage, "length" if finish == _MAX_TOKENS else "stop")

    def _refusal(self, error: Any) -> ModelServerError:
        status = int(getattr(error, "code", None) or 500)
        headers = getattr(getattr(error, "response", None), "headers", None) or {}
        whole = self._clean(f"{error} {getattr(error, 'details', '')}")
        said = _ADDRESS.sub("", self._clean(str(getattr(error, "message", "") or error)))
        return ModelServerError(status, said[:500], headers={k.lower(): v for k, v in headers.items()}, body=whole)

    def _lost(self, error: Exception) -> ModelError:
        said = self._clean(str(error))[:300]
        if isinstance(error, TimeoutError) or "timed out" in said:
            return ModelUnavailable(f"no reply from {self.url} in time", model=self.name, reason="late")
        return ModelUnavailable(f"cannot reach {self.url} ({said})", model=self.name, reason="lost")

    def _clean(self, said: str) -> str:
        short = " ".join(said.split())
        return short.replace(self._key, "***") if len(self._key) >= 8 else short


def open_provider(target: ModelTarget) -> GeminiModel:
    """Open the model of a target, which has a key; raises what ``GeminiModel`` raises."""
    assert target.api_key is not None
    return GeminiModel(
        target.name, api_key=target.api_key, timeout=target.timeout, reply_tokens=target.options.reply_tokens
    )


def response_schema(schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return a JSON Schema in the form that the API takes (a part of OpenAPI 3.0), or None if it has none there."""
    try:
        return _converted(clean_schema(schema))
    except _Inexpressible:
        return None


class _Inexpressible(Exception):
    """A schema says something that the API has no word for."""


def _converted(schema: Mapping[str, Any]) -> dict[str, Any]:
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else list(kinds or ())
    plain = [kind for kind in kinds if kind != "null"]
    told = {key: value for key, value in schema.items() if key in _KNOWN - {"type", "properties", "items", "enum"}}
    if schema.keys() & {"anyOf", "oneOf", "allOf", "$ref", "not", "prefixItems"} or len(plain) != 1:
        raise _Inexpressible
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if values is not None:
        if plain != ["string"]:
            raise _Inexpressible
        told |= {"format": "enum", "enum": [value for value in values if value is not None]}
    told["type"] = plain[0].upper()
    if "null" in kinds:
        told["nullable"] = True
    if plain == ["object"]:
        if not schema.get("properties"):
            raise _Inexpressible  # an object of free keys
        told["properties"] = {name: _converted(part) for name, part in schema["properties"].items()}
    if plain == ["array"]:
        told["items"] = _converted(schema.get("items") or {})
    return told


def _content(message: Message) -> dict[str, Any]:
    return {"role": "model" if message.role == "assistant" else "user", "parts": [{"text": message.content}]}


def _usage(said: Any, request: Request, text: str) -> Usage:
    asked, replied, total, cached = (
        getattr(said, f"{name}_token_count", 0) for name in ("prompt", "candidates", "total", "cached_content")
    )
    # The total holds the thoughts too, which are billed as the reply and told nowhere else.
    reported = {"prompt_tokens": asked, "completion_tokens": max(replied, total - asked), "cached_tokens": cached}
    return usage_from_report(reported, count_characters(request), text)
