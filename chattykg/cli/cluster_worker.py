"""What a worker of a cluster opens, to answer questions, or to run queries, elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from chattyshared.gold_queries import Querying
from chattyshared.model import close
from chattyshared.runs.cluster_job import stamp
from chattyshared.runs.remote_worker import Station

from chattykg.cli import engines, resources
from chattykg.engine import Engine

STATION, QUERIES = "chattykg.cli.cluster_worker:station", "chattykg.cli.cluster_worker:querying"
"""What jobs call the two below."""


@contextmanager
def station(given: Mapping[str, Any]) -> Iterator[Station[Engine]]:
    """Open the engine that a command's options name, with the keys of this process's environment.

    Raises:
        ConfigError: a file or a key is missing here, or something else that the options need.
        EndpointError: the endpoint does not answer from here.
    """
    with resources.accessed(given) as (access, opened):
        seat = engines.seat(engines.chosen(given), given, access, opened)
        assert access.meter is not None
        try:
            yield Station(seat.engine_with, access.meter, stamp(seat.kg, seat.fitted.stated()), resources.secrets())
        finally:
            if seat.model is not None:
                close(seat.model)


@contextmanager
def querying(given: Mapping[str, Any]) -> Iterator[Station[Querying]]:
    """Open the graph that a command's options name, for queries that somebody else wrote.

    Raises:
        ConfigError: a file is missing here.
        EndpointError: the endpoint does not answer from here.
    """
    kg = resources.open_graph(given)
    there = Querying.of(kg)
    yield Station(lambda _: there, stamp=stamp(kg))
