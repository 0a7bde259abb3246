from collections.abc import Callable

from chattyshared.kg import KnowledgeGraph

from chattygen.options import QUOTA_RULES, Options
from chattygen.sampling.node_types import (
    MAX_TYPES,
    NodeType,
    apportion,
    assign_quotas,
    drop_rare,
    drop_shadowed,
    drop_smallest,
    select_types,
)


def no_subclasses(iri: str) -> frozenset[str]:
    return frozenset({iri})


TEN = Options(dialogues=10)


def kept(types: tuple[NodeType, ...]) -> dict[str, int]:
    return {t.iri: t.quota for t in types if not t.dropped}


def test_the_papers_example_of_rare_types():
    types = (NodeType("Person", "Person", 10_000), NodeType("Place", "Place", 2_000), NodeType("R", "Reservoir", 2))
    left = assign_quotas(drop_rare(types, 0.01), Options(dialogues=120, quota="proportional"))
    assert kept(left) == {"Person": 100, "Place": 20}
    assert left[2].dropped == "rare: 0.02% of the entities, below 1%"


def test_the_papers_example_of_a_shadowed_parent():
    types = (NodeType("Creator", "Creator", 1_000), NodeType("Person", "Person", 1_200))
    below = {"Creator": frozenset({"Creator", "Person"})}
    left = drop_shadowed(types, {("Creator", "Person"): 995}, lambda iri: below.get(iri, frozenset({iri})), 0.99)
    assert [t.dropped for t in left] == ["shadowed by Person: 99.5% of its entities", ""]


def test_an_overlap_at_the_threshold_shadows_nothing():
    types = (NodeType("Creator", "Creator", 1_000), NodeType("Person", "Person", 1_200))
    assert drop_shadowed(types, {("Creator", "Person"): 990}, no_subclasses, 0.99) == types


def test_of_two_types_that_shadow_each_other_the_subclass_stays():
    types = (NodeType("a", "Agent", 50), NodeType("p", "Person", 50))
    below = {"a": frozenset({"a", "p"})}
    left = drop_shadowed(types, {("a", "p"): 50}, lambda iri: below.get(iri, frozenset({iri})), 0.99)
    assert [bool(t.dropped) for t in left] == [True, False]


def test_quotas_sum_exactly_by_largest_remainder():
    assert apportion([1, 1, 1], 20) == (7, 7, 6)
    assert apportion([1000, 250, 47], 20) == (15, 4, 1)
    assert apportion([7, 3], 0) == (0, 0)
    for seats in range(40):
        assert sum(apportion([13, 5, 5, 1], seats)) == seats


def test_select_counts_the_types_of_a_graph(ships_kg: KnowledgeGraph):
    found = {
        t.label: (t.count, t.quota)
        for t in select_types(ships_kg, Options(dialogues=20, quota="proportional"))
        if t.dropped != "metadata"
    }
    assert found == {"Ship": (10, 10), "Captain": (5, 5), "Harbor": (3, 3), "Shipyard": (2, 2)}


def test_balanced_quotas_follow_the_square_root_and_leave_no_type_out():
    types = (NodeType("a", "A", 10_000), NodeType("b", "B", 100), NodeType("c", "C", 1), NodeType("d", "D", 1))
    assert kept(assign_quotas(types, TEN)) == {"a": 7, "b": 1, "c": 1, "d": 1}
    assert kept(assign_quotas(types, Options(dialogues=112))) == {"a": 100, "b": 10, "c": 1, "d": 1}
    assert kept(assign_quotas(types, Options(dialogues=3))) == {"a": 3, "b": 0, "c": 0, "d": 0}
    for dialogues in range(4, 60):
        quotas = kept(assign_quotas(types, Options(dialogues=dialogues)))
        assert sum(quotas.values()) == dialogues and min(quotas.values()) >= 1


def test_balanced_quotas_keep_rare_types(open_turtle: Callable[[str], KnowledgeGraph]):
    lines = ["@prefix : <https://x.example/> ."]
    lines += [f":w{n} a :Well ." for n in range(300)] + [":p a :Pump ."]
    found = {rule: select_types(open_turtle("\n".join(lines)), Options(quota=rule)) for rule in QUOTA_RULES}
    assert [t.label for t in found["proportional"] if t.dropped.startswith("rare")] == ["pump"]
    assert not any(t.dropped.startswith("rare") for t in found["balanced"])


def test_of_too_many_types_the_largest_stay():
    types = tuple(NodeType(f"t{n:03}", "T", 1 + n // 200) for n in range(MAX_TYPES + 5))
    left = drop_smallest(types)
    assert sum(not t.dropped for t in left) == MAX_TYPES
    assert all(not t.dropped for t in left if t.count == 2)
