from collections import Counter

import pytest
from rdflib import URIRef

from chattygen.options import Options
from chattygen.planning.dealing import deal, quotas
from chattygen.planning.wishes import SET_FORMS, Deal
from chattygen.seeds import Slot

ABLE = dict.fromkeys(
    (*SET_FORMS, "count", "boolean", "two-hop", "comparison", "unanswerable", "answer", "shift", "position", "list"),
    1.0,
)
BARE = {"boolean": 1.0}


def slots(number: int, *types: str) -> tuple[Slot, ...]:
    return tuple(Slot(n, types[n % len(types)], (URIRef(f"https://x.example/{n}"),)) for n in range(number))


def forms(deals: tuple[Deal, ...]) -> Counter[str]:
    return Counter(want.form for one in deals for want in one.wants)


@pytest.mark.parametrize(("dialogues", "turns"), [(1, 1), (7, 3), (20, 5), (100, 5), (33, 8)])
def test_the_quotas_sum_to_the_turns(dialogues: int, turns: int):
    assert sum(quotas(Options(dialogues=dialogues, turns=turns)).values()) == dialogues * turns


def test_scarce_forms_go_to_the_types_that_can_carry_them():
    options = Options(dialogues=100)
    dealt = deal(slots(100, "rich", "bare"), options, {"rich": ABLE, "bare": BARE}).dealt
    assert set(forms(dealt[1::2])) == {"boolean"}
    assert {one.chained for one in dealt[1::2]} == {0}
    tally, wanted = forms(dealt), quotas(options)
    for form in SET_FORMS:
        assert tally[form] >= 0.6 * wanted[form], form


def test_yes_no_questions_are_true_as_often_as_false():
    dealt = deal(slots(60, "rich"), Options(dialogues=60), {"rich": ABLE}).dealt
    truths = [want.truth for one in dealt for want in one.wants if want.form == "boolean" or want.polar]
    assert len(truths) > 20 and abs(sum(truths) - len(truths) / 2) <= 0.5
    polar = [want.polar for one in dealt for want in one.wants if want.form == "comparison"]
    assert abs(sum(polar) - len(polar) / 2) <= 0.5


def test_two_of_five_later_turns_shall_hang_on_an_answer():
    dealt = deal(slots(50, "rich"), Options(dialogues=50), {"rich": ABLE}).dealt
    assert 0.35 <= sum(one.chained for one in dealt) / (50 * 4) <= 0.55
    none = deal(slots(50, "rich"), Options(dialogues=50, chain=0.0, mix=(("lookup", 100.0),)), {"rich": ABLE}).dealt
    assert all(one.chained == len(one.of("position")) for one in none)


def test_nothing_that_a_dialogue_has_no_room_for_is_dealt_together():
    dealt = deal(slots(80, "rich"), Options(dialogues=80), {"rich": ABLE}).dealt
    for one in dealt:
        held = {want.form for want in one.wants}
        assert not ({"shift", "comparison"} <= held)
        assert not (held & {"shift", "comparison"} and held & {*SET_FORMS, "position"})
        assert len(one.wants) <= 4


def test_a_mix_without_a_form_deals_none_of_it():
    mix = (("lookup", 60.0), ("superlative", 40.0))
    dealt = deal(slots(20, "rich"), Options(dialogues=20, mix=mix), {"rich": ABLE}).dealt
    assert set(forms(dealt)) <= {"superlative", "position", "shift"}


def test_equal_runs_are_dealt_alike_and_other_seeds_otherwise():
    def dealt(seed: int) -> tuple[Deal, ...]:
        return deal(slots(40, "rich", "bare"), Options(dialogues=40, seed=seed), {"rich": ABLE, "bare": BARE}).dealt

    assert dealt(1) == dealt(1) != dealt(2)


def test_later_places_take_the_deals_of_the_first_round_again():
    deals = deal(slots(10, "rich"), Options(dialogues=10), {"rich": ABLE})
    assert deals.at(3) == deals.at(13)
