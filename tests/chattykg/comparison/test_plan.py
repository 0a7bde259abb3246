from pathlib import Path

import pytest
from chattyshared.commands.group import toml_keys
from chattyshared.errors import ConfigError

from chattygen.cli.generate import generate
from chattykg.cli.answer import answer
from chattykg.comparison.plan import Plan, read_plan

GRAPH = """
[[graphs]]
name = "ships"
kg = "ships.ttl"
gold = "gold.jsonl"
"""
RULES = GRAPH + '[[systems]]\nname = "rules"\n'


def read(folder: Path, text: str) -> Plan:
    (folder / "gold.jsonl").write_text('{"id": "1", "question": "Who?", "answers": ["Ada"]}\n')
    plan = folder / "plan.toml"
    plan.write_text(text)
    return read_plan(plan, folder / "cells", toml_keys(answer), toml_keys(generate))


def test_a_cell_is_a_system_on_a_graph(tmp_path):
    plan = read(tmp_path, RULES)
    [cell] = plan.cells
    gold = (tmp_path / "gold.jsonl").resolve()
    assert (cell.name, cell.graph, cell.gold) == ("rules", "ships", gold)
    assert cell.output == tmp_path / "cells" / "ships--rules.jsonl"
    assert list(cell.arguments) == ["--kg=ships.ttl", f"--questions={gold}"]
    assert (plan.limits, plan.seed, plan.baseline) == ({}, 0, "rules")


def test_lists_cross_and_what_varies_is_in_the_name(tmp_path):
    plan = read(
        tmp_path,
        GRAPH + '[[systems]]\nname = "s"\ntheta = [1, 2]\ncard = [true, false]\nmode = "multi"\n',
    )
    assert [cell.name for cell in plan.cells] == [
        "s theta=1 card=on", "s theta=1 card=off", "s theta=2 card=on", "s theta=2 card=off",
    ]  # fmt: skip
    assert {"--set=theta=2", "--set=card=off", "--set=mode=multi"} <= set(plan.cells[3].arguments)
    assert len({cell.output for cell in plan.cells}) == 4


def test_a_system_inherits_key_by_key(tmp_path):
    text = (
        '[run]\ncache-dir = "cache"\n'
        + GRAPH
        + '[[systems]]\nname = "full"\ntheta = 2\ncard = true\nmode = "multi"\n'
        + '[[systems]]\nname = "no card"\nbase = "full"\ncard = false\nsay = "x"\n'
    )
    with pytest.raises(ConfigError, match="say"):
        read(tmp_path, text)
    last = read(tmp_path, text.replace('say = "x"\n', "")).cells[1].arguments
    assert {"--set=theta=2", "--set=card=off", "--set=mode=multi", "--cache-dir=cache"} <= set(last)


def test_a_table_gives_a_repeatable_option_its_parts(tmp_path):
    [cell] = read(tmp_path, GRAPH + '[[systems]]\nname = "s"\nprice = {"gpt-4.1" = "2,8"}\n').cells
    assert "--set=price=gpt-4.1=2,8" in cell.arguments


def test_a_list_in_a_list_gives_an_option_several_times(tmp_path):
    plan = read(tmp_path, GRAPH + '[[systems]]\nname = "s"\nmodel = ["rules", ["openai:a", "qir=openai:b"]]\n')
    assert [cell.name for cell in plan.cells] == ["s model=rules", "s model=openai:a+qir=openai:b"]
    assert {"--model=openai:a", "--model=qir=openai:b"} <= set(plan.cells[1].arguments)


def test_a_graph_has_its_benchmark_and_a_system_its_graphs(tmp_path):
    plan = read(
        tmp_path,
        RULES
        + 'graphs = "films"\nengine = "file:{graph}.json"\n'
        + '[[graphs]]\nname = "films"\nkg = ["a.ttl", "b.ttl"]\nbenchmark = "made turns=2"\n'
        + '[[benchmarks]]\nname = "made"\ngraphs = ["films"]\nturns = [2, 3]\nlang = [["en", "de"]]\n',
    )
    first, second, last = plan.cells
    assert [(cell.name, cell.graph, cell.gold is None) for cell in (first, second)] == [
        ("made turns=2", "films", True), ("made turns=3", "films", True),
    ]  # fmt: skip
    assert {"--kg=a.ttl", "--kg=b.ttl", "--turns=2", "--lang=en", "--lang=de"} <= set(first.arguments)
    assert (last.gold, last.graph) == (first.output, "films")
    assert {f"--benchmark={first.output}", "--engine=file:films.json"} <= set(last.arguments)


def test_languages_of_gold_are_graphs_of_their_own(tmp_path):
    plan = read(tmp_path, RULES.replace('kg = "ships.ttl"', 'kg = "ships.ttl"\nlang = ["en", "de"]'))
    assert [(cell.graph, cell.lang) for cell in plan.cells] == [("ships lang=en", "en"), ("ships lang=de", "de")]


@pytest.mark.parametrize(("text", "message"), [
    (RULES + "sed = 1\n", "systems: unknown 'sed'"),
    (RULES + "stratgy = 1\n", "systems: unknown 'stratgy'; did you mean strategy"),
    (RULES + "max-calls = 1\n", "systems: unknown 'max-calls'"),
    (RULES + '[[sistems]]\nname = "x"\n', "plan: unknown 'sistems'; did you mean systems?"),
    (RULES + '[[systems]]\nname = "rules"\n', "systems: each has a name of its own, not 'rules'"),
    (RULES + "[[systems]]\ntheta = 2\n", "systems: each has a name of its own, not None"),
    (RULES + 'base = "ruls"\n', "systems: base of rules: unknown 'ruls'"),
    (RULES + 'graphs = ["shops"]\n', "graphs of rules: unknown 'shops'; did you mean ships?"),
    (RULES + "theta = {a = 1}\n", "rules: theta takes one value"),
    (RULES + '[run]\nbaseline = "rule"\n', "run: baseline: unknown 'rule'; did you mean rules?"),
    (RULES + "[run]\nmax-calls = -1\n", "max_calls: -1 is not at least 0"),
    (RULES + '[run]\nmax-calls = "many"\n', "max_calls: 'many' is no integer"),
    (RULES + "[run]\nseed = [1]\n", "seed: [1] is no integer"),
    (RULES + "graphs = {a = 1}\n", "rules: graphs takes one value"),
    (RULES + "theta = []\n", "systems: theta has an empty list"),
    (RULES + "card = []\n", "systems: card has an empty list"),
    ("run = 3\n" + RULES, "run: unknown '3'"),
    ("systems = 3\n" + GRAPH, "systems: unknown '3'"),
    (RULES.replace("gold.jsonl", "none.jsonl"), "none.jsonl"),
    (GRAPH, "no cell: a system needs a graph with gold"),
    (RULES + '[[systems]]\nname = "rules:"\n[[systems]]\nname = "rules_"\n', "two cells have one name"),
    (RULES.replace('gold = "gold.jsonl"', 'benchmark = "made"'), "graphs: benchmark of ships: unknown 'made'"),
    ("systems = [", "is no TOML"),
])  # fmt: skip
def test_what_is_no_plan_is_refused_with_its_place(tmp_path, text, message):
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, text)
    assert message in str(refused.value) and str(tmp_path) in str(refused.value)
