"""What a worker of a cluster opens, to answer questions, or to run queries, elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from chattyshared.model import close_model
from chattyshared.runs.cluster_job import job_stamp
from chattyshared.runs.remote_worker import WorkerResources
from chattyshared.sparql.gold_queries import QueryRunner

from chattykg.cli import engines, resources
from chattykg.engine import Engine

ENGINE_WORKER, QUERY_WORKER = (
    "chattykg.cli.cluster_worker:open_engine_worker",
    "chattykg.cli.cluster_worker:open_query_worker",
)
"""What jobs call the two below."""


@contextmanager
def open_engine_worker(options: Mapping[str, Any]) -> Iterator[WorkerResources[Engine]]:
    """Open the engine that a command's options name, with the keys of this process's environment.

    Raises:
        ConfigError: a file or a key is missing here, or something else that the options need.
        EndpointError: the endpoint does not answer from here.
    """
    with resources.open_model_session(options) as (access, opened):
        seat = engines.open_selected_engine(engines.select_engine_kind(options), options, access, opened)
        assert access.meter is not None
        try:
            yield WorkerResources(
                seat.open_engine_with,
                access.meter,
                job_stamp(seat.kg, seat.manifest_source.to_manifest()),
                resources.secrets(),
            )
        finally:
            if seat.model is not None:
                close_model(seat.model)


@contextmanager
def open_query_worker(options: Mapping[str, Any]) -> Iterator[WorkerResources[QueryRunner]]:
    """Open the graph that a command's options name, for queries that somebody else wrote.

    Raises:
        ConfigError: a file is missing here.
        EndpointError: the endpoint does not answer from here.
    """
    kg = resources.open_graph(options)
    there = QueryRunner.from_kg(kg)
    yield WorkerResources(lambda _: there, stamp=job_stamp(kg))
