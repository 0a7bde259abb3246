"""Questions to a graph that was exported from a database: no labels, prefixed columns, and tables that only join."""

from __future__ import annotations

from pathlib import Path

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

PEOPLE = [("Ada", "Holm", 1), ("Ben", "Aas", 1), ("Cleo", "Berg", 0), ("Dag", "Lund", 1)]
HORSES = [("Nimbus", 1), ("Old Thunder", 2), ("Pepper", 1)]
RIDES = [(1, 1), (1, 2), (2, 2), (3, 3), (4, 2)]
TURTLE = "\n".join(
    (
        "@prefix v: <https://stable.example/schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .",
        "@base <https://stable.example/> .",
        '<barn/1> a v:Barn ; v:barn_name "North Barn" . <barn/2> a v:Barn ; v:barn_name "Hill Barn" .',
        *(
            f'<rider/{n}> a v:Rider ; v:rider_first_name "{a}" ; v:rider_last_name "{b}" ; v:is_member {member} ;'
            f' v:rider_birth_date "199{n}-02-0{n}"^^xsd:date .'
            for n, (a, b, member) in enumerate(PEOPLE, 1)
        ),
        *(
            f'<horse/{n}> a v:Horse ; v:horse_name "{name}" ; v:horse_barn_id <barn/{barn}> .'
            for n, (name, barn) in enumerate(HORSES, 1)
        ),
        *(
            f"<booking/{n}> a v:Booking ; v:booking_rider_id <rider/{rider}> ; v:booking_horse_id <horse/{horse}> ;"
            f" v:booking_minutes {n * 10} ."
            for n, (rider, horse) in enumerate(RIDES, 1)
        ),
    )
)


@pytest.fixture(scope="module")
def stable(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeGraph:
    path: Path = tmp_path_factory.mktemp("stable") / "stable.ttl"
    path.write_text(TURTLE, encoding="utf-8")
    return open_kg((str(path),))


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("When was Ada Holm born?", {"1991-02-01"}),
        ("Which horses did Ada Holm book?", {"Nimbus", "Old Thunder"}),
        ("Which riders take Old Thunder?", {"Ada Holm", "Ben Aas", "Dag Lund"}),
        ("How many riders booked Old Thunder?", {"3"}),
        ("Which horse has the most riders?", {"Old Thunder"}),
        ("In which barn is Pepper?", {"North Barn"}),
        ("Which horses are in the North Barn?", {"Nimbus", "Pepper"}),
        ("Is Cleo Berg a member?", {"false"}),
    ],
)  # fmt: skip
def test_rows_are_asked_about_as_things(stable: KnowledgeGraph, question: str, answers: set[str]) -> None:
    answer = ChattyEngine(stable, RuleModel(RULEBOOK)).answer(question)
    assert {term.label or term.value for term in answer.values} == answers
