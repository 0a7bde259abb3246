"""The conversations of Chatty-KG's API: which one a request belongs to, and a turn as its clients read it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from chattykg.service.sessions import MAX_SESSIONS, Session
from chattykg.service.turns import to_reply

_FURTHER_FIELDS = ("turn", "status", "sentence", "labels", "reason", "clarification", "suggestions", "notes")


class StartedChats:
    """The conversations that were started, without their turns; the longest unused ones are forgotten.

    Every owner (the name of a key) has a shared one, to which the requests belong that name none. It is thread-safe.
    """

    def __init__(self, max_chats: int = MAX_SESSIONS) -> None:
        self._max_chats = max_chats
        self._chats: OrderedDict[str, Session] = OrderedDict()
        self._shared: dict[str, str] = {}
        self._lock = threading.Lock()

    def add(self, chat: Session, *, is_shared: bool = False) -> None:
        """Remember a conversation."""
        with self._lock:
            self._chats[chat.id] = replace(chat, turns=())
            self._chats.move_to_end(chat.id)
            if len(self._chats) > self._max_chats:
                self._chats.popitem(last=False)
            if is_shared:
                self._shared[chat.owner] = chat.id

    def find_chat(self, id: str, owner: str = "") -> Session | None:
        """Return a conversation of an owner; None if there is none with this id."""
        with self._lock:
            chat = self._chats.get(id)
            if chat is None or chat.owner != owner:
                return None
            self._chats.move_to_end(id)
            return chat

    def find_shared_id(self, owner: str = "") -> str:
        """Return the id of an owner's shared conversation; "" if none was started."""
        return self._shared.get(owner, "")


def to_chattykg_reply(session: str, record: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return the reply to POST /ask for a stored turn, the ``number``-th of its conversation.

    The fields up to ``timing`` are Chatty-KG's; the others are those of POST /chat.
    """
    turn = to_reply(record, number)
    links, timing = turn["links"], turn["timing"]
    entities = [{"mention": link["mention"], "label": link["label"], "iri": link["iri"]} for link in links["entities"]]
    relations = [_to_relation(link, turn["witness"], entities) for link in links["relations"]]
    queries = [turn["sparql"]] if turn["sparql"] else []
    return {
        "answer": turn["answers"],
        "sparql_query": queries,
        "resolved_question": turn["standalone"] or turn["question"],
        "qir": (turn["qir"] or {}).get("triples", []),
        "entities": entities,
        "relations": relations,
        "counts": {
            "answers": len(turn["answers"]), "queries": len(queries), "entities": len(entities),
            "relations": len(relations),
        },
        "timing": {
            "understanding": timing["understanding"], "linking": timing["linking"],
            "query_selection": timing["selection"], "execution": timing["execution"],
        },
        "session": session,
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
