"""What a conversation leaves to refer to, with what the graph says of it."""

from __future__ import annotations

from chattyshared.dialogue import Answer, Exchange, Linked, Value
from chattyshared.kg import KnowledgeGraph

from chattykg.agents.recall import referents
from chattykg.referents import Property

BASE = "https://ships.example/"
CAPTAIN = Exchange(
    "Who is the captain of Aurora?",
    Answer(
        values=(Value(f"{BASE}ann", "iri", label="Ann Lee"),),
        entities=(Linked("Aurora", f"{BASE}aurora", "Aurora"),),
    ),
)


def test_referents_know_their_class_their_gender_and_what_can_be_asked_of_them(ships: KnowledgeGraph) -> None:
    ship, captain = referents((CAPTAIN,), ships, 10)
    assert (ship.label, ship.role, ship.types, ship.gender) == ("Aurora", "topic", ("ship",), "")
    assert (captain.label, captain.role, captain.types, captain.gender) == ("Ann Lee", "answer", ("person",), "female")
    assert Property("captain", True, ("person",)) in ship.properties
    assert {each.label for each in captain.properties if not each.outward} == {"captain"}
    assert {each.label for each in captain.properties if each.outward} >= {"spouse", "birth place"}


def test_a_question_without_an_answer_was_about_something_too(ships: KnowledgeGraph) -> None:
    found = referents((Exchange("What is the motto of Lund Port?", Answer()),), ships, 10)
    assert [(one.label, one.iri, one.role, one.types) for one in found] == [
        ("Lund Port", f"{BASE}lund", "topic", ("harbor",))
    ]


def test_of_a_lone_thing_too_it_is_known_what_it_has(ships: KnowledgeGraph) -> None:
    alone = Exchange("Is Aurora red?", Answer(entities=(Linked("Aurora", f"{BASE}aurora", "Aurora"),)))
    (ship,) = referents((alone,), ships, 10)
    assert Property("captain", True, ("person",)) in ship.properties
