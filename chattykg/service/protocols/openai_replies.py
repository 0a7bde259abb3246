"""The replies of POST /v1/chat/completions: an answer as text, with the service's own fields beside it."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from chattyshared.dialogue import Answer
from chattyshared.model import Usage

from chattykg.presentation.markdown import render_markdown
from chattykg.service.protocols.answer_store import RecalledHistory
from chattykg.service.protocols.openai_messages import REPLY_FIELDS, CompletionRequest
from chattykg.service.turns import ServedTurn, bound_texts, to_reply
from chattykg.steps import AnswerStep

_CHARACTERS_PER_TOKEN = 4
_PIECE = re.compile(r"(?s).{1,60}(?:\s|\Z)|.{1,60}")
"""A piece of a streamed text: up to 60 characters, to the end of a word if there is one."""


@dataclass(frozen=True, slots=True)
class CompletionReply:
    """The reply to one request, as an object or as the chunks of a stream; ``backend`` is the service that answers."""

    request: CompletionRequest
    backend: str
    id: str = field(default_factory=lambda: f"chatcmpl-{secrets.token_hex(12)}")
    created: int = field(default_factory=lambda: int(time.time()))

    def to_json(self, turn: ServedTurn, history: RecalledHistory) -> dict[str, Any]:
        """Return the whole reply."""
        text = render_reply(self.request, turn.result.answer)
        message = {"role": "assistant", "content": text, "refusal": None}
        choice = {
            "index": 0, "message": message, "logprobs": None, "finish_reason": "stop",
            "chatty": describe_turn(self.request, turn, history),
        }  # fmt: skip
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage(turn.result.answer, text)}

    def opening_chunk(self) -> dict[str, Any]:
        """Return the first chunk of a stream, which names the role."""
        return self._chunk({"role": "assistant", "content": ""})

    def step_chunk(self, step: AnswerStep) -> dict[str, Any]:
        """Return the chunk of one step."""
        return self._chunk({}, chatty={"step": asdict(step)})

    def text_chunks(self, turn: ServedTurn, history: RecalledHistory) -> Iterator[dict[str, Any]]:
        """Yield the chunks of the text, the last chunk with the service's fields, and the usage if it is asked for."""
        text = render_reply(self.request, turn.result.answer)
        for piece in _PIECE.findall(text):
            yield self._chunk({"content": piece})
        yield self._chunk({}, finish_reason="stop", chatty=describe_turn(self.request, turn, history))
        if self.request.includes_usage:
            usage = self._usage(turn.result.answer, text)
            yield {**self._head("chat.completion.chunk"), "choices": [], "usage": usage}

    def _chunk(self, delta: Mapping[str, str], **more: Any) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": None, **more}
        usage = {"usage": None} if self.request.includes_usage else {}
        return {**self._head("chat.completion.chunk"), "choices": [choice], **usage}

    def _head(self, kind: str) -> dict[str, Any]:
        digest = hashlib.sha256(json.dumps([self.backend, self.request.model]).encode()).hexdigest()
        return {
            "id": self.id, "object": kind, "created": self.created, "model": self.request.model,
            "system_fingerprint": f"fp_{digest[:10]}",
        }  # fmt: skip

    def _usage(self, answer: Answer, text: str) -> dict[str, Any]:
        """Return the tokens that the model's provider reports; without a model, estimates from length."""
        usage = answer.usage
        if not usage.calls:
            usage = Usage(
                0, self.request.characters // _CHARACTERS_PER_TOKEN, len(text) // _CHARACTERS_PER_TOKEN, estimated=True
            )
        return {
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "total_tokens": usage.prompt_tokens + usage.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        }


def render_reply(request: CompletionRequest, answer: Answer) -> str:
    """Return the text of a reply: Markdown, or a JSON object with the fields that the request asks for."""
    if request.fields is None:
        return str(bound_texts(render_markdown(answer)))
    fields = {
        "text": answer.text or answer.explanation, "status": answer.status,
        "answers": [value.value for value in answer.values], "labels": list(answer.labels), "sparql": answer.sparql,
        "standalone": answer.standalone, "confidence": round(answer.confidence, 4), "notes": list(answer.notes),
    }  # fmt: skip
    assert fields.keys() == REPLY_FIELDS.keys()
    return json.dumps(bound_texts({name: fields[name] for name in request.fields}), ensure_ascii=False)


def describe_turn(request: CompletionRequest, turn: ServedTurn, history: RecalledHistory) -> dict[str, Any]:
    """Return what the service says beside the text: the reply of POST /chat, and remarks about the request."""
    read = f"The answers of these turns were read from their text: {', '.join(map(str, history.read))}."
    remarks = [*request.remarks, *([read] if history.read else [])]
    return {**to_reply(turn.to_json(), len(request.turns) + 1), **({"remarks": remarks} if remarks else {})}
