"""Partners of comparison and shift, and foils, are near: they share a neighbour with the seed."""

from collections.abc import Callable

import pytest
from chattyshared.dialogue import Dialogue
from chattyshared.kg import KnowledgeGraph
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel
from rdflib import URIRef

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate
from chattygen.planning.neighbourhoods import DirectedEdge, Neighbourhoods
from chattygen.planning.related_entities import siblings_with_shared_ends
from chattygen.run import RunContext
from chattygen.subgraph.facts import Entity
from chattygen.subgraph.naming import Naming

BANDS = "Larkspur Meadow Thistle Bramble Sorrel Tansy".split()
TITLES = "Harbour Lantern Orchard Quarry Winter Meridian Compass Ember Juniper Saltmarsh".split()
MIX = (("lookup", 50.0), ("comparison", 25.0), ("boolean", 25.0))


def records() -> str:
    """Return a graph of albums, ten by each band, recorded in studios of the band's own."""
    lines = ["@prefix : <https://r.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    lines.append("@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .")
    for b, band in enumerate(BANDS):
        lines.append(f':{band} a :Band ; rdfs:label "{band}" ; :founded {1950 + b} ; :motto "Play {b} times a day" .')
        lines += [f':{band}{n} a :Studio ; rdfs:label "{band} Room {"AB"[n]}" ; :doors {b + n} .' for n in (0, 1)]
        for t, title in enumerate(TITLES):
            lines.append(
                f':a{b}{t} a :Album ; rdfs:label "{title} of {band}" ; :band :{band} ; :recordedAt :{band}{t % 2} ; '
                f':released "{1960 + 2 * t}-0{1 + b}-11"^^xsd:date ; :minutes {30 + 3 * t + b} .'
            )
    return "\n".join(lines)


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> list[Dialogue]:
    path = tmp_path_factory.mktemp("records") / "records.ttl"
    path.write_text(records(), encoding="utf-8")
    options = Options(dialogues=20, turns=5, mix=MIX, types=("album",))
    made = generate(open_kg([str(path)]), RuleModel(RULEBOOK), options)
    return [one.dialogue for one in made if one.dialogue]


def test_an_album_is_compared_with_another_of_its_band_and_shifts_to_one(talks: list[Dialogue]):
    partners = [
        (talk.seed.label.rpartition(" ")[2], turn.standalone)
        for talk in talks
        for turn in talk.turns
        if turn.form == "comparison" or turn.link == "shift"
    ]
    assert len(partners) > 10 and all([one for one in BANDS if one in text] == [band] for band, text in partners)


def test_a_foil_is_a_value_of_a_near_entity(talks: list[Dialogue]):
    foils = [
        (talk.seed.label, turn.standalone)
        for talk in talks
        for turn in talk.turns
        if turn.form == "boolean" and turn.answers[0].value == "false" and "Room" in turn.standalone
    ]
    assert foils and all(label.rpartition(" ")[2] + " Room" in question for label, question in foils)


def test_things_without_shared_neighbours_are_compared_within_their_class(open_turtle: Callable[[str], KnowledgeGraph]):
    lines = ["@prefix : <https://r.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    lines += [
        f':p{n} a :Pylon ; rdfs:label "Pylon {"ABCDEFGH"[n]}" ; :metres {40 + n} ; :bolts {900 + n} ; :tonnes {7 + n} ;'
        f' :volts {110 + n} ; :wires {3 + n} .' for n in range(8)
    ]  # fmt: skip
    made = generate(open_turtle("\n".join(lines)), RuleModel(RULEBOOK), Options(dialogues=6, turns=4, mix=MIX))
    turns = [turn for one in made if one.dialogue for turn in one.dialogue.turns]
    assert any(turn.form == "comparison" for turn in turns)


def test_a_comparison_goes_on_with_the_winner_and_at_times_with_the_other_one(talks: list[Dialogue]):
    follow_ups = [
        (turn, after)
        for talk in talks
        for turn, after in zip(talk.turns, talk.turns[1:], strict=False)
        if turn.form == "comparison" and not turn.sparql.startswith("ASK")
    ]
    about_winner = [(turn, after) for turn, after in follow_ups if after.link == "answer"]
    assert about_winner and all(turn.answers[0].value in after.sparql for turn, after in about_winner)
    compared = [talk for talk in talks if any(turn.form == "comparison" for turn in talk.turns)]
    positions = [turn.question for talk in compared for turn in talk.turns if turn.link == "position"]
    assert all("the other one" in question for question in positions)
    assert not any("former" in turn.question or "latter" in turn.question for talk in talks for turn in talk.turns)


def test_ten_ends_that_ten_share_count_as_much_as_one_that_one_shares(open_turtle: Callable[[str], KnowledgeGraph]):
    def edges(*ends: str) -> tuple[DirectedEdge, ...]:
        return tuple(("out", URIRef("urn:leads"), URIRef(f"urn:{end}")) for end in ends)

    common = [f"common{number}" for number in range(10)]
    members = {URIRef(f"urn:{name}"): edges(*common) for name in "a1 a2 c1 c2 c3 c4 c5 c6 c7 c8".split()}
    members |= {URIRef("urn:b"): edges("own"), **{URIRef(f"urn:z{number}"): () for number in range(10)}}
    kg = open_turtle("<urn:a1> <urn:leads> <urn:common0> .")
    run = RunContext(kg, RuleModel(RULEBOOK), Options(), Naming({}, (), ()), frozenset())
    run.cache.class_edges["urn:Class", frozenset()] = members
    seed = Entity(URIRef("urn:seed"), "Seed", "urn:Class", "thing", ())
    near = siblings_with_shared_ends(run, seed, Neighbourhoods({seed.iri: edges("own", *common)}))
    assert [iri.removeprefix("urn:") for iri in near] == ["a1", "a2", "b", "c1", "c2"]
