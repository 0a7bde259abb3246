"""Invented names: they look like the names of a class, and no label resembles them."""

from collections.abc import Callable
from random import Random

import pytest
from chattyshared.kg import KnowledgeGraph

from chattygen.planning.invented_names import invent_name


def graph_of(open_turtle: Callable[[str], KnowledgeGraph], *names: str) -> KnowledgeGraph:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    return open_turtle("\n".join(f'<https://x.example/{n}> a <https://x.example/P> ; {label} "{name}" .'
                                 for n, name in enumerate(names)))  # fmt: skip


def test_a_recombination_that_the_graph_has_is_not_taken(open_turtle: Callable[[str], KnowledgeGraph]) -> None:
    kg = graph_of(open_turtle, "Ada Moss", "Bo Falk", "Ada Falk", "Bo Moss")
    assert invent_name(kg, ("Ada Moss", "Bo Falk"), Random(0)) == ""


@pytest.mark.parametrize(
    "names",
    [
        ("Aldmouth", "Brackwater", "Coldharbor"),
        ("Pump 4711", "Pump 4712", "Valve 88"),
        ("The Song of Ice", "War and Peace", "the end of it"),
    ],
)
def test_only_names_of_persons_are_recombined(
    open_turtle: Callable[[str], KnowledgeGraph], names: tuple[str, ...]
) -> None:
    assert invent_name(graph_of(open_turtle, *names), names, Random(1)) == ""
