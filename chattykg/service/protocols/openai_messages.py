"""The requests of POST /v1/chat/completions: what is read of them, what is refused, and what has no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chattyshared.jsonlines import parse_untrusted_json

from chattykg.service.errors import InvalidParameter
from chattykg.service.protocols.answer_store import SaidTurn
from chattykg.service.sessions import MAX_TURNS

REPLY_FIELDS: Mapping[str, str] = {
    "text": "string", "status": "string", "answers": "array", "labels": "array", "sparql": "string",
    "standalone": "string", "confidence": "number", "notes": "array",
}  # fmt: skip
"""The fields of a structured reply and their JSON types; they mean what they mean in a file of answers."""
_READ_PARAMETERS = frozenset(
    ("model", "messages", "stream", "stream_options", "n", "tools", "tool_choice", "response_format")
)
_IGNORED_ROLES = ("system", "developer", "tool", "function")
_TEXT_PARTS: Mapping[str, str] = {"text": "text", "refusal": "refusal"}
"""The kinds of parts that are read, and the key of their text."""
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """A request: the name of the graph, the turns so far, the question, and how the reply is written.

    ``fields`` are those of a structured reply (None: the reply is Markdown); ``remarks`` tell what has no effect;
    ``characters`` are those of all messages.
    """

    model: str
    turns: tuple[SaidTurn, ...]
    question: str
    is_streamed: bool = False
    includes_usage: bool = False
    fields: tuple[str, ...] | None = None
    remarks: tuple[str, ...] = ()
    characters: int = 0

    @property
    def is_prompt(self) -> bool:
        """Whether the question is an instruction for a language model: it has headings of Markdown.

        Chat programs send such prompts to name a conversation.
        """
        return _HEADING.search(self.question) is not None


def parse_completion_request(body: bytes) -> CompletionRequest:
    """Read the body of a request.

    Raises:
        InvalidParameter: it is not JSON, a part of it has a wrong type, or asks for what the service cannot do.
    """
    try:
        data = parse_untrusted_json(body)
    except ValueError as error:
        raise InvalidParameter(f"the body is not JSON: {str(error)[:200]}") from error
    if not isinstance(data, dict):
        raise InvalidParameter("the body must be a JSON object with model and messages")
    model = data.get("model")
    if not isinstance(model, str) or not model:
        raise InvalidParameter("model must be the name of a graph: GET /v1/models lists them", "model")
    _refuse_impossible(data)
    messages = tuple(_read_messages(data.get("messages")))
    turns, question = _split_turns([message for message in messages if message.role not in _IGNORED_ROLES])
    if len(turns) >= MAX_TURNS:
        message = f"the conversation has more than {MAX_TURNS} turns: begin another"
        raise InvalidParameter(message, "messages", code="context_length_exceeded")
    options = _optional(data, "stream_options", dict, "an object") or {}
    return CompletionRequest(
        model, turns, question,
        is_streamed=bool(_optional(data, "stream", bool, "true or false")),
        includes_usage=options.get("include_usage") is True,
        fields=_read_format(_optional(data, "response_format", dict, "an object")),
        remarks=tuple(_describe_ignored(data, messages)),
        characters=sum(len(message.text) for message in messages),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _ChatMessage:
    role: str
    text: str


def _optional(data: Mapping[str, Any], name: str, kind: type, phrase: str) -> Any:
    value = data.get(name)
    if value is not None and (not isinstance(value, kind) or (kind is int and isinstance(value, bool))):
        raise InvalidParameter(f"{name} must be {phrase}", name)
    return value


def _refuse_impossible(data: Mapping[str, Any]) -> None:
    """Refuse a request for several replies, for a call of a tool, or for sound.

    Raises:
        InvalidParameter: it asks for one of them.
    """
    if _optional(data, "n", int, "a whole number") not in (None, 1):
        raise InvalidParameter("a question has one answer: n must be 1", "n")
    for name in ("tool_choice", "function_call"):
        if data.get(name) not in (None, "auto", "none"):
            raise InvalidParameter(f'the service calls no tools: {name} must be "auto" or "none"', name)
    if data.get("modalities") not in (None, ["text"]):
        raise InvalidParameter('the reply is text: modalities must be ["text"]', "modalities")


def _read_messages(messages: Any) -> Iterator[_ChatMessage]:
    if not isinstance(messages, list) or not messages:
        raise InvalidParameter("messages must be a list with at least one message", "messages")
    for index, message in enumerate(messages):
        path = f"messages[{index}]"
        if not isinstance(message, dict):
            raise InvalidParameter(f"{path} must be an object with role and content", path)
        role = message.get("role")
        if role in _IGNORED_ROLES:
            yield _ChatMessage(role, "")
        elif role in ("user", "assistant"):
            yield _ChatMessage(role, _read_content(message, path))
        else:
            known = ", ".join(("user", "assistant", *_IGNORED_ROLES))
            raise InvalidParameter(f"{path}.role must be one of {known}", f"{path}.role")


def _read_content(message: Mapping[str, Any], path: str) -> str:
    """Return the text of a message: its content, or the texts of its parts."""
    content, path = message.get("content"), f"{path}.content"
    if isinstance(content, str):
        return content
    if content is None and message["role"] == "assistant":
        refusal = message.get("refusal")
        return refusal if isinstance(refusal, str) else ""
    if not isinstance(content, list):
        raise InvalidParameter(f"{path} must be a text or a list of parts", path)
    return "\n".join(_read_part(part, f"{path}[{index}]") for index, part in enumerate(content))


def _read_part(part: Any, path: str) -> str:
    kind = part.get("type") if isinstance(part, dict) else None
    key = _TEXT_PARTS.get(kind, "") if isinstance(kind, str) else ""
    if not key:
        shown = f" {kind[:50]!r}" if isinstance(kind, str) else ""
        raise InvalidParameter(f'{path}: only parts of type "text" are read, no part of type{shown}', path)
    if not isinstance(part.get(key), str):
        raise InvalidParameter(f"{path}.{key} must be a text", f"{path}.{key}")
    text: str = part[key]
    return text


def _split_turns(messages: Sequence[_ChatMessage]) -> tuple[tuple[SaidTurn, ...], str]:
    """Return the turns before the last message, and the last message, which is the question.

    Messages of the assistant before any question are no turn, those that follow each other are one reply.
    """
    if not messages or messages[-1].role != "user":
        raise InvalidParameter("the last message must be of the user", "messages")
    turns: list[SaidTurn] = []
    for message in messages[:-1]:
        if message.role == "user":
            turns.append(SaidTurn(message.text, ""))
        elif turns:
            turns[-1] = SaidTurn(turns[-1].question, "\n\n".join(filter(None, (turns[-1].reply, message.text))))
    question = messages[-1].text
    if not question.strip():
        raise InvalidParameter("the last message is empty: it must be a question", "messages")
    return tuple(turns), question


def _read_format(response_format: Mapping[str, Any] | None) -> tuple[str, ...] | None:
    """Return the fields of the reply that a format asks for; None for text.

    Raises:
        InvalidParameter: the format is unknown, or its schema needs other fields than ``REPLY_FIELDS``.
    """
    kind = (response_format or {"type": "text"}).get("type")
    if kind == "text":
        return None
    if response_format is None or kind not in ("json_object", "json_schema"):
        raise InvalidParameter("response_format.type must be text, json_object or json_schema", "response_format")
    if kind == "json_object":
        return tuple(REPLY_FIELDS)
    json_schema = response_format.get("json_schema")
    schema = json_schema.get("schema") if isinstance(json_schema, dict) else None
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict) or not all(
        name in REPLY_FIELDS and isinstance(part, dict) and part.get("type") in (REPLY_FIELDS[name], None)
        for name, part in properties.items()
    ):
        known = ", ".join(f"{name} ({kind})" for name, kind in REPLY_FIELDS.items())
        raise InvalidParameter(f"the schema of the reply may have these properties: {known}", "response_format")
    return tuple(properties)


def _describe_ignored(data: Mapping[str, Any], messages: Sequence[_ChatMessage]) -> Iterator[str]:
    """Yield a sentence for each kind of message, and one for all parameters, that have no effect."""
    for role in _IGNORED_ROLES:
        if any(message.role == role for message in messages):
            yield f"The messages of the role {role} are not read."
    unread = [str(name)[:50] for name in data if name not in _READ_PARAMETERS or (name == "tools" and data[name])]
    if unread:
        yield f"These parameters have no effect: {', '.join(sorted(unread)[:20])}."
