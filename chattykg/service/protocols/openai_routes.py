"""OpenAI's API: POST /v1/chat/completions and /v1/responses, whole or as a stream; GET /v1/models lists the graphs."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from chattyshared.dialogue import Answer, Reason
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chattykg.engine import EngineResult
from chattykg.service.access.accounts import account_of
from chattykg.service.datasets import ServedDataset
from chattykg.service.dependencies import ServiceParts, parts_of, read_body
from chattykg.service.errors import Failure
from chattykg.service.protocols.answer_store import SaidTurn
from chattykg.service.protocols.openai_messages import CompletionBody, ModelRequest, ResponseBody
from chattykg.service.protocols.openai_replies import CompletionReply, ResponseReply, render_reply
from chattykg.service.questions import Answered, follow, last_answer, stream_events
from chattykg.service.sessions import Session
from chattykg.service.turns import ServedTurn
from chattykg.steps import AnswerProgress

_IS_PROMPT = "This is an instruction for a language model, and no question about the graph."


async def list_models(request: Request) -> Response:
    """Return the served graphs as models."""
    parts = parts_of(request)
    models = [_describe_model(parts, served) for served in parts.registry.datasets.values()]
    return JSONResponse({"object": "list", "data": models})


async def get_model(request: Request) -> Response:
    """Return a served graph as a model."""
    parts = parts_of(request)
    return JSONResponse(_describe_model(parts, _find_model(parts, request.path_params["id"])))


async def complete_chat(request: Request) -> Response:
    """Answer the last message of a conversation, whole or as a stream of chunks."""
    asked = (await read_body(request, CompletionBody)).to_request()
    return await _reply(request, CompletionReply(asked))


async def create_response(request: Request) -> Response:
    """Answer the last message of a conversation, which the client repeats or continues from an earlier response."""
    parts, body, owner = parts_of(request), await read_body(request, ResponseBody), account_of(request).name
    asked = body.to_request()
    if asked.previous is not None:
        earlier = parts.answers.recall_turns(f"{owner} {asked.previous}")
        if earlier is None:
            message = "there is no such response, or it is forgotten: send the whole conversation as input"
            code = "previous_response_not_found"
            raise Failure(400, message, param="previous_response_id", code=code)
        asked = replace(asked, turns=(*earlier, *asked.turns))
    reply = ResponseReply(asked)
    return await _reply(request, reply, keep_as="" if body.store is False else f"{owner} {reply.id}")


async def _reply(request: Request, reply: CompletionReply | ResponseReply, *, keep_as: str = "") -> Response:
    """Answer a request; its conversation can be continued under the name ``keep_as`` ("": it cannot)."""
    parts, account = parts_of(request), account_of(request)
    served = _find_model(parts, reply.request.model)
    answer = partial(_answer, parts, served, reply.request, keep_as)
    items = follow(parts, account, "openai", Session("", served.name), answer)
    if reply.request.is_streamed:
        return await stream_events(items, reply.render)
    return JSONResponse(reply.to_json(await last_answer(items)))


def _answer(
    parts: ServiceParts, served: ServedDataset, asked: ModelRequest, keep_as: str, progress: AnswerProgress
) -> Answered:
    """Answer a question with the history that its client repeats, and keep the answer for the next question."""
    if asked.is_prompt:
        answer = Answer(reason=Reason("not-a-question", _IS_PROMPT))
        return Answered(ServedTurn(asked.question, EngineResult(answer)))
    history = parts.answers.recall(served.name, asked.turns)
    turn = served.answer_turn(asked.question, history.exchanges, progress)
    turns = (*asked.turns, SaidTurn(asked.question, render_reply(asked, turn)))
    parts.answers.keep(served.name, turns, turn.result.answer)
    if keep_as:
        parts.answers.keep_turns(keep_as, turns)
    return Answered(turn, read=history.read)


def _find_model(parts: ServiceParts, name: str) -> ServedDataset:
    """Return the graph of a name.

    Raises:
        Failure: 404, there is none.
    """
    served = parts.registry.datasets.get(name)
    if served is None:
        message = f"the model {name[:200]!r} does not exist: {parts.registry.describe_names()}"
        raise Failure(404, message, param="model", code="model_not_found")
    return served


def _describe_model(parts: ServiceParts, served: ServedDataset) -> dict[str, Any]:
    return {"id": served.name, "object": "model", "created": parts.started, "owned_by": "chattykg"}
