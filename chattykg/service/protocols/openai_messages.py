"""The requests of OpenAI's API: what is read of them, what is refused, and what has no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, AliasPath, BaseModel, BeforeValidator, Field, StrictBool, model_validator

from chattykg.service.errors import Failure
from chattykg.service.protocols.answer_store import SaidTurn
from chattykg.service.sessions import MAX_TURNS

REPLY_FIELDS: Mapping[str, str] = {
    "text": "string", "status": "string", "answers": "array", "labels": "array", "sparql": "string",
    "standalone": "string", "confidence": "number", "notes": "array",
}  # fmt: skip
"""The fields of a structured reply and their JSON types; they mean what they mean in a file of answers."""
_IGNORED_ROLES = ("system", "developer", "tool", "function")
_HEADING = re.compile(r"^#{1,6} ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ModelRequest:
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
    previous: str | None = None

    @property
    def is_prompt(self) -> bool:
        """Whether the question is an instruction for a language model: it has headings of Markdown.

        Chat programs send such prompts to name a conversation.
        """
        return _HEADING.search(self.question) is not None


class _Part(BaseModel):
    type: Literal["text", "refusal", "input_text", "output_text"]
    text: str = Field(validation_alias=AliasChoices("text", "refusal"))


class _ChatMessage(BaseModel):
    role: Literal["user", "assistant", "system", "developer", "tool", "function"]
    content: list[_Part]

    @model_validator(mode="before")
    @classmethod
    def read_content(cls, message: Any) -> Any:
        """Read a text as one part, and nothing of roles that have no effect."""
        if not isinstance(message, dict):
            return message
        role, content = message.get("role"), message.get("content")
        if role in _IGNORED_ROLES:
            content = []
        elif content is None and role == "assistant":
            content = message.get("refusal") or ""
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        return {"role": role, "content": content}

    @property
    def text(self) -> str:
        """The texts of all parts."""
        return "\n".join(part.text for part in self.content)


class _Format(BaseModel):
    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: dict[str, Any] = Field({}, validation_alias=AliasChoices(AliasPath("json_schema", "schema"), "schema"))

    @model_validator(mode="after")
    def check_schema(self) -> _Format:
        """Refuse a schema that asks for other fields than ``REPLY_FIELDS``."""
        properties = self.json_schema.get("properties")
        if self.type == "json_schema" and not (
            isinstance(properties, dict)
            and all(
                name in REPLY_FIELDS and isinstance(part, dict) and part.get("type") in (REPLY_FIELDS[name], None)
                for name, part in properties.items()
            )
        ):
            known = ", ".join(f"{name} ({kind})" for name, kind in REPLY_FIELDS.items())
            raise ValueError(f"the schema of the reply may have these properties: {known}")
        return self

    @property
    def fields(self) -> tuple[str, ...] | None:
        """The fields of the reply that the format asks for; None for text."""
        asked = {"text": None, "json_object": REPLY_FIELDS, "json_schema": self.json_schema.get("properties", ())}
        names = asked[self.type]
        return None if names is None else tuple(names)


class _ModelBody(BaseModel, extra="allow"):
    model: str = Field(min_length=1)
    stream: StrictBool | None = None
    tools: list[Any] | None = None
    tool_choice: Literal["auto", "none"] | None = None

    def make_request(self, messages: Sequence[_ChatMessage], **more: Any) -> ModelRequest:
        """Return the request with some messages.

        Raises:
            Failure: 422, the last message is no question, or there are too many turns.
        """
        turns, question = _split_turns([message for message in messages if message.role not in _IGNORED_ROLES])
        remarks = tuple(self._describe_ignored(messages))
        characters = sum(len(message.text) for message in messages)
        return ModelRequest(
            self.model, turns, question, bool(self.stream), remarks=remarks, characters=characters, **more
        )

    def _describe_ignored(self, messages: Sequence[_ChatMessage]) -> Iterator[str]:
        """Yield a sentence for each kind of message, and one for all parameters, that have no effect."""
        roles = {message.role for message in messages}
        yield from (f"The messages of the role {role} are not read." for role in _IGNORED_ROLES if role in roles)
        unread = [name[:50] for name in (*(self.model_extra or ()), *(["tools"] if self.tools else []))]
        if unread:
            yield f"These parameters have no effect: {', '.join(sorted(unread)[:20])}."


class _StreamOptions(BaseModel):
    include_usage: bool = False


class CompletionBody(_ModelBody):
    """The body of POST /v1/chat/completions."""

    messages: list[_ChatMessage] = Field(min_length=1)
    n: Literal[1] | None = None
    stream_options: _StreamOptions | None = None
    function_call: Literal["auto", "none"] | None = None
    modalities: list[Literal["text"]] | None = None
    response_format: _Format | None = None

    def to_request(self) -> ModelRequest:
        """Return what is asked.

        Raises:
            Failure: 422, the last message is no question, or there are too many turns.
        """
        includes_usage = self.stream_options is not None and self.stream_options.include_usage
        fields = self.response_format.fields if self.response_format else None
        return self.make_request(self.messages, includes_usage=includes_usage, fields=fields)


def _read_input(value: Any) -> Any:
    """Read a text as one message; items that are no messages have the role of tools."""
    if isinstance(value, str):
        return [{"role": "user", "content": value}]
    if not isinstance(value, list):
        return value
    return [
        {"role": "tool"} if isinstance(item, dict) and item.get("type", "message") != "message" else item
        for item in value
    ]


class _TextOptions(BaseModel):
    format: _Format | None = None


class ResponseBody(_ModelBody):
    """The body of POST /v1/responses."""

    input: Annotated[list[_ChatMessage], BeforeValidator(_read_input), Field(min_length=1)]
    instructions: str | None = None
    previous_response_id: str | None = None
    store: StrictBool | None = None
    text: _TextOptions | None = None

    def to_request(self) -> ModelRequest:
        """Return what is asked.

        Raises:
            Failure: 422, as ``CompletionBody.to_request`` does.
        """
        instructions = [_ChatMessage(role="system", content=[])] if self.instructions else []
        fields = self.text.format.fields if self.text and self.text.format else None
        return self.make_request([*instructions, *self.input], fields=fields, previous=self.previous_response_id)


def _split_turns(messages: Sequence[_ChatMessage]) -> tuple[tuple[SaidTurn, ...], str]:
    """Return the turns before the last message, and the last message, which is the question.

    Messages of the assistant before any question are no turn, those that follow each other are one reply.
    """
    if not messages or messages[-1].role != "user":
        raise Failure(422, "the last message must be of the user", param="messages")
    turns: list[SaidTurn] = []
    for message in messages[:-1]:
        if message.role == "user":
            turns.append(SaidTurn(message.text, ""))
        elif turns:
            turns[-1] = SaidTurn(turns[-1].question, "\n\n".join(filter(None, (turns[-1].reply, message.text))))
    question = messages[-1].text
    if not question.strip():
        raise Failure(422, "the last message is empty: it must be a question", param="messages")
    if len(turns) >= MAX_TURNS:
        problem = f"the conversation has more than {MAX_TURNS} turns: begin another"
        raise Failure(422, problem, param="messages", code="context_length_exceeded")
    return tuple(turns), question
