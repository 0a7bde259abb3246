"""Observations: in the names of the prompt, one line each, within a budget that tells what it leaves out."""

import pytest
from chattyshared.dialogue import Value

from chattykg.direct.schema_prompt import build_schema_prompt
from chattykg.exploration.class_statistics import ValueCounts
from chattykg.exploration.graph_names import GraphNames, to_line
from chattykg.exploration.graph_tools import FoundEntity, SelectedTable
from chattykg.exploration.observations import MAX_CHARACTERS, SHOWN_SINGLE, fit_lines, render_observation
from chattykg.exploration.tools import load_agent_tools, look_up
from chattykg.linking.vocabulary_card import build_vocabulary_card

XSD = "http://www.w3.org/2001/XMLSchema#"


@pytest.fixture
def names(ships):
    return GraphNames(build_schema_prompt(ships, build_vocabulary_card("Who commands the Aurora?", ships)), ships)


def observe(ships, names, tool, **arguments):
    return render_observation(look_up(ships, load_agent_tools()[tool], arguments), names, ships)


def test_things_get_numbers_that_queries_may_use(ships, names):
    assert observe(ships, names, "search_entities", text="Comet") == 'e:2 "Comet" [tanker]\ne:3 "Comet" [harbor]'
    assert names.expand("e:2") == "https://ships.example/comet" and names.expand("e:99") == "e:99"
    assert names.expand("p:captain") == "https://ships.example/vocab/captain"
    assert names.expand("https://x.example/a") == "https://x.example/a"
    assert "<https://ships.example/comet>" in names.schema_prompt.expand_query("SELECT ?x { e:2 p:captain ?x }")


def test_what_is_found_is_told_in_both_directions(ships, names):
    text = observe(ships, names, "describe", thing="Lund Port")
    assert text.startswith('e:2 "Lund Port" [harbor]\n-> p:country: e:3 "Sweden"\n')
    assert '<- p:homeHarbor: e:1 "Aurora", e:' in text
    assert observe(ships, names, "search_entities", text="zzz") == "nothing is found"
    far = FoundEntity("https://ships.example/comet", "Comet", "Comet", 0.36)
    assert render_observation((far,), names, ships) == "nothing is found"
    assert "-> p:captain (p:Person): 3" in observe(ships, names, "search_predicates", **{"class": "ship"})
    assert observe(ships, names, "search_predicates", text="captain").startswith("p:captain: ")
    loose = observe(ships, names, "search_predicates", text="captain weather")
    assert loose.startswith("nothing has all of these words; by any of them:\np:captain")


def test_values_keep_their_language_and_datatype(names):
    assert names.render_value(Value("1998-05-01", "literal", datatype=f"{XSD}date")) == '"1998-05-01"^^xsd:date'
    assert names.render_value(Value("Fähre", "literal", lang="de")) == '"Fähre"@de'
    assert names.render_value(Value("7", "number", datatype=f"{XSD}integer")) == "7"
    assert names.render_value(None) == "-"


def test_rows_that_do_not_fit_are_counted(ships, names):
    rows = tuple((Value(f"{n} " * 40, "literal"), None) for n in range(100))
    text = render_observation(SelectedTable("q", ("a", "b"), rows, is_cut=True), names, ships)
    assert len(text) <= MAX_CHARACTERS + 40 and text.startswith("100 or more rows: ?a | ?b\n")
    shown = text.count("\n") - 1
    assert text.endswith(f"({100 - shown} more left out)")
    assert render_observation(SelectedTable("q", truth=False), names, ships) == "false"
    assert render_observation(SelectedTable("q", ("a",)), names, ships) == "no rows"


def test_values_that_occur_once_are_samples(ships, names):
    values = tuple((Value(f"May {n}", "literal"), 1) for n in range(20))
    text = render_observation(ValueCounts("https://ships.example/vocab/length", "", 0, 73, 73, values), names, ships)
    assert text.count(": 1x") == SHOWN_SINGLE and text.endswith(f"({73 - SHOWN_SINGLE} other values)")


def test_texts_are_one_line_each():
    assert to_line('a "b"\n\u202e\x00 c', 50) == "a 'b' c"
    assert to_line("x" * 100, 10) == "xxxxxxxxxx… (100 characters)"
    assert to_line("x" * 50_000_000, 10) == "xxxxxxxxxx… (50,000,000 characters)"
    assert fit_lines(["a" * 5_000, "b"], 100) == "a" * 50 + "…\nb"
