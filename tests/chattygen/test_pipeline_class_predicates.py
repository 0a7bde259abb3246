"""Dialogues over a graph whose things are typed by a predicate of its own: as good as over one that uses rdf:type."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from chattyshared.dialogue import Dialogue, Turn
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from chattyshared.sparql.analysis import analyze_query
from chattyshared.terms import n3
from rdflib import RDF
from water_graph import TYPED, waters

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate
from chattygen.sampling import node_types
from chattygen.subgraph.extraction import stated_gender

P = "https://waters.example/prop/P"
RUN = Options(dialogues=10, turns=4, no_types=("country",))
"""Without countries: what leads to one is of several classes, which have no noun in common."""


def dialogues(kg: KnowledgeGraph) -> list[Dialogue]:
    made = sorted(generate(kg, RuleModel(RULEBOOK), RUN), key=lambda one: one.index)
    return [one.dialogue for one in made if one.dialogue]


@pytest.fixture(scope="module")
def kg(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path = tmp_path_factory.mktemp("waters") / "waters.ttl"
    path.write_text(waters(), encoding="utf-8")
    return open_kg([str(path)])


@pytest.fixture(scope="module")
def made(kg: KnowledgeGraph) -> list[Dialogue]:
    return dialogues(kg)


def test_types_have_labels_and_quotas(kg: KnowledgeGraph):
    kept = {node.label: node.quota for node in node_types.select_types(kg, RUN) if not node.dropped}
    assert set(kept) == {"river", "town", "person", "canal"}
    assert sum(kept.values()) == 10


def test_questions_speak_of_things_by_the_nouns_of_their_classes(made: list[Dialogue]):
    said = " ".join(turn.question for dialogue in made for turn in dialogue.turns)
    assert len(made) == 10
    assert sum(noun in said for noun in ("river", "canal", "town", "watercourse")) >= 3
    assert "instance of" not in said and "thing" not in said


def test_what_states_a_class_is_never_asked_about(made: list[Dialogue]):
    turns = [turn for dialogue in made for turn in dialogue.turns if turn.link != "shift" or turn.answerable]
    asked = {iri for turn in turns for iri in analyze_query(turn.sparql).predicates}
    assert asked and not asked & {P + "1", P + "2"}


def test_dialogues_are_those_of_the_same_graph_with_rdf_type(
    made: list[Dialogue], open_turtle: Callable[..., KnowledgeGraph]
):
    def with_rdf_type(turn: Turn) -> Turn:
        """Write the query of a question about a class for the other graph."""
        return replace(turn, sparql=turn.sparql.replace(f"<{P}1>", n3(RDF.type)))

    again = dialogues(open_turtle(TYPED))
    assert [(d.seed, d.turns) for d in again] == [(d.seed, tuple(map(with_rdf_type, d.turns))) for d in made]


def test_seeds_have_their_class(kg: KnowledgeGraph):
    seeds = ("https://waters.example/entity/Q500", "https://waters.example/entity/Q400")
    assert {t.label for t in node_types.select_types(kg, Options(seeds=seeds))} == {"river", "town"}


def test_the_gender_is_read_where_only_a_label_names_its_predicate(open_turtle: Callable[..., KnowledgeGraph]):
    from rdflib import URIRef

    text = 'p:21 rdfs:label "sex or gender"@en . q:800 rdfs:label "female"@en . q:300 p:21 q:800 .'
    kg = open_turtle(waters() + text)
    assert stated_gender(kg, kg.neighbourhood(URIRef("https://waters.example/entity/Q300"))) == "female"
