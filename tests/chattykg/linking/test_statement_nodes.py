"""Questions about relations with attributes, and about amounts: things that the graph keeps without a name."""

from __future__ import annotations

from invented_graphs import open_graph

from chattykg.linking.statement_nodes import find_measure_predicates, find_naming_predicates, find_statement_nodes


def test_connectors_and_measures_are_told_apart_by_what_they_link() -> None:
    honey = open_graph("talks/hives")
    found = {each.entry.label: each for each in find_statement_nodes(honey)}
    assert set(found) == {"placing", "membership", "coaching"}
    membership = found["membership"]
    assert membership.begin is not None and membership.begin.entry.label == "from"
    assert membership.end is not None and membership.end.entry.label == "to"
    assert len(found["placing"].times) == 1
    assert [
        entry.label for entry in find_measure_predicates(honey.vocabulary, find_naming_predicates(honey)).values()
    ] == ["amount"]


def test_a_class_with_a_code_of_its_own_name_is_no_relation() -> None:
    homes = open_graph("talks/homes")
    names = find_naming_predicates(homes)
    assert "http://homes.example/UNIT.unit_cd" in names
    assert "http://homes.example/UNIT" not in {r.entry.iri for r in find_statement_nodes(homes)}
