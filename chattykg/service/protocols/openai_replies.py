"""The replies of OpenAI's API: an answer as text, with the service's own fields beside it, whole or as a stream."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import count
from typing import Any

from chattyshared.dialogue import Answer
from chattyshared.model import Usage

from chattykg.presentation.markdown import render_markdown
from chattykg.service.errors import Failure
from chattykg.service.protocols.openai_messages import REPLY_FIELDS, ModelRequest
from chattykg.service.questions import Answered, render_event
from chattykg.service.sessions import Session
from chattykg.service.turns import ServedTurn, bound_texts, to_reply
from chattykg.steps import AnswerStep

_CHARACTERS_PER_TOKEN = 4
_PIECE = re.compile(r"(?s).{1,60}(?:\s|\Z)|.{1,60}")
"""A piece of a streamed text: up to 60 characters, to the end of a word if there is one."""


@dataclass(frozen=True, slots=True)
class CompletionReply:
    """The reply to a chat completion."""

    request: ModelRequest
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))

    def to_json(self, answered: Answered) -> dict[str, Any]:
        """Return the whole reply."""
        message = {"role": "assistant", "content": render_reply(self.request, answered.turn), "refusal": None}
        choice = {
            "index": 0, "message": message, "logprobs": None, "finish_reason": "stop",
            "chatty": describe_answer(self.request, answered),
        }  # fmt: skip
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage(answered)}

    def render(self, item: Session | AnswerStep | Answered | Failure) -> Iterator[str]:
        """Yield the chunks for one item of a stream: the role, a step, or the text and then the service's fields."""
        if isinstance(item, Session):
            yield self._chunk({"role": "assistant", "content": ""})
        elif isinstance(item, AnswerStep):
            yield self._chunk({}, chatty={"step": asdict(item)})
        elif isinstance(item, Failure):
            yield render_event(item.to_openai())
        else:
            for piece in _PIECE.findall(render_reply(self.request, item.turn)):
                yield self._chunk({"content": piece})
            yield self._chunk({}, finish_reason="stop", chatty=describe_answer(self.request, item))
            if self.request.includes_usage:
                yield render_event({**self._head("chat.completion.chunk"), "choices": [], "usage": self._usage(item)})
            yield "data: [DONE]\n\n"

    def _chunk(self, delta: Mapping[str, str], **more: Any) -> str:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None, **more}
        usage = {"usage": None} if self.request.includes_usage else {}
        return render_event({**self._head("chat.completion.chunk"), "choices": [choice], **usage})

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.request.model}

    def _usage(self, answered: Answered) -> dict[str, Any]:
        usage = count_tokens(self.request, answered)
        return {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        }


@dataclass(frozen=True, slots=True)
class ResponseReply:
    """The reply of the Responses API, one message of text."""

    request: ModelRequest
    id: str = field(default_factory=lambda: f"resp_{secrets.token_hex(24)}")
    created: int = field(default_factory=lambda: int(time.time()))
    _numbers: Iterator[int] = field(default_factory=count)

    def to_json(self, answered: Answered) -> dict[str, Any]:
        """Return the whole reply."""
        usage = count_tokens(self.request, answered)
        return {
            **self._head("completed", [self._message("completed", [self._part(answered)])]),
            "usage": {
                "input_tokens": usage.prompt_tokens,
                "input_tokens_details": {"cached_tokens": usage.cached_tokens},
                "output_tokens": usage.completion_tokens,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            },
            "chatty": describe_answer(self.request, answered),
        }

    def render(self, item: Session | AnswerStep | Answered | Failure) -> Iterator[str]:
        """Yield the events for one item of a stream; steps have none."""
        place = {"item_id": self._message_id, "output_index": 0, "content_index": 0}
        if isinstance(item, Session):
            for state in ("created", "in_progress"):
                yield self._event(f"response.{state}", response=self._head("in_progress", []))
        elif isinstance(item, Failure):
            error = item.to_openai()["error"]
            yield self._event("error", **{name: error[name] for name in ("message", "code", "param")})
        elif isinstance(item, Answered):
            part = self._part(item)
            message = self._message("completed", [part])
            yield self._event("response.output_item.added", output_index=0, item=self._message("in_progress", []))
            yield self._event("response.content_part.added", **place, part={**part, "text": ""})
            for piece in _PIECE.findall(part["text"]):
                yield self._event("response.output_text.delta", **place, delta=piece, logprobs=[])
            yield self._event("response.output_text.done", **place, text=part["text"], logprobs=[])
            yield self._event("response.content_part.done", **place, part=part)
            yield self._event("response.output_item.done", output_index=0, item=message)
            yield self._event("response.completed", response=self.to_json(item))

    @property
    def _message_id(self) -> str:
        return self.id.replace("resp_", "msg_")

    def _event(self, kind: str, **data: Any) -> str:
        return render_event({"type": kind, "sequence_number": next(self._numbers), **data}, kind)

    def _part(self, answered: Answered) -> dict[str, Any]:
        text = render_reply(self.request, answered.turn)
        return {"type": "output_text", "text": text, "annotations": [], "logprobs": []}

    def _message(self, status: str, content: list[dict[str, Any]]) -> dict[str, Any]:
        return {
            "type": "message", "id": self._message_id, "status": status, "role": "assistant", "content": content,
        }  # fmt: skip

    def _head(self, status: str, output: list[dict[str, Any]]) -> dict[str, Any]:
        absent = ("error", "incomplete_details", "instructions", "temperature", "top_p", "usage")
        return {
            "id": self.id, "object": "response", "created_at": self.created, "status": status, **dict.fromkeys(absent),
            "metadata": {}, "model": self.request.model, "output": output, "parallel_tool_calls": False,
            "previous_response_id": self.request.previous, "tool_choice": "none", "tools": [],
        }  # fmt: skip


def count_tokens(request: ModelRequest, answered: Answered) -> Usage:
    """Return the tokens that the model's provider reports; without a model, estimates from length."""
    usage = answered.turn.result.answer.usage
    asked, said = request.characters, len(render_reply(request, answered.turn))
    return usage if usage.calls else Usage(0, asked // _CHARACTERS_PER_TOKEN, said // _CHARACTERS_PER_TOKEN)


def render_reply(request: ModelRequest, turn: ServedTurn) -> str:
    """Return the text of a reply: Markdown, or a JSON object with the fields that the request asks for."""
    answer: Answer = turn.result.answer
    if request.fields is None:
        return str(bound_texts(render_markdown(answer)))
    fields = {
        "text": answer.text or answer.explanation, "status": answer.status,
        "answers": [value.value for value in answer.values], "labels": list(answer.labels), "sparql": answer.sparql,
        "standalone": answer.standalone, "confidence": round(answer.confidence, 4), "notes": list(answer.notes),
    }  # fmt: skip
    assert fields.keys() == REPLY_FIELDS.keys()
    return json.dumps(bound_texts({name: fields[name] for name in request.fields}), ensure_ascii=False)


def describe_answer(request: ModelRequest, answered: Answered) -> dict[str, Any]:
    """Return what the service says beside the text: the reply of POST /chat, and remarks about the request."""
    read = f"The answers of these turns were read from their text: {', '.join(map(str, answered.read))}."
    remarks = [*request.remarks, *([read] if answered.read else [])]
    reply = to_reply(answered.turn.to_json(), len(request.turns) + 1)
    return {**reply, **({"remarks": remarks} if remarks else {})}
