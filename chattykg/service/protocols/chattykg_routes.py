"""The API of Chatty-KG's published server: GET /info, GET /reset, POST /start_chat, POST /ask.

That server holds one conversation for everybody. This one holds a conversation per client, which is named by a cookie
or by ``session``; clients that name none and have the same key, or no key, share one conversation.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
from fastapi import APIRouter, HTTPException, Request, Response

from chattykg.service.access.accounts import account_of
from chattykg.service.access.admission import admit_question
from chattykg.service.dependencies import ServiceParts, check_room, find_dataset, parts_of, require_question
from chattykg.service.protocols.chattykg_chats import to_chattykg_reply
from chattykg.service.sessions import Session
from chattykg.steps import AnswerProgress

_COOKIE = "chattykg_session"
_NO_CHAT = "no conversation was started: POST /start_chat with the name of a knowledge graph begins one"
router = APIRouter()


@dataclass(frozen=True)
class StartChatRequest:
    """The body of POST /start_chat: the name of a graph (default: the only one), and the client's earlier session."""

    knowledge_graph: str = ""
    session: str = ""


@dataclass(frozen=True)
class AskRequest:
    """The body of POST /ask: a question, and a session (default: that of the cookie, else the shared one)."""

    question: str
    session: str = ""


@router.get("/info")
async def get_info(request: Request, session: str = "") -> dict[str, Any]:
    """Return the graphs, the model, and the graph of the client's conversation."""
    parts = parts_of(request)
    found = await _find_chat(request, _find_id(request, session))
    current = {"knowledge_graph": found.dataset if found else None, "turns": len(found.turns) if found else 0}
    graphs = list(parts.registry.datasets)
    return {"knowledge_graphs": graphs, "model": parts.registry.model, "version": parts.version, **current}


@router.get("/reset")
async def reset(request: Request, session: str = "") -> dict[str, Any]:
    """Forget the client's conversation; the next question begins another about the same graph."""
    parts = parts_of(request)
    id = _find_id(request, session)
    async with parts.pool.hold_session(id):
        found = await _find_chat(request, id)
        if found is not None:
            parts.chats.add(found)
            await anyio.to_thread.run_sync(parts.sessions.delete_session, id)
    return {"message": "the conversation is forgotten" if found else "there was no conversation"}


@router.post("/start_chat")
async def start_chat(request: Request, response: Response, body: StartChatRequest) -> dict[str, Any]:
    """Begin a conversation about a graph; it is the shared one too if the client names no earlier one."""
    parts = parts_of(request)
    chat = parts.sessions.open_session(find_dataset(parts, body.knowledge_graph).name, account_of(request).name)
    parts.chats.add(chat, is_shared=not (body.session or request.cookies.get(_COOKIE)))
    response.set_cookie(_COOKIE, chat.id, httponly=True, samesite="strict")
    message = f"the conversation about {chat.dataset} begins"
    return {"message": message, "knowledge_graph": chat.dataset, "session": chat.id}


@router.post("/ask")
async def ask(request: Request, body: AskRequest) -> dict[str, Any]:
    """Ask the next question of the client's conversation."""
    parts, question = parts_of(request), require_question(body.question)
    id = _find_id(request, body.session)
    async with parts.pool.hold_session(id):
        chat = await _find_chat(request, id)
        if chat is None:
            raise HTTPException(404 if id else 409, "there is no such conversation" if id else _NO_CHAT)
        check_room(parts, chat)
        async with admit_question(request, "chattykg", chat.dataset) as admitted:
            chat = await parts.pool.run(partial(_answer, parts, chat, question), admitted)
            reply = to_chattykg_reply(chat.id, chat.turns[-1], len(chat.turns))
            admitted.record_status(reply["status"])
    return reply


def _answer(parts: ServiceParts, chat: Session, question: str, progress: AnswerProgress) -> Session:
    return parts.sessions.ask_question(chat, question, find_dataset(parts, chat.dataset).answer_turn, progress)


def _find_id(request: Request, session: str) -> str:
    """Return the id of the client's conversation; "" if it names none and none is shared."""
    shared = parts_of(request).chats.find_shared_id(account_of(request).name)
    return session or request.cookies.get(_COOKIE, "") or shared


async def _find_chat(request: Request, id: str) -> Session | None:
    """Return a conversation with its turns, or one that was started and has none; None if it is not known."""
    parts, owner = parts_of(request), account_of(request).name
    stored = await anyio.to_thread.run_sync(parts.sessions.find_session, id, owner)
    return stored or parts.chats.find_chat(id, owner)
