"""A running service over two small invented graphs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from wire.running_service import ORCHARD, PIERS, Client, Running

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK
from chattykg.service.app import make_app
from chattykg.service.datasets import DatasetRegistry, ServedDataset
from chattykg.service.sessions import SessionStore


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
