"""The turns of a dialogue on the twin: new gold, references to new answers, and turns that make no sense there."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from chattyshared.benchmark import Benchmark
from chattyshared.dialogue import Turn, Value
from chattyshared.kg import KnowledgeGraph
from ship_graph import ships
from vessel_talk import TALK, S, V

from chattygen.snapshot.reproduction import TurnLeftOut, keep_turns
from chattygen.twin.dialogues import DialogueReader


@pytest.fixture
def read(open_turtle: Callable[[str], KnowledgeGraph]):
    """Return a function that reads turns on a graph where Ben Marsh has the Albatross."""

    def on_twin(*turns: Turn):
        text = ships().replace("v:commandedBy :Ada_Holt", "v:commandedBy :Ben_Marsh", 1)
        kg = open_turtle(text)
        rows = kg.endpoint.select("SELECT ?s ?p ?o WHERE { ?s ?p ?o }")
        reader = DialogueReader(kg, kg.endpoint, {(r["s"], r["p"], r["o"]) for r in rows}, TALK.seed.iri)
        benchmark = Benchmark({}, (replace(TALK, turns=turns),))
        kept, left_out = keep_turns(benchmark, lambda dialogue: map(reader.read, dialogue.turns), lambda: None)
        reason = left_out[0].partition(": ")[2] if left_out else ""
        return kept.dialogues[0] if kept.dialogues else None, reason

    return on_twin


WHO, BORN, FLEET, LONGEST = TALK.turns


def test_a_turn_gets_the_gold_labels_and_witness_of_the_twin(read):
    dialogue, reason = read(WHO)
    (turn,) = dialogue.turns
    assert reason == "" and (turn.question, turn.sparql) == (WHO.question, WHO.sparql)
    assert [value.label for value in turn.answers] == ["Ben Marsh"] and turn.answers != WHO.answers
    assert turn.witness == ((S + "Albatross", V + "commandedBy", S + "Ben_Marsh"),)


def test_a_reference_to_an_earlier_answer_is_to_the_new_one(read):
    dialogue, _ = read(WHO, BORN)
    born = dialogue.turns[1]
    assert born.question == "Was she born in Gullwick?"
    assert born.standalone == "Was Ben Marsh born in Gullwick?" and f"<{S}Ben_Marsh>" in born.sparql
    assert born.triples == ((S + "Ben_Marsh", V + "birthPlace", S + "Gullwick"),)
    assert [value.value for value in born.answers] == ["true"]


def test_what_follows_a_comparison_is_about_the_one_that_it_names_on_the_twin(read):
    albatross = Value(S + "Albatross", "iri", label="Albatross")
    query = f"SELECT ?x {{ VALUES ?x {{ <{S}Gannet> }} ?x a ?class }}"
    compared = replace(
        WHO, question="Which is longer?", answers=(albatross,), triples=(), form="comparison", sparql=query
    )
    dialogue, _ = read(compared, replace(WHO, turn=2, question="Who has command of it?", link="answer"))
    assert f"<{S}Gannet>" in dialogue.turns[1].sparql and "Gannet" in dialogue.turns[1].standalone
    alone, _ = read(compared, replace(WHO, turn=2, question="Who has command of it?", link="topic"))
    assert alone.turns[1].sparql == WHO.sparql


def test_a_dialogue_ends_before_a_turn_whose_standalone_question_does_not_name_the_answer(read):
    dialogue, reason = read(WHO, replace(BORN, standalone="Was the captain born in Gullwick?"), FLEET)
    assert len(dialogue.turns) == 1 and reason == "its standalone question does not name Ada Holt"


def test_a_dialogue_ends_before_a_turn_without_an_answer_or_with_one_too_many(read):
    motto = replace(WHO, sparql=f"SELECT ?x WHERE {{ <{S}Albatross> <{V}motto> ?x }}")
    assert read(motto)[1] == "nothing answers it on the twin"
    assert read(replace(WHO, answerable=False, answers=()))[1] == "the twin answers it"
    no = replace(BORN, answerable=False, answers=(), sparql=f"ASK {{ <{S}Albatross> <{V}motto> ?x }}")
    assert read(no)[1] == "" and read(no)[0].turns[0].answers == ()


def test_a_reference_by_place_makes_no_sense_after_another_answer(read):
    assert read(WHO, replace(LONGEST, turn=2, link="position"))[1] == "it refers to an earlier answer by its place"


def test_a_reference_to_one_of_several_answers_has_no_counterpart(read):
    fleet = replace(FLEET, turn=1, sparql=f"SELECT ?x WHERE {{ ?x <{V}commandedBy> <{S}Ada_Holt> }}")
    launched = replace(
        WHO, turn=2, link="answer", question="When was it launched?", standalone="When was the Albatross launched?",
        sparql=f"SELECT ?x WHERE {{ <{S}Fulmar> <{V}launchDate> ?x }}",
    )  # fmt: skip
    assert read(fleet, launched)[1] == ""
    elsewhere = replace(fleet, sparql=f"SELECT ?x WHERE {{ ?x <{V}commandedBy> <{S}Eve_Lund> }}")
    assert "has no single counterpart" in read(elsewhere, launched)[1]


def test_a_new_answer_that_shares_its_name_ends_the_dialogue(open_turtle: Callable[[str], KnowledgeGraph]) -> None:
    text = ships().replace("v:commandedBy :Ada_Holt", "v:commandedBy :Ben_Marsh", 1)
    kg = open_turtle(f'{text} :Ben_Marsh_2 a v:Sailor ; rdfs:label "Ben Marsh" .')
    reader = DialogueReader(kg, kg.endpoint, set(), TALK.seed.iri)
    reader.read(WHO)
    with pytest.raises(TurnLeftOut, match="^several things are called Ben Marsh$"):
        reader.read(BORN)
