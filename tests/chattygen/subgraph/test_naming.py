"""Seeds whose names stand in two columns are called by both."""

from __future__ import annotations

from pathlib import Path

from chattyshared.kg.factory import open_kg
from rdflib import URIRef

from chattygen.subgraph.extraction import extract_subgraph
from chattygen.subgraph.naming import profile_naming

GUESTS = "".join(
    f'<guest/{n}> a v:Guest ; v:guest_first_name "{first}" ; v:guest_last_name "{last}" ; v:guest_age {n + 30} .\n'
    for n, (first, last) in enumerate([("Ida", "Falk"), ("Ida", "Grau"), ("Olaf", "Falk"), ("Olaf", "Falk")], start=1)
)


def test_a_seed_bears_both_names(tmp_path: Path):
    path = tmp_path / "guests.ttl"
    path.write_text(f"@base <https://inn.example/> . @prefix v: <https://inn.example/v#> .\n{GUESTS}")
    kg = open_kg((str(path),))
    naming = profile_naming(kg)
    graphs = [
        extract_subgraph(kg, URIRef(f"https://inn.example/guest/{n}"), naming, excluded=frozenset()) for n in (1, 3)
    ]
    assert [graph.entity.label for graph in graphs] == ["Ida Falk", "Olaf Falk"]
