"""The entry of a cluster worker: opens the resources to make dialogues for ``chattygen generate``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from chattyshared.model import close_model
from chattyshared.model.registry import collect_secrets, model_session, with_query_budget
from chattyshared.resources import open_graph
from chattyshared.runs.cluster_job import job_stamp
from chattyshared.runs.remote_worker import WorkerResources

from chattygen.cli.generate import open_model
from chattygen.dialogue_language import prefer_labels
from chattygen.run import RunCache
from chattygen.runs.slots import SlotWorker


@contextmanager
def open_worker_resources(options: Mapping[str, Any]) -> Iterator[WorkerResources[SlotWorker]]:
    """Open the graph and the models of a command's options, with the keys in the environment of this process.

    Raises:
        ConfigError: a file, a key or another resource of the options is missing on this machine.
        EndpointError: the endpoint fails from this machine.
    """
    options = dict(options)
    with model_session(options) as access:
        model, kg = open_model(options, access), open_graph(options)
        stamp, cache = job_stamp(kg), RunCache()
        kg = with_query_budget(kg, access)
        kg = prefer_labels(kg, options["lang"])
        assert access.meter is not None
        try:
            yield WorkerResources(
                lambda trace: SlotWorker(kg, model, trace, cache), access.meter, stamp, collect_secrets(os.environ)
            )
        finally:
            close_model(model)
