from chattyshared.kg import KnowledgeGraph
from rdflib import Literal, URIRef
from rdflib.namespace import XSD
from subgraph_reading import subgraph_at

from chattygen.context.predicate_salience import is_askable, is_thing, repeats_label
from chattygen.context.summary import summarize

SHIPS = "https://ships.example/"


def facts_of(kg: KnowledgeGraph, name: str):
    return summarize(kg, subgraph_at(kg, SHIPS + name), list_limit=50)


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


def test_several_languages_side_by_side_leave_the_first(open_turtle):
    kg = open_turtle(
        """
        @prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        :a a :T ; rdfs:label "Alpha"@en ; :motto "forward"@en, "vorwärts"@de .
        :b a :T ; rdfs:label "Beta"@en ; :motto "back"@en .
        """
    )
    summary = summarize(kg, subgraph_at(kg, "https://x.example/a"), list_limit=50)
    (hidden,) = summary.hidden
    assert hidden.ends == (Literal("forward", lang="en"),)
    assert hidden.langs == ("en",)


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
    assert is_askable([Literal("true", datatype=XSD.boolean)], unique=False)
    assert not is_thing(URIRef("https://x.example/picture.png"), "picture", ())


def test_echoes_of_a_name():
    assert repeats_label("France", "Duval (France)")
    assert repeats_label("5.8", "5,80 EUR")
    assert repeats_label("The Juno", "Juno")
    assert not repeats_label("Fran", "Duval (France)")
    assert not repeats_label("58", "5,80 EUR")


def test_truths_are_asked_by_yes_or_no_and_only_what_is_over_is_past(open_turtle):
    kg = open_turtle(
        """
        @prefix : <https://x.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        :a a :Ship ; rdfs:label "Alpha" ; :heated true ; :insured true ; :dateOfLoss "1890-02-01"^^xsd:date .
        :b a :Ship ; rdfs:label "Beta" ; :heated false ; :insured false ; :launched "1890-02-01"^^xsd:date .
        :m a :Match ; rdfs:label "A v B" ; :heated false ; :playedOn "2020-02-01"^^xsd:date .
        :s a :Stop ; rdfs:label "Dock Gate" ; :heated true ; :opened "1990-02-01"^^xsd:date .
        :n a :Match ; rdfs:label "B v C" ; :heated true ; :playedOn "2090-02-01"^^xsd:date .
        """
    )
    graphs = [subgraph_at(kg, f"https://x.example/{name}") for name in "abmns"]
    assert [graph.entity.is_past for graph in graphs] == [True, False, True, False, False]
    forms = {fact.last_step.label: fact.forms for fact in summarize(kg, graphs[0], list_limit=50).facts}
    assert forms["heated"] == forms["insured"] == ("boolean",)
