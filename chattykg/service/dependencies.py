"""What the routes share: the parts of the service, and how they read a request."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Annotated, TypeVar

import anyio
from chattyshared.jsonlines import parse_untrusted_json
from pydantic import BaseModel, StringConstraints, ValidationError
from starlette.requests import Request

from chattykg.service.access.daily_limits import DailyBudget
from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.service.errors import Failure
from chattykg.service.examples import ExampleQuestions
from chattykg.service.metrics import Metrics
from chattykg.service.protocols.answer_store import AnswerStore
from chattykg.service.request_pool import RequestPool
from chattykg.service.sessions import Session, SessionStore

Body = TypeVar("Body", bound=BaseModel)
Question = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_NO_JSON = 'send a JSON object with Content-Type: application/json, such as {"question": "..."}'


@dataclass(frozen=True, slots=True)
class ServiceParts:
    """The parts that the routes use.

    ``queries`` runs the queries of clients, apart from questions. ``answers`` are those of conversations that only
    clients keep, ``shared_chats`` the ids of the conversations that the clients of Chatty-KG's API share, by owner,
    ``started`` is the start of the service, in seconds since 1970.
    """

    registry: DatasetRegistry
    sessions: SessionStore
    pool: RequestPool
    queries: RequestPool
    version: str
    examples: ExampleQuestions = field(default_factory=ExampleQuestions)
    answers: AnswerStore = field(default_factory=AnswerStore)
    shared_chats: dict[str, str] = field(default_factory=dict)
    started: int = field(default_factory=lambda: int(time.time()))
    budget: DailyBudget = field(default_factory=DailyBudget)
    metrics: Metrics = field(default_factory=Metrics)

    def close(self) -> None:
        """Take no more work, and close all files."""
        for part in (self.examples, self.pool, self.queries, self.sessions, self.budget):
            part.close()


def parts_of(request: Request) -> ServiceParts:
    """Return the parts of the service that takes a request."""
    parts: ServiceParts = request.app.state.serving
    return parts


async def read_body(request: Request, kind: type[Body]) -> Body:
    """Return the body of a request.

    Raises:
        Failure: 422, it is not JSON, or a part of it is missing or wrong.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise Failure(422, _NO_JSON)
    try:
        return kind.model_validate(await anyio.to_thread.run_sync(parse_untrusted_json, await request.body()))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"]).removeprefix(".")
        message = first["msg"].removeprefix("Value error, ")
        raise Failure(422, f"{path}: {message}" if path else _NO_JSON, param=path) from error
    except ValueError as error:
        raise Failure(422, f"the body is not JSON: {_NO_JSON}") from error


def find_dataset(parts: ServiceParts, name: str) -> ServedDataset:
    """Return a data set by name, or the only one if the request names none.

    Raises:
        Failure: 404, it is unknown; 422, there are several and none is named.
    """
    datasets, known = parts.registry.datasets, parts.registry.describe_names()
    if not name and len(datasets) == 1:
        return next(iter(datasets.values()))
    if not name:
        raise Failure(422, f"name the dataset: {known}")
    if name not in datasets:
        raise Failure(404, f"unknown dataset {name[:200]!r}: {known}")
    return datasets[name]


def open_session(parts: ServiceParts, id: str, dataset: str, owner: str = "") -> Session:
    """Return the conversation of an owner (the name of a key) that a request names, or a new one.

    Raises:
        Failure: 404, there is none; 409, it is about another data set; as ``find_dataset`` does.
    """
    if not id:
        return parts.sessions.open_session(find_dataset(parts, dataset).name, owner)
    session = parts.sessions.find_session(id, owner)
    if session is None:
        raise Failure(404, "there is no such conversation, or it is forgotten: leave its id out to begin one")
    if dataset not in ("", session.dataset):
        raise Failure(409, f"this session is about the dataset {session.dataset}: leave it out to begin another")
    return session
