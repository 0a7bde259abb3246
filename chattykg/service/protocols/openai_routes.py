"""OpenAI's API: POST /v1/chat/completions, whole or as a stream, and GET /v1/models, which lists the graphs."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import anyio
from chattyshared.dialogue import Answer, Reason
from chattyshared.errors import ChattyError
from chattyshared.runs.containment import UnexpectedError, catch_unexpected
from fastapi import APIRouter, HTTPException, Request
from starlette.responses import Response, StreamingResponse

from chattykg.engine import EngineResult
from chattykg.service.access.admission import AdmittedQuestion, admit_question
from chattykg.service.datasets import ServedDataset
from chattykg.service.dependencies import ServiceParts, parts_of
from chattykg.service.errors import InvalidParameter, describe_failure
from chattykg.service.protocols.answer_store import RecalledHistory, SaidTurn
from chattykg.service.protocols.openai_messages import CompletionRequest, parse_completion_request
from chattykg.service.protocols.openai_replies import CompletionReply, render_reply
from chattykg.service.request_limits import describe_openai_error
from chattykg.service.turns import ServedTurn
from chattykg.steps import AnswerProgress, AnswerStep

_IS_PROMPT = "This is an instruction for a language model, and no question about the graph."
_Answered = tuple[ServedTurn, RecalledHistory]
router = APIRouter(prefix="/v1")
_logger = logging.getLogger(__name__)


@router.get("/models")
async def list_models(request: Request) -> dict[str, Any]:
    """Return the served graphs as models."""
    parts = parts_of(request)
    return {"object": "list", "data": [_describe_model(parts, served) for served in parts.registry.datasets.values()]}


@router.get("/models/{id:path}")
async def get_model(request: Request, id: str) -> dict[str, Any]:
    """Return a served graph as a model."""
    parts = parts_of(request)
    return _describe_model(parts, _find_model(parts, id))


@router.post("/chat/completions", response_model=None)
async def complete_chat(request: Request) -> dict[str, Any] | Response:
    """Answer the last message of a conversation, whole or as a stream of chunks."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise InvalidParameter("send JSON with Content-Type: application/json")
    parts, body = parts_of(request), await request.body()
    asked = await anyio.to_thread.run_sync(parse_completion_request, body)
    served = _find_model(parts, asked.model)
    answer, question = partial(_answer, parts, served, asked), admit_question(request, "openai", served.name)
    reply = CompletionReply(asked, f"{parts.version} {parts.registry.model}")
    if asked.is_streamed:
        parts.pool.require_room()
        await question.check_limits()
        events = _stream_events(parts, question, answer, reply)
        return StreamingResponse(events, media_type="text/event-stream", headers={"Cache-Control": "no-store"})
    async with question as admitted:
        turn, history = await parts.pool.run(answer, admitted)
        admitted.record_status(turn.result.answer.status)
    return reply.to_json(turn, history)


def _answer(
    parts: ServiceParts, served: ServedDataset, asked: CompletionRequest, progress: AnswerProgress
) -> _Answered:
    """Answer a question with the history that its client repeats, and keep the answer for the next question."""
    if asked.is_prompt:
        answer = Answer(reason=Reason("not-a-question", _IS_PROMPT))
        return ServedTurn(asked.question, EngineResult(answer)), RecalledHistory((), ())
    history = parts.answers.recall(served.name, asked.turns)
    turn = served.answer_turn(asked.question, history.exchanges, progress)
    said = SaidTurn(asked.question, render_reply(asked, turn.result.answer))
    parts.answers.keep(served.name, (*asked.turns, said), turn.result.answer)
    return turn, history


async def _stream_events(
    parts: ServiceParts, question: AdmittedQuestion, answer: Any, reply: CompletionReply
) -> AsyncIterator[str]:
    """Yield the chunks as events; comments keep the connection alive, and an error is the last event."""
    try:
        async with question as admitted:
            yield _event(reply.opening_chunk())
            async for item in parts.pool.stream(lambda progress: catch_unexpected(partial(answer, progress)), admitted):
                if item is None:
                    yield ": waiting\n\n"
                elif isinstance(item, AnswerStep):
                    yield _event(reply.step_chunk(item))
                elif isinstance(item, UnexpectedError):
                    _logger.error("a question failed (%s): %s\n%s", reply.id, item, item.traceback)
                    yield _event({"error": describe_openai_error(500, item.sentence)})
                else:
                    admitted.record_status(item[0].result.answer.status)
                    for chunk in reply.text_chunks(*item):
                        yield _event(chunk)
                    yield "data: [DONE]\n\n"
    except (ChattyError, HTTPException) as error:
        failure = describe_failure(error)
        yield _event({"error": describe_openai_error(failure.status, failure.message)})


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n"


def _find_model(parts: ServiceParts, name: str) -> ServedDataset:
    """Return the graph of a name.

    Raises:
        InvalidParameter: 404, there is none.
    """
    served = parts.registry.datasets.get(name)
    if served is None:
        message = f"the model {name[:200]!r} does not exist: {parts.registry.describe_names()}"
        raise InvalidParameter(message, "model", status=404, code="model_not_found")
    return served


def _describe_model(parts: ServiceParts, served: ServedDataset) -> dict[str, Any]:
    return {"id": served.name, "object": "model", "created": parts.started, "owned_by": "chattykg"}
