from collections import Counter
from random import Random

from chattygen.planning.form_quotas import form_shares, form_weights, sample_requests
from chattyshared.question_forms import SET_FORMS

from chattygen.options import Options
from chattygen.planning.plan import DialoguePlan
from chattygen.planning.plan_selection import choose_plans, turn_targets

ABLE = (*SET_FORMS, "count", "boolean", "two-hop", "comparison", "unanswerable", "answer", "shift", "position")


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


def test_a_scarce_form_is_taken_wherever_it_is_on_offer():
    poor, rich = [plan(lookup=5)], [plan(lookup=5), plan(lookup=4, negation=1)]
    chosen = choose_plans([poor, rich, poor, rich], {"lookup": 17, "negation": 3}, {})
    assert total(chosen) == {"lookup": 18, "negation": 2}


def test_true_and_false_are_balanced_over_the_plans_and_with_those_before():
    drafts = [[plan(boolean=1, true=1), plan(boolean=1, false=1)]] * 20
    tally = total(choose_plans(drafts, {"boolean": 20}, {}))
    assert abs(tally["true"] - tally["false"]) <= 1
    after = total(choose_plans(drafts, {"boolean": 26}, {"boolean": 6, "true": 6}))
    assert abs(after["true"] + 6 - after["false"]) <= 1


def test_a_mix_without_a_form_never_asks_for_it():
    options = Options(mix=(("lookup", 60.0), ("superlative", 40.0)))
    forms = {
        want.form for n in range(40) for want in sample_requests(ABLE, form_shares(options), options, Random(n), n)
    }
    assert forms <= {"superlative", "position", "shift", "answer"}


def test_what_few_seeds_are_able_to_give_is_asked_of_them_more_often():
    weights = form_weights(Options(), [("count", "negation"), ("count",), ("count",), ("count",)])
    assert weights["count"] == 10.0 and weights["negation"] == 12.0
