from random import Random

from chattyshared.kg import KnowledgeGraph
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.subgraph.distractors import offer_value
from chattygen.subgraph.extraction import extract_subgraph
from chattygen.subgraph.facts import Fact, Step
from chattygen.subgraph.naming import Naming
from chattygen.subgraph.predicate_salience import (
    has_trailing_punctuation,
    is_askable,
    is_thing,
    repeats_label,
    unaskable_predicates,
)
from chattygen.subgraph.summary import forms_of, summarize

SHIPS = "https://ships.example/"


def facts_of(kg: KnowledgeGraph, name: str):
    naming = Naming({}, kg.profile.labels, kg.profile.languages)
    graph = extract_subgraph(
        kg, URIRef(SHIPS + name), naming, excluded=unaskable_predicates(kg, naming.by_type.values())
    )
    return summarize(kg, graph, list_limit=50)


def test_the_summary_hides_objects_and_says_what_a_question_needs(ships_kg: KnowledgeGraph):
    summary = facts_of(ships_kg, "Juno")
    assert {fact.last_step.label: (fact.shape, fact.count, fact.forms) for fact in summary.facts} == {
        "builder": ("entity", 1, ("object", "boolean")),
        "commanded by": ("entity", 1, ("object", "boolean")),
        "home port": ("entity", 1, ("object",)),
        "cargo": ("text", 2, ("list",)),
        "launch date": ("date", 1, ("date",)),
        "length (m)": ("number", 1, ("number",)),
    }
    shown = "\n".join(fact.as_prompt_text() for fact in summary.facts)
    assert "THIS --commanded by--> ?   [Captain < Person; 1 value; object, boolean]" in shown
    for answer in ("Holm", "North Yard", "Ada", "Eve Lund", "1869", "67", "grain"):
        assert answer not in shown


def test_codes_genders_and_names_are_not_asked_about(ships_kg: KnowledgeGraph):
    labels = {fact.last_step.label for fact in facts_of(ships_kg, "Ada_Holt").facts}
    assert labels == {"birth place", "date of birth", "rank", "commanded by"}
    assert "registration" not in {fact.last_step.label for fact in facts_of(ships_kg, "Juno").facts}


def test_gender_is_known_where_the_graph_states_it(ships_kg: KnowledgeGraph):
    assert facts_of(ships_kg, "Ada_Holt").entity.gender == "female"
    assert facts_of(ships_kg, "Ben_Marsh").entity.gender == "male"
    assert facts_of(ships_kg, "Juno").entity.gender == ""


def test_what_points_to_an_entity_is_a_fact_of_its_own(ships_kg: KnowledgeGraph):
    facts = {(fact.last_step.label, fact.last_step.direction): fact for fact in facts_of(ships_kg, "Westhaven").facts}
    assert facts["birth place", "in"].class_labels == ("Captain", "Person")
    assert facts["birth place", "in"].forms == ("subject", "boolean")  # two are not counted
    assert ("home port", "in") not in facts  # nobody asks "which ships have it as their home port"


def test_too_many_answers_are_counted_and_not_listed():
    assert forms_of("entity", 51, "in", 50) == ("count", "boolean")
    assert forms_of("entity", 50, "in", 50) == ("subject", "count", "boolean")
    assert forms_of("date", 2, "out", 50) == ()


def test_several_languages_side_by_side_leave_the_first(open_turtle):
    kg = open_turtle(
        """
        @prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :a a :T ; rdfs:label "Alpha"@en ; :motto "forward"@en, "vorwärts"@de .
        :b a :T ; rdfs:label "Beta"@en ; :motto "back"@en .
        """
    )
    naming = Naming({}, kg.profile.labels, kg.profile.languages)
    graph = extract_subgraph(
        kg, URIRef("https://x.example/a"), naming, excluded=unaskable_predicates(kg, naming.by_type.values())
    )
    summary = summarize(kg, graph, list_limit=50)
    (hidden,) = summary.hidden
    assert hidden.ends == (Literal("forward", lang="en"),)
    assert hidden.langs == ("en",)


def test_an_offered_value_is_true_or_not_stated(ships_kg: KnowledgeGraph):
    summary = facts_of(ships_kg, "Juno")
    number = next(fact.number for fact in summary.facts if fact.last_step.label == "commanded by")
    truths = set()
    for seed in range(12):
        offered = offer_value(ships_kg, summary, number, Random(seed))
        assert offered is not None
        fact, hidden = offered.fact_by_number(number)
        assert (fact.offered_value == "Eve Lund") == hidden.is_offer_true
        assert fact.offered_value in ("Ada Holt", "Ben Marsh", "Cleo Quist", "Dan Frey", "Eve Lund")
        truths.add(hidden.is_offer_true)
    assert truths == {True, False}


def test_a_text_that_ends_in_a_mark_is_not_repeated():
    assert [text for text in ("gold,", "gold.", "gold", "gold -") if not has_trailing_punctuation(text)] == ["gold"]
    names = ("Acme Inc.", "Who?", "Bergen:", "Bergen")
    assert [name for name in names if has_trailing_punctuation(name, is_name=True)] == ["Bergen:"]


def test_what_no_answer_can_be():
    assert is_askable([Literal("timber")], unique=True)
    assert is_askable([Literal("ada@ships.example")], unique=True)
    assert is_askable([Literal("1866-05-16", datatype=XSD.date)], unique=True)
    assert is_askable([Literal("10115")], unique=False)
    assert not is_askable([Literal("https://ships.example/juno")], unique=False)
    assert not is_askable([Literal("juno.jpg")], unique=False)
    assert not any(is_askable([Literal(text)], unique=False) for text in ("Unknown", "n/a", "-", "???"))
    assert not is_askable([Literal("REG-77X")], unique=True)
    assert not is_askable([Literal("word " * 20)], unique=False)
    assert not is_askable([Literal("true", datatype=XSD.boolean)], unique=False)
    assert not is_thing(URIRef("https://x.example/picture.png"), "picture", ())


def test_echoes_of_a_name():
    assert repeats_label("France", "Duval (France)")
    assert repeats_label("5.8", "5,80 EUR")
    assert repeats_label("The Juno", "Juno")
    assert not repeats_label("Fran", "Duval (France)")
    assert not repeats_label("58", "5,80 EUR")


def test_a_fact_says_its_offer_and_the_way_through():
    steps = (Step("p", "builder"), Step("q", "founded"))
    fact = Fact(4, steps, "date", "gYear", forms=("two-hop",), via_class_labels=("Shipyard",))
    assert fact.as_prompt_text() == "4. THIS --builder--> (Shipyard) --founded--> ?   [gYear; 1 value; two-hop]"
    asked = Fact(1, (Step("p", "cargo", "in"),), "text", count=2, forms=("boolean",), offered_value="tea")
    assert asked.as_prompt_text() == '1. THIS <--cargo-- ?   [text; 2 values; boolean] yes-no value: "tea"'
