from collections import Counter

from rdflib import URIRef

from chattygen.context.facts import Entity, Fact, Step
from chattygen.options import Options
from chattygen.planning.plan import DialoguePlan
from chattygen.planning.plan_selection import (
    LEAD,
    choose_plans,
    draft_weights,
    form_shares,
    form_weights,
    turn_targets,
)
from chattygen.turns import TurnSpec


def plan(**tally: int) -> DialoguePlan:
    return DialoguePlan((), tally)


def total(plans: tuple[DialoguePlan, ...]) -> Counter[str]:
    return sum((Counter(one.turn_counts) for one in plans), Counter())


def test_the_goals_of_the_parts_of_a_run_sum_to_those_of_the_whole():
    options = Options(dialogues=100)
    parts: Counter[str] = Counter()
    for first, last in ((0, 7), (7, 10), (10, 61), (61, 100)):
        parts.update(turn_targets(options, first, last))
    assert parts == Counter(turn_targets(options, 0, 100))
    assert parts["lookup"] == 250 and parts["count"] == 50 and parts["hang"] == 160
    kinds = {name: parts[f"opens/{name}"] for name in ("lookup", "operation", "path", "selection", "comparison")}
    assert kinds == {"lookup": 65, "operation": 10, "path": 8, "selection": 14, "comparison": 3}


def test_a_scarce_form_is_taken_wherever_it_is_on_offer():
    poor, rich = [plan(lookup=5)], [plan(lookup=5), plan(lookup=4, negation=1)]
    chosen = choose_plans([poor, rich, poor, rich], {"lookup": 17, "negation": 3}, ())
    assert total(chosen) == {"lookup": 18, "negation": 2}


def test_true_and_false_are_balanced_over_the_plans_and_with_those_before():
    drafts = [[plan(boolean=1, true=1), plan(boolean=1, false=1)]] * 20
    tally = total(choose_plans(drafts, {"boolean": 20}, ()))
    assert abs(tally["true"] - tally["false"]) <= 1
    after = total(choose_plans(drafts, {"boolean": 26}, [plan(boolean=1, true=1)] * 6))
    assert abs(after["true"] + 6 - after["false"]) <= 1


def asking(*predicates: str) -> DialoguePlan:
    seat = Entity(URIRef("urn:seat"), "Seat", "", "town", ("town",))
    facts = (Fact(1, (Step(f"urn:{each}", each),), "text") for each in predicates)
    return DialoguePlan(tuple(TurnSpec(0, "literal", "topic", seat, fact) for fact in facts))


def test_of_two_drafts_the_one_is_taken_that_is_like_no_other_dialogue():
    done, alike, other = asking(*"abcd"), asking(*"abce"), asking(*"abef")
    assert alike.is_like(done) and done.is_like(alike) and not other.is_like(done)
    assert choose_plans([[alike, other]], {}, [done]) == (other,)
    assert choose_plans([[alike, other]], {}, [asking(*"efgh")]) == (alike,)


def test_a_mix_without_a_form_gives_it_no_weight():
    shares = form_shares(Options(mix=(("lookup", 60.0), ("superlative", 40.0))))
    assert set(shares) == {"lookup", "superlative", "position", "shift"}
    assert form_shares(Options(mix=(("superlative", 100.0),)))["lookup"] == 1.0  # others need it before them


def test_the_drafts_of_a_seed_take_turns_in_what_they_want_most():
    weights = {"lookup": 50.0, "count": 10.0, "filter": 4.0}
    drafts = [draft_weights(weights, ("count", "filter"), number) for number in range(3)]
    assert [draft["count"] for draft in drafts] == [100.0, 10.0, 100.0]
    assert [draft["filter"] for draft in drafts] == [4.0, 40.0, 4.0]
    assert drafts[1][LEAD] == 50.0  # a list is wanted as much as what selects from it


def test_what_few_seeds_are_able_to_give_is_asked_of_them_more_often():
    weights = form_weights(Options(), [{"count", "negation"}, {"count"}, {"count"}, {"count"}])
    assert weights["count"] == 10.0 and weights["negation"] == 12.0
