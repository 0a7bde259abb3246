"""Memory and grounding: the answers of one system on a graph and on its twin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.answers import AnswerLine
from chattyshared.benchmark import Benchmark, make_header
from chattyshared.dialogue import Dialogue, Seed, Turn, Value
from chattyshared.errors import ConfigError
from chattyshared.figures import Estimate, render_rows_of_figures, values_to_json
from chattyshared.formats.gold import GoldFile

from chattykg.evaluation.memorization import (
    TWIN,
    check_twin,
    measure_memorization,
)
from chattykg.evaluation.system_runs import Answers

IRI = "https://chatty.example/"


def gold(*answers: str, twin_of: str = "") -> GoldFile:
    """Return a benchmark of a dialogue a turn; a text of several letters is a turn with several answers."""
    generate = {"options": {}, "seed": 0, "model": "rules", "prompts": {}, "versions": {}}
    header = make_header("t", sources=["t.ttl"], fingerprint="0", triples=1, generate=generate)
    dialogues = tuple(
        Dialogue(f"d{n}", Seed(IRI + "Seed", "Seed", ""), (
            Turn(1, "Q?", "Q?", "object", "opens", "x", bool(text), "easy", "SELECT ?x {}",
                 tuple(Value(IRI + letter, "iri", label=letter) for letter in text)),
        ))
        for n, text in enumerate(answers)
    )  # fmt: skip
    marked = {**header, "twin": {"of": twin_of}} if twin_of else header
    return GoldFile(Path("b.jsonl"), "benchmark", Benchmark(marked, dialogues))


def answered(*answers: str) -> Answers:
    lines = (AnswerLine(f"d{n}/1", answers=tuple(IRI + each for each in text)) for n, text in enumerate(answers))
    return Answers(Path("a.jsonl"), {str(line.id): line for line in lines})


def test_who_reads_the_graph_and_who_remembers():
    original, twin = gold("A", "B", "C", "D"), gold("E", "F", "G", "D")
    figures = measure_memorization(original, answered("A", "B", "C", "D"), twin, answered("E", "B", "X", "D"))
    assert (figures["turns"], figures["same_gold"], figures["left_out"]) == (3, 1, 0)
    assert {name: value.value for name, value in figures.items() if isinstance(value, Estimate)} == pytest.approx(
        {"f1_original": 1, "grounding": 1 / 3, "drop": 2 / 3, "memory": 1 / 3, "neither": 1 / 3}
    )
    assert figures["memory"].interval == (0, 1)


def test_what_belongs_to_both_golds_is_no_memory():
    original, twin = gold("AB"), gold("BC")
    figures = measure_memorization(original, answered("AB"), twin, answered("BC"))
    assert (figures["grounding"].value, figures["memory"].value) == (1, 0)
    figures = measure_memorization(original, answered("AB"), twin, answered("AB"))
    assert figures["memory"].value == 1 and 0 < figures["grounding"].value < 1 and figures["neither"].value == 0


def test_a_missing_answer_is_neither_and_turns_that_the_twin_lacks_are_counted():
    original, twin = gold("A", "B", ""), gold("E")
    figures = measure_memorization(original, answered("A", "B"), twin, Answers(Path("a.jsonl"), {}))
    assert (figures["turns"], figures["left_out"], figures["neither"].value) == (1, 1, 1)


def test_gold_that_is_a_part_of_the_other_gold_does_not_count():
    with pytest.raises(ConfigError, match="no turn has another gold"):
        measure_memorization(gold("AB"), answered("A"), gold("A"), answered("A"))


def test_names_match_labels_for_systems_without_iris():
    names = Answers(Path("a"), {"d0/1": AnswerLine("d0/1", answers=("A",))}, {"engine": {"says": "names"}})
    figures = measure_memorization(gold("A"), names, gold("E"), names)
    assert [figures[name].value for name in ("f1_original", "memory", "grounding")] == [1, 1, 0]


def test_only_the_twin_of_this_benchmark_is_compared():
    original = gold("A")
    assert isinstance(original.content, Benchmark)
    check_twin(original, gold("B", twin_of=original.content.digest()))
    for other in (gold("B"), gold("B", twin_of="0" * 16)):
        with pytest.raises(ConfigError, match="b.jsonl is no twin of b.jsonl as it is now"):
            check_twin(original, other)
    with pytest.raises(ConfigError, match="no other files of questions"):
        check_twin(replace(original, content=()), original)


def test_the_turns_that_do_not_count_are_named_and_add_up():
    original, twin = gold("A", "B", "", "D"), gold("E", "B", "")
    figures = measure_memorization(original, answered("A", "B", "", "D"), twin, answered("E", "B", ""))
    assert [figures[name] for name in ("turns", "same_gold", "left_out", "unanswerable")] == [1] * 4


def test_figures_as_text_and_as_json():
    figures = measure_memorization(gold("A", "B"), answered("A", "B"), gold("E", "F"), answered("A", "F"))
    rows = dict(render_rows_of_figures((TWIN,), [figures]))
    assert rows["memory: F1 of the answers on the twin against the original gold"] == ("0.500 [0.000, 1.000]",)
    data = values_to_json(figures)
    assert (data["turns"], data["memory"], data["intervals"]["drop"]) == (2, 0.5, [0.0, 1.0])
