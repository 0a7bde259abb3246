"""What a server of chat completions accepts, learned from its errors: tool calls, reply schemas,
temperature, system message."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Literal

from chattyshared.model import Message, Request
from chattyshared.model.error_mapping import ModelServerError
from chattyshared.model.reply_schemas import (
    clean_schema,
    is_object,
    is_strict,
    schema_instruction,
    schema_name,
    to_function_tools,
)

_REFUSAL_WORDS = (
    r"(unsupported|unrecognized|unknown|unexpected|invalid|deprecated|must be|not support|not permitted|not allowed)"
)
_NO_SYSTEM = re.compile(
    r"\b(system|developer) (role|message|instruction|prompt)s? (is |are )?(not|un)[ -]?(supported|enabled|allowed)"
    r"|\broles? must alternate|messages\[\d+\]\.role\b.*\bsystem\b|only user\b[^.]{0,40}\broles?\b[^.]{0,40}\bsystem\b",
    re.IGNORECASE,
)
"""Ways in which OpenAI's first reasoning models, Gemma, Mistral's template and llama.cpp say it."""
_THIS_SCHEMA = re.compile(
    r"invalid (json[_ ]?)?schema|strict|grammar|schema (contains|error)|unimplemented|keyword|expected \S+ format",
    re.IGNORECASE,
)
_TOOLS = re.compile(
    r"\b(tools?|functions?)\b|\btool[-_ ]?(choice|calls?|calling|use)\b|function[-_ ]call", re.IGNORECASE
)
_STRUCTURE = re.compile(
    r"response_?(format|schema)|json[_ ]?schema|json_object|structured|guided|grammar|\bschema\b"
    # llama.cpp, for a truncated reply or one that its grammar could not match to the schema
    r"|output that does not match the expected \S+ format",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ServerCapabilities:
    """What a server accepts.

    ``tool_choice``: tool calls are demanded, offered, or not known to it: then a call is JSON in the text.
    ``limit_parameters`` are the possible names of the limit on reply tokens; the first is used. ``non_strict_agents``
    are agents whose schema it refused as strict, ``schemaless_agents`` those whose schema it does not support at all.
    """

    tool_choice: Literal["required", "auto", "none"] = "required"
    reply_format: Literal["schema", "json", "plain"] = "schema"
    takes_temperature: bool = True
    takes_system_message: bool = True
    limit_parameters: tuple[str, ...] = ("max_tokens", "max_completion_tokens")
    non_strict_agents: frozenset[str] = frozenset()
    schemaless_agents: frozenset[str] = frozenset()

    def after_error(self, refusal: ModelServerError, request: Request) -> ServerCapabilities | None:
        """Return the capabilities after an error, or None if it shows nothing new."""
        message, param = refusal.message, refusal.param
        if refusal.status not in (400, 404, 422, 500, 501) or refusal.is_too_long:
            return None
        if self.uses_tools(request) and (param.startswith("tool") or _TOOLS.search(message)):
            is_choice = "tool_choice" in f"{param} {message}" and self.tool_choice == "required"
            return replace(self, tool_choice="auto" if is_choice else "none")
        if self.limit_parameters and _blames(self.limit_parameters[0], param, message):
            return replace(self, limit_parameters=self.limit_parameters[1:])
        if self.takes_temperature and _blames("temperature", param, message):
            return replace(self, takes_temperature=False)
        if self.takes_system_message and _NO_SYSTEM.search(message):
            return replace(self, takes_system_message=False)
        if request.schema is None or refusal.status == 404:
            return None
        if param.startswith("response_format") or _STRUCTURE.search(message):
            return self._simplify_format(request, message)
        return None

    def uses_tools(self, request: Request) -> bool:
        """Tell whether a request is sent with tools."""
        return bool(request.tools) and self.tool_choice != "none"

    def _simplify_format(self, request: Request, message: str) -> ServerCapabilities | None:
        """Drop as little as possible: strictness or the schema of this agent, then schemas, then JSON mode for all."""
        assert request.schema is not None
        agent = request.agent
        if not is_object(request.schema):
            return None
        if self.reply_format == "schema" and agent not in self.schemaless_agents:
            if not _THIS_SCHEMA.search(message):
                return replace(self, reply_format="json")
            if agent not in self.non_strict_agents and is_strict(clean_schema(request.schema)):
                return replace(self, non_strict_agents=self.non_strict_agents | {agent})
            return replace(self, schemaless_agents=self.schemaless_agents | {agent})
        return replace(self, reply_format="plain") if self.reply_format != "plain" else None

    def request_arguments(self, request: Request, *, temperature: float, reply_tokens: int | None) -> dict[str, Any]:
        """Return the arguments of a request, without the model's name."""
        messages = request.messages
        arguments: dict[str, Any] = {"temperature": temperature} if self.takes_temperature else {}
        if reply_tokens is not None and self.limit_parameters:
            arguments[self.limit_parameters[0]] = reply_tokens
        if self.uses_tools(request):
            arguments |= {"tools": to_function_tools(request.tools), "tool_choice": self.tool_choice}
        elif request.schema is not None:
            response_format = self._response_format(request)
            if response_format is not None:
                arguments["response_format"] = response_format
            if response_format is None or response_format["type"] == "json_object":
                messages = _with_instruction(messages, schema_instruction(request.schema))
        if not self.takes_system_message:
            messages = _merge_system_message(messages)
        return arguments | {"messages": [{"role": m.role, "content": m.content} for m in messages]}

    def _response_format(self, request: Request) -> dict[str, Any] | None:
        assert request.schema is not None
        if self.reply_format == "plain" or not is_object(request.schema):
            return None
        if self.reply_format == "json" or request.agent in self.schemaless_agents:
            return {"type": "json_object"}
        schema = clean_schema(request.schema)
        strict = request.agent not in self.non_strict_agents and is_strict(schema)
        json_schema = {"name": schema_name(request.agent), "schema": schema, "strict": strict}
        return {"type": "json_schema", "json_schema": json_schema}


def _blames(parameter: str, param: str, message: str) -> bool:
    if param:
        return param == parameter
    # Some servers echo the whole request: the name counts only close to a word of refusal.
    pattern = rf"\b{parameter}\b.{{0,60}}{_REFUSAL_WORDS}|{_REFUSAL_WORDS}[^.]{{0,40}}\b{parameter}\b"
    return re.search(pattern, message, re.IGNORECASE | re.DOTALL) is not None


def _with_instruction(messages: tuple[Message, ...], instruction: str) -> tuple[Message, ...]:
    if messages and messages[0].role == "system":
        return (Message("system", f"{messages[0].content}\n\n{instruction}"), *messages[1:])
    return (Message("system", instruction), *messages)


def _merge_system_message(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Prepend the system message to the first user message."""
    if len(messages) < 2 or messages[0].role != "system":
        return tuple(Message("user", m.content) if m.role == "system" else m for m in messages)
    return (Message("user", f"{messages[0].content}\n\n{messages[1].content}"), *messages[2:])
