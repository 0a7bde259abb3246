from __future__ import annotations

import json
from dataclasses import replace
from math import log2
from pathlib import Path

import pytest
from chattyshared.errors import BenchmarkInvalid, ConfigError
from chattyshared.figures import values_to_json
from chattyshared.kg import KnowledgeGraph
from chattyshared.sparql.analysis import parse_query_shape
from vessel_talk import SHORT, TALK, V, vessels

from chattygen.stats import BenchmarkSource, compute_figures, open_source
from chattygen.stats.kg_coverage import js_divergence
from chattygen.stats.measurement import maestro_complexity
from chattygen.stats.sources import read_timing


def test_divergence_is_symmetric_and_between_0_and_1() -> None:
    one, other = {"a": 0.5, "b": 0.5}, {"b": 1.0}
    assert js_divergence(one, one) == 0
    assert js_divergence({"a": 1.0}, {"b": 1.0}) == 1
    assert js_divergence(one, other) == js_divergence(other, one)
    assert js_divergence(one, other) == pytest.approx(0.25 + 0.25 * log2(2 / 3) + 0.5 * log2(4 / 3))


def test_a_query_that_cannot_be_read_is_counted_as_such() -> None:
    broken = replace(SHORT, turns=(replace(SHORT.turns[0], sparql="SELECT COUNT(?x) WHERE { ?x ?p 1 }"),))
    figures = compute_figures(BenchmarkSource(Path("broken.jsonl"), "broken", (broken,)))
    assert (figures["queries.read"], figures["queries.unread"]) == (0, 1)


def test_complexity_is_maestros_formula() -> None:
    turn = TALK.turns[3]
    shape = parse_query_shape(turn.sparql)
    assert shape is not None
    # 11 words, 3 triples, and the keywords select, where, orderby, desc(, limit
    assert maestro_complexity(turn, shape) == round(11 * 3 * 5 / 300, 3)
    lengthy = replace(turn, standalone="word " * 100)
    assert maestro_complexity(lengthy, shape) == 1.0


def test_a_file_is_measured_with_what_lies_beside_it(tmp_path: Path) -> None:
    path = vessels(tmp_path)
    rejected = [{"stage": "seed", "error": "seed"}, {"stage": "query", "error": "query JSON", "usage": {"calls": 3}}]
    path.with_name("vessels.jsonl.rejected.jsonl").write_text("".join(json.dumps(line) + "\n" for line in rejected))
    events = [
        {"kind": "query", "span": "d0001", "seconds": 1.0, "at": 10.0},
        {"kind": "model", "span": "d0001", "seconds": 2.0, "at": 10.5},
        {"kind": "query", "span": "d0002", "seconds": 1.0, "at": 90_000.0},
    ]
    path.with_name("vessels.jsonl.trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in events))
    costs = values_to_json(compute_figures(open_source(path)))["costs"]
    assert costs["seeds"] == {"used": 3, "success": 0.6667, "errors": {"query JSON": 1}, "untried": 1}
    assert (costs["calls"], costs["prompt_tokens"], costs["usd"]) == (5, 500, 0.03)
    timing = costs["timing"]
    assert timing["seconds"] == pytest.approx(3.0), "8.5 to 10.5 with the query within it, and a second next day"
    assert (timing["model_seconds"], timing["query_seconds"], timing["queries"]) == (2.0, 2.0, 2)
    assert timing["queries_per_dialogue"] == 1


def test_the_graphs_fingerprint_tells_whether_it_is_the_same(ships_kg: KnowledgeGraph, tmp_path: Path) -> None:
    source = open_source(vessels(tmp_path))
    header = {**source.header, "kg": {"fingerprint": ships_kg.fingerprint(), "sources": []}}
    assert compute_figures(replace(source, header=header), ships_kg)["ground.is_same"]


def published(folder: Path) -> Path:
    item = {
        "seed_entity": "https://ships.example/Iris", "seed_label": "Iris",
        "dialogue": ["Who commanded Iris?", "Is it long?"], "original": ["Who commanded Iris?", "Is Iris long?"],
        "queries": [f"SELECT ?c WHERE {{ <https://ships.example/Iris> <{V}commandedBy>?c }}",
                    f"ASK {{ <https://ships.example/Iris> <{V}length_m> ?l }}"],
        "triples": [[["Iris", "commandedBy", ""]], [["Iris", "length", ""]]],
        "cost": {"total_tokens": 30, "prompt_tokens": 20, "completion_tokens": 10},
    }  # fmt: skip
    run = {"seeds_used": 4, "data": [item], "total_time": 9.5, "Question Validation Error": 2, "Sparql Json Error": 1}
    path = folder / "ships_e11_1_2.json"
    path.write_text(json.dumps(run), encoding="utf-8")
    return path


def test_of_a_published_file_only_what_it_states_is_told(tmp_path: Path) -> None:
    figures = values_to_json(compute_figures(open_source(published(tmp_path))))
    talk, costs = figures["talk"], figures["costs"]
    assert (talk["dialogues"], talk["turns"]) == (1, 2)
    assert (talk["on_answer"], talk["answerable"], talk["false_asks"]) == (None, None, None)
    assert (talk["links"], talk["difficulty"], talk["answer_types"]) == ({}, {}, {})
    assert talk["forms"]["boolean"] == 1 and figures["queries"]["read"] == 2
    assert costs["seeds"]["success"] == 0.25
    assert costs["seeds"]["errors"] == {"Question Validation": 2, "Sparql Json": 1}
    assert costs["timing"]["seconds"] == 9.5


def test_what_is_no_benchmark_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text('{"question": "Who?"}\n', encoding="utf-8")
    with pytest.raises(BenchmarkInvalid, match="header is missing"):
        open_source(other)
    with pytest.raises(ConfigError):
        open_source(tmp_path / "none.jsonl")
    bare = tmp_path / "bare.json"
    bare.write_text("{}", encoding="utf-8")
    with pytest.raises(BenchmarkInvalid):
        open_source(bare)


def test_a_first_query_is_wrong_if_its_reply_was_refused_for_it(tmp_path: Path):
    def asked(agent: str, attempt: int, *rules: str) -> list[dict[str, object]]:
        call = {"kind": "model", "seconds": 1, "at": 1, "data": {"agent": agent, "attempt": attempt}}
        note = {"kind": "note", "data": {"agent": agent, "attempt": attempt, "problems": rules}}
        return [call, note] if rules else [call]

    trace = tmp_path / "t.jsonl"
    events = [
        *asked("generate/query", 1, "result"), *asked("generate/query", 2), *asked("generate/query", 1),
        *asked("generate/single_shot", 1, "dialogue/repeated"), *asked("generate/single_shot", 1, "query/result"),
        *asked("generate/dialogue", 1, "json"),
    ]  # fmt: skip
    trace.write_text("".join(json.dumps(event) + "\n" for event in events), "utf-8")
    timing = read_timing(trace, 1)
    assert (timing["right_first_queries"], timing["first_queries"]) == (2, 4)


MAESTRO = [
    {"seed_withPrefix": V + "Iris", "seedType_withPrefix": V + "Ship", "questionString": "Who commanded the Ship Iris?",
     "query": f"SELECT DISTINCT ?Seed WHERE{{\n\t<{V}Iris>\t<{V}captain>\t?Seed .\n}}", "answers": [V + "Ada"],
     "shapeType": "SINGLE_EDGE", "qustionComplexity": 0.05},
    {"questionString": "Was the Ship Iris built in 1900?", "query": f"ASK WHERE{{ <{V}Iris> <{V}year> 1900 }}",
     "answers": ["true"]},
]  # fmt: skip


def test_a_file_of_maestro_is_dialogues_of_one_turn(tmp_path: Path) -> None:
    path = tmp_path / "Smart_1.json"
    path.write_text(json.dumps(MAESTRO, indent=1), encoding="utf-8")
    figures = values_to_json(compute_figures(open_source(path)))
    assert (figures["talk"]["dialogues"], figures["talk"]["turns_per_dialogue"]) == (2, {"1": 2})
    assert figures["queries"]["shapes"] == {"single edge": 2}
    assert figures["queries"]["complexity"]["most"] == pytest.approx(MAESTRO[0]["qustionComplexity"])
    assert figures["seed_types"] == {V + "Ship": 1}
