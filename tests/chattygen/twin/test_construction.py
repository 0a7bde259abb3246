"""A twin of a graph and its benchmark, and the command that writes it."""

import json
from dataclasses import replace

import pytest
from chattyshared.benchmark import Benchmark, read_benchmark
from chattyshared.dialogue import Dialogue, LinkName, Seed, Turn, Value
from chattyshared.errors import ConfigError
from chattyshared.kg.factory import open_kg
from click.testing import CliRunner
from rdflib import XSD
from ship_graph import ships
from vessel_talk import SHORT, TALK, vessels

from chattygen.cli import main
from chattygen.snapshot.reproduction import reproduce_gold
from chattygen.twin.construction import make_twin

SOUND = (TALK, replace(SHORT, turns=SHORT.turns[:3]))


@pytest.fixture
def paths(tmp_path):
    (tmp_path / "ships.ttl").write_text(ships(), encoding="utf-8")
    return tmp_path / "ships.ttl", vessels(tmp_path, dialogues=SOUND), tmp_path / "twin"


def run(graph, benchmark, folder, *more):
    arguments = ("twin", "--kg", graph, "--benchmark", benchmark, "-o", folder, *more)
    return CliRunner().invoke(main, list(map(str, arguments)), prog_name="chattygen")


def test_the_twin_reproduces_its_own_gold_which_differs_from_the_original(paths):
    graph, benchmark, folder = paths
    done = run(*paths)
    assert done.exit_code == 0, done.output
    twin, original = read_benchmark(folder / "benchmark.jsonl"), read_benchmark(benchmark)
    kg = open_kg(folder / "graph.nt")
    assert not reproduce_gold(kg, twin).differing and kg.count_triples() == 180
    stated = twin.header["twin"]
    assert stated["of"] == original.digest() and twin.fingerprint == kg.fingerprint() != original.fingerprint
    swaps = [json.loads(line) for line in (folder / "swaps.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(swaps) == stated["swapped"] and all(swap["old"] != swap["new"] for swap in swaps)
    assert "d0001/1" not in stated["unchanged"] and "d0002/3" in stated["unchanged"]
    assert f"{folder}: {len(swaps)} facts changed; " in done.output


def test_equal_seeds_give_equal_bytes_and_another_seed_other_facts(paths, tmp_path):
    graph, benchmark, _ = paths
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert run(graph, benchmark, tmp_path / name, "--seed", seed).exit_code == 0
    texts = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "abc"]
    assert texts[0] == texts[1] and texts[0]["swaps.jsonl"] != texts[2]["swaps.jsonl"]


def test_a_graph_that_is_too_small_to_swap_is_refused_with_the_predicates(open_turtle, paths):
    one = open_turtle("@prefix : <https://ships.example/> . @prefix v: <https://ships.example/vocab/> . "
                      ":Albatross a v:Ship ; v:commandedBy :Ada_Holt .")  # fmt: skip
    benchmark = read_benchmark(vessels(paths[0].parent, "one.jsonl", (replace(TALK, turns=TALK.turns[:1]),)))
    with pytest.raises(
        ConfigError, match=r"^nothing can be swapped: no tested fact has a partner of commanded by <.*> \(1\)$"
    ):
        make_twin(one, benchmark)


def test_a_folder_with_files_is_kept(paths):
    graph, benchmark, folder = paths
    assert run(graph, benchmark, folder.parent).exit_code == 2
    folder.mkdir()
    (folder / "mine").touch()
    done = run(*paths)
    assert done.exit_code == 2 and "is not empty" in done.output
    assert run(*paths, "--overwrite").exit_code == 0 and (folder / "mine").exists()


S, V = "https://shop.example/", "https://shop.example/v/"
UNLABELLED = f"@prefix : <{S}> . @prefix v: <{V}> . " + "".join(
    f":order-{1040 + n} a v:Order ; v:number {1040 + n} ; v:placedBy :customer-{n % 4} . "
    f":customer-{n % 4} a v:Customer ; v:city :city-{n % 4} . :city-{n % 4} a v:City . "
    for n in range(8)
)


def ask(turn: int, question: str, standalone: str, path: str, *answers: Value, link: LinkName = "topic") -> Turn:
    sparql = f"SELECT ?x WHERE {{ {path} ?x }}"
    return Turn(turn, question, standalone, "lookup", link, "resource", True, "easy", sparql, answers)


def test_things_without_labels_are_named_by_their_keys_on_both_graphs(open_turtle):
    customer = Value(S + "customer-1", "iri", label="customer 1")
    turns = (
        ask(1, "Who placed order 1041?", "Who placed order 1041?", f"<{S}order-1041> <{V}placedBy>", customer,
            link="opens"),
        ask(2, "What city is that in?", "What city is customer 1 in?", f"<{S}customer-1> <{V}city>",
            Value(S + "city-1", "iri", label="city 1"), link="answer"),
        ask(3, "And the order's number?", "What is the number of order 1041?", f"<{S}order-1041> <{V}number>",
            Value("1041", "number", datatype=str(XSD.integer))),
    )  # fmt: skip
    talk = Dialogue("d0001", Seed(S + "order-1041", "order 1041", V + "Order"), turns)
    made = make_twin(open_turtle(UNLABELLED), Benchmark({"name": "shop"}, (talk,)))
    who, where, number = made.benchmark.dialogues[0].turns
    assert who.answers[0].value != customer.value and where.standalone == f"What city is {who.answers[0].label} in?"
    assert f"<{who.answers[0].value}>" in where.sparql
    assert [value.value for value in number.answers] == ["1041"]
    assert made.benchmark.header["twin"]["naming"] == {f"number <{V}number>": 1}
