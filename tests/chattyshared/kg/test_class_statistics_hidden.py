"""Hidden classes: value nodes and rows that nobody names, and named things that look like them."""

import pytest
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.profile_detection import detect_profile

V = "http://ex.org/v#"
CITIES = "".join(f':{n} a v:City ; rdfs:label "{n}" ; v:people {i}00 .' for i, n in enumerate(("Rome", "Oslo", "Bonn")))
JOINED = ":m1 a v:Man ; rdfs:label 'Al Hay' . :m2 a v:Man ; rdfs:label 'Bo Fox' . :m3 a v:Man ; rdfs:label 'Cy Oak' ."


def hidden(turtle, text: str, name: str):
    endpoint = turtle(CITIES + JOINED + text)
    return KnowledgeGraph(endpoint, detect_profile(endpoint)).hidden_class(V + name)


def members(template: str) -> str:
    """Return three members; ``#`` is the number, ``@`` the name of a city, ``%`` that of a man."""
    names = zip(("Rome", "Oslo", "Bonn"), ("Al Hay", "Bo Fox", "Cy Oak"), strict=True)
    return " ".join(
        template.replace("#", str(n)).replace("@", city).replace("%", man) for n, (city, man) in enumerate(names, 1)
    )


@pytest.mark.parametrize(
    ("template", "kind"),
    [
        (":p# a v:P ; rdfs:label '#,50 EUR' ; v:amount #.5 ; v:currency 'EUR' . :@ v:price :p# .", "value"),
        (":@-area a v:P ; v:value #7 ; v:unitText 'km' . :@ v:area :@-area .", "value"),
        (":p# a v:P ; v:value #7 ; v:since '200#-01-01'^^xsd:date . :@ v:area :p# .", "value"),
        (":r# a v:P ; v:city :@ ; v:man :m# .", "row"),
        (":r# a v:P ; v:man :m# ; v:wage #00 ; v:end '200#-01-01'^^xsd:date .", "row"),
        (":r# a v:P ; rdfs:label '@ (3#)' ; v:part :@ ; v:quantity 3# .", "row"),
        (":r# a v:P ; rdfs:label '% / @' ; v:man :m# ; v:city :@ .", "row"),
        (":r# a v:P ; rdfs:label '1#' ; v:man :m# ; v:city :@ .", "row"),
    ],
)
def test_nodes_that_nobody_names_are_hidden(turtle, template: str, kind: str):
    found = hidden(turtle, members(template), "P")
    assert found is not None and found.kind == kind


@pytest.mark.parametrize(
    "template",
    [
        ":r# a v:P ; rdfs:label '% v @, 200#' ; v:man :m# ; v:city :@ .",
        ":r# a v:P ; rdfs:label '@ Cup 200#' ; v:city :@ ; v:year 200# .",
        ":r# a v:P ; rdfs:label 'Hotel @' ; v:city :@ ; v:rooms 3# .",
        ":r# a v:P ; rdfs:label '@ 200#' ; v:city :@ ; v:year 200# .",
        ":@hall a v:P ; v:city :@ ; v:seats #0 .",
        ":r# a v:P ; rdfs:label 'Building #' ; v:floors # . :@ v:hall :r# .",
    ],
)
def test_named_things_are_not_hidden(turtle, template: str):
    assert hidden(turtle, members(template), "P") is None


def test_the_parts_of_hidden_nodes_are_known(turtle):
    price = hidden(turtle, members(":p# a v:P ; v:amount #.5 ; v:currency 'EUR' . :@ v:price :p# ."), "P")
    assert (price.amount, price.units) == (f"{V}amount", (f"{V}currency",))
    job = hidden(
        turtle,
        members(":r# a v:P ; v:man :m# ; v:begin '200#-01-01'^^xsd:date .") + ":r1 v:end '2009-01-01'^^xsd:date .",
        "P",
    )
    assert (job.dates, job.ends) == ((f"{V}begin", f"{V}end"), (f"{V}end",))


def test_a_class_is_judged_by_its_vocabulary_where_that_is_enough(counting, turtle):
    endpoint = counting(turtle(CITIES + "v:x v:y v:z ."))
    kg = KnowledgeGraph(endpoint, detect_profile(endpoint))
    assert kg.hidden_class("http://ex.org/v#Nothing") is None
    before = endpoint.count
    assert kg.hidden_class("http://ex.org/v#Nothing") is None and endpoint.count == before
