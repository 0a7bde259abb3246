from dataclasses import replace
from pathlib import Path

import pytest
from chattyshared.answers import AnswerLine
from chattyshared.formats.gold import GoldFile

from chattykg.comparison.plan import Cell
from chattykg.comparison.results import (
    agreement_rows,
    language_rows,
    measure_rows,
    note_rows,
    question_rows,
    system_rows,
)
from chattykg.evaluation.answer_matching import element_from_gold_texts
from chattykg.evaluation.comparison import EvaluationSet, compare_with_first
from chattykg.evaluation.metrics import Gold
from chattykg.evaluation.scorecard import Scorecard
from chattykg.evaluation.system_runs import Answers

COUNT = "SELECT (COUNT(?s) AS ?n) WHERE { ?s <urn:p> <urn:a> . ?s <urn:q> <urn:b> }"


def gold(id, question, answer, sparql="", answer_type="string"):
    elements = (element_from_gold_texts(answer),) if answer else ()
    return Gold(id, elements, question=question, sparql=sparql, answer_type=answer_type)


GOLD = (
    gold("1", "How many ships are there?", "3", COUNT, "number"),
    gold("2", "Is the Aurora a ship?", "true", "ASK { <urn:a> <urn:p> <urn:b> }", "boolean"),
    gold("3", "Who steers the ship that sails from the old harbor to the new one today?", "Ada"),
    gold("4", "Who steered her in the spring of that year?", "Bob"),
    gold("5", "Who is king?", ""),
)


def scored(graph, *systems, golds=GOLD):
    cards = []
    for name, said in systems:
        system = Answers(Path(name), {id: AnswerLine(id, answers=(text,)) for id, text in said.items()})
        cards.append(Scorecard(name, system, tuple((gold, system.answer_to(gold.id)) for gold in golds)))
    cells = tuple(Cell(name, graph, (), Path(name), Path("gold"), "") for name, _ in systems)
    return cells, EvaluationSet(GoldFile(Path("gold"), "questions", ()), tuple(cards), compare_with_first(cards))


RIGHT = {"1": "3", "2": "true", "3": "Ada", "4": "Bob"}
WRONG = {"1": "4", "2": "true", "3": "Eve", "5": "Zeus"}


def test_a_line_of_a_system_has_its_scores_and_its_test():
    first, second = system_rows([scored("ships", ("all", RIGHT), ("few", WRONG))], "all")
    assert (first["F1"], first["trust"], first["false answers"], first["difference"]) == (1.0, 0.8, 0.0, None)
    assert (second["n"], second["F1"], second["answered"], second["P@1"]) == (4, 0.25, 0.75, 0.25)
    assert (second["trust"], second["false answers"], second["difference"]) == (-0.4, 1.0, -0.75)
    assert 0.1 < second["p"] == second["p, Holm"] < 0.4


def test_two_sets_that_order_the_systems_alike_agree():
    half = {"1": "3", "2": "true"}
    alike = [scored(name, ("all", RIGHT), ("half", half), ("none", {})) for name in ("made", "asked")]
    (row,) = agreement_rows(alike)
    assert (row["one"], row["other"], row["systems"], row["n"], row["tau"]) == ("made", "asked", 3, 4, 1.0)
    low, high = row["interval"]
    assert low < 1.0 == high
    turned = scored("asked", ("none", {}), ("all", half), ("half", RIGHT))
    (row,) = agreement_rows([alike[0], turned])
    assert row["tau"] == pytest.approx(1 / 3)
    assert not list(agreement_rows([scored("made", ("all", RIGHT), ("few", WRONG))] * 2))
    cells, evaluation = alike[1]
    elsewhere = tuple(replace(cell, arguments=("--kg=other.ttl",)) for cell in cells)
    assert not list(agreement_rows([alike[0], (elsewhere, evaluation)]))


def test_agreement_needs_systems_that_differ():
    same = scored("made", ("a", RIGHT), ("b", RIGHT), ("c", RIGHT))
    (row,) = agreement_rows([same, same])
    assert (row["tau"], row["interval"]) == (None, None)


def test_notes_on_the_gold_and_on_the_answers_are_lines():
    cells, evaluation = scored("ships", ("all", RIGHT), ("few", WRONG))
    noted = replace(evaluation, notes=("1 question has no gold",), mismatched_systems=("few",))
    first, second, third = note_rows([(cells, noted)])
    assert first == {"graph": "ships", "note": "1 question has no gold"}
    assert second["note"].startswith("few: by their manifests these answers are to another file")
    assert third["note"] == "n = 4 is too small: p cannot be less than 0.1250"


def test_p_values_are_corrected_over_all_graphs():
    rows = system_rows([scored(graph, ("all", RIGHT), ("few", WRONG)) for graph in ("a", "b")], "all")
    assert [row["p, Holm"] for row in rows] == [None, 2 * rows[1]["p"], None, 2 * rows[3]["p"]]


def test_without_the_baseline_nothing_is_tested():
    rows = system_rows([scored("ships", ("some", RIGHT), ("few", WRONG))], "all")
    assert [row["p"] for row in rows] == [None, None]


def test_questions_are_told_apart_by_type_and_length():
    right, wrong = question_rows([scored("ships", ("all", RIGHT), ("few", WRONG))])
    assert [right[name] for name in ("factoid", "count", "boolean")] == ["2/2", "1/1", "1/1"]
    assert [wrong[name] for name in ("factoid", "count", "boolean")] == ["0/2", "0/1", "1/1"]
    assert [wrong[name] for name in ("short", "medium", "long")] == ["1/2", "0/1", "0/1"]
    assert (right["words"], right["predicates"]) == ((5 + 5 + 15 + 9) / 4, 1.5)


def test_gold_in_several_languages_has_a_line_for_each():
    assert list(language_rows([scored("ships", ("all", RIGHT))])) == []
    golds = tuple(replace(gold, lang="de" if gold.id == "3" else "en") for gold in GOLD)
    german, english = language_rows([scored("ships", ("few", WRONG), golds=golds)])
    assert german == {"graph": "ships", "system": "few", "language": "de", "n": 1, "f1": 0.0, "solved": 0}
    assert (english["language"], english["n"], english["solved"]) == ("en", 3, 1)


def test_the_measures_of_the_published_tables_are_there():
    right, wrong = measure_rows([scored("ships", ("all", RIGHT), ("few", WRONG))])
    assert {right[name] for name in ("precision", "recall", "F1, QALD macro", "MRR", "Hit@5", "exact")} == {1.0}
    assert (wrong["precision"], wrong["recall"], wrong["MRR"]) == (0.25, 0.25, 0.25)
    assert wrong["F1, QALD macro"] == 0.25  # a missing line has no precision
