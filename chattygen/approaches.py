"""The ways of making a dialogue from a seed, by name; what fails on content becomes a rejected seed here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from chattyshared.check import Problem
from chattyshared.dialogue import Dialogue
from chattyshared.errors import EndpointTimeout, QueryRejected, ResultUnreadable, UnsafeQuery
from rdflib import URIRef

from chattygen import conversation
from chattygen.rejection import Rejected, Unfit
from chattygen.run import Run

Maker = Callable[[Run, URIRef, str, str], Dialogue]
"""From a run, a seed, the class that it was drawn for and the dialogue's id to the dialogue; raises ``Unfit``."""

MAKERS: Mapping[str, Maker] = {
    "multi-stage": conversation.make,
}


def make(run: Run, iri: URIRef, type_iri: str, identity: str) -> Dialogue | Rejected:
    """Make a dialogue about one entity, or say at which stage and why that failed.

    Raises:
        EndpointUnavailable: the endpoint is gone.
        ModelUnavailable: the model is gone.
    """
    try:
        return MAKERS[run.options.approach](run, iri, type_iri, identity)
    except Unfit as unfit:
        return Rejected(str(iri), type_iri, unfit.stage, unfit.problems)
    except (EndpointTimeout, QueryRejected, ResultUnreadable, UnsafeQuery) as error:
        # One entity's query that fails is a failure of content; an endpoint that is gone stops the run.
        return Rejected(str(iri), type_iri, "endpoint", (Problem(type(error).__name__, str(error)[:300]),))
