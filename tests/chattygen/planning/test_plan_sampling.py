"""Threads of sampled plans: chains of answers, and bridges before two-hop questions."""

import pytest
from chattyshared.dialogue import Dialogue
from chattyshared.kg.factory import open_kg
from chattyshared.model.rules import RuleModel

from chattygen import RULEBOOK, Options
from chattygen.pipeline import generate

NAMES = "Larkspur Meadow Thistle Bramble Sorrel Tansy Clover Yarrow".split()
MIX = (("lookup", 75.0), ("two-hop", 25.0))


def league() -> str:
    """Return a graph of players with clubs, of clubs with grounds, and of grounds with architects."""
    lines = ["@prefix : <https://l.example/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> ."]
    for n, name in enumerate(NAMES):
        lines += [
            f':p{n} a :Player ; rdfs:label "Ida {name}" ; :club :c{n // 2} ; :height {160 + n} ; :goals {3 * n} .',
            f':c{n} a :Club ; rdfs:label "{name} Rovers" ; :ground :g{n} ; :founded {1900 + n} ; :staff {7 + n} .',
            f':g{n} a :Stadium ; rdfs:label "{name} Park" ; :architect :a{n} ; :seats {900 + 7 * n} ; :gates {n} .',
            f':a{n} a :Architect ; rdfs:label "Max {name}" ; :awards {n} .',
        ]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> list[Dialogue]:
    path = tmp_path_factory.mktemp("league") / "league.ttl"
    path.write_text(league(), encoding="utf-8")
    options = Options(dialogues=8, turns=4, mix=MIX, types=("player",), chain=0.7, min_predicates=3, min_triples=3)
    return [made.dialogue for made in generate(open_kg([str(path)]), RuleModel(RULEBOOK), options) if made.dialogue]


def test_a_dialogue_goes_on_with_the_answer_about_an_answer(talks: list[Dialogue]):
    grounds = [turn for talk in talks for turn in talk.turns if turn.link == "answer" and "l.example/g" in turn.sparql]
    assert any(f"/{name}>" in turn.sparql for turn in grounds for name in ("seats", "gates", "architect"))


def test_a_two_hop_question_comes_after_its_bridge_and_once(talks: list[Dialogue]):
    for talk in talks:
        forms = [turn.form for turn in talk.turns]
        assert forms.count("two-hop") <= 1
        if "two-hop" in forms:
            earlier = [turn.sparql for turn in talk.turns[: forms.index("two-hop")]]
            assert any("/club> ?x" in sparql for sparql in earlier), earlier
    assert any(turn.form == "two-hop" for talk in talks for turn in talk.turns)


@pytest.mark.slow
def test_yes_no_questions_come_seldom_second_and_once():
    options = Options(dialogues=40, turns=5)
    made = [made.dialogue for made in generate(open_kg(["demo"]), RuleModel(RULEBOOK), options) if made.dialogue]
    forms = [[turn.form if turn.answerable else "" for turn in dialogue.turns] for dialogue in made]
    assert sum("boolean" in each for each in forms) >= 12
    assert sum(each[1] == "boolean" for each in forms) <= 0.25 * len(forms)
    assert all(each.count("boolean") <= 1 for each in forms)
