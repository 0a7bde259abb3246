"""What a conversation leaves to refer to, with what the graph says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from chattyshared.dialogue import Answer, Exchange, LinkedTerm, Value
from chattyshared.kg import KnowledgeGraph
from chattyshared.model.rules import RuleModel

from chattykg.conversation.referents import (
    MAX_LINKED_EXCHANGES,
    Property,
    Referent,
    find_referents,
    link_text_answers,
    truncate_referents,
)
from chattykg.engine import ChattyEngine
from chattykg.rulebook import RULEBOOK

BASE = "https://ships.example/"
CAPTAIN = Exchange(
    "Who is the captain of Aurora?",
    Answer(
        values=(Value(f"{BASE}ann", "iri", label="Ann Lee"),),
        entities=(LinkedTerm("Aurora", f"{BASE}aurora", "Aurora"),),
    ),
)


def test_referents_know_their_class_their_gender_and_what_can_be_asked_of_them(ships: KnowledgeGraph) -> None:
    ship, captain = find_referents((CAPTAIN,), ships, 10)
    assert (ship.label, ship.role, ship.types, ship.gender) == ("Aurora", "topic", ("ship",), "")
    assert (captain.label, captain.role, captain.types, captain.gender) == ("Ann Lee", "answer", ("person",), "female")
    assert Property("captain", True) in ship.properties
    assert {each.label for each in captain.properties if not each.is_outward} == {"captain"}
    assert {each.label for each in captain.properties if each.is_outward} >= {"spouse", "birth place"}


def test_a_question_without_an_answer_was_about_something_too(ships: KnowledgeGraph) -> None:
    found = find_referents((Exchange("What is the motto of Lund Port?", Answer()),), ships, 10)
    assert [(one.label, one.iri, one.role, one.types) for one in found] == [
        ("Lund Port", f"{BASE}lund", "topic", ("harbor",))
    ]


def test_of_a_lone_thing_too_it_is_known_what_it_has(ships: KnowledgeGraph) -> None:
    alone = Exchange("Is Aurora red?", Answer(entities=(LinkedTerm("Aurora", f"{BASE}aurora", "Aurora"),)))
    (ship,) = find_referents((alone,), ships, 10)
    assert Property("captain", True) in ship.properties


def text(question: str, *answers: str) -> Exchange:
    return Exchange(question, Answer(tuple(Value(answer, "literal") for answer in answers)))


@pytest.mark.parametrize(
    ("answers", "values"),
    [
        (("Ann Lee",), [("ann", "Ann Lee")]),
        (("The captain of the Aurora is Ann Lee.",), [("ann", "Ann Lee")]),
        (("Ann Lee", "Bob Ray"), [("ann", "Ann Lee"), ("bob", "Bob Ray")]),
        (("Ann Lee and Bob Ray",), [("ann", "Ann Lee"), ("bob", "Bob Ray")]),
        (("Comet",), [("Comet", "")]),
        (("nobody that is known",), [("nobody that is known", "")]),
    ],
)
def test_an_answer_that_is_a_text_is_linked(ships: KnowledgeGraph, answers: tuple[str, ...], values: object) -> None:
    """``Comet`` is a ship and a harbor: the text stays."""
    (linked,) = link_text_answers((text("Who is the captain of the Aurora?", *answers),), ships)
    assert [(value.value.removeprefix(BASE), value.label) for value in linked.answer.values] == values
    assert [(topic.iri, topic.mention) for topic in linked.answer.entities] == [(f"{BASE}aurora", "Aurora")]


def test_an_iri_gets_its_label_and_the_engine_s_own_answers_stay(ships: KnowledgeGraph) -> None:
    iri = Exchange("Who?", Answer((Value(f"{BASE}ann", "iri"),)))
    own = Exchange("Who?", Answer((Value("Ann Lee", "literal"),), sparql="SELECT ?x {}"))
    first, second, third = link_text_answers((iri, own, CAPTAIN), ships)
    assert (first.answer.values[0].label, second, third) == ("Ann Lee", own, CAPTAIN)


def test_the_latest_texts_are_linked(ships: KnowledgeGraph) -> None:
    history = tuple(text("Who?", "Ann Lee") for _ in range(MAX_LINKED_EXCHANGES + 2))
    kinds = [exchange.answer.values[0].kind for exchange in link_text_answers(history, ships)]
    assert kinds == ["literal"] * 2 + ["iri"] * MAX_LINKED_EXCHANGES


@pytest.mark.parametrize(
    ("history", "question", "standalone", "answer"),
    [
        ([text("Who is the captain of the Aurora?", "Ann Lee")], "Who is her spouse?",
         "Who is Ann Lee's spouse?", "Bob Ray"),
        ([text("Who commands it?", "It is Ann Lee."), text("Thanks!", "You are welcome.")], "Who is her spouse?",
         "Who is Ann Lee's spouse?", "Bob Ray"),
        ([text("Which captains are there?", "Ann Lee", "Bob Ray")], "Where was the second one born?",
         "Where was Bob Ray born?", "Lund Port"),
        ([text("Is the Aurora red?", "Yes, it is.")], "Who is its captain?", "Who is Aurora's captain?", "Ann Lee"),
    ],
)  # fmt: skip
def test_a_follow_up_on_texts_is_answered(
    ships: KnowledgeGraph, history: list[Exchange], question: str, standalone: str, answer: str
) -> None:
    found = ChattyEngine(ships, RuleModel(RULEBOOK)).answer(question, tuple(history))
    assert (found.standalone, [value.label for value in found.values]) == (standalone, [answer])


def test_nothing_is_built_on_an_answer_from_memory(ships: KnowledgeGraph) -> None:
    said = text("Who is the captain of the Aurora?", "Ann Lee")
    memory = (replace(said, answer=replace(said.answer, grounded=False)),)
    engine = ChattyEngine(ships, RuleModel(RULEBOOK))
    unknown, known = (engine.answer(question, memory) for question in ("Who is her spouse?", "Who is its captain?"))
    assert unknown.values == () and unknown.reason is not None and unknown.reason.code == "missing-referent"
    assert [value.label for value in known.values] == ["Ann Lee"]


@pytest.mark.parametrize(("count", "referred"), [(10, 10), (11, 0)])
def test_a_long_list_of_texts_is_nothing_to_refer_to(ships: KnowledgeGraph, count: int, referred: int) -> None:
    listed = Exchange("Which colors are there?", Answer(tuple(Value(f"tint {n}", "literal") for n in range(count))))
    assert len(find_referents((listed,), ships, 100)) == referred


def test_a_topic_of_several_turns_is_one_line_of_the_prompt() -> None:
    topics = [Referent("Juno", "https://x.example/juno", turn, "topic", types=("ship",)) for turn in (1, 2, 4)]
    ann = Referent("Ann", "https://x.example/ann", 4, "answer", types=("captain",))
    shown = truncate_referents([*topics, ann]).as_prompt_text()
    assert shown == "turn 4, asked about: Juno (ship)\nturn 4, answer 1 of 1: Ann (captain)"
