"""What a worker of a cluster opens, to make dialogues for ``chattygen generate`` elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from chattyshared.model import close
from chattyshared.model.from_options import accessing, counted, secrets
from chattyshared.runs.cluster_job import stamp
from chattyshared.runs.remote_worker import Station

from chattygen.cli.generate import graph_of, model_of
from chattygen.planning.run_cache import Stock
from chattygen.runs.slots import Workshop


@contextmanager
def station(given: Mapping[str, Any]) -> Iterator[Station[Workshop]]:
    """Open the graph and the models that a command's options name, with the keys of this process's environment.

    Raises:
        ConfigError: a file or a key is missing here, or something else that the options need.
        EndpointError: the endpoint does not answer from here.
    """
    given = dict(given)
    with accessing(given, os.environ) as access:
        model, kg = model_of(given, access), graph_of(given)
        marks, stock = stamp(kg), Stock()
        kg = counted(kg, access)
        kg = kg.speaking(given["lang"]) if given["lang"] else kg
        assert access.meter is not None
        try:
            yield Station(lambda trace: Workshop(kg, model, trace, stock), access.meter, marks, secrets(os.environ))
        finally:
            close(model)
