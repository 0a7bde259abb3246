"""Names: in two columns, shared ones, and invented ones."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from subgraph_reading import subgraph_at

from chattygen.context.names import invent_name

GUESTS = "".join(
    f'<guest/{n}> a v:Guest ; v:guest_first_name "{first}" ; v:guest_last_name "{last}" ; v:guest_age {n + 30} .\n'
    for n, (first, last) in enumerate([("Ida", "Falk"), ("Ida", "Grau"), ("Olaf", "Falk"), ("Olaf", "Falk")], start=1)
)


def test_a_seed_bears_both_names(tmp_path: Path):
    path = tmp_path / "guests.ttl"
    path.write_text(f"@base <https://inn.example/> . @prefix v: <https://inn.example/v#> .\n{GUESTS}")
    kg = open_kg((str(path),))
    graphs = [subgraph_at(kg, f"https://inn.example/guest/{n}") for n in (1, 3)]
    assert [graph.entity.label for graph in graphs] == ["Ida Falk", "Olaf Falk"]


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
