"""Dialogues over a graph whose things are typed by a predicate of its own: as good as over one that uses rdf:type."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from chattyshared.dialogue import Dialogue, Triples, Turn
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from chattyshared.terms import n3
from rdflib import RDF
from water_graph import TYPED, waters

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate

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


def test_dialogues_are_those_of_the_same_graph_with_rdf_type(
    made: list[Dialogue], open_turtle: Callable[..., KnowledgeGraph]
):
    def with_type(triples: Triples) -> Triples:
        return tuple((s, str(RDF.type) if p == f"{P}1" else p, o) for s, p, o in triples)

    def with_rdf_type(turn: Turn) -> Turn:
        """Write the query of a question about a class for the other graph."""
        sparql = turn.sparql.replace(f"<{P}1>", n3(RDF.type))
        return replace(turn, sparql=sparql, triples=with_type(turn.triples), witness=with_type(turn.witness))

    assert len(made) == RUN.dialogues
    again = dialogues(open_turtle(TYPED))
    assert [(d.seed, d.turns) for d in again] == [(d.seed, tuple(map(with_rdf_type, d.turns))) for d in made]
