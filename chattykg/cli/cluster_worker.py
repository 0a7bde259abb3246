"""The resources that a cluster worker opens to answer questions or to run queries."""

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
"""The names by which jobs call the two functions below."""


@contextmanager
def open_engine_worker(options: Mapping[str, Any]) -> Iterator[WorkerResources[Engine]]:
    """Open the engine of a command's options with the keys in this process's environment.

    Raises:
        ConfigError: a file, a key or another resource of the options is missing on this machine.
        EndpointError: the endpoint does not answer this machine.
    """
    with resources.open_model_session(options) as (model_options, model_factory):
        spec = engines.select_engine_kind(options)
        opened = engines.open_selected_engine(spec, options, model_options, model_factory)
        assert model_options.meter is not None
        try:
            yield WorkerResources(
                opened.open_engine_with,
                model_options.meter,
                job_stamp(opened.kg, opened.manifest_source.to_manifest()),
                resources.secrets(),
            )
        finally:
            if opened.model is not None:
                close_model(opened.model)


@contextmanager
def open_query_worker(options: Mapping[str, Any]) -> Iterator[WorkerResources[QueryRunner]]:
    """Open the graph of a command's options for untrusted queries.

    Raises:
        ConfigError: a file is missing on this machine.
        EndpointError: the endpoint does not answer this machine.
    """
    kg = resources.open_graph(options)
    runner = QueryRunner.from_kg(kg)
    yield WorkerResources(lambda _: runner, stamp=job_stamp(kg))
