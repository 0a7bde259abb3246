"""Values for yes-no questions: those of things that stand beside the thing in a dialogue."""

from random import Random

from chattyshared.kg.factory import open_kg
from rdflib import Literal, URIRef
from rdflib.namespace import XSD

from chattygen.context.answer_sets import AnswerSet
from chattygen.context.dialogue_context import Context
from chattygen.context.distractors import true_and_false_offers
from chattygen.context.facts import Entity, Fact, HiddenEnds, Step, Summary
from chattygen.context.names import NameIndex
from chattygen.context.neighbourhoods import Neighbourhoods

LINE, DAWN, DUSK, FERNHILL, OAKHAM = (URIRef(f"https://f.example/{name}") for name in "line dawn dusk f o".split())
PORT = Fact(1, (Step("urn:port", "port"),), "entity", class_labels=("port",), forms=("object", "boolean"))


def offers_of(vessel: str, *, is_near: bool = True) -> list[tuple[str, bool]]:
    """Return the values offered of a vessel in port at Fernhill, listed beside one in port at Oakham, where both ports
    are of one company (``is_near``)."""
    company = URIRef("https://f.example/company")
    owned = {port: {("out", URIRef("urn:owner")): (company if is_near else port,)} for port in (FERNHILL, OAKHAM)}
    moored = {DAWN: {("out", URIRef("urn:port")): (FERNHILL,)}, DUSK: {("out", URIRef("urn:port")): (OAKHAM,)}}
    fleet = AnswerSet(Entity(LINE, "Line", "", "line"), PORT, HiddenEnds((DAWN, DUSK), ()), ())
    context = Context(
        Summary(fleet.owner, (), ()),
        Neighbourhoods({**moored, **owned}),
        NameIndex({FERNHILL: "Fernhill port", OAKHAM: "Oakham port"}),
        answer_sets=(fleet,),
    )
    hidden = HiddenEnds((FERNHILL,), ())
    summary = Summary(Entity(DAWN, vessel, "", "vessel", ("vessel",)), (PORT,), (hidden,))
    offers = true_and_false_offers(open_kg("demo"), context, summary, PORT, hidden, Random(0))
    return [(fact.offered_value, ends.is_offer_true) for fact, ends in offers]


def test_a_member_of_a_list_is_offered_a_value_of_another_member():
    assert offers_of("Dawn") == [("Fernhill port", True), ("Oakham port", False)]


def test_nothing_is_offered_that_the_name_tells_or_that_nothing_relates():
    assert offers_of("Dawn of Fernhill") == []
    assert offers_of("Dawn", is_near=False) == []


def test_a_truth_is_offered_as_true():
    fact = Fact(1, (Step("urn:heated", "heated"),), "boolean", "boolean", forms=("boolean",))
    context = Context(Summary(Entity(DAWN, "Dawn", "", "vessel"), (), ()), Neighbourhoods({}), NameIndex({}))
    for text, is_true in (("true", True), ("1", True), ("false", False)):
        hidden = HiddenEnds((Literal(text, datatype=XSD.boolean),), ())
        (offer,) = true_and_false_offers(open_kg("demo"), context, context.seed, fact, hidden, Random(0))
        assert offer[1].is_offer_true is is_true and (offer[1].offered_term == hidden.ends[0]) is is_true
