"""What a server of chat completions has been found to take: reply schemas, a temperature, a system message."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from chattyshared.model import Message, Request
from chattyshared.model.error_mapping import ModelServerError
from chattyshared.model.reply_schemas import clean_schema, is_object, is_strict, schema_instruction, schema_name

_NO = r"(unsupported|unrecognized|unknown|unexpected|invalid|deprecated|must be|not support|not permitted|not allowed)"
_NO_SYSTEM = re.compile(
    r"system (role|message|instruction)s? (is |are )?(not|un)[ -]?(supported|enabled)", re.IGNORECASE
)
_THIS_SCHEMA = re.compile(
    r"invalid (json[_ ]?)?schema|strict|grammar|schema (contains|error)|unimplemented|keyword|expected \S+ format",
    re.IGNORECASE,
)
_STRUCTURE = re.compile(
    r"response_?(format|schema)|json[_ ]?schema|json_object|structured|guided|grammar|\bschema\b"
    # llama.cpp, of a reply that broke off, or that its grammar could not hold to the schema.
    r"|output that does not match the expected \S+ format",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """What a server takes.

    ``limits`` are names that the limit of a reply's tokens may have there, the first is used. ``loose`` are agents
    whose schema it refused as strict, ``spared`` those whose schema it does not understand at all.
    """

    reply_format: Literal["schema", "json", "plain"] = "schema"
    takes_temperature: bool = True
    takes_system_message: bool = True
    limit_parameters: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    non_strict_agents: frozenset[str] = frozenset()
    schemaless_agents: frozenset[str] = frozenset()

    def after_error(self, refusal: ModelServerError, request: Request) -> ServerCapabilities | None:
        """Return better habits after a refusal, or None if it teaches nothing."""
        said, param = refusal.message, refusal.param
        if refusal.status not in (400, 404, 422, 500, 501) or refusal.is_too_long:
            return None
        if self.limit_parameters and _blames(self.limit_parameters[0], param, said):
            return replace(self, limit_parameters=self.limit_parameters[1:])
        if self.takes_temperature and _blames("temperature", param, said):
            return replace(self, takes_temperature=False)
        if self.takes_system_message and _NO_SYSTEM.search(said):
            return replace(self, takes_system_message=False)
        if request.schema is None or refusal.status == 404:
            return None
        if param.startswith("response_format") or _STRUCTURE.search(said):
            return self._simpler(request, said)
        return None

    def _simpler(self, request: Request, said: str) -> ServerCapabilities | None:
        """Give up the least: strictness or the schema for this agent, then schemas, then JSON mode for all."""
        assert request.schema is not None
        agent = request.agent
        if not is_object(request.schema):
            return None
        if self.reply_format == "schema" and agent not in self.schemaless_agents:
            if not _THIS_SCHEMA.search(said):
                return replace(self, reply_format="json")
            if agent not in self.non_strict_agents and is_strict(clean_schema(request.schema)):
                return replace(self, non_strict_agents=self.non_strict_agents | {agent})
            return replace(self, schemaless_agents=self.schemaless_agents | {agent})
        return replace(self, reply_format="plain") if self.reply_format != "plain" else None

    def request_arguments(self, request: Request, *, temperature: float, reply_tokens: int | None) -> dict[str, Any]:
        """Return what to send of a request, but for the model's name."""
        messages = request.messages
        arguments: dict[str, Any] = {"temperature": temperature} if self.takes_temperature else {}
        if reply_tokens is not None and self.limit_parameters:
            arguments[self.limit_parameters[0]] = reply_tokens
        if request.schema is not None:
            form = self._response_format(request)
            if form is not None:
                arguments["response_format"] = form
            if form is None or form["type"] == "json_object":
                messages = _with_word(messages, schema_instruction(request.schema))
        if not self.takes_system_message:
            messages = _without_system(messages)
        return arguments | {"messages": [{"role": m.role, "content": m.content} for m in messages]}

    def _response_format(self, request: Request) -> dict[str, Any] | None:
        assert request.schema is not None
        if self.reply_format == "plain" or not is_object(request.schema):
            return None
        if self.reply_format == "json" or request.agent in self.schemaless_agents:
            return {"type": "json_object"}
        schema = clean_schema(request.schema)
        strict = request.agent not in self.non_strict_agents and is_strict(schema)
        named = {"name": schema_name(request.agent), "schema": schema, "strict": strict}
        return {"type": "json_schema", "json_schema": named}


def _blames(parameter: str, param: str, said: str) -> bool:
    if param:
        return param == parameter
    # Some servers echo the whole request: only a name close to a word of refusal counts.
    near = rf"\b{parameter}\b.{{0,60}}{_NO}|{_NO}[^.]{{0,40}}\b{parameter}\b"
    return re.search(near, said, re.IGNORECASE | re.DOTALL) is not None


def _with_word(messages: tuple[Message, ...], word: str) -> tuple[Message, ...]:
    if messages and messages[0].role == "system":
        return (Message("system", f"{messages[0].content}\n\n{word}"), *messages[1:])
    return (Message("system", word), *messages)


def _without_system(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Put the system message in front of the first user message."""
    if len(messages) < 2 or messages[0].role != "system":
        return tuple(Message("user", m.content) if m.role == "system" else m for m in messages)
    return (Message("user", f"{messages[0].content}\n\n{messages[1].content}"), *messages[2:])
