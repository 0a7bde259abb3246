"""Samples in a terminal: a line a question, single turns in full, and narrow windows."""

from chattyshared.answers import AnswerLine
from chattyshared.dialogue import Value
from chattyshared.pages.sample_text import (
    MAX_SHOWN_VALUES,
    join_values,
    render_dialogue,
    render_dialogues,
    render_sample,
)
from chattyshared.pages.samples import Sample, SampleAnswer, group_by_dialogue, samples_of_dialogues
from vessel_talk import DIALOGUES

SHIPS = tuple(Value(f"https://ships.example/{number}", "iri", label=f"Ship {number}") for number in range(40))
RIGHT = SampleAnswer("ours", AnswerLine("q1", ("https://ships.example/0",), ("Ship 0",)), 1.0)
NOTED = AnswerLine(
    "q1", ("https://ships.example/1",), ("Ship 1",), notes=("A name was corrected.",), sparql="ASK { ?x ?p ?o }"
)
WRONG = SampleAnswer("ours", NOTED, 0.0, "linking")


def test_a_dialogue_has_a_line_a_question_and_a_line_of_gold():
    assert list(render_dialogue(samples_of_dialogues(DIALOGUES)[:3], 100)) == [
        "d0001  Albatross (ship)",
        "1  Who commanded the Albatross?",
        "   Ada Holt",
        "2  Was she born in Gullwick?",
        "   no",
        "3  Which ships did she command, in order of their launch?",
        "   Albatross · Fulmar",
    ]


def test_the_first_dialogues_are_shown_and_the_others_counted():
    groups = group_by_dialogue(samples_of_dialogues(DIALOGUES))
    assert list(render_dialogues(groups, 1, 100))[-1].startswith("1 more; --first 2 shows all")
    whole = list(render_dialogues(groups, 5, 100))
    assert "   (not in the graph)" in whole and whole[-1] == "an ID such as d0001/1 shows one in full"


def test_answers_have_a_mark_and_a_wrong_one_its_gold_and_stage():
    question = Sample(
        "q1", "Which?", gold=SHIPS[:1], answers=(RIGHT, WRONG, SampleAnswer("other", AnswerLine("q1"), 0.0))
    )
    assert list(render_dialogue([question], 80)) == [
        "q1  Which?",
        "    ✓ Ship 0",
        "    ✗ Ship 1",
        "      stage: linking, gold: Ship 0",
        "    ✗ I do not know.",
        "      gold: Ship 0",
    ]


def test_a_turn_in_full_has_gold_query_answer_and_stage():
    question = Sample("q1", "Which?", form="list", gold=SHIPS, query="SELECT ?x { ?x ?p ?o . }", answers=(WRONG,))
    lines = list(render_sample(question, 80))
    assert lines[:3] == ["q1  list", "question    Which?", "gold        Ship 0  <https://ships.example/0>"]
    assert f"            ... and {40 - MAX_SHOWN_VALUES} more" in lines
    assert lines[-7:-1] == [
        "✗ ours  F1 0.00, stage: linking", "answer      Ship 1  <https://ships.example/1>",
        "notes       A name was corrected.", "query       ASK {", "              ?x ?p ?o", "            }",
    ]  # fmt: skip
    assert lines[-1] == "confidence  0.00, 0.00 s"


def test_a_list_is_cut_to_the_line_with_a_count():
    assert join_values(SHIPS, 30) == "Ship 0 · Ship 1 and 38 more"
    assert join_values((), 30) == ""
