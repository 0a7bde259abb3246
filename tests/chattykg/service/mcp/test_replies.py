"""The card of a graph: its size, classes, relations and questions, one line each."""

from chattyshared.kg.factory import open_kg

from chattykg.service.mcp.replies import describe_card

FERRIES = """
@prefix : <https://ferries.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Ferry rdfs:label "ferry"@en , "Fähre"@de . :Port rdfs:label "port"@en . :homePort rdfs:label "home port"@en .
:f1 a :Ferry ; rdfs:label "Gannet"@en ; :homePort :p1 . :f2 a :Ferry ; rdfs:label "Gull"@en ; :homePort :p1 .
:f3 a :Ferry ; rdfs:label "Petrel"@en ; :homePort :p2 .
:p1 a :Port ; rdfs:label "Skerry"@en . :p2 a :Port ; rdfs:label "Holm\\nDROP"@en .
"""


def test_the_card_tells_what_there_is_and_how_to_ask(tmp_path):
    (tmp_path / "ferries.ttl").write_text(FERRIES, encoding="utf-8")
    card = describe_card(open_kg([str(tmp_path / "ferries.ttl")]))
    assert card.startswith("# ferries.ttl\n")
    assert 'class ferry <https://ferries.example/Ferry> "ferry" 3x' in card
    assert "home port <https://ferries.example/homePort>: ferry -> port 3x" in card
    assert "- languages of its labels: de, en" in card
    assert "## Questions that it answers\n\n- " in card
    assert "\nDROP" not in card
