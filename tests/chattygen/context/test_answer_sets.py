"""What members of a list can be selected by."""

from rdflib import URIRef

from chattygen.context.answer_sets import answer_set_of
from chattygen.context.facts import Entity, Fact, HiddenEnds, Step
from chattygen.context.neighbourhoods import Neighbourhoods, fetch_relations

V = "https://team.example/"


def test_an_attribute_is_stated_by_each_member(open_turtle):
    lines = [f"@prefix v: <{V}> ."]
    for n in range(40):
        club = f"v:club v:club{n % 4} ; " if n != 2 else ""
        goals = f" ; v:goals {n}" if n % 2 else ""
        lines.append(f"v:p{n} a v:Player ; {club}v:born {1970 + n % 20}{goals} ; v:shirt v:red .")
    kg = open_turtle("\n".join(lines))
    fact = Fact(1, (Step(f"{V}squad", "squad"),), "entity", end_classes=(f"{V}Player",))

    def names(*numbers):
        members = [URIRef(f"{V}p{n}") for n in numbers]
        around = Neighbourhoods(fetch_relations(kg.endpoint, members))
        owner, hidden = Entity(URIRef(f"{V}team"), "Team", "", "team"), HiddenEnds(tuple(members), ())
        found = answer_set_of(kg, around, owner, (fact, hidden), frozenset())
        return [attribute.step.predicate.removeprefix(V) for attribute in found.attributes]

    assert names(1, 3, 5) == ["born", "club", "goals"]  # half of all players have no goals, but each of these has
    assert names(1, 2, 3) == ["born"]  # one has no club
