from collections import Counter
from collections.abc import Mapping

from rdflib import URIRef

from chattygen.context.facts import Entity, Fact, Step
from chattygen.options import Options
from chattygen.planning.plan import DialoguePlan
from chattygen.planning.plan_selection import choose_plans, turn_targets
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


def test_more_may_be_asked_of_whole_classes_where_a_mix_wants_more_selections():
    default, more = Options(), Options(mix=(("lookup", 60.0), ("superlative", 40.0)))
    assert turn_targets(default, 0, 100)["class"] == 20 and turn_targets(more, 0, 100)["class"] == 200
    few, many = plan(lookup=5, **{"class": 1}), plan(lookup=5)
    assert choose_plans([[few, many]], {"lookup": 5, "class": 3}, ()) == (few,)  # a limit: fewer are as good


def test_a_slot_is_drafted_again_by_what_the_others_leave_to_be_asked():
    asked_for = []

    def redraft(slot: int, wanted: Mapping[str, float], asked: Mapping[str, int]) -> list[DialoguePlan]:
        asked_for.append((slot, wanted["count"], dict(asked)))
        return [plan(lookup=4, count=1)] if wanted["count"] > 0 else []

    drafts = [[plan(lookup=5)], [plan(lookup=5)], [asking(*"ab")]]
    chosen = choose_plans(drafts, {"lookup": 8, "count": 2}, [plan(lookup=1)], redraft)
    assert total(chosen) == {"lookup": 8, "count": 2}
    assert [wanted for _, wanted, _ in asked_for[:3]] == [2 / 3, 1, 1]  # a third of it, a half of it, all of it
    assert asked_for[3][2] == {"urn:a": 1, "urn:b": 1}  # what all others ask
