"""A running service over two small invented graphs."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.errors import AnswerStopped
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from wire.running_service import ORCHARD, PIERS, Client, Running

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK
from chattykg.service.app import make_app
from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.service.request_limits import RequestLimits
from chattykg.service.sessions import SessionStore
from chattykg.steps import AnswerStep


@pytest.fixture(scope="session")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    room = tmp_path_factory.mktemp("graphs")
    (room / "orchard.ttl").write_text(ORCHARD)
    (room / "piers.ttl").write_text(PIERS)
    return {"orchard": room / "orchard.ttl", "urn:x:piers": room / "piers.ttl"}


@pytest.fixture(scope="session")
def desk(graphs: dict[str, Path]) -> DatasetRegistry:
    def dataset(name: str, path: Path) -> ServedDataset:
        kg = open_kg([str(path)])
        return ServedDataset(name, kg, ChattyEngine(kg, RuleModel(RULEBOOK)))

    return DatasetRegistry({name: dataset(name, path) for name, path in graphs.items()}, "rules")


@pytest.fixture
def service(desk: DatasetRegistry, tmp_path: Path) -> Iterator[Client]:
    with Running(make_app(desk, SessionStore(tmp_path / "talks.sqlite"), version="1")) as client:
        yield client


class Scripted:
    """An engine that reports one step and then waits, until it may go on, is stopped, or has an error to raise."""

    def __init__(self, engine: ChattyEngine) -> None:
        self.engine, self.go, self.ended = engine, threading.Event(), []
        self.error: Exception | None = None

    def answer_with_trace(self, question, history=(), *, span="", progress=None):
        if question != "Who planted Old Bramley?":
            return self.engine.answer_with_trace(question, history, span=span, progress=progress)
        progress.report(AnswerStep("query", "Running query 1"))
        if self.error:
            raise self.error
        try:
            while not self.go.wait(0.02):
                progress.check_stop()
        except AnswerStopped:
            self.ended.append("stopped")
            raise
        self.ended.append("answered")
        return self.engine.answer_with_trace(question, history, span=span, progress=progress)


@pytest.fixture
def scripted(desk: DatasetRegistry, tmp_path: Path) -> Iterator[tuple[Scripted, Client]]:
    orchard = desk.datasets["orchard"]
    engine = Scripted(orchard.engine)
    registry = replace(desk, datasets={"orchard": replace(orchard, engine=engine)})
    limits = RequestLimits(grace_seconds=0.3)
    with Running(make_app(registry, SessionStore(tmp_path / "talks.sqlite"), workers=1, limits=limits)) as client:
        yield engine, client
        engine.go.set()
