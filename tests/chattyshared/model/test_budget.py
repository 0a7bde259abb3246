from __future__ import annotations

import logging
import math
from concurrent.futures import ThreadPoolExecutor

import pytest
from chattyshared.errors import BudgetSpent, ConfigError, ModelRefused
from chattyshared.model import Completion, Message, Request, Usage, usage_from_report
from chattyshared.model.budget import Budget, BudgetedEndpoint, BudgetedModel, Meter
from chattyshared.model.cost_estimate import ModelCostEstimate, estimate_cost
from chattyshared.model.prices import Price, Prices, with_price
from chattyshared.model.spend_log import Spending, SpendLog
from hypothesis import given
from hypothesis import strategies as st
from wire.still_clock import StillClock

ASKED = Request("a", (Message("user", "x" * 400),))
PRICE = Price(10, 20)


class Model:
    name = "openai:m"

    def __init__(self, said=None):
        self.said, self.asked = said or Completion("x", Usage(1, 100, 50)), 0

    def complete(self, request):
        self.asked += 1
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


class Graph:
    name = "g"

    def select(self, query):
        return []

    def ask(self, query):
        return True

    def untrusted_view(self, stop: object = None):
        return self


def asked_until_spent(budget, price=PRICE, most=20):
    model, meter = Model(), Meter(budget, clock=StillClock())
    budgeted = BudgetedModel(model, meter, price)
    with pytest.raises(BudgetSpent) as caught:
        for _ in range(most):
            budgeted.complete(ASKED)
    assert meter.is_set()
    assert meter.stop_reason() == str(caught.value)
    return model.asked, str(caught.value)


HIGHER = "a higher limit lets it go on"


@pytest.mark.parametrize(
    ("budget", "calls", "limit"),
    [
        (Budget(calls=3), 3, "3 calls of the model"),
        (Budget(tokens=450), 3, "450 tokens"),
        (Budget(usd=0.006), 3, "0.006 USD"),
        (Budget(calls=0), 0, "0 calls of the model"),
    ],
)
def test_a_limit_stops_the_next_call(budget, calls, limit):
    asked, said = asked_until_spent(budget)
    assert asked == calls
    spent = f"{calls} calls, {150 * calls} tokens" + (f", {0.002 * calls:.4f} USD" if calls else "")
    assert said == f"the limit of {limit} is reached ({spent}, 0 queries); {HIGHER}"


def test_a_limit_of_minutes():
    clock = StillClock()
    meter = Meter(Budget(minutes=2), clock=clock)
    model = BudgetedModel(Model(), meter, PRICE)
    model.complete(ASKED)
    clock.sleep(119)
    assert (meter.is_set(), meter.stop_reason()) == (False, "")
    clock.sleep(1)
    with pytest.raises(BudgetSpent, match="the limit of 2 minutes is reached"):
        model.complete(ASKED)


def test_a_limit_of_queries_counts_foreign_ones_too():
    meter = Meter(Budget(queries=3))
    graph = BudgetedEndpoint(Graph(), meter)
    assert (graph.name, graph.select("q"), graph.ask("q"), graph.untrusted_view().ask("q")) == ("g", [], True, True)
    with pytest.raises(BudgetSpent, match="the limit of 3 queries is reached"):
        graph.ask("q")
    assert meter.spent.queries == 3
    assert meter.is_set()


def test_many_workers_never_make_more_calls_than_allowed():
    model, meter = Model(), Meter(Budget(calls=25))

    def ask(_):
        try:
            return BudgetedModel(model, meter).complete(ASKED)
        except BudgetSpent:
            return None

    with ThreadPoolExecutor(8) as pool:
        done = [found for found in pool.map(ask, range(60)) if found]
    assert (len(done), model.asked) == (25, 25)


def test_calls_in_flight_are_counted_at_their_likely_size():
    meter = Meter(Budget(tokens=450))
    meter.end_call(meter.begin_call(Usage(1, 100)), Usage(1, 100, 50))
    flying = [meter.begin_call(Usage(1, 100)) for _ in range(2)]
    with pytest.raises(BudgetSpent):
        meter.begin_call(Usage(1, 100))
    for expected in flying:
        meter.end_call(expected, None)
    assert meter.spent.tokens == 150
    meter.begin_call(Usage(1, 100))


def test_what_was_declined_is_paid_too():
    meter = Meter()
    model = BudgetedModel(Model(ModelRefused("no", usage=Usage(1, 100, 5))), meter, PRICE)
    with pytest.raises(ModelRefused) as caught:
        model.complete(ASKED)
    assert meter.spent.usage == caught.value.usage == Usage(1, 100, 5, 0, meter.spent.usage.usd)
    assert meter.spent.usage.usd == pytest.approx(0.0011)


def test_an_unknown_price_is_said_once_and_breaks_nothing(caplog):
    meter = Meter(Budget(usd=1))
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            assert BudgetedModel(Model(), meter).complete(ASKED).usage.usd is None
    assert [record.getMessage() for record in caplog.records] == [
        "no price of openai:m is known: --max-usd cannot count it; --set price=openai:m=PROMPT,REPLY (dollars a "
        "million tokens) says one"
    ]
    caplog.clear()
    BudgetedModel(Model(), Meter(Budget(calls=9))).complete(ASKED)
    assert caplog.records == []


def test_a_resumed_run_counts_on(tmp_path):
    clock = StillClock()
    file = tmp_path / "out.spent.jsonl"
    meter = Meter(Budget(calls=3), SpendLog(file), clock=clock)
    BudgetedModel(Model(), meter, PRICE).complete(ASKED)
    meter.count_query()
    clock.sleep(30)
    BudgetedModel(Model(), meter, PRICE).complete(ASKED)
    with file.open("a") as torn:  # the first run is killed here, in the middle of a line
        torn.write('{"calls": 1, "prom')
    again = Meter(Budget(calls=3, minutes=1), SpendLog(file), clock=clock)
    assert again.spent == Spending(Usage(2, 200, 100, 0, again.spent.usage.usd), 1, 30.0)
    assert again.spent.usage.usd == pytest.approx(0.004)
    clock.sleep(29)
    BudgetedModel(Model(), again, PRICE).complete(ASKED)
    with pytest.raises(BudgetSpent, match=rf"3 calls, 450 tokens, 0.0060 USD, 1 queries, counted in {file}\)"):
        BudgetedModel(Model(), again, PRICE).complete(ASKED)
    again.close()
    meter.close()
    assert SpendLog(file).earlier_spending.usage.calls == 3
    assert SpendLog(file, replace_existing=True).earlier_spending == Spending()


def test_a_run_that_costs_nothing_leaves_no_file(tmp_path):
    meter = Meter(Budget(), SpendLog(tmp_path / "spent.jsonl"))
    meter.count_query()
    meter.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "content",
    ["{broken\n", "[]\n", '{"calls": 1}\n', '{"queries": "x", "seconds": 1}\n', '{"queries": -1, "seconds": 1}\n',
     '{"queries": 1, "seconds": -1}\n', '{"queries": 1, "seconds": NaN}\n',
     '{"queries": 1, "seconds": 1, "prompt_tokens": -500}\n', '{"queries": 1, "seconds": 1, "calls": "2"}\n',
     '{"queries": 1, "seconds": 1, "calls": 1.5}\n', '{"queries": 1, "seconds": 1, "usd": -3}\n',
     '{"queries": 1, "seconds": 1, "usd": NaN}\n', '{"queries": 1, "seconds": 1, "usd": "1"}\n',
     '{"queries": 1, "seconds": 1, "usd": 1e308}\n' * 2, '{"queries": 1, "seconds": 1e308}\n' * 2],
)  # fmt: skip
def test_a_file_that_tells_no_spending(tmp_path, content):
    file = tmp_path / "spent.jsonl"
    file.write_text(content)
    with pytest.raises(ConfigError, match=r"spent.jsonl does not tell what was spent .*--overwrite$"):
        SpendLog(file)


def test_cached_tokens_cost_less():
    usage = Usage(1, 1_000_000, 100_000, 400_000)
    assert Price(10, 20).cost_of(usage) == pytest.approx(10 + 2)
    assert Price(10, 20, 1).cost_of(usage) == pytest.approx(6 + 0.4 + 2)
    assert with_price(usage, Price(10, 20, 1)).usd == pytest.approx(8.4)
    assert with_price(usage, None).usd is None
    assert with_price(Usage(1, 1, 1, 0, 0.5), Price(10, 20, read="2026-09")).usd == 0.5


def test_a_price_that_the_user_states_is_the_least_that_counts():
    price = Prices.parse(["m=10,20"]).price_of_model("openai:m")
    assert with_price(Usage(1, 1_000_000, 0, 0, 0.0), price).usd == 10
    assert with_price(Usage(1, 1_000_000, 0, 0, 12.5), price).usd == 12.5


@pytest.mark.parametrize(
    ("spec", "base_url", "known"),
    [
        ("openai:gpt-4o", None, True),
        ("openai:gpt-4o-mini", None, True),
        ("openai:gpt-4o", "https://api.openai.com/v1", True),
        ("openai:gemini-2.5-flash", "https://generativelanguage.googleapis.com/v1beta/openai/", True),
        ("gemini:models/gemini-2.5-flash", None, True),
        ("openai:deepseek-chat", "https://api.deepseek.com", True),
        ("rules", None, False),
    ],
)
def test_which_prices_are_known(spec, base_url, known):
    assert (Prices().price_of_model(spec, base_url) is not None) is known


def test_a_small_model_is_not_taken_for_its_big_sister():
    big, small = (Prices().price_of_model(f"openai:{name}") for name in ("gpt-4o", "gpt-4o-mini-2024-07-18"))
    assert small.prompt < big.prompt
    assert small.read >= "2025"


def test_prices_that_the_user_says_come_first():
    prices = Prices.parse(["gpt-4o=1,2", "openai:llama3:8b=0,0", "x=1,0.1,2"])
    assert prices.price_of_model("openai:gpt-4o") == Price(1, 2)
    assert prices.price_of_model("openai:llama3:8b", "http://localhost") == Price(0, 0)
    assert prices.price_of_model("gemini:x") == Price(1, 2, 0.1)
    assert prices.price_of_model("openai:y") is None
    assert Prices.parse(["3,4"]).price_of_model("openai:y") == Price(3, 4)


@pytest.mark.parametrize(
    "said", ["gpt-4o", "m=1", "m=a,b", "m=-1,2", "m=nan,1", "m=inf,1", "m=1e300,1", "m=1,2,3,4", ""]
)
def test_prices_that_are_mistyped(said):
    with pytest.raises(ConfigError, match=r"^price=.*: not MODEL=PROMPT,REPLY"):
        Prices.parse([said])


def test_a_forecast_scales_what_a_part_took():
    found = estimate_cost(Usage(30, 30_000, 3_000, estimated=True), 3, 200, Price(2, 8))
    assert (found.calls, found.prompt_tokens, found.reply_tokens) == (2_000, 2_000_000, 200_000)
    assert found.usd == pytest.approx(5.6)
    assert found.render_summary().startswith(
        "about 2000 calls, 2000000 tokens of prompts, 200000 tokens of replies; about 5.60 USD"
    )
    assert "price=" in estimate_cost(Usage(1), 1, 1, None).render_summary()
    with pytest.raises(ValueError, match="nothing was done"):
        estimate_cost(Usage(), 0, 5, None)


@pytest.mark.parametrize(
    ("usd", "said"),
    [(0.0, "about 0.00 USD"), (0.00001, "less than 0.0001 USD"), (0.0052, "about 0.0052 USD"), (5.6, "about 5.60 USD")],
)
def test_less_than_a_cent_is_not_told_as_nothing(usd, said):
    assert f"; {said} (" in ModelCostEstimate(1, 1, 1, usd).render_summary()


@pytest.mark.parametrize(
    "numbers",
    [{"calls": -1}, {"prompt_tokens": -1}, {"completion_tokens": -1}, {"cached_tokens": -1}, {"prompt_tokens": 1.0},
     {"prompt_tokens": math.nan}, {"calls": "1"}, {"usd": -0.1}, {"usd": math.nan}, {"usd": math.inf}, {"usd": "1"}],
)  # fmt: skip
def test_no_usage_makes_a_sum_less(numbers):
    with pytest.raises(ValueError, match="^no (number of calls and tokens|price): "):
        Usage(**numbers)


@given(
    st.dictionaries(
        st.sampled_from(["prompt_tokens", "completion_tokens", "cached_tokens", "usd"]),
        st.integers() | st.floats() | st.text() | st.booleans() | st.none() | st.lists(st.integers(), max_size=2),
    )
)
def test_whatever_a_provider_reports_adds_to_the_sum(reported):
    usage = usage_from_report(reported, 400, "x" * 40)
    assert usage.calls == 1 and usage.prompt_tokens > 0 and usage.completion_tokens > 0
    meter = Meter(Budget(tokens=1000))
    BudgetedModel(Model(Completion("x", usage)), meter, PRICE).complete(ASKED)
    assert meter.spent.usage.usd >= 0
