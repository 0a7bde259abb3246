"""What the routes share: the data sets, the conversations, the threads that answer, and how a request names them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from fastapi import HTTPException, Request

from chattykg.service.access.daily_limits import DailyBudget
from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.service.examples import ExampleQuestions
from chattykg.service.metrics import Metrics
from chattykg.service.protocols.answer_store import AnswerStore
from chattykg.service.protocols.chattykg_chats import StartedChats
from chattykg.service.request_pool import RequestPool
from chattykg.service.sessions import Session, SessionStore


@dataclass(frozen=True, slots=True)
class ServiceParts:
    """The parts that the routes use.

    ``queries`` runs the queries of clients, apart from questions. ``answers`` are those of conversations that only
    clients keep, ``chats`` those that were started by Chatty-KG's API, ``started`` is the start of the service, in
    seconds since 1970.
    """

    registry: DatasetRegistry
    sessions: SessionStore
    pool: RequestPool
    queries: RequestPool
    version: str
    examples: ExampleQuestions = field(default_factory=ExampleQuestions)
    answers: AnswerStore = field(default_factory=AnswerStore)
    chats: StartedChats = field(default_factory=StartedChats)
    started: int = field(default_factory=lambda: int(time.time()))
    budget: DailyBudget = field(default_factory=DailyBudget)
    metrics: Metrics = field(default_factory=Metrics)


def parts_of(request: Request) -> ServiceParts:
    """Return the parts of the service that takes a request."""
    parts: ServiceParts = request.app.state.serving
    return parts


def find_dataset(parts: ServiceParts, name: str) -> ServedDataset:
    """Return a data set by name, or the only one if the request names none.

    Raises:
        HTTPException: 404, it is unknown; 422, there are several and none is named.
    """
    served = parts.registry.find(name)
    if served is None and not name:
        raise HTTPException(422, f"name the dataset: {parts.registry.describe_names()}")
    if served is None:
        raise HTTPException(404, f"unknown dataset {name[:200]!r}: {parts.registry.describe_names()}")
    return served


def open_session(parts: ServiceParts, id: str, dataset: str, owner: str = "") -> Session:
    """Return the conversation of an owner (the name of a key) that a request names, or a new one.

    Raises:
        HTTPException: 404, there is none; 409, it is full or about another data set; as ``find_dataset`` does.
    """
    if not id:
        return parts.sessions.open_session(find_dataset(parts, dataset).name, owner)
    session = parts.sessions.find_session(id, owner)
    if session is None:
        raise HTTPException(404, "there is no such session: leave it out to begin one")
    if dataset not in ("", session.dataset):
        raise HTTPException(409, f"this session is about the dataset {session.dataset}: leave it out to begin another")
    check_room(parts, session)
    return session


def check_room(parts: ServiceParts, session: Session) -> None:
    """Check that a conversation can take another turn.

    Raises:
        HTTPException: 409, it is full.
    """
    if parts.sessions.is_full(session):
        raise HTTPException(409, f"this session has {len(session.turns)} turns, which fill it: begin another")


def require_question(text: str) -> str:
    """Return a question as text that can be encoded as UTF-8; JSON may hold half a surrogate pair.

    Raises:
        HTTPException: 422, it is empty.
    """
    question = make_encodable(text)
    if not question.strip():
        raise HTTPException(422, "the question is empty")
    return question


def make_encodable(text: str) -> str:
    """Return text that can be encoded as UTF-8."""
    return text.encode("utf-8", "replace").decode()
