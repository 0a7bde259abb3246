"""The API of Chatty-KG's published server: GET /info, GET /reset, POST /start_chat, POST /ask.

That server holds one conversation for everybody. This one holds a conversation per client, which is named by a cookie
or by ``session``; clients that name none and have the same key, or no key, share one conversation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chattykg.service.access.accounts import account_of
from chattykg.service.dependencies import Question, find_dataset, parts_of, read_body
from chattykg.service.errors import Failure
from chattykg.service.questions import follow_session, last_answer
from chattykg.service.sessions import Session
from chattykg.service.turns import to_reply

_COOKIE = "chattykg_session"
_NO_CHAT = "no conversation was started: POST /start_chat with the name of a knowledge graph begins one"
_FURTHER_FIELDS = ("turn", "status", "sentence", "labels", "reason", "clarification", "suggestions", "notes")


class StartChatRequest(BaseModel):
    """The body of POST /start_chat: the name of a graph (default: the only one), and the client's earlier session."""

    knowledge_graph: str = ""
    session: str = ""


class AskRequest(BaseModel):
    """The body of POST /ask: a question, and a session (default: that of the cookie, else the shared one)."""

    question: Question
    session: str = ""


async def get_info(request: Request) -> Response:
    """Return the graphs, the model, and the graph of the client's conversation."""
    parts, id = parts_of(request), _find_id(request, request.query_params.get("session", ""))
    found = await anyio.to_thread.run_sync(parts.sessions.find_session, id, account_of(request).name)
    current = {"knowledge_graph": found.dataset if found else None, "turns": len(found.turns) if found else 0}
    graphs = list(parts.registry.datasets)
    about = {"knowledge_graphs": graphs, "model": parts.registry.model, "version": parts.version}
    return JSONResponse({**about, **current})


async def reset(request: Request) -> Response:
    """Forget the client's conversation; the next question begins another about the same graph."""
    parts, id = parts_of(request), _find_id(request, request.query_params.get("session", ""))

    def forget() -> Session | None:
        found = parts.sessions.find_session(id, account_of(request).name)
        if found is not None:
            parts.sessions.forget_turns(found)
        return found

    async with parts.pool.hold_session(id):
        found = await anyio.to_thread.run_sync(forget)
    return JSONResponse({"message": "the conversation is forgotten" if found else "there was no conversation"})


async def start_chat(request: Request) -> Response:
    """Begin a conversation about a graph; it is the shared one too if the client names no earlier one."""
    parts, body = parts_of(request), await read_body(request, StartChatRequest)
    chat = parts.sessions.open_session(find_dataset(parts, body.knowledge_graph).name, account_of(request).name)
    await anyio.to_thread.run_sync(parts.sessions.add_session, chat)
    if not (body.session or request.cookies.get(_COOKIE)):
        parts.shared_chats[chat.owner] = chat.id
    message = f"the conversation about {chat.dataset} begins"
    response = JSONResponse({"message": message, "knowledge_graph": chat.dataset, "session": chat.id})
    response.set_cookie(_COOKIE, chat.id, httponly=True, samesite="strict")
    return response


async def ask(request: Request) -> Response:
    """Ask the next question of the client's conversation."""
    parts, body, account = parts_of(request), await read_body(request, AskRequest), account_of(request)
    id = _find_id(request, body.session)

    def find() -> Session:
        chat = parts.sessions.find_session(id, account.name)
        if chat is None:
            raise Failure(404 if id else 409, "there is no such conversation" if id else _NO_CHAT)
        return chat

    answered = await last_answer(follow_session(parts, account, "chattykg", body.question, id, find))
    assert answered.session is not None
    return JSONResponse(to_chattykg_reply(answered.session))


def _find_id(request: Request, session: str) -> str:
    """Return the id of the client's conversation; "" if it names none and none is shared."""
    shared = parts_of(request).shared_chats.get(account_of(request).name, "")
    return session or request.cookies.get(_COOKIE, "") or shared


def to_chattykg_reply(session: Session) -> dict[str, Any]:
    """Return the reply to POST /ask for the last turn of a conversation.

    The fields up to ``timing`` are Chatty-KG's; the others are those of POST /chat.
    """
    turn = to_reply(session.turns[-1], len(session.turns))
    links, timing = turn["links"], turn["timing"]
    entities = [{name: link[name] for name in ("mention", "label", "iri")} for link in links["entities"]]
    relations = [_to_relation(link, turn["witness"], entities) for link in links["relations"]]
    reply = {"answer": turn["answers"], "sparql_query": [turn["sparql"]] if turn["sparql"] else []}
    found = {"answers": turn["answers"], "queries": reply["sparql_query"], "entities": entities, "relations": relations}
    return {
        **reply,
        "resolved_question": turn["standalone"] or turn["question"],
        "qir": (turn["qir"] or {}).get("triples", []),
        "entities": entities,
        "relations": relations,
        "counts": {name: len(things) for name, things in found.items()},
        "timing": {
            "understanding": timing["understanding"], "linking": timing["linking"],
            "query_selection": timing["selection"], "execution": timing["execution"],
        },
        "session": session.id,
        **{name: turn[name] for name in _FURTHER_FIELDS if name in turn},
    }  # fmt: skip


def _to_relation(link: Mapping[str, Any], witness: list[list[str]], entities: list[dict[str, Any]]) -> dict[str, Any]:
    """Return a relation with the linked entity at which it starts (``out``) or ends (``in``); both "" if unknown."""
    known = {entity["iri"] for entity in entities}
    ends = [
        (end, direction)
        for subject, predicate, object_ in witness
        if predicate == link["iri"]
        for end, direction in ((subject, "out"), (object_, "in"))
        if end in known
    ]
    entity, direction = ends[0] if ends else ("", "")
    return {"relation": link["iri"], "entity": entity, "direction": direction, "score": link["score"]}
