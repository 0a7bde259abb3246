from dataclasses import replace

from chattyshared.kg import KnowledgeGraph
from chattyshared.model import Request
from rdflib import URIRef

from chattygen.options import Options
from chattygen.rulebook.agent_rules import select_label_predicate
from chattygen.sampling.label_predicates import LabelCandidate
from chattygen.sampling.node_types import select_types
from chattygen.sampling.seeds import assign_slots, draw_seeds, remaining_quotas


def iris(*names: str) -> tuple[URIRef, ...]:
    return tuple(URIRef(f"https://x.example/{name}") for name in names)


def test_draws_are_repeatable_distinct_and_moved_by_the_seed(ships_kg: KnowledgeGraph):
    types = select_types(ships_kg, Options())
    one, same = draw_seeds(ships_kg, types, Options()), draw_seeds(ships_kg, types, Options())
    other = draw_seeds(ships_kg, types, Options(seed=1))
    assert one == same
    assert one != other
    drawn = [iri for some in one.entities.values() for iri in some]
    assert len(drawn) == len(set(drawn)) == 20


def test_all_slots_together_have_no_more_candidates_than_the_limit():
    pool = {"A": iris(*"abcdefghijklmnopqrstuvwxyz"), "B": iris("p", "q")}
    dealt = {
        limit: [slot.candidates for slot in assign_slots(0, {"A": 2, "B": 1}, pool, limit)]
        for limit in (0, 1, 2, 7, 300)
    }
    assert [tuple(map(len, some)) for some in dealt.values()] == [(), (1,), (1, 1), (3, 2, 2), (10, 2, 10)]
    assert dealt[7] == [iris("a", "c", "e"), iris("p", "q"), iris("b", "d")]


def test_what_an_exhausted_type_leaves_goes_to_the_others_by_share():
    pool = {"A": iris("a"), "B": iris(*"bcdefghij"), "C": iris(*"klmnopqrs")}
    assert remaining_quotas({"A": 4, "B": 1, "C": 1}, pool, {"A": 50, "B": 20, "C": 10}) == {"A": 1, "B": 3, "C": 2}
    assert remaining_quotas({"A": 3}, {"A": ()}, {"A": 50}) == {}
    assert remaining_quotas({"A": 2}, {"A": (), "B": iris("p", "q", "r")}, {"A": 50, "B": 0}) == {"B": 2}


def test_the_label_predicate_differs_and_is_short_and_holds_no_code():
    def chosen(*found: LabelCandidate) -> int:
        return select_label_predicate(Request("generate/label", (), variables={"type": "Part", "candidates": found}))[
            "candidate"
        ]

    coded = LabelCandidate(1, "l", "label", 1.0, 1.0, (), ("A77-123 - Bolt", "B12-456 - Nut"))
    bare = LabelCandidate(2, "n", "name", 1.0, 1.0, (), ("Bolt", "Nut"))
    vague = LabelCandidate(3, "c", "category", 1.0, 0.1, (), ("small", "small"))
    assert chosen(coded, bare, vague) == 2
    assert chosen(LabelCandidate(1, "l", "label", 1.0, 1.0, ("en",), ("Bolt", "Nut")), vague) == 1
    given = LabelCandidate(1, "u:first_nm", "first name", 1.0, 1.0, (), ("Ada", "Bo"))
    assert chosen(given, LabelCandidate(2, "u:full_nm", "full name", 1.0, 1.0, (), ("Ada Moss", "Bo Falk"))) == 2
    own = LabelCandidate(4, "p", "part name", 0.75, 1.0, (), ("Bolt", "Nut"))
    assert chosen(replace(bare, label="shelf name"), own) == 4
