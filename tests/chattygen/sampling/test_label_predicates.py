"""Which predicates name the entities of a type: never remarks."""

from random import Random

import pytest
from rdflib import URIRef

from chattygen.sampling.label_predicates import LabelCandidate, find_clear_name, find_label_candidates
from chattygen.subgraph.extraction import extract_subgraph
from chattygen.subgraph.naming import profile_naming
from chattygen.subgraph.predicate_salience import unaskable_predicates

S = "http://port.example/schema#"
CAUSES = ("Tide missed by", "Fine waived after", "Crane was late for")
VESSELS = ("Albatross", "Barnacle", "Cormorant", "Dunlin", "Eider", "Fulmar")


@pytest.fixture
def port(open_turtle):
    """Port calls with a remark and keys of a vessel, a berth and an agent, which have names."""
    lines = [f"@prefix s: <{S}> ."]
    for n, vessel in enumerate(VESSELS):
        lines.append(f'<v{n}> a s:VESSEL ; s:VESSEL.vessel_name "{vessel}" ; s:VESSEL.agent_ref <a{n % 2}> .')
    for n, name in enumerate(("Brook Shipping", "Marsh Shipping")):
        lines.append(f'<a{n}> a s:AGENT ; s:AGENT.agent_name "{name}" ; s:AGENT.note "old friend" .')
        lines.append(f'<b{n}> a s:BERTH ; s:BERTH.berth_name "Pier {"AB"[n]}" .')
    for n in range(12):
        lines.append(
            f'<c{n}> a s:PORT_CALL ; s:PORT_CALL.vessel_ref <v{n % 6}> ; s:PORT_CALL.berth_ref <b{n % 2}> ; '
            f's:PORT_CALL.ship_agent <a{n % 2}> ; s:PORT_CALL.remark "{CAUSES[n % 3]} {n + 2} minutes." .'
        )  # fmt: skip
    return open_turtle("\n".join(lines))


def test_remarks_name_nothing(port):
    assert find_label_candidates(port, f"{S}PORT_CALL") == ()
    assert f"{S}PORT_CALL" not in dict(port.profile.type_labels)
    assert port.hidden_class(f"{S}PORT_CALL").kind == "row"


def test_named_things_around_rows_are_reached_through_them(port):
    assert all(port.hidden_class(S + name) is None for name in ("VESSEL", "BERTH", "AGENT"))
    vessel = port.sample_entities(f"{S}VESSEL", rng=Random("1"), limit=1)[0]
    excluded = unaskable_predicates(port, ())
    graph = extract_subgraph(port, vessel, profile_naming(port), type_iri=f"{S}VESSEL", excluded=excluded)
    assert {edge.label for edge in graph.edges} & {"Pier A", "Pier B"}
    assert not any("minutes" in edge.label for edge in graph.edges)


def test_notes_are_not_asked_for_and_keys_keep_the_noun_of_their_values(port):
    assert f"{S}AGENT.note" in unaskable_predicates(port, ())
    assert port.spoken_name(URIRef(f"{S}PORT_CALL.ship_agent")) == "ship agent"


def test_a_name_is_clear_where_nothing_else_is_called_one_and_it_tells_no_fact():
    label = LabelCandidate(1, "l", "label", 1.0, 1.0, ("en",), ("Amber Oak", "Birch Hill"))
    town = LabelCandidate(2, "t", "town", 1.0, 1.0, (), ("Ahfir", "Lodz"))
    other = LabelCandidate(3, "o", "alt label", 1.0, 1.0, (), ("Amber", "Birch"))
    coded = LabelCandidate(1, "l", "label", 1.0, 1.0, (), ("Amber Oak (Ahfir)", "Birch Hill (Lodz)"))
    assert find_clear_name([town], frozenset()) is town
    assert find_clear_name([label, town], frozenset()) is label
    assert find_clear_name([label, town, other], frozenset({"o"})) is label
    assert find_clear_name([label, town, other], frozenset()) is None
    assert find_clear_name([coded, town], frozenset()) is None
