"""Objects are swapped among the facts of one predicate, and nothing else changes."""

from collections import Counter
from random import Random

import pytest
from chattyshared.profile import Profile
from rdflib import OWL, RDF, RDFS, XSD, Literal, URIRef

from chattygen.twin.swaps import ObjectSwapper


def v(name: str) -> URIRef:
    return URIRef(f"http://ex.org/{name}")


SHIPS = [v(f"ship{n}") for n in range(6)]
PORTS = [v(f"port{n}") for n in range(3)]
TYPES = {(ship, RDF.type, v("Ship")) for ship in SHIPS} | {(port, RDF.type, v("Port")) for port in PORTS}
HOMES = {(ship, v("home"), PORTS[n % 3]) for n, ship in enumerate(SHIPS)}
NAMES = {(ship, RDFS.label, Literal(f"Ship {n}")) for n, ship in enumerate(SHIPS)}


def swapped(graph, tested, seed=1):
    swapper = ObjectSwapper(set(graph), Profile(), Random(seed))
    return swapper, swapper.swap(tested)


def test_every_tested_fact_gets_an_object_that_another_subject_had():
    graph = TYPES | HOMES | NAMES
    swapper, left = swapped(graph, graph)
    assert not left
    homes = {s: o for s, p, o in swapper.graph if p == v("home")}
    assert all(homes[s] != o for s, _, o in HOMES)
    assert Counter(homes.values()) == Counter(o for _, _, o in HOMES)
    assert swapper.graph - {t for t in swapper.graph if t[1] == v("home")} == TYPES | NAMES
    assert {(s, old, new) for (s, _, new), old in swapper.swaps.items()} == {(s, o, homes[s]) for s, _, o in HOMES}


def test_a_fact_is_swapped_with_one_that_is_not_tested_if_need_be():
    fact = (SHIPS[0], v("home"), PORTS[0])
    swapper, left = swapped(TYPES | HOMES, [fact])
    assert not left and fact not in swapper.graph and len(swapper.swaps) == 2


def test_objects_of_other_classes_and_datatypes_are_no_partners():
    graph = TYPES | {(SHIPS[0], v("at"), PORTS[0]), (SHIPS[1], v("at"), SHIPS[2]), (SHIPS[3], v("at"), Literal(3))}
    swapper, left = swapped(graph, graph)
    assert left == {v("at"): 3} and swapper.graph == graph


def test_subjects_of_the_same_classes_come_first():
    crews = {(SHIPS[n], v("size"), Literal(n)) for n in range(3)} | {(PORTS[n], v("size"), Literal(10 + n))
                                                                    for n in range(3)}  # fmt: skip
    swapper, _ = swapped(TYPES | crews, [t for t in crews if t[0] == SHIPS[0]])
    assert {subject for subject, _, _ in swapper.swaps} < set(SHIPS)


def test_an_object_that_has_what_the_benchmark_asks_of_it_comes_first():
    asked = {(PORTS[0], v("mayor"), v("ann")), (PORTS[2], v("mayor"), v("bob"))}
    for seed in range(5):
        swapper, _ = swapped(TYPES | HOMES | asked, [(SHIPS[0], v("home"), PORTS[0]), *asked], seed)
        assert (SHIPS[0], v("home"), PORTS[2]) in swapper.graph


def test_a_statement_of_the_same_fact_from_the_other_end_is_swapped_along():
    back = {(o, v("shelters"), s) for s, _, o in HOMES}
    swapper, _ = swapped(TYPES | HOMES | back, HOMES)
    homes = {(s, o) for s, p, o in swapper.graph if p == v("home")}
    assert homes == {(o, s) for s, p, o in swapper.graph if p == v("shelters")}
    assert homes.isdisjoint({(s, o) for s, _, o in HOMES})


@pytest.mark.parametrize("declared", [False, True])
def test_symmetric_predicates_stay_symmetric(declared):
    pairs = [(SHIPS[0], SHIPS[1]), (SHIPS[2], SHIPS[3]), (SHIPS[4], SHIPS[5])]
    sisters = {(a, v("sister"), b) for one in pairs for a, b in (one, one[::-1])}
    schema = {(v("sister"), RDF.type, OWL.SymmetricProperty)} if declared else set()
    swapper, _ = swapped(TYPES | sisters | schema, sisters)
    found = {(s, o) for s, p, o in swapper.graph if p == v("sister")}
    assert found == {(o, s) for s, o in found} and len(found) == 6 and all(s != o for s, o in found)
    assert swapper.swaps


def test_what_a_superproperty_states_is_swapped_along():
    above = {(s, v("berth"), o) for s, _, o in HOMES} | {(v("home"), RDFS.subPropertyOf, v("berth"))}
    swapper, _ = swapped(TYPES | HOMES | above, HOMES)
    pairs = [{(s, o) for s, p, o in swapper.graph if p == v(name)} for name in ("home", "berth")]
    assert pairs[0] == pairs[1] != {(s, o) for s, _, o in HOMES}


def test_a_subject_with_several_objects_keeps_their_number():
    graph = TYPES | {(SHIPS[n], v("calls"), PORTS[m]) for n in range(3) for m in range(2)} | {
        (SHIPS[3], v("calls"), PORTS[2])}  # fmt: skip
    swapper, _ = swapped(graph, graph)
    before, after = (Counter(s for s, p, _ in each if p == v("calls")) for each in (graph, swapper.graph))
    assert before == after and swapper.swaps


def test_a_year_beside_a_date_is_swapped_along():
    days = {(ship, v("launched"), Literal(f"18{n}0-05-01", datatype=XSD.date)) for n, ship in enumerate(SHIPS)}
    years = {(ship, v("launchYear"), Literal(f"18{n}0", datatype=XSD.gYear)) for n, ship in enumerate(SHIPS)}
    swapper, left = swapped(TYPES | days | years, days | years)
    assert not left and len(swapper.swaps) == 12
    values = {(s, p): str(o) for s, p, o in swapper.graph}
    assert all(values[ship, v("launched")].startswith(values[ship, v("launchYear")]) for ship in SHIPS)
    assert len(swapper.graph) == len(TYPES | days | years)
