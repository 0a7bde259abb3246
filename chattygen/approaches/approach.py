"""What an approach is: the two steps from a seed to a dialogue. A seam between the pipeline and the approaches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from chattyshared.dialogue import Dialogue
from rdflib import URIRef

from chattygen.run import RunContext

DialogueContext = TypeVar("DialogueContext")
"""What a dialogue is written from: the summary of a subgraph, or a plan."""


@dataclass(frozen=True, slots=True)
class Approach(Generic[DialogueContext]):
    """A way to make a dialogue; both steps raise ``SeedRejected`` where the seed does not serve.

    ``extract_context`` takes the run, the IRI of the seed and the IRI of its type; ``write_dialogue`` takes the run,
    the context, the same IRIs and the id of the dialogue. Both can be pickled, to travel to other machines.
    """

    extract_context: Callable[[RunContext, URIRef, str], DialogueContext]
    write_dialogue: Callable[[RunContext, DialogueContext, URIRef, str, str], Dialogue]
