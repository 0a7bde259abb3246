"""The card of a graph: its size, classes, relations and questions, one line each."""

from invented_graphs import open_graph

from chattykg.service.mcp.replies import describe_card


def test_the_card_tells_what_there_is_and_how_to_ask():
    card = describe_card(open_graph("ferries_of_two_languages"))
    assert card.startswith("# ferries_of_two_languages.ttl\n")
    assert 'class ferry <https://ferries.example/Ferry> "ferry" 3x' in card
    assert "home port <https://ferries.example/homePort>: ferry -> port 3x" in card
    assert "- languages of its labels: de, en" in card
    assert "## Questions that it answers\n\n- " in card
    assert "\nDROP" not in card
