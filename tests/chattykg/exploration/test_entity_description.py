"""What the graph says of a thing: both directions, many languages, nameless nodes, and hubs with thousands of facts."""

import pytest
from chattyshared.endpoint import Endpoint
from chattyshared.kg import KnowledgeGraph

from chattykg.exploration import entity_description
from chattykg.exploration.entity_description import COUNTED_TRIPLES, SHOWN_VALUES, describe_entity

HUB = "https://ports.example/hub"


class CountingEndpoint:
    """Counts the requests and the rows that it passes on."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.name, self.ask, self._endpoint, self.requests, self.rows = endpoint.name, endpoint.ask, endpoint, 0, 0

    def select(self, query):
        rows = self._endpoint.select(query)
        self.requests, self.rows = self.requests + 1, self.rows + len(rows)
        return rows

    def untrusted_view(self):
        return self


@pytest.fixture(scope="module")
def ports(open_graph) -> KnowledgeGraph:
    """A hub with more ships than are counted, and one pilot."""
    ships = "".join(
        f"<https://ports.example/s{n}> a <https://ports.example/Ship> ; <https://ports.example/port> <{HUB}> ; "
        f'<http://www.w3.org/2000/01/rdf-schema#label> "Ship {n}" .\n'
        for n in range(COUNTED_TRIPLES + 5)
    )
    pilots = "".join(f"<https://ports.example/a{n}> <https://ports.example/guides> <{HUB}> .\n" for n in range(3))
    hub = f'<{HUB}> a <https://ports.example/Port> ; <http://www.w3.org/2000/01/rdf-schema#label> "Hub" .\n'
    return open_graph(ships + pilots + hub)


def texts_of(groups):
    return {group.label: [one.value.label or one.value.value for one in group.values] for group in groups}


def test_facts_stand_by_predicate_with_names_and_classes(open_graph):
    mill = describe_entity(open_graph("described_mills"), "https://mills.example/m1")
    assert (mill.label, [one.label for one in mill.classes]) == ("Red Mill", ["mill"])
    assert [(one.value, one.lang) for one in mill.names] == [("Red Mill", "en"), ("Rote Mühle", "de")]
    assert [one.value for one in mill.texts] == ["A mill.", "Eine Mühle."]
    assert texts_of(mill.outgoing) == {
        "town": ["Lund"],
        "motto": ["Grind on", "Mahle"],
        "address": ["house number: 7, street: Mill Lane"],
        "unlisted": ["nowhere"],
    }
    assert next(group for group in mill.outgoing if group.label == "town").values[0].class_label == "town"
    assert (mill.incoming, mill.is_complete, mill.is_cut, mill.is_stated) == ((), True, False, True)


def test_incoming_facts_are_counted(open_graph):
    lund = describe_entity(open_graph("described_mills"), "https://mills.example/lund", shown_values=1)
    (group,) = lund.incoming
    assert (group.label, group.count, texts_of([group])) == ("town", 2, {"town": ["Red Mill"]})
    assert group.is_cut and lund.is_cut and lund.is_complete


@pytest.mark.parametrize("iri", ["https://mills.example/none", "Red Mill", "", 'x> } DROP ALL #"', "\ud800", "a:\n"])
def test_unknown_and_impossible_iris_state_nothing(open_graph, iri):
    assert not describe_entity(open_graph("described_mills"), iri).is_stated


def test_a_hub_is_counted_up_to_a_limit_with_few_requests(ports):
    ports.vocabulary  # noqa: B018 - read once per graph, not per description
    endpoint = CountingEndpoint(ports.endpoint)
    hub = describe_entity(ports.with_endpoint(endpoint), HUB)
    groups = {group.predicate.rpartition("/")[2]: group for group in hub.incoming}
    assert (groups["port"].count, groups["port"].is_count_exact) == (COUNTED_TRIPLES, False)
    assert len(groups["port"].values) == SHOWN_VALUES
    assert groups["port"].values[0].class_label == "ship"
    assert (groups["guides"].count, groups["guides"].is_count_exact) == (3, True)
    assert not hub.is_complete and hub.is_cut and hub.label == "Hub"
    assert endpoint.requests <= 6
    assert endpoint.rows < 2 * entity_description.SCANNED_TRIPLES


def test_long_texts_are_shortened(open_graph):
    kg = open_graph(f'<urn:lund> <urn:motto> "{"w" * 5_000}" .')
    (group,) = describe_entity(kg, "urn:lund").outgoing
    assert group.values[0].value.value == "w" * entity_description.MAX_CHARACTERS + entity_description.CUT_MARK
